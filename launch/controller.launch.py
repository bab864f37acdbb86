# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""
The controller, with any law, on a robot that publishes joint states and accepts efforts.

    ros2 launch robodyn_ros controller.launch.py law:=pd_gravity params_file:=my_arm.yaml

For an empty argument the value of params_file applies, or else the default of the node.
"""

from pathlib import Path

from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from launch import LaunchDescription
from robodyn_ros.ros.launching.launch_files import description_path, fail_with_node, xacro_words

FLAG = ('true', 'false', 'True', 'False')
ARGUMENTS = {  # default, help text, and the allowed values if they are limited
    'description_package': ('robodyn_ros', 'package that description_file belongs to'),
    'description_file': (
        '',
        'URDF, xacro or MJCF file in that package, an absolute path, or package://<name>/<path>; '
        'empty: the topic robot_description',
    ),
    'xacro_arguments': ('', 'arguments of a xacro file, such as "ur_type:=ur5e name:=ur"'),
    'params_file': ('', 'YAML file with the parameters of robodyn_controller'),
    'law': (
        '',
        'control law: computed_torque, gravity_compensation, operational_space, ... (see '
        'doc/control_laws.md), or one that another package adds',
    ),
    'command_topic': ('', 'topic of the efforts, e.g. /forward_effort_controller/commands'),
    'autostart': (
        '',
        'true: configure and activate as soon as there are a model and joint states',
        '',
        *FLAG,
    ),
    'use_sim_time': ('false', 'true: cycles follow /clock', *FLAG),
    'namespace': ('', 'namespace of the node'),
    'log_level': ('info', 'debug, info, warn, error or fatal'),
    'required': ('true', 'true: the launch ends with an error if the node does', *FLAG),
}
PARAMETERS = {'law': str, 'command_topic': str, 'autostart': bool, 'use_sim_time': bool}


def controller(context):
    """Return the controller node with the parameters that were given."""
    given = {name: LaunchConfiguration(name).perform(context) for name in ARGUMENTS}
    if given['params_file'] and not Path(given['params_file']).is_file():
        raise RuntimeError(f"params_file: there is no file '{given['params_file']}'")
    parameters = {
        name: ParameterValue(LaunchConfiguration(name), value_type=kind)
        for name, kind in PARAMETERS.items()
        if given[name]
    }
    required = given['required'].lower() == 'true'
    parameters['end_when_refused'] = required
    if given['description_file']:
        parameters['urdf_path'] = description_path(
            given['description_package'], given['description_file']
        )
    if words := xacro_words(given['xacro_arguments']):
        parameters['xacro_arguments'] = words
    return [
        Node(
            package='robodyn_ros',
            executable='controller',
            name='robodyn_controller',
            namespace=given['namespace'],
            parameters=[given['params_file'], parameters]
            if given['params_file']
            else [parameters],
            ros_arguments=['--log-level', given['log_level']],
            on_exit=fail_with_node if required else None,
            output='both',
        )
    ]


def generate_launch_description():
    """Declare the arguments and start the controller."""
    return LaunchDescription(
        [
            *(
                DeclareLaunchArgument(
                    name, default_value=default, description=text, choices=choices or None
                )
                for name, (default, text, *choices) in ARGUMENTS.items()
            ),
            OpaqueFunction(function=controller),
        ]
    )
