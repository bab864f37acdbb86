# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The arms of these tests, and a recording of one, made once."""

from pathlib import Path

import numpy as np
import pytest

from robodyn_ros.demonstration import identify_demo
from robodyn_ros.identification import Parameters, base_parameters, excite
from robodyn_ros.robot.robot import Robot

ROOT = Path(__file__).resolve().parents[2]
FRANKA = str(ROOT / 'config' / 'urdf' / 'franka_like.urdf')
PERIOD = 5.0


@pytest.fixture(scope='session')
def franka():
    """Return the arm as described."""
    return Robot.from_urdf(FRANKA)


@pytest.fixture(scope='session')
def true(franka):
    """Return the arm that moves."""
    return identify_demo.true_robot(franka)


@pytest.fixture(scope='session')
def excitation(franka):
    """Return a motion of the arm that was searched for, but not for long."""
    parameters = Parameters(franka)
    return excite(
        franka, base_parameters(parameters), parameters, period=PERIOD, trials=60, seed=1
    )


@pytest.fixture(scope='session')
def recording(franka, true, excitation):
    """Return what the arm recorded on that motion, with noise."""
    return identify_demo.record(true, franka, excitation.motion, periods=2)


@pytest.fixture
def rng():
    """Return random numbers, the same in every run."""
    return np.random.default_rng(3)
