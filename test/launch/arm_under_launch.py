# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""
Every launch file starts its nodes, they hold the arm, and they end cleanly.

Run by test_launch_files.py, or by hand in a sourced workspace:

    launch_test test/launch/arm_under_launch.py
"""

import time
import unittest
from pathlib import Path

import launch_testing
import rclpy
from ament_index_python.packages import get_package_share_directory
from launch.actions import IncludeLaunchDescription
from launch_ros.actions import Node
from launch_testing.actions import ReadyToTest
from launch_testing.asserts import assertExitCodes
from rclpy.qos import DurabilityPolicy, QoSProfile

from launch import LaunchDescription
from robodyn_msgs.msg import ControllerStatus

SHARE = Path(get_package_share_directory('robodyn_ros'))
TWO_LINK = 'config/urdf/two_link.urdf'
STANDING = (ControllerStatus.ACTIVE, ControllerStatus.HOLD)
START_UP = 180.0  # [s] a cold start compiles every kernel, on whatever machine this is

ON_A_ROBOT = {
    'description_file': TWO_LINK,
    'command_topic': '/efforts',
    'autostart': 'true',
    'params_file': str(SHARE / 'config' / 'simulated_arm.yaml'),
}


def driver():
    """Return the node that stands where the driver of a robot would."""
    return Node(
        package='robodyn_ros',
        executable='simulator',
        parameters=[
            {
                'urdf_path': str(SHARE / TWO_LINK),
                'joint_states_topic': '/joint_states',
                'effort_command_topic': '/efforts',
            }
        ],
    )


@launch_testing.parametrize(
    'launch_file, arguments, others, law',
    [
        ('simulated_arm', {}, [], 'computed_torque'),
        (
            'simulated_arm',
            {'namespace': 'left', 'law': 'gravity_compensation'},
            [],
            'gravity_compensation',
        ),
        ('computed_torque', ON_A_ROBOT, [driver], 'computed_torque'),
        ('gravity_compensation', ON_A_ROBOT, [driver], 'gravity_compensation'),
    ],
)
def generate_test_description(launch_file, arguments, others, law):
    """Include the launch file, with a robot around it where it does not bring one."""
    return LaunchDescription(
        [
            IncludeLaunchDescription(
                str(SHARE / 'launch' / f'{launch_file}.launch.py'),
                launch_arguments=arguments.items(),
            ),
            *(make() for make in others),
            ReadyToTest(),
        ]
    ), {'law': law, 'namespace': arguments.get('namespace', '')}


class TestRunning(unittest.TestCase):
    """While everything runs."""

    def test_the_arm_is_held(self, proc_info, law, namespace):
        """The controller reports a state in which it commands the arm, under the law asked for."""
        rclpy.init()
        self.addCleanup(rclpy.try_shutdown)
        node = rclpy.create_node('watcher')
        heard = []
        node.create_subscription(
            ControllerStatus,
            f'{namespace}/robodyn_controller/status',
            heard.append,
            QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL),
        )
        deadline = time.monotonic() + START_UP
        held = []
        while time.monotonic() < deadline and not held:
            rclpy.spin_once(node, timeout_sec=0.1)
            held = [status for status in heard if status.state in STANDING]
        self.assertTrue(held, f'not held within {START_UP} s; heard {heard[-1:]}')
        self.assertEqual(held[0].law, law)
        self.assertGreater(len(held[0].joint_names), 0)
        self.assertEqual(len(proc_info.process_names()), 2, 'one controller and one simulator')


@launch_testing.post_shutdown_test()
class TestEnded(unittest.TestCase):
    """After everything was asked to end."""

    def test_both_processes_end_without_an_error(self, proc_info):
        """Both processes ended by themselves and without an error."""
        self.assertEqual(len(proc_info.process_names()), 2)
        assertExitCodes(proc_info)
