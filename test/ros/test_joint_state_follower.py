# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What `robodyn_ros view --live` follows: the newest whole joint state."""

import math

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')

from sensor_msgs.msg import JointState

from robodyn_ros.ros.common.joint_state_follower import JointStateFollower
from robodyn_ros.testing.participant import Participant, wait_until

pytestmark = pytest.mark.ros
pytest_plugins = ['robodyn_ros.testing.fixtures']
TOPIC = '/followed'


@pytest.fixture
def follower(ros_domain):
    """Return the follower of two joints."""
    made = JointStateFollower(('shoulder', 'elbow'), TOPIC)
    yield made
    made.close()


@pytest.fixture
def send(follower):
    """Return a function that publishes positions by name to the follower."""
    participant = Participant()
    publisher = participant.publisher(JointState, TOPIC, 10)

    def publish(**positions):
        publisher.publish(JointState(name=[*positions], position=[*positions.values()]))

    yield publish
    participant.close()


def test_positions_come_in_the_order_of_the_robot(follower, send):
    def found():
        send(elbow=2.0, wrist=3.0, shoulder=1.0)
        newest = follower.newest()
        return newest is not None and newest.tolist()

    assert wait_until(found, 'a joint state') == [1.0, 2.0]


def test_a_state_is_returned_once(follower):
    follower._receive(JointState(name=['shoulder', 'elbow'], position=[1.0, 2.0]))
    assert follower.newest() is not None
    assert follower.newest() is None


def test_a_state_that_lacks_a_joint_or_a_number_is_passed_over(follower):
    for names, positions in (
        (['shoulder'], [1.0]),
        (['shoulder', 'elbow'], [math.nan, 2.0]),
        (['shoulder', 'elbow'], [1.0]),
    ):
        follower._receive(JointState(name=names, position=positions))
        assert follower.newest() is None
    follower._receive(JointState(name=['shoulder', 'elbow'], position=[1.0, 2.0]))
    assert follower.newest().tolist() == [1.0, 2.0]
