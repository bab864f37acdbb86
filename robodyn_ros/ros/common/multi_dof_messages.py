# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Convert multi-DOF joints and payloads between arrays and geometry messages.

Messages use URDF's frames. The pose of the child link is in the joint frame, which `<origin>`
places in the parent link. Twist and wrench are those of the child link, at its origin, in the
axes of the joint frame. The coordinates are those of doc/robots/joints.md.
"""

from typing import Iterable, Sequence

import numpy as np
from geometry_msgs.msg import InertiaStamped

from robodyn_ros.errors import NotFiniteError, ParameterError
from robodyn_ros.model.joint_types import JointCoordinates, has_quaternion
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.model.rotation_matrix import SHORTEST, unit_axis, z_to_axis
from robodyn_ros.spatial.quaternion import axes_of_quaternion

TYPES = ('floating', 'spherical', 'planar')
TOLERANCE = 1e-6  # [m, rad, m/s or rad/s] of a request in directions that the joint locks


class MultiDofJoint:
    """A floating, spherical or planar joint.

    `coordinates` (JointCoordinates): the joint, and the slices of its coordinates in q and qd.
    `name`: name of the joint.
    """

    def __init__(self, coordinates: JointCoordinates):
        self.name = coordinates.joint.name
        self._type = coordinates.joint.type
        self._q, self._qd = coordinates.positions, coordinates.velocities
        self._free = has_quaternion(coordinates.joint)
        axes = np.eye(3) if self._free else z_to_axis(unit_axis(coordinates.joint.axis))
        # (6, degrees of freedom): twist of the child, linear first, for unit joint velocities
        translations = {'floating': 3, 'spherical': 0, 'planar': 2}[self._type]
        rotations = axes if self._free else axes[:, 2:]
        self._motions = np.zeros((6, translations + rotations.shape[1]))
        self._motions[:3, :translations], self._motions[3:, translations:] = (
            axes[:, :translations],
            rotations,
        )
        self._translations, self._normal = translations, axes[:, 2]

    def pose(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the pose of the child link.

        `q`: joint positions of the robot.
        Returns `position` (3,): position [m].
        Returns `quaternion` (4,): orientation x y z w.
        """
        q = q[self._q]
        position = self._motions[:3, : self._translations] @ q[: self._translations]
        if self._free:
            return position, q[self._translations :]
        half = 0.5 * q[2]
        return position, np.append(np.sin(half) * self._normal, np.cos(half))

    def along_axes(self, q: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return the twist for joint velocities, or the wrench for joint efforts.

        The axes of the joint are orthonormal, so one matrix maps both.

        `q`: joint positions of the robot.
        `values`: joint velocities or efforts of the robot.
        """
        return self._motion_axes(q[self._q]) @ values[self._qd]

    def put_pose(self, position: Sequence[float], rotation: Sequence[float], q: np.ndarray):
        """Write a pose into the joint positions; an error leaves them unchanged.

        `position`: position of the child link [m].
        `rotation`: its orientation, a quaternion x y z w of any positive length.
        `q`: joint positions of the robot, written.
        Raises NotFiniteError: for NaN or infinity.
        Raises ParameterError: if the joint cannot reach the pose, or the quaternion has length
          zero.
        """
        self._require_finite('position', position)
        self._require_finite('rotation', rotation)
        point, quaternion = np.array(position), np.array(rotation)
        length = np.linalg.norm(quaternion)
        if not length >= SHORTEST:
            raise ParameterError(
                f"The rotation of joint '{self.name}' is {quaternion.tolist()}; "
                'expected a unit quaternion x, y, z, w.'
            )
        quaternion /= length if quaternion[3] >= 0.0 else -length  # so that w >= 0
        translations = point @ self._motions[:3, : self._translations]
        locked_part = [point - self._motions[:3, : self._translations] @ translations]
        rotations = quaternion
        if not self._free:
            sine = self._normal @ quaternion[:3]
            locked_part.append(quaternion[:3] - sine * self._normal)
            rotations = np.array([2.0 * np.arctan2(sine, quaternion[3])])
        self._require_allowed('pose', np.concatenate(locked_part))
        q[self._q] = (*translations, *rotations)

    def put_twist(self, twist: Sequence[float], q: np.ndarray, qd: np.ndarray):
        """Write a twist into the joint velocities; an error leaves them unchanged.

        `twist`: twist of the child link, linear part first [m/s, rad/s].
        `q`: joint positions of the robot.
        `qd`: joint velocities of the robot, written.
        Raises NotFiniteError: for NaN or infinity.
        Raises ParameterError: if the joint does not allow the motion.
        """
        self._require_finite('twist', twist)
        motions = self._motion_axes(q[self._q])
        velocities = np.array(twist) @ motions
        self._require_allowed('twist', np.array(twist) - motions @ velocities)
        qd[self._qd] = velocities

    def _motion_axes(self, q):
        if self._free:
            self._motions[3:, self._translations :] = np.transpose(axes_of_quaternion(*q[-4:]))
        return self._motions

    def _require_finite(self, what, numbers):
        if not np.all(np.isfinite(numbers)):
            raise NotFiniteError(
                f"The {what} of joint '{self.name}' is {np.array(numbers).tolist()}; "
                'expected finite numbers.'
            )

    def _require_allowed(self, what, locked_part):
        if np.any(np.abs(locked_part) > TOLERANCE):
            raise ParameterError(
                f"The {what} of joint '{self.name}' is off by "
                f'{np.abs(locked_part).max():.3g} from what a {self._type} joint can '
                'do; expected it within ' + f'{TOLERANCE:g}.'
            )


def multi_dof_joints(model: RobotModel) -> list[MultiDofJoint]:
    """Return the floating, spherical and planar joints of a robot, in its order."""
    return [
        MultiDofJoint(coordinates)
        for coordinates in model.multi_dof_joints
        if coordinates.joint.type in TYPES
    ]


def set_vector(message, numbers: Iterable[float]):
    """Fill a Vector3 or a Quaternion.

    `message` (Vector3 or Quaternion): message to fill.
    `numbers`: three or four numbers, in the order x y z w.
    """
    for field, number in zip('xyzw', numbers):
        setattr(message, field, float(number))


def payload_of(message: InertiaStamped) -> tuple[str, float, np.ndarray, np.ndarray]:
    """Return the payload in a message.

    `message`: mass properties in the frame of a link.
    Returns `frame` (str): name of the link.
    Returns `mass` (float): mass [kg].
    Returns `com` (3,): centre of mass [m].
    Returns `inertia` (3, 3): inertia about the centre of mass [kg m^2].
    """
    body = message.inertia
    inertia = np.array(
        [
            [body.ixx, body.ixy, body.ixz],
            [body.ixy, body.iyy, body.iyz],
            [body.ixz, body.iyz, body.izz],
        ]
    )
    com = np.array([body.com.x, body.com.y, body.com.z])
    return message.header.frame_id[:200], body.m, com, inertia
