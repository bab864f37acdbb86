# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of the dynamics."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.algorithms.core.matrices import wide
from robodyn_ros.compile import generic
from robodyn_ros.robot.dispatch import fast_method
from robodyn_ros.robot.view import View


class Derivatives(View):
    """Derivatives of inverse and forward dynamics and of the mass matrix of a robot.

    Every method takes one state, or a batch with k in front.
    """

    @fast_method
    def inverse_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        f_ext: Mapping[str, ArrayLike] | None = None,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Compute the derivatives of inverse dynamics.

        Derivatives by q are along unit velocities. For dtau/dq each wrench moves with its link.
        O(n depth).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like
            Velocities [rad/s or m/s].
        qdd : (nv,) array_like
            Accelerations [rad/s^2 or m/s^2].
        f_ext : mapping of str to (6,) array_like, optional
            External wrenches by frame: force and moment [N, N m] in base axes, at the frame's
            origin.

        Returns
        -------
        tuple of three (nv, nv) ndarray
            dtau/dq, dtau/dqd and dtau/dqdd = M.
        """
        robot = self._robot
        states, k = robot._states(q, qd, qdd)
        results = self._squares(k)
        robot._run(
            generic.inverse_dynamics_derivatives,
            k,
            *robot._weighted,
            *states,
            *robot._wrenches(states[0], k, f_ext),
            *results,
        )
        return results

    @fast_method
    def forward_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        f_ext: Mapping[str, ArrayLike] | None = None,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Compute the derivatives of forward dynamics.

        Derivatives by q are along unit velocities. O(n^3).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like
            Velocities [rad/s or m/s].
        tau : (nv,) array_like
            Joint torques or forces [N m or N].
        f_ext : mapping of str to (6,) array_like, optional
            External wrenches by frame: force and moment [N, N m] in base axes, at the frame's
            origin.

        Returns
        -------
        tuple of three (nv, nv) ndarray
            dqdd/dq, dqdd/dqd and dqdd/dtau = M^-1.

        Raises
        ------
        SingularityError
            If the mass matrix is singular.
        """
        robot = self._robot
        states, k = robot._states(q, qd, tau)
        results = self._squares(k)
        robot._run(
            generic.forward_dynamics_derivatives,
            k,
            *robot._weighted,
            *states,
            *robot._wrenches(states[0], k, f_ext),
            robot._zero,
            np.empty(robot.nv),
            np.empty((robot.nv, robot.nv)),
            np.empty(wide(robot.nv)),
            *results,
        )
        return results

    @fast_method
    def mass_matrix(self, q: ArrayLike, out: np.ndarray | None = None) -> np.ndarray:
        """Compute the derivative of the mass matrix along unit velocities.

        O(n depth^2).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        out : ndarray, optional
            Array that receives the result.

        Returns
        -------
        (nv, nv, nv) ndarray
            Entry [i, j, k] is dM_ij / dq_k.
        """
        robot = self._robot
        (q,), k = robot._states(q)
        out = robot._out(out, k, (robot.nv, robot.nv, robot.nv))
        robot._run(generic.mass_matrix_derivative, k, *robot._body, q, robot._zero, out)
        return out

    def _squares(self, k):
        """Return three results (nv, nv)."""
        robot = self._robot
        return tuple(robot._out(None, k, (robot.nv, robot.nv)) for _ in range(3))
