"""Inverse dynamics in four references, recorded: the text gives what the recursions give."""

import numpy as np
from oracles.compare import agree
from oracles.families import FAMILIES, MIXED, states
import pytest
from robodyn_ros.dynamics_forms import REFERENCES
from robodyn_ros.kernels import generic
from robodyn_ros.kernels.specialise import MOTION, Recipe, record, VECTOR
from test.specialise.test_specialised_code import exact, plain


@pytest.mark.parametrize('reference', REFERENCES)
@pytest.mark.parametrize('case', [*FAMILIES, *MIXED])
def test_every_reference(case, reference):
    """Any robot; the frames of a body stand where the inputs say, at the hinges or away."""
    robot = {**FAMILIES, **MIXED}[case].robot
    state, inputs, given = states(robot, 1)[0], MOTION | {'qdd': VECTOR}, []
    name = f'inverse_dynamics_{reference}'
    if reference in ('body', 'offset'):
        name, shape = 'inverse_dynamics_body', (len(robot.model.topology), 3)
        offsets = np.random.default_rng(3).normal(size=shape)
        inputs, given = inputs | {'offsets': shape}, [offsets * (reference == 'offset')]
    recipe = Recipe(getattr(generic, name).python, inputs, {'tau': VECTOR})
    tau = np.full(robot.nv, np.nan)
    assert plain(record(name, recipe, robot.model))(*state, *given, tau) == 0
    agree(tau, robot.inverse_dynamics_in(reference, *state), tolerance=exact(robot.model))
