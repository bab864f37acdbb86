# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A topic on which nothing comes is named, with who publishes there and where else."""

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')

import rclpy
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from robodyn_ros.ros.common.topic_hints import silent_topic
from support.nodes.node_harness import wait_until

pytestmark = pytest.mark.ros
KIND, TOPIC = 'sensor_msgs/msg/JointState', '/joint_states'


@pytest.fixture
def nodes():
    """Return a node that listens and one that publishes, as of two processes."""
    contexts = [rclpy.Context(), rclpy.Context()]
    for context in contexts:
        rclpy.init(context=context)
    pair = [
        rclpy.create_node(name, context=context)
        for name, context in zip(('listener', 'driver'), contexts)
    ]
    pair[0].create_subscription(JointState, TOPIC, lambda _: None, 1)
    yield pair
    for node in pair:
        node.destroy_node()
    for context in contexts:
        rclpy.shutdown(context=context)


def say(listener, words):
    """Wait until the sentence about the topic has these words, which discovery may take."""
    wait_until(lambda: words in silent_topic(listener, TOPIC, KIND), words)


def test_it_has_no_publisher(nodes):
    say(
        nodes[0], "'/joint_states': no node publishes sensor_msgs/msg/JointState there, nor elsewh"
    )


def test_the_topic_of_the_most_similar_name_comes_first(nodes):
    listener, driver = nodes
    for name in ('/a_gripper', '/robot_joint_states', '/joint_states'):
        if name == TOPIC:
            say(
                listener,
                "No node publishes on '/joint_states'; sensor_msgs/msg/JointState is published on "
                "'/robot_joint_states', '/a_gripper'.",
            )
        driver.create_publisher(JointState, name, 1)
    say(listener, "'/joint_states', where one node publishes.")


def test_another_type_is_reported(nodes):
    listener, driver = nodes
    driver.create_publisher(String, TOPIC, 1)
    say(listener, 'one node publishes std_msgs/msg/String instead of sensor_msgs/msg/JointState')
