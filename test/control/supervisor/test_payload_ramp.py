# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A controlled robot goes over to a payload: every quantity is linear in it."""

import numpy as np
import pytest

from robodyn_ros import Robot, example
from robodyn_ros.control.supervisor.payload_ramp import PayloadRamp
from robodyn_ros.errors import ModelError, ParameterError, UnknownNameError

INERTIA = np.diag([0.02, 0.03, 0.04])
COM = np.array([0.1, -0.05, 0.2])
Q = np.array([0.4, -0.9])


@pytest.fixture(scope='module')
def robot():
    return Robot.from_urdf(example('two_link'))


def test_weight_and_inertia_go_linearly_from_one_payload_to_the_next(robot):
    """Also from one that was not reached; the end is the loaded robot, to the last bit."""
    ramp = PayloadRamp(robot.model)
    seen = Robot(ramp.model)
    loaded = robot.with_payload(2.0, COM, INERTIA, 'tool0')
    ramp.begin(ramp.plan('tool0', 2.0, COM, INERTIA, 0.4))
    bare = robot.gravity_torque(Q), robot.mass_matrix(Q)
    full = loaded.gravity_torque(Q), loaded.mass_matrix(Q)
    for k in range(1, 4):
        ramp.advance(0.1)
        found = seen.gravity_torque(Q), seen.mass_matrix(Q)
        for at, before, after in zip(found, bare, full):
            np.testing.assert_allclose(at, before + 0.25 * k * (after - before), rtol=1e-13)
    ramp.begin(ramp.plan('tool0', 0.0, np.zeros(3), np.zeros((3, 3)), 0.2))
    start = seen.gravity_torque(Q)
    ramp.advance(0.1)
    np.testing.assert_allclose(seen.gravity_torque(Q), 0.5 * (start + bare[0]), rtol=1e-13)
    assert ramp.moving and not ramp.empty
    ramp.advance(0.1001)
    np.testing.assert_array_equal(ramp.model.constants, robot.model.constants)
    assert ramp.empty
    ramp.begin(ramp.plan('tool0', 2.0, COM, INERTIA, 0.0))
    ramp.advance(0.0)
    np.testing.assert_array_equal(ramp.model.constants, loaded.model.constants)
    assert not ramp.moving and not ramp.empty


@pytest.mark.parametrize(
    'change, kind, words',
    [
        ({'frame': 'hand'}, UnknownNameError, 'hand'),
        ({'mass': -2.0}, ModelError, 'mass'),
        ({'inertia': np.diag([1.0, 0.1, 0.1])}, ModelError, 'triangle'),
        ({'duration': -1.0}, ParameterError, 'expected 0 to 60 s'),
        ({'duration': np.nan}, ParameterError, 'expected 0 to 60 s'),
        ({'duration': 61.0}, ParameterError, 'expected 0 to 60 s'),
    ],
)
def test_a_refused_payload_changes_nothing(robot, change, kind, words):
    ramp = PayloadRamp(robot.model)
    payload = {'frame': 'tool0', 'mass': 2.0, 'com': COM, 'inertia': INERTIA, 'duration': 1.0}
    with pytest.raises(kind, match=words):
        ramp.plan(**payload | change)
    assert ramp.empty
    np.testing.assert_array_equal(ramp.model.constants, robot.model.constants)
