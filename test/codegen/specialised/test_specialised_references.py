# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics in four references, recorded: the text gives what the recursions give."""

import numpy as np
import pytest

from robodyn_ros.codegen.registry import MOTION, VECTOR, Recipe
from robodyn_ros.codegen.specialise import record, specialise
from robodyn_ros.compile import generic
from robodyn_ros.robot.variants import REFERENCES
from support.compare import agree
from support.robots.families import FAMILIES, MIXED, states
from test.codegen.specialised.test_specialised_code import exact, plain


def recipe_of(robot, reference):
    """Return (name, recipe, state with what else it takes): frames away from joints if wished."""
    state, inputs = states(robot, 1)[0], MOTION | {'qdd': VECTOR}
    name = f'inverse_dynamics_{reference}'
    if reference in ('body', 'offset'):
        name, shape = 'inverse_dynamics_body', (len(robot.model.topology), 3)
        offsets = np.random.default_rng(3).normal(size=shape) * (reference == 'offset')
        state, inputs = (*state, offsets), inputs | {'offsets': shape}
    return name, Recipe(getattr(generic, name).python, inputs, {'tau': VECTOR}), state


@pytest.mark.parametrize('reference', REFERENCES)
@pytest.mark.parametrize('case', [*FAMILIES, *MIXED])
def test_recorded_text_of_every_reference_gives_what_the_recursion_gives(case, reference):
    """Any robot; the frames of a body stand where the inputs say, at the joints or away."""
    robot = {**FAMILIES, **MIXED}[case].robot
    name, recipe, given = recipe_of(robot, reference)
    tau = np.full(robot.nv, np.nan)
    assert plain(record(name, recipe, robot.model))(*given, tau) == 0
    agree(
        tau,
        robot.variants.inverse_dynamics_in(reference, *given[:3]),
        tolerance=exact(robot.model),
    )


@pytest.mark.parametrize('reference', ['offset', 'inertial', 'fixed'])
def test_a_spherical_joint_compiles_in_every_reference(reference):
    """Of a spherical joint, compiled as any quantity of a specialised robot is."""
    robot = MIXED['one_ball'].robot
    name, recipe, given = recipe_of(robot, reference)
    tau = np.full(robot.nv, np.nan)
    assert specialise(robot.model, name, recipe).one(*given, tau) == 0
    agree(tau, robot.variants.inverse_dynamics_in(reference, *given[:3]), tolerance=1e-13)
