# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A controlled robot goes over to a payload: every quantity is linear in it."""

from types import SimpleNamespace

import numpy as np
import pytest

from robodyn_ros import Robot, example
from robodyn_ros.control.supervisor.payload_ramp import PayloadRamp
from robodyn_ros.control.supervisor.preconditions import refuse_weight
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
    loaded = robot.with_payload('tool0', 2.0, COM, INERTIA)
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


def test_the_weight_at_the_end_of_a_ramp_is_known_before_it_begins(robot):
    ramp = PayloadRamp(robot.model)
    plan = ramp.plan('tool0', 2.0, COM, INERTIA, 0.4)
    loaded = robot.with_payload('tool0', 2.0, COM, INERTIA)
    np.testing.assert_array_equal(ramp.weight(plan, Q), loaded.gravity_torque(Q))
    np.testing.assert_array_equal(ramp.weight(ramp.now, Q), robot.gravity_torque(Q))
    np.testing.assert_array_equal(ramp.model.constants, robot.model.constants)
    assert ramp.empty


def test_a_payload_is_refused_where_it_alone_is_too_heavy(robot):
    """A joint that cannot hold the robot as it is, such as a passive one, is no reason."""
    ramp, measured = PayloadRamp(robot.model), SimpleNamespace(q=Q)
    plan = ramp.plan('tool0', 2.0, COM, INERTIA, 0.4)
    bare, loaded = (abs(ramp.weight(each, Q)) for each in (ramp.now, plan))
    assert (loaded > bare).all()

    def judged(limits, known=measured, by_robot=False):
        settings = SimpleNamespace(
            effort_limits=np.array(limits), robot_compensates_gravity=by_robot
        )
        return refuse_weight(ramp, plan, known, settings, ('a', 'b'))

    assert judged([loaded[0], np.nan]) == judged([0.0, loaded[1]]) == ''
    little = 0.5 * (bare[1] + loaded[1])
    assert judged([0.0, little]) == (
        f'the payload: joint b needs {loaded[1]:.6g} to hold it in the measured posture; expected '
        f'at most its effort limit, {little:g} (masses are in kg)'
    )
    assert judged([0.0, little], None) == judged([0.0, little], by_robot=True) == ''


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


@pytest.mark.parametrize(
    ('limits', 'joints'),
    [
        ([100.0, 50.0], []),
        ([100.0, 20.0], [2]),
        ([20.0, 20.0], [2]),  # the first one does not hold itself either
        ([70.0, 20.0], [1, 2]),
    ],
)
def test_a_payload_beyond_the_limits_in_some_posture_is_told(robot, limits, joints):
    """As `report --payload` says it, with the effort limits in use: 74 and 27 N m are needed."""
    ramp = PayloadRamp(robot.model)
    settings = SimpleNamespace(effort_limits=np.array(limits), robot_compensates_gravity=False)
    assert ramp.overload(settings) == ''
    ramp.begin(ramp.plan('tool0', 3.0, np.zeros(3), np.zeros((3, 3)), 0.4))
    told = ramp.overload(settings)
    assert [k for k in (1, 2) if f"joint 'joint{k}' cannot hold the payload: " in told] == joints
    assert told.startswith('Warning: ') == bool(joints)
    assert ('up to 27.47, its effort limit is 20; at q = ' in told) == bool(joints)
    settings.robot_compensates_gravity = True
    assert ramp.overload(settings) == ''
    np.testing.assert_array_equal(ramp.model.constants, robot.model.constants)
