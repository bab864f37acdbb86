# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Control laws that can be emitted as C, because their kernels do not branch on data."""

from dataclasses import replace

from robodyn_ros.codegen.registry import MOTION, RECIPES, VECTOR, Recipe
from robodyn_ros.control.laws.computed_torque import ComputedTorque, friction_torque
from robodyn_ros.control.laws.diagonal_damping import DiagonalDamping
from robodyn_ros.control.laws.gravity_compensation import GravityCompensation
from robodyn_ros.control.laws.law import TERMS
from robodyn_ros.control.laws.pd import PD, PDGravity

_FEEDBACK = MOTION | {'reference': (3, 'nv'), 'gains': (2, 'nv')}
_INPUTS = {
    GravityCompensation: {'damping': VECTOR} | MOTION,
    PD: _FEEDBACK,
    PDGravity: _FEEDBACK,
    ComputedTorque: _FEEDBACK,
    DiagonalDamping: MOTION | {'gains': (2, 'nv')},
}

#: By name of the law: the arguments of its kernel, without those of the model.
LAW_RECIPES = {
    law.name: Recipe(law.kernels[0].python, inputs, {'terms': (len(TERMS), 'nv')})
    for law, inputs in _INPUTS.items()
}
#: Emitted with every law: the safe torque of the supervisor, and the dynamics of a simulated
#: robot. The diagonal is added to the mass matrix for implicit friction.
COMPANIONS = {
    GravityCompensation.name: LAW_RECIPES[GravityCompensation.name],
    'friction_torque': Recipe(friction_torque, MOTION, {'tau': VECTOR}),
    'forward_dynamics_damped': replace(
        RECIPES['forward_dynamics'],
        inputs=RECIPES['forward_dynamics'].inputs | {'diagonal': VECTOR},
    ),
}


def chosen_laws(model, names):
    """Return {name: Recipe} of laws to emit, with COMPANIONS.

    Parameters
    ----------
    model : RobotModel
    names : sequence of str
        Names out of LAW_RECIPES.

    Returns
    -------
    dict
        Empty without names.

    Raises
    ------
    ModelError
        If a joint of the robot has a quaternion.
    """
    if not names:
        return {}
    model.refuse_quaternions(f'the control law {names[0]!r}')
    return {name: LAW_RECIPES[name] for name in names} | COMPANIONS
