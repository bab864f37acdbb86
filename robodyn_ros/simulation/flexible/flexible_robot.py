# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Dynamics of a robot with flexible links, over joints and modes."""

import numpy as np

from robodyn_ros.algorithms.core import working_memory
from robodyn_ros.codegen import linker
from robodyn_ros.compile.call import provide
from robodyn_ros.compile.flexible_recursions import KERNELS, body_poses
from robodyn_ros.compile.robot_code_table import MODES
from robodyn_ros.model.extended.flexible_model import FlexibleModel


class FlexibleRobot:
    """Dynamics of a FlexibleModel by the recursions of Jain 2011, chapter 13.

    All vectors have the joints first, then the modes. Torques do not include the springs and
    dampers of the modes, which are in `model.springs`.

    `model` (FlexibleModel): the model; see
      `robodyn_ros.model.extended.flexible_model.with_modal_links`.
    """

    def __init__(self, model: FlexibleModel):
        self.model = model
        self._work = working_memory.allocate(model.topology)
        self._no_wrench = np.zeros((len(model.body_names), 6))

    def __repr__(self):
        return f'<{type(self).__name__} {self.model.name!r}, nv = {self.model.nv}>'

    def linked(self, kernel):
        """Return a kernel compiled for flexible links; see `Robot.linked`.

        `kernel` (Kernel): a kernel for rigid links.
        """
        provide(KERNELS.values())
        return linker.over_coordinates(kernel, self.model, MODES)

    def forward_dynamics(self, q, qd, tau):
        """Return the accelerations of joints and modes.

        `q`, `qd`, `tau` ((nq,), (nv,) and (nv,) ndarray): positions, velocities and torques. The
          torques of the modes are those of their springs.
        """
        zero = np.zeros(self.model.nv)
        return self._run('forward_dynamics', q, qd, tau, self._no_wrench, zero)

    def inverse_dynamics(self, q, qd, qdd):
        """Return the torques of joints and modes.

        `q`, `qd`, `qdd` ((nq,), (nv,) and (nv,) ndarray): positions, velocities and accelerations.
        """
        return self._run('inverse_dynamics', q, qd, qdd, self._no_wrench)

    def gravity_torque(self, q):
        """Return the torques that hold the robot at rest, without springs."""
        return self._run('gravity_torque', q)

    def energy(self, q, qd):
        """Return kinetic, potential and strain energy [J].

        `q`, `qd` ((nq,) and (nv,) ndarray): positions and velocities of joints and modes.
        """
        found = self._run('energy', q, qd, size=2)
        stiffness = np.array([spring.stiffness for spring in self.model.springs])
        strain = 0.5 * float(stiffness @ q[self.model.rigid.nq :] ** 2)
        return float(found[0]), float(found[1]), strain

    def mass_matrix(self, q):
        """Return the mass matrix of joints and modes."""
        n, model = self.model.nv, self.model
        inverse = np.empty((n, n))
        KERNELS['mass_matrix_inverse'](
            model.topology, model.constants, self._work, q, np.zeros(n), inverse
        )
        return np.linalg.inv(inverse)

    def pose(self, q, frame):
        """Return the pose of a frame on its deformed link.

        Raises UnknownNameError: for a frame that does not exist.
        """
        place = self.model.rigid.frame(frame)
        poses = np.empty((len(self.model.topology), 4, 4))
        body_poses(self.model.topology, self.model.constants, self._work, q, poses)
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = place.rotation, place.translation
        delta = self.deflection(q, frame)
        X[:3, 3] += delta[3:]
        s = 0.5 * delta[:3]
        S = np.cross(np.eye(3), s)
        X[:3, :3] = np.linalg.solve(np.eye(3) - S, (np.eye(3) + S) @ X[:3, :3])
        return poses[place.body] @ X

    def deflection(self, q, frame):
        """Return rotation [rad] and displacement [m] of a frame by the modes of its link.

        Returns in axes of the body of the link. Zeros if the link is rigid, or its modes are
          unknown at the frame.
        """
        shape = self.model.node_of(frame)
        if shape is None:
            return np.zeros(6)
        row = self.model.rigid.frame(frame).body
        first = self.model.rigid.nq + sum(
            link.n for other, link in self.model.links.items() if other < row
        )
        return shape @ q[first : first + shape.shape[1]]

    def _run(self, name, *given, size=None):
        model = self.model
        result = np.zeros(model.nv if size is None else size)
        KERNELS[name](model.topology, model.constants, model.gravity, self._work, *given, result)
        return result
