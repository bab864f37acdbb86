# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Convert joints of several degrees of freedom, and bodies, between arrays and geometry messages.

Messages use URDF's frames. The pose of the child link is in the joint frame, which `<origin>`
places in the parent link. The twist of the child link and the wrench on it are at its origin, in
axes of the joint. The coordinates are those of doc/robots/joints.md.
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
OFF = 1e-6  # [m, rad, m/s or rad/s] tolerance of a request across the joint's motion


class MultiDofJoint:
    """One joint of this kind.

    Attributes
    ----------
    name
        Of the joint.
    """

    def __init__(self, coordinates: JointCoordinates):
        self.name = coordinates.joint.name
        self._type = coordinates.joint.type
        self._q, self._qd = coordinates.positions, coordinates.velocities
        self._free = has_quaternion(coordinates.joint)
        axes = np.eye(3) if self._free else z_to_axis(unit_axis(coordinates.joint.axis))
        # (6, degrees of freedom): linear and angular velocity of the child for unit velocities
        slides = {'floating': 3, 'spherical': 0, 'planar': 2}[self._type]
        turns = axes if self._free else axes[:, 2:]
        self._motions = np.zeros((6, slides + turns.shape[1]))
        self._motions[:3, :slides], self._motions[3:, slides:] = axes[:, :slides], turns
        self._slides, self._normal = slides, axes[:, 2]

    def pose(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return position (3,) [m] and quaternion (4,) x y z w of the child link at q (nq,)."""
        q = q[self._q]
        place = self._motions[:3, : self._slides] @ q[: self._slides]
        if self._free:
            return place, q[self._slides :]
        half = 0.5 * q[2]
        return place, np.append(np.sin(half) * self._normal, np.cos(half))

    def along_axes(self, q: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return the twist (6,) of velocities (nv,), or the wrench of efforts (nv,), linear first.

        One map serves both because the axes of each of these joints are orthonormal.
        """
        return self._turned(q[self._q]) @ values[self._qd]

    def put_pose(self, place: Sequence[float], turn: Sequence[float], q: np.ndarray):
        """Write the coordinates of a pose into q (nq,).

        Raises NotFiniteError for NaN or infinity. Raises ParameterError for a pose that the joint
        cannot reach or a quaternion of length zero. q is then unchanged.
        """
        self._require_finite('position', place)
        self._require_finite('rotation', turn)
        point, quaternion = np.array(place), np.array(turn)
        length = np.linalg.norm(quaternion)
        if not length >= SHORTEST:
            raise ParameterError(
                f"The rotation of joint '{self.name}' is {quaternion.tolist()}; "
                'expected a unit quaternion x, y, z, w.'
            )
        quaternion /= length if quaternion[3] >= 0.0 else -length  # the shorter way round
        slides = point @ self._motions[:3, : self._slides]
        left = [point - self._motions[:3, : self._slides] @ slides]
        turns = quaternion
        if not self._free:
            sine = self._normal @ quaternion[:3]
            left.append(quaternion[:3] - sine * self._normal)
            turns = np.array([2.0 * np.arctan2(sine, quaternion[3])])
        self._require_none('pose', np.concatenate(left))
        q[self._q] = (*slides, *turns)

    def put_twist(self, twist: Sequence[float], q: np.ndarray, qd: np.ndarray):
        """Write the velocities of a twist (6,) at the posture q (nq,) into qd (nv,).

        Raises NotFiniteError for NaN or infinity, ParameterError for a motion that the joint does
        not allow; qd is then unchanged.
        """
        self._require_finite('twist', twist)
        motions = self._turned(q[self._q])
        velocities = np.array(twist) @ motions
        self._require_none('twist', np.array(twist) - motions @ velocities)
        qd[self._qd] = velocities

    def _turned(self, q):
        if self._free:
            self._motions[3:, self._slides :] = np.transpose(axes_of_quaternion(*q[-4:]))
        return self._motions

    def _require_finite(self, what, numbers):
        if not np.all(np.isfinite(numbers)):
            raise NotFiniteError(
                f"The {what} of joint '{self.name}' is {np.array(numbers).tolist()}; "
                'expected finite numbers.'
            )

    def _require_none(self, what, left):
        if np.any(np.abs(left) > OFF):
            raise ParameterError(
                f"The {what} of joint '{self.name}' is off by "
                f'{np.abs(left).max():.3g} from what a {self._type} joint can '
                'do; expected it within ' + f'{OFF:g}.'
            )


def multi_dof_joints(model: RobotModel) -> list[MultiDofJoint]:
    """Return the floating, spherical and planar joints of a robot, in its order."""
    return [
        MultiDofJoint(coordinates)
        for coordinates in model.multi_dof_joints
        if coordinates.joint.type in TYPES
    ]


def set_vector(message, numbers: Iterable[float]):
    """Fill a Vector3 or a Quaternion."""
    for field, number in zip('xyzw', numbers):
        setattr(message, field, float(number))


def payload_of(message: InertiaStamped) -> tuple[str, float, np.ndarray, np.ndarray]:
    """Return frame, mass [kg], centre of mass (3,) [m] and inertia (3, 3) [kg m^2] about it."""
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
