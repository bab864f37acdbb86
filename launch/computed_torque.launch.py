# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""
Computed torque on a robot: the arm follows ~/joint_trajectory.

    ros2 launch robodyn_ros computed_torque.launch.py params_file:=my_arm.yaml \\
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
                launch_arguments={'law': 'computed_torque'}.items(),
            )
        ]
    )
