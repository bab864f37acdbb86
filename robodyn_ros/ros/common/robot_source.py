# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The source of a node's robot: a parameter, a file, or the topic `robot_description`."""

import os
from pathlib import Path
from typing import Any, Callable, Mapping

import numpy as np
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String

from robodyn_ros.errors import (
    ModelError,
    OpenError,
    ParameterError,
    RobodynError,
    UngivenError,
    UnlockedError,
    shorten,
)
from robodyn_ros.model import selection, xml_text
from robodyn_ros.model.rotors import EXACT, REFLECTED
from robodyn_ros.model.sources import (
    closure_file,
    friction_file,
    package_path,
    rotor_file,
    xacro_file,
)
from robodyn_ros.model.sources.description_source import MJCF, DescriptionSource, opened
from robodyn_ros.robot.robot import Robot
from robodyn_ros.ros.common.parameter_table import START, ParamSpec
from robodyn_ros.ros.transport.bounded_subscription import BoundedSubscription

ROBOT_PARAMETERS = (
    ParamSpec(
        'robot_description',
        'string',
        '',
        '',
        'URDF or MJCF text. Empty: `urdf_path` or, if that is empty too, URDF text on the topic '
        '`robot_description`.',
        change=START,
    ),
    ParamSpec(
        'urdf_path',
        'string',
        '',
        '',
        'URDF, xacro or MJCF file, by its path or as `package://<name>/<path>`.',
        change=START,
    ),
    ParamSpec(
        'xacro_arguments',
        'string[]',
        (),
        '',
        'Arguments of the xacro file of `urdf_path`, each as `name:=value`.',
        change=START,
    ),
    ParamSpec(
        'joints',
        'string[]',
        (),
        '',
        'Joints to command, in the order of every command. Empty: all movable joints that are not '
        'locked, base to tip.',
    ),
    ParamSpec(
        'locked',
        'string[]',
        (),
        '',
        'Joints held at a constant position, each as `name` or `name=position` [rad or m]. Planar '
        'joints are `name=x y angle`, floating joints `name=x y z qx qy qz qw`.',
    ),
    ParamSpec('base_link', 'string', '', '', 'Link that is fixed to the ground. Empty: the root.'),
    ParamSpec(
        'gravity',
        'float[]',
        (),
        'm/s^2',
        'Gravity acceleration in the axes of the base link, which depends on the mounting of the '
        'base. Empty: that of an MJCF, or 0 0 -9.81.',
        lower=-100.0,
        upper=100.0,
        lengths=(0, 3),
    ),
    ParamSpec(
        'rotors_path',
        'string',
        '',
        '',
        'YAML file of the rotors of geared motors, by its path or as `package://<name>/<path>` '
        '(see doc/robots/joints.md). Empty: those of the transmissions of the URDF.',
    ),
    ParamSpec(
        'rotors',
        'string[]',
        (),
        '',
        'Rotors of geared motors, each as `joint=inertia` or `joint=inertia gear_ratio`: about '
        'the axis of the rotor, before the gear [kg m^2]. In place of those of the file.',
    ),
    ParamSpec(
        'rotor_model',
        'string',
        EXACT,
        '',
        'Model of the rotors: spinning bodies on their mounts, or inertia at their joints alone.',
        choices=(EXACT, REFLECTED),
    ),
    ParamSpec(
        'joint_friction_path',
        'string',
        '',
        '',
        'YAML file of static, low-speed and position-dependent friction, by its path or as '
        '`package://<name>/<path>` (see doc/robots/joints.md). Empty: none but that of the URDF.',
    ),
    ParamSpec(
        'closures_path',
        'string',
        '',
        '',
        'YAML file of closures of loops and of couplings, by its path or as '
        '`package://<name>/<path>` (see doc/robots/joints.md). Dependent joints have no command. '
        'Empty: none.',
    ),
)

LENGTH = slice(4, 8)  # bytes of the length field of a serialised String
MOST_OCTETS = xml_text.MOST_BYTES + LENGTH.stop + 4
DESCRIPTION_QOS = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class RobotSource:
    """The latest robot description, and the robot built from it with the node's parameters.

    `node` (rclpy Node): the node, which has ROBOT_PARAMETERS.
    `arrived` (callable): called when a description arrives that differs from the one before.
    """

    def __init__(self, node, parameters, arrived: Callable[[], None] = lambda: None):
        self._parameters, self._arrived = parameters, arrived
        self._text = parameters['robot_description']
        self._node, self._octets = node, np.zeros(0, np.uint8)
        self.topic = ''
        if not self.available:
            self._subscription = BoundedSubscription(
                node,
                String,
                'robot_description',
                self._receive,
                DESCRIPTION_QOS,
                MOST_OCTETS,
                self._refuse,
            )
            self.topic = self._subscription.topic

    @property
    def available(self) -> bool:
        """Whether there is a description."""
        return bool(self._text or self._octets.size or self._parameters['urdf_path'])

    def build(self, free_base: bool = False) -> Robot:
        """Build the robot.

        `free_base`: whether its base link moves freely.
        Raises ModelError: if there is no description, or it is refused; the sentence names the
          element. If the robot has no dynamics.
        Raises ParameterError: if `locked` or `rotors` cannot be read.
        """
        if not self.available:
            raise ModelError(
                'There is no robot yet: neither of the parameters '
                "'robot_description' and 'urdf_path' is set and nothing has come on "
                f"'{self.topic}'."
            )
        values = self._parameters
        loops = closure_file.loops_of(values['closures_path'] or ())
        robot = Robot.from_description(
            self.opened.description(),
            joints=values['joints'] or None,
            base=values['base_link'] or None,
            gravity=values['gravity'] if len(values['gravity']) else None,
            locked=read_entries(values, 'locked', selection.parse_locked),
            free_base=free_base,
            rotors={
                **rotor_file.rotors_of(values['rotors_path'] or None),
                **read_entries(values, 'rotors', rotor_file.rotor),
            },
            rotor_model=values['rotor_model'],
            closures=loops.closures,
            independent=loops.independent,
            near=loops.near,
            couplings=loops.couplings,
        )
        robot.model.require_dynamics()
        friction = friction_file.joint_friction_of(values['joint_friction_path'] or None)
        return robot.extended.with_joint_friction(friction) if friction else robot

    @property
    def opened(self) -> DescriptionSource:
        """The description, read and expanded by xacro."""
        arguments = read_entries(self._parameters, 'xacro_arguments', xacro_file.argument)
        found = opened(self._source(), arguments)
        if found.root.tag == MJCF and found.path is None and not self._text:
            raise ModelError(
                f"The description on '{self.topic}' is an MJCF, which may name files of this "
                "machine; expected it by the parameter 'urdf_path' or 'robot_description'."
            )
        return found

    def _source(self) -> bytes | Path:
        """Return the path of a file, or the text as bytes, which are never read as a path."""
        text = self._text.encode('utf-8', errors='surrogatepass') or self._octets.tobytes()
        if text:
            if b'<' not in text:
                raise ModelError(
                    f'The robot description is {shorten(text)}; expected URDF text. '
                    "A file is named by the parameter 'urdf_path' alone."
                )
            return text.lstrip()
        path = package_path.resolved(self._parameters['urdf_path'])
        if not os.path.isfile(path):
            raise ModelError(f"There is no file {shorten(str(path))} (parameter 'urdf_path').")
        return Path(path)

    def _receive(self, data: np.ndarray):
        """Keep the bytes of a text; they are decoded when a robot is built."""
        is_little = data[1:2].any()
        length = int.from_bytes(
            data[LENGTH].tobytes(), 'little' if is_little else 'big'
        )  # includes the final zero
        text = data[LENGTH.stop : LENGTH.stop + length - 1]
        if not 0 < length == len(text) + 1:
            self._refuse('it is shorter than it says.')
        elif not np.array_equal(text, self._octets):
            self._octets = text.copy()
            self._arrived()

    def _refuse(self, sentence: str):
        self._node.get_logger().warning(
            f'A robot description is refused: {sentence}', throttle_duration_sec=1.0
        )


def by_parameters(error: RobodynError) -> str:
    """Return the sentence of an error, with remedies in the syntax of a parameter file."""
    if isinstance(error, UngivenError):
        return error.with_remedy(
            lambda names: f'xacro_arguments: {[f"{n}:=VALUE" for n in names]}'
        )
    if isinstance(error, OpenError):
        return error.with_remedy(
            lambda joints: f'closures_path: FILE with {closure_file.near(joints)}'
        )
    if isinstance(error, UnlockedError):
        return error.with_remedy(lambda joints: f'locked: {[f"{joint}=0" for joint in joints]}')
    return str(error)


def read_entries(values, name: str, read: Callable[[str], tuple[str, Any]]) -> dict[str, Any]:
    """Return the entries of a list parameter by joint.

    `name`: name of the parameter.
    `read`: takes an entry and returns joint and value.
    Raises ParameterError: if an entry cannot be read; the message names the parameter.
    """
    try:
        return dict(map(read, values[name]))
    except ParameterError as error:
        raise ParameterError(f'Parameter {name!r} has the entry {error}.') from None


def default_link(values: Mapping[str, Any], robot: Robot) -> str:
    """Return the default link of tasks: the parameter tip_link, or the link of the last joint."""
    return values['tip_link'] or robot.model.body_names[-1]
