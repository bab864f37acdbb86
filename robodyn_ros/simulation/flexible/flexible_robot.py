# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Dynamics of a robot whose links bend by modes, over joints and modes."""

import numpy as np

from robodyn_ros.algorithms.core import scratch
from robodyn_ros.codegen import linker
from robodyn_ros.compile.call import provide
from robodyn_ros.compile.flexible_recursions import KERNELS, body_poses
from robodyn_ros.compile.own_code import MODES
from robodyn_ros.model.extended.flexible_model import FlexibleModel


class FlexibleRobot:
    """Recursions of chapter 13 of Jain 2011 for a FlexibleModel; a plant steps with them.

    All vectors have the joints first, then the modes. Springs and dampers of the modes are not in
    the torques: they are `model.springs`.

    Parameters
    ----------
    model : FlexibleModel
        See `robodyn_ros.model.extended.flexible_model.with_modal_links`.
    """

    def __init__(self, model: FlexibleModel):
        self.model = model
        self._scratch = scratch.allocate(model.topology)
        self._no_wrench = np.zeros((len(model.body_names), 6))

    def linked(self, kernel):
        """Return the twin of a kernel over flexible links; see `Robot.linked`."""
        provide(KERNELS.values())
        return linker.over_coordinates(kernel, self.model, MODES)

    def forward_dynamics(self, q, qd, tau):
        """Return (nv,) accelerations of joints and modes.

        Parameters
        ----------
        q, qd, tau : (nq,), (nv,) and (nv,) ndarray
            Positions, velocities and torques; those of the modes with their springs.
        """
        zero = np.zeros(self.model.nv)
        return self._run('forward_dynamics', q, qd, tau, self._no_wrench, zero)

    def inverse_dynamics(self, q, qd, qdd):
        """Return (nv,) torques of joints and modes.

        Parameters
        ----------
        q, qd, qdd : (nq,), (nv,) and (nv,) ndarray
            Positions, velocities and accelerations.
        """
        return self._run('inverse_dynamics', q, qd, qdd, self._no_wrench)

    def gravity_torque(self, q):
        """Return (nv,) torques that hold the robot at rest, springs aside."""
        return self._run('gravity_torque', q)

    def energy(self, q, qd):
        """Return kinetic, potential and strain energy [J]."""
        found = self._run('energy', q, qd, size=2)
        stiffness = np.array([spring.stiffness for spring in self.model.springs])
        strain = 0.5 * float(stiffness @ q[self.model.rigid.nq :] ** 2)
        return float(found[0]), float(found[1]), strain

    def mass_matrix(self, q):
        """Return (nv, nv), the mass matrix of joints and modes."""
        n, model = self.model.nv, self.model
        inverse = np.empty((n, n))
        KERNELS['mass_matrix_inverse'](
            model.topology, model.constants, self._scratch, q, np.zeros(n), inverse
        )
        return np.linalg.inv(inverse)

    def pose(self, q, frame):
        """Return the transform (4, 4) of a frame in the base, on its deformed link.

        Raises
        ------
        UnknownNameError
            For a frame that does not exist.
        """
        place = self.model.rigid.frame(frame)
        poses = np.empty((len(self.model.topology), 4, 4))
        body_poses(self.model.topology, self.model.constants, self._scratch, q, poses)
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = place.rotation, place.translation
        delta = self.deflection(q, frame)
        X[:3, 3] += delta[3:]
        s = 0.5 * delta[:3]
        S = np.cross(np.eye(3), s)
        X[:3, :3] = np.linalg.solve(np.eye(3) - S, (np.eye(3) + S) @ X[:3, :3])
        return poses[place.body] @ X

    def deflection(self, q, frame):
        """Return (6,), rotation [rad] and displacement [m] of a frame by the modes of its link.

        In axes of the body that carries the link. Zeros where the link is rigid, or the modes are
        not known.
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
        KERNELS[name](
            model.topology, model.constants, model.gravity, self._scratch, *given, result
        )
        return result
