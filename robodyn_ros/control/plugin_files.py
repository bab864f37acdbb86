# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Write the files of robodyn_control for one robot: description, library, parameters.

A description without a <ros2_control> tag gets one with the plug-in SimulatedRobot.
"""

import html
import json
import os
import subprocess
from pathlib import Path
from typing import NamedTuple

import numpy as np

from robodyn_ros.codegen.emission import c_package, c_selection
from robodyn_ros.codegen.emission.emit_c import Style
from robodyn_ros.control.laws.law_recipes import chosen_laws
from robodyn_ros.model.sources.description_source import opened
from robodyn_ros.robot.robot import Robot

PREFIX = 'arm'
LAW = 'computed_torque'  # the code of every law includes gravity compensation
CONTROLLERS = {
    'computed_torque': 'robodyn_control/ComputedTorqueController',
    'gravity_compensation': 'robodyn_control/GravityCompensationController',
}
BROADCASTER, TRAJECTORIES = 'joint_state_broadcaster', 'joint_trajectory_controller'
UPDATE_RATE = 1000  # [Hz]


class PluginFiles(NamedTuple):
    """Files of one robot, in one folder.

    `description`: URDF as text, with a <ros2_control> tag.
    `library`: shared library of the dynamics.
    `parameters`: YAML file with the parameters of the controllers.
    """

    description: str
    library: Path
    parameters: Path


def default_folder(name: str) -> Path:
    """Return the folder for a robot, below ROS_HOME.

    `name`: name of the robot.
    """
    home = os.environ.get('ROS_HOME') or Path.home() / '.ros'
    return Path(home) / 'robodyn_control' / name


def plugin_files(text: str, folder: Path, trajectories: bool) -> PluginFiles:
    """Write the files of a robot, and compile its dynamics if they have changed.

    `text`: URDF of the robot.
    `folder`: folder for the files.
    `trajectories`: whether joint_trajectory_controller gives the references.
    Returns the files.
    Raises RobodynError: for a description that is not valid.
    Raises RuntimeError: if the dynamics do not compile.
    """
    import yaml  # comes with ROS

    model = Robot.from_description(opened(text).description()).model  # loops too
    library = folder / 'build' / f'lib{PREFIX}_dynamics.so'
    simulated = '<ros2_control' not in text
    if simulated:
        text = text.replace('</robot>', f'{_simulated_system(model, library)}</robot>')
    _compile(model, text, folder, library)
    parameters = folder / 'controllers.yaml'
    nodes = _parameters(model, library, simulated, trajectories, parameters)
    parameters.write_text(yaml.safe_dump(nodes, sort_keys=False))
    return PluginFiles(text, library, parameters)


def _simulated_system(model, library):
    """Return a <ros2_control> tag with the plug-in SimulatedRobot."""
    joints = [
        f'<joint name="{html.escape(name)}"><command_interface name="effort"/>'
        f'<state_interface name="position"><param name="initial_value">{start!r}</param>'
        '</state_interface><state_interface name="velocity"/><state_interface name="effort"/>'
        '</joint>'
        for name, start in zip(model.joint_names, _start(model))
    ]
    return (
        f'<ros2_control name="{html.escape(model.name)}" type="system"><hardware>'
        '<plugin>robodyn_control/SimulatedRobot</plugin>'
        f'<param name="dynamics_library">{html.escape(str(library))}</param>'
        f'<param name="dynamics_prefix">{PREFIX}</param>'
        f'</hardware>{"".join(joints)}</ros2_control>\n'
    )


def _start(model):
    """Return the initial position of each joint: zero, or the middle of its limits.

    The middle is for limits that exclude zero. Loops begin where they were closed.
    """
    if model.has_loops:
        return model.closed_posture.tolist()
    lower, upper = np.array(model.limits.lower), np.array(model.limits.upper)
    with np.errstate(invalid='ignore'):
        middle = 0.5 * (lower + upper)
    return np.where((lower <= 0.0) & (upper >= 0.0), 0.0, middle).tolist()


def _compile(model, text, folder, library):
    """Emit and compile the dynamics, unless the library for this description exists."""
    frames = [model.body_names[-1]]
    carriers = [
        name for name, frame in model.frames.items() if frame.body == len(model.body_names) - 1
    ]
    chosen = c_selection.selected_functions(
        model, frames=frames, laws=chosen_laws(model, [LAW]), payloads=carriers
    )
    found = c_selection.record_all(model, chosen)
    texts = c_package.files(model, text, found, Style(PREFIX))
    manifest = folder / 'dynamics' / 'manifest.json'
    if library.is_file() and manifest.is_file():
        if json.loads(manifest.read_text()) == json.loads(texts['manifest.json']):
            return
    c_package.write(folder / 'dynamics', texts)
    options = ['-DBUILD_SHARED_LIBS=ON', '-DBUILD_TESTING=OFF', f'-D{PREFIX.upper()}_NATIVE=ON']
    source, target = folder / 'dynamics', folder / 'build'
    for command in (['cmake', '-S', source, '-B', target, *options], ['cmake', '--build', target]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f'The dynamics do not compile: {done.stdout}{done.stderr}')


def _parameters(model, library, simulated, trajectories, path):
    """Return the parameters of controller manager and controllers, for the file at `path`."""
    joints = model.joint_names
    types = {BROADCASTER: f'{BROADCASTER}/JointStateBroadcaster'} | CONTROLLERS
    if trajectories:
        types[TRAJECTORIES] = f'{TRAJECTORIES}/JointTrajectoryController'
    manager = {name: {'type': kind, 'params_file': [str(path)]} for name, kind in types.items()}
    nodes = {'controller_manager': {'update_rate': UPDATE_RATE} | manager}
    for name in CONTROLLERS:
        nodes[name] = {
            'joints': list(joints),  # a copy: rcl does not read YAML aliases
            'dynamics_library': str(library),
            'dynamics_prefix': PREFIX,
            **({'robot_compensates_gravity': 'no'} if simulated else {}),
        }
    if trajectories:
        nodes[TRAJECTORIES] = {
            'joints': list(joints),  # a copy: rcl does not read YAML aliases
            'command_joints': [f'{LAW}/{name}' for name in joints],
            'command_interfaces': ['position', 'velocity', 'acceleration'],
            'state_interfaces': ['position', 'velocity'],
        }
    return {node: {'ros__parameters': values} for node, values in nodes.items()}
