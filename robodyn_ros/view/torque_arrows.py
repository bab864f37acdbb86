# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Torques as arrows along the axes of their joints."""

import numpy as np

from robodyn_ros.model.description import ONE_AXIS


class TorqueArrows:
    """Arrows for the joints of a robot that have one axis.

    `joints` (sequence of Joint): joints of its description.
    `joint_names` (tuple of str): joints with an arrow, in the order of the robot.
    """

    def __init__(self, robot, joints):
        described = {joint.name: joint for joint in joints if joint.type in ONE_AXIS}
        shown = [described[name] for name in robot.joint_names if name in described]
        self._robot = robot
        self.joint_names = tuple(joint.name for joint in shown)
        self._links = tuple(joint.child for joint in shown)
        self._columns = [robot.joint_names.index(name) for name in self.joint_names]
        axes = [joint.axis / np.linalg.norm(joint.axis) for joint in shown]
        self._axes = np.array(axes).reshape(-1, 3)

    def at(self, q, tau, scale):
        """Return the arrows of joint torques at a posture: from p to p + scale tau_j e_j.

        p is the origin of the joint and e_j its axis in the base. So the arrow of a torque turns
        right-handed with it, and that of a force points along it.

        `scale`: length of an arrow by torque [m/(N m) or m/N].
        Returns start and tip of each arrow in the base [m], in the order of `joint_names`.
        """
        # The frame of the child link is that of the joint, see description.Joint.
        poses = self._robot.frames.poses(q, self._links)
        axes = np.einsum('aij,aj->ai', poses[:, :3, :3], self._axes)
        start = poses[:, :3, 3]
        tau = np.asarray(tau, dtype=float)[self._columns, None]
        return np.stack((start, start + scale * tau * axes), axis=1)
