# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The state of a base from messages, and its use by a controller."""

from types import SimpleNamespace as Fake

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from geometry_msgs.msg import Point, Quaternion, Transform, Twist, Vector3
from sensor_msgs.msg import MultiDOFJointState

from robodyn_ros.control import TERMS
from robodyn_ros.control.laws.floating_base import FloatingBaseComputedTorque
from robodyn_ros.errors import ParameterError, UnknownNameError
from robodyn_ros.model.rotation_matrix import from_quaternion
from robodyn_ros.ros.controller.base_state_intake import (
    BaseStateIntake,
    from_multi_dof,
    from_odometry,
)
from support.supervised import TWO_LINK, lagging

PLACE, LINEAR, ANGULAR = np.array([[0.1, 0.2, -0.3], [0.4, -0.5, 0.6], [0.7, 0.8, -0.9]])
TURN = np.array([0.1, -0.5, 0.3, 0.8])
TURN /= np.linalg.norm(TURN)
AXES = from_quaternion(*TURN)


def vector(kind, values):
    """Return a message of x, y, z and perhaps w."""
    return kind(**dict(zip('xyzw', map(float, values))))


def state(name='free_base', turn=TURN):
    """Return the state as of a floating joint: twist in axes of the world."""
    return MultiDOFJointState(
        joint_names=['trolley', name],
        transforms=[
            Transform(),
            Transform(translation=vector(Vector3, PLACE), rotation=vector(Quaternion, turn)),
        ],
        twist=[Twist(), Twist(linear=vector(Vector3, LINEAR), angular=vector(Vector3, ANGULAR))],
    )


def test_a_floating_joint_turns_in_axes_of_the_world():
    pose, twist = from_multi_dof(state(), 'free_base')
    assert pose == pytest.approx([*PLACE, *TURN])
    assert twist == pytest.approx([*LINEAR, *(AXES.T @ ANGULAR)])


def test_an_odometry_moves_in_its_own_axes():
    """REP 103, nav_msgs/Odometry: pose in header.frame_id, twist in child_frame_id."""
    pose = Fake(position=vector(Point, PLACE), orientation=vector(Quaternion, TURN))
    twist = Fake(linear=vector(Vector3, AXES.T @ LINEAR), angular=vector(Vector3, ANGULAR))
    message = Fake(pose=Fake(pose=pose), twist=Fake(twist=twist))
    pose, twist = from_odometry(message)
    assert pose == pytest.approx([*PLACE, *TURN])
    assert twist == pytest.approx([*LINEAR, *ANGULAR])


def test_messages_without_the_base_are_refused():
    with pytest.raises(UnknownNameError, match="joints 'trolley', 'wheel'; expected 'free_base'"):
        from_multi_dof(state('wheel'), 'free_base')
    message = state()
    message.twist = message.twist[:1]
    with pytest.raises(ParameterError, match="'free_base' has no transform or no twist"):
        from_multi_dof(message, 'free_base')


VALUES = {
    'trigger': 'timer',
    'base_state.type': 'multi_dof_joint_state',
    'base_state.topic': 'base',
    'base_state.joint': 'free_base',
    'base_state.acceleration_filter': 0.0,
}


@pytest.fixture
def intake(intake_of):
    """Return the intake of a law, without a node."""
    return intake_of(VALUES)


@pytest.fixture
def intake_of(monkeypatch):
    """Return how to make the intake of a law, without a node."""
    monkeypatch.setattr(
        'robodyn_ros.ros.controller.base_state_intake.BoundedSubscription',
        lambda node, kind, topic, *_: Fake(topic=f'/{topic}', close=lambda: None),
    )
    warn = Fake(warning=lambda *_, **__: None)
    node = Fake(get_logger=lambda: warn)
    return lambda values, law=None: BaseStateIntake(
        node, law or FloatingBaseComputedTorque(TWO_LINK), values
    )


def torques_of(law):
    """Return the torques of a law at a state far from rest."""
    terms = np.zeros((len(TERMS), 2))
    assert not law.torques(*lagging(TWO_LINK), terms)
    return terms.sum(axis=0)


@pytest.mark.parametrize('smoothing', [0.0, 1e-6])
def test_the_law_gets_the_acceleration_of_the_base_on_request(intake_of, smoothing):
    """From two twists and their stamps; a refused state between them changes nothing."""
    law, expected = (FloatingBaseComputedTorque(TWO_LINK) for _ in range(2))
    intake = intake_of(VALUES | {'base_state.acceleration_filter': smoothing}, law)
    rate, step = np.random.default_rng(3).uniform(1.0, 2.0, 6), 0.004
    first, wrong, last = state(), state(turn=np.zeros(4)), state()
    first.header.stamp.sec, last.header.stamp.sec = 7, 8
    first.header.stamp.nanosec, last.header.stamp.nanosec = 998_000_000, 2_000_000
    wrong.header.stamp.sec = 8
    pose, twist = from_multi_dof(last, 'free_base')
    before = twist - step * rate
    first.twist[1] = Twist(
        linear=vector(Vector3, before[:3]), angular=vector(Vector3, AXES @ before[3:])
    )
    for each in (first, wrong, last):
        intake.receive(each)
    assert (intake.accepted, intake.rejected) == (2, 1)
    expected.set_base(pose, twist, rate if smoothing else np.zeros(6))
    np.testing.assert_allclose(torques_of(law), torques_of(expected), rtol=1e-6)
    expected.set_base(pose, twist, np.zeros(6) if smoothing else rate)
    assert np.abs(torques_of(law) - torques_of(expected)).max() > 0.1


def test_the_law_gets_the_state_and_a_bad_one_changes_nothing(intake):
    assert intake.missing == "No state of the base has come on '/base'."
    intake.receive(state(turn=np.zeros(4)))
    assert 'The last one is refused: base of law' in intake.missing and intake.rejected == 1
    intake.receive(state())
    assert intake.missing == '' and intake.accepted == 1
    intake.receive(state(turn=np.full(4, np.nan)))
    assert intake.rejected == 2 and intake.missing == ''


def test_lock_step_has_no_state_of_a_base():
    with pytest.raises(ParameterError, match='lock step does not have; expected another trigger'):
        BaseStateIntake(
            None, FloatingBaseComputedTorque(TWO_LINK), VALUES | {'trigger': 'lock_step'}
        )
