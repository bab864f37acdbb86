# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""
A controller of robodyn_control within ros2_control, on its simulated robot or on yours.

    ros2 launch robodyn_ros ros2_control.launch.py description_file:=/path/to/arm.urdf
    ros2 launch robodyn_ros ros2_control.launch.py trajectories:=true

The dynamics are emitted as C and compiled at the first start. A description without a
<ros2_control> tag gets one with the simulated robot; one with a tag needs a params_file.
"""

from pathlib import Path

from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from launch import LaunchDescription
from robodyn_ros.control import plugin_files
from robodyn_ros.ros.launching.launch_files import (
    description_path,
    description_text,
    fail_with_node,
    require_packages,
    xacro_words,
)

FLAG = ('true', 'false', 'True', 'False')
ARGUMENTS = {  # default, help text, and the allowed values if they are limited
    'description_package': ('robodyn_ros', 'package that description_file belongs to'),
    'description_file': (
        'config/urdf/franka_like.urdf',
        'URDF or xacro file in that package, an absolute path, or package://<name>/<path>',
    ),
    'xacro_arguments': ('', 'arguments of a xacro file, such as "ur_type:=ur5e name:=ur"'),
    'controller': (
        'computed_torque',
        'controller of robodyn_control that is activated',
        *plugin_files.CONTROLLERS,
    ),
    'trajectories': ('false', 'true: joint_trajectory_controller above computed_torque', *FLAG),
    'params_file': ('', 'YAML file with parameters of the controllers, over the written ones'),
    'folder': ('', 'folder of the compiled dynamics; empty: below ROS_HOME, by name of the file'),
}


def nodes(context):
    """Return the controller manager, the publisher of the description, and the spawner."""
    given = {name: LaunchConfiguration(name).perform(context) for name in ARGUMENTS}
    trajectories = given['trajectories'].lower() == 'true'
    names = [plugin_files.BROADCASTER, given['controller']]
    if trajectories:
        if given['controller'] != plugin_files.LAW:
            raise RuntimeError(
                f"Nothing was started: trajectories: got true with '{given['controller']}', "
                f'which follows no reference; expected {plugin_files.LAW}'
            )
        names.append(plugin_files.TRAJECTORIES)
    needed = ('controller_manager', 'robodyn_control', 'robot_state_publisher', names[0])
    require_packages(dict.fromkeys((*needed, *names[2:]), 'ros2_control.launch.py'))
    path = description_path(given['description_package'], given['description_file'])
    folder = Path(given['folder'] or plugin_files.default_folder(Path(path).name.split('.')[0]))
    text = description_text(path, xacro_words(given['xacro_arguments']))
    files = plugin_files.plugin_files(text, folder.absolute(), trajectories)
    parameters = [str(files.parameters), *filter(None, [given['params_file']])]
    return [
        Node(
            package='robot_state_publisher',
            executable='robot_state_publisher',
            parameters=[{'robot_description': ParameterValue(files.description, value_type=str)}],
        ),
        Node(
            package='controller_manager',
            executable='ros2_control_node',
            parameters=parameters,
            on_exit=fail_with_node,
            output='both',
        ),
        Node(
            package='controller_manager',
            executable='spawner',
            arguments=[*names, *(word for file in parameters for word in ('--param-file', file))],
            on_exit=fail_with_node,
            output='both',
        ),
    ]


def generate_launch_description():
    """Declare the arguments and start all."""
    return LaunchDescription(
        [
            *(
                DeclareLaunchArgument(
                    name, default_value=default, description=text, choices=choices or None
                )
                for name, (default, text, *choices) in ARGUMENTS.items()
            ),
            OpaqueFunction(function=nodes),
        ]
    )
