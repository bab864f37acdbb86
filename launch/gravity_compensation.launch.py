# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""
Gravity compensation on a robot: the arm can be guided by hand.

    ros2 launch robodyn_ros gravity_compensation.launch.py params_file:=my_arm.yaml \\
        command_topic:=/forward_effort_controller/commands

Accepts every argument of controller.launch.py except the law.
"""

from pathlib import Path

from launch.actions import IncludeLaunchDescription

from launch import LaunchDescription


def generate_launch_description():
    """Include the controller with its law given."""
    return LaunchDescription(
        [
            IncludeLaunchDescription(
                str(Path(__file__).parent / 'controller.launch.py'),
                launch_arguments={'law': 'gravity_compensation'}.items(),
            )
        ]
    )
