# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Control laws that can be emitted as C, since their kernels do not branch on data."""

from dataclasses import replace
from typing import Mapping

import numpy as np

from robodyn_ros.algorithms.core import composite
from robodyn_ros.algorithms.mass_matrix.mass_matrix_inverse import mass_matrix_inverse_in_place
from robodyn_ros.codegen.emission.c_selection import require_joints
from robodyn_ros.codegen.registry import MOTION, RECIPES, VECTOR, Recipe
from robodyn_ros.compile import embedded
from robodyn_ros.compile.rebound import rebound
from robodyn_ros.control.laws.braking import Braking
from robodyn_ros.control.laws.computed_torque import ComputedTorque, friction_torque
from robodyn_ros.control.laws.diagonal_damping import DiagonalDamping
from robodyn_ros.control.laws.gravity_compensation import GravityCompensation
from robodyn_ros.control.laws.law import TERMS, ControlLaw
from robodyn_ros.control.laws.pd import PD, PDGravity
from robodyn_ros.control.laws.underactuated import UnderactuatedComputedTorque
from robodyn_ros.errors import ModelError, UnknownNameError

_FEEDBACK = MOTION | {'reference': (3, 'nv'), 'gains': (2, 'nv')}
_INPUTS: dict[type[ControlLaw], Mapping[str, tuple[int | str, ...]]] = {
    GravityCompensation: MOTION,
    PD: _FEEDBACK,
    PDGravity: _FEEDBACK,
    ComputedTorque: _FEEDBACK,
    DiagonalDamping: MOTION | {'gains': (2, 'nv')},
    UnderactuatedComputedTorque: _FEEDBACK,
}


def _undriven(model, passive):
    """Return the arrays of the under-actuated law, with free passive joints."""
    n = model.nv
    return {
        'passive': np.array([float(name in passive) for name in model.joint_names]),
        'values': np.zeros(1),
        'free': np.zeros(n),
        **{name: np.zeros((3, n)) for name in ('known', 'tau', 'qdd')},
    }


#: Recipes by name of the law: its kernel, and its arguments other than the model.
LAW_RECIPES = {
    law.name: Recipe(law.kernels[0].python, inputs, {'terms': (len(TERMS), 'nv')})
    for law, inputs in _INPUTS.items()
}
_UNDERACTUATED = UnderactuatedComputedTorque.name
LAW_RECIPES[_UNDERACTUATED] = replace(LAW_RECIPES[_UNDERACTUATED], given=_undriven)
#: Emitted with every law: what the supervisor needs for its safe torque, and the dynamics of a
#: simulated robot. The diagonal is added to the mass matrix for implicit friction.
COMPANIONS = {
    GravityCompensation.name: LAW_RECIPES[GravityCompensation.name],
    Braking.name: replace(
        LAW_RECIPES[GravityCompensation.name], recursion=Braking.kernels[0].python
    ),
    'friction_torque': Recipe(friction_torque, MOTION, {'tau': VECTOR}),
    'forward_dynamics_damped': replace(
        RECIPES['forward_dynamics'],
        inputs={**RECIPES['forward_dynamics'].inputs, 'diagonal': VECTOR},
    ),
    'mass_matrix_inverse_damped': replace(
        RECIPES['mass_matrix_inverse'],
        recursion=mass_matrix_inverse_in_place,
        others=(composite.mass_matrix_inverse,),
        inputs={**RECIPES['mass_matrix_inverse'].inputs, 'diagonal': VECTOR},
    ),
}


def chosen_laws(model, names, passive=()):
    """Return [(name, subject, Recipe)] of laws to emit, with COMPANIONS.

    `names` (sequence of str): names of laws, out of LAW_RECIPES.
    `passive` (sequence of str): joints without motor, for 'underactuated_computed_torque'.
    Raises ModelError: if a joint of the robot has a quaternion, or no joint is left to drive.
    Raises UnknownNameError: for an unknown passive joint, if the law lacks one, or for one without
      that law.
    """
    if passive or _UNDERACTUATED in names:
        _require_passive(model, names, passive)
    if not names:
        return []
    model.refuse_quaternions(f'the control law {names[0]!r}')
    recipes = {name: LAW_RECIPES[name] for name in names} | COMPANIONS
    return [
        (name, tuple(passive) if recipe.given else None, _of_model(recipe, model))
        for name, recipe in recipes.items()
    ]


def _of_model(recipe, model):
    """Return the recipe of a law over the independent coordinates of a robot."""
    if not model.is_embedded or recipe.recursion in embedded.HAVE_COUNTERPARTS:
        return recipe
    others = {each: embedded.counterpart(each) for each in embedded.HAVE_COUNTERPARTS}
    return replace(
        recipe,
        recursion=rebound(recipe.recursion, others),
        aligned=not model.has_loops,
        is_embedded=True,
    )


def _require_passive(model, names, passive):
    """Raise an error unless these passive joints fit the robot and the laws."""
    require_joints(model, passive, 'passive joint', f'for the law {_UNDERACTUATED}')
    if _UNDERACTUATED not in names:
        raise UnknownNameError(
            f'robot {model.name!r}: got the passive joint {passive[0]!r} and the laws '
            f'{", ".join(names) or "none"}; only {_UNDERACTUATED} has passive joints'
        )
    if set(passive) == set(model.joint_names):
        raise ModelError(
            f'robot {model.name!r}: got every joint as passive; expected one left to drive'
        )
