# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""
The controller and the simulated robot, as two processes.

    ros2 launch robodyn_ros simulated_arm.launch.py
    ros2 launch robodyn_ros simulated_arm.launch.py law:=gravity_compensation rviz:=true

The simulator replaces a hardware driver: it receives efforts on command_topic and publishes
joint_states. For another arm give description_file, and params_file if the defaults do not fit.
"""

from pathlib import Path

from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from launch import LaunchDescription
from robodyn_ros.middleware.parameter_files import readers
from robodyn_ros.ros.launching.launch_files import (
    description_path,
    description_text,
    fail_with_node,
    require_packages,
    xacro_words,
)

SHARE = Path(__file__).parent.parent
CONTROLLER, SIMULATOR = 'robodyn_controller', 'robodyn_simulator'
#: Arguments that the launch file of the controller takes.
OF_CONTROLLER = (
    'description_package',
    'description_file',
    'xacro_arguments',
    'params_file',
    'law',
    'command_topic',
    'autostart',
    'use_sim_time',
    'namespace',
    'log_level',
)

FLAG = ('true', 'false', 'True', 'False')
ARGUMENTS = {  # default, help text, and the allowed values if they are limited
    'description_package': ('robodyn_ros', 'package that description_file belongs to'),
    'description_file': (
        'config/urdf/franka_like.urdf',
        'URDF, xacro or MJCF file in that package, an absolute path, or package://<name>/<path>',
    ),
    'xacro_arguments': ('', 'arguments of a xacro file, such as "ur_type:=ur5e name:=ur"'),
    'params_file': (
        str(SHARE / 'config' / 'simulated_arm.yaml'),
        'YAML file with the parameters of both nodes',
    ),
    'law': ('computed_torque', 'control law of the controller'),
    'command_topic': (
        'forward_effort_controller/commands',
        'topic of the efforts, from the controller to the simulator',
    ),
    'autostart': ('true', 'true: the controller configures and activates itself', *FLAG),
    'use_sim_time': ('false', 'true: cycles follow /clock, which the simulator publishes', *FLAG),
    'namespace': ('', 'namespace of both nodes'),
    'log_level': ('info', 'debug, info, warn, error or fatal'),
    'robot_state_publisher': ('false', 'true: publish robot_description and the frames', *FLAG),
    'rviz': ('false', 'true: show the arm; implies robot_state_publisher', *FLAG),
}


def displays(context):
    """Return robot_state_publisher and rviz, if requested; fail if their packages are missing."""
    given = {name: LaunchConfiguration(name).perform(context) for name in ARGUMENTS}
    path = description_path(given['description_package'], given['description_file'])
    shows = given['rviz'].lower() == 'true'
    publishes = given['robot_state_publisher'].lower() == 'true'
    needs = {'rviz2': 'rviz:=true'} if shows else {}
    if shows or publishes:
        asked = 'robot_state_publisher' if publishes else 'rviz'
        needs['robot_state_publisher'] = f'{asked}:=true'
    require_packages(needs)
    time = {'use_sim_time': ParameterValue(LaunchConfiguration('use_sim_time'), value_type=bool)}
    nodes = []
    if needs:
        text = description_text(path, xacro_words(given['xacro_arguments']))
        description = ParameterValue(text, value_type=str)
        nodes.append(
            Node(
                package='robot_state_publisher',
                executable='robot_state_publisher',
                namespace=given['namespace'],
                parameters=[{'robot_description': description, **time}],
            )
        )
    if shows:
        nodes.append(
            Node(
                package='rviz2',
                executable='rviz2',
                namespace=given['namespace'],
                arguments=['-d', str(SHARE / 'config' / 'rviz' / 'arm.rviz')],
                parameters=[time],
            )
        )
    return nodes


def parameter_file(context, name):
    """Return the parameter file if the node of a name is to read it, else ''."""
    file, space = (
        LaunchConfiguration(each).perform(context) for each in ('params_file', 'namespace')
    )
    space = f'/{space.strip("/")}' if space else ''
    named = readers(file, [f'{space}/{each}' for each in (CONTROLLER, SIMULATOR)])
    return file if f'{space}/{name}' in named else ''


def simulator(context):
    """Return the node of the simulated robot."""
    given = {name: LaunchConfiguration(name) for name in ARGUMENTS}
    file = parameter_file(context, SIMULATOR)
    path = description_path(
        *(given[name].perform(context) for name in ('description_package', 'description_file'))
    )
    words = xacro_words(given['xacro_arguments'].perform(context))
    return [
        Node(
            package='robodyn_ros',
            executable='simulator',
            name=SIMULATOR,
            namespace=given['namespace'],
            parameters=[
                *([file] if file else []),
                {
                    'urdf_path': path,
                    **({'xacro_arguments': words} if words else {}),
                    'effort_command_topic': ParameterValue(given['command_topic'], value_type=str),
                    'joint_states_topic': 'joint_states',
                    'end_when_refused': True,
                    'publish_clock': ParameterValue(given['use_sim_time'], value_type=bool),
                },
            ],
            ros_arguments=['--log-level', given['log_level']],
            on_exit=fail_with_node,
            output='both',
        )
    ]


def controller(context):
    """Return the launch file of the controller with its arguments."""
    given = {name: LaunchConfiguration(name) for name in OF_CONTROLLER}
    given['params_file'] = parameter_file(context, CONTROLLER)
    return [
        IncludeLaunchDescription(
            str(SHARE / 'launch' / 'controller.launch.py'), launch_arguments=given.items()
        )
    ]


def generate_launch_description():
    """Declare the arguments; start simulator, controller and the requested displays."""
    return LaunchDescription(
        [
            *(
                DeclareLaunchArgument(
                    name, default_value=default, description=text, choices=choices or None
                )
                for name, (default, text, *choices) in ARGUMENTS.items()
            ),
            OpaqueFunction(function=displays),
            OpaqueFunction(function=simulator),
            OpaqueFunction(function=controller),
        ]
    )
