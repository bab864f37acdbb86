# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Control laws that can be recorded, and so printed as C: their kernels decide nothing."""

from robodyn_ros.codegen.registry import MOTION, Recipe
from robodyn_ros.control.laws.computed_torque import ComputedTorque
from robodyn_ros.control.laws.gravity_compensation import GravityCompensation
from robodyn_ros.control.laws.law import TERMS
from robodyn_ros.control.laws.pd import PD, PDGravity

_FEEDBACK = MOTION | {'reference': (3, 'nv'), 'gains': (2, 'nv')}
_INPUTS = {
    GravityCompensation: {'damping': ('nv',)} | MOTION,
    PD: _FEEDBACK,
    PDGravity: _FEEDBACK,
    ComputedTorque: _FEEDBACK,
}

#: By the name of the law; the arguments of its kernel, less those of the model.
LAW_RECIPES = {
    law.name: Recipe(law.kernels[0].python, inputs, {'terms': (len(TERMS), 'nv')})
    for law, inputs in _INPUTS.items()
}
#: The torque that a supervisor falls back on, printed with every law.
SAFE_LAW = GravityCompensation.name


def chosen_laws(model, names):
    """Return {name: Recipe} of laws to print, that of the safe torque with them.

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
    if names:
        model.refuse_quaternions(f'the control law {names[0]!r}')
    wanted = dict.fromkeys([*names, SAFE_LAW]) if names else {}
    return {name: LAW_RECIPES[name] for name in wanted}
