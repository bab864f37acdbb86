# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of the dynamics."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.algorithms.derivatives.unit_torques import memory
from robodyn_ros.compile import generic
from robodyn_ros.robot.dispatch import fast_method
from robodyn_ros.robot.loops.embedding_matrix import embedding_matrix
from robodyn_ros.robot.loops.second_derivatives import second_derivatives
from robodyn_ros.robot.robot_view import View
from robodyn_ros.robot.validation import of_row
from robodyn_ros.spatial.row_products import aligned


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

        Derivatives by q are along unit velocities. O(n^2), with dependent joints O(n^3).

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
            aligned(memory(robot.nv)),
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
        (q,), k = robot._states(q, out=out)
        out = robot._out(out, k, (robot.nv, robot.nv, robot.nv))
        robot._run(generic.mass_matrix_derivative, k, *robot._body, q, robot._zero, out)
        return out

    def inverse_dynamics_second(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        f_ext: Mapping[str, ArrayLike] | None = None,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Compute all second derivatives of inverse dynamics.

        Those that are left out vanish. O(n depth^2), with closed loops O(n^3 nv).
        `inverse_dynamics_hessian` gives those of a sum of torques times multipliers in O(n depth).

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
            origin. Each moves with its link.

        Returns
        -------
        tuple of four (nv, nv, nv) ndarray
            Entry [j, k, l] of d2tau_j/dq_k dq_l, of d2tau_j/dq_k dqd_l, of d2tau_j/dqd_k dqd_l,
            and of dM_jk/dq_l, which is d2tau_j/dqdd_k dq_l.

        Raises
        ------
        ModelError
            For a joint with a quaternion.
        """
        return self._second(generic.inverse_dynamics_second_derivatives, 3, f_ext, q, qd, qdd)

    def inverse_dynamics_hessian(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        multipliers: ArrayLike,
        f_ext: Mapping[str, ArrayLike] | None = None,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Compute the second derivatives of multipliers . tau, as for optimal control.

        They are the tensors of `inverse_dynamics_second` times the multipliers, in O(n depth).
        With closed loops they cost as much as the tensors.

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like
            Velocities [rad/s or m/s].
        qdd : (nv,) array_like
            Accelerations [rad/s^2 or m/s^2].
        multipliers : (nv,) array_like
            One for each torque.
        f_ext : mapping of str to (6,) array_like, optional
            As of `inverse_dynamics_second`.

        Returns
        -------
        tuple of four (nv, nv) ndarray
            By q and q, q and qd, qd and qd, q and qdd. The first one is the row.

        Raises
        ------
        ModelError
            For a joint with a quaternion.
        """
        return self._second(generic.inverse_dynamics_hessian, 2, f_ext, q, qd, qdd, multipliers)

    def forward_dynamics_second(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        f_ext: Mapping[str, ArrayLike] | None = None,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Compute all second derivatives of forward dynamics.

        Those that are left out vanish. O(n^4).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like
            Velocities [rad/s or m/s].
        tau : (nv,) array_like
            Joint torques or forces [N m or N].
        f_ext : mapping of str to (6,) array_like, optional
            As of `inverse_dynamics_second`.

        Returns
        -------
        tuple of four (nv, nv, nv) ndarray
            Entry [j, k, l] of d2qdd_j/dq_k dq_l, of d2qdd_j/dq_k dqd_l, of d2qdd_j/dqd_k dqd_l,
            and of d2qdd_j/dq_k dtau_l.

        Raises
        ------
        ModelError
            For a joint with a quaternion.
        SingularityError
            If the mass matrix is singular.
        """
        robot = self._robot
        self._refuse_others('forward_dynamics_second_derivatives')
        first = self.forward_dynamics(q, qd, tau, f_ext)
        qdd = robot.forward_dynamics(q, qd, tau, f_ext)
        of_torque = self.inverse_dynamics_second(q, qd, qdd, f_ext)
        k = len(qdd) if qdd.ndim == 2 else None
        work, results = self._results(None, 2, 3), self._results(k, 4, 3)
        robot._run(
            generic.forward_dynamics_second_derivatives, k, *first, *of_torque, *work, *results
        )
        return results

    def forward_dynamics_hessian(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        multipliers: ArrayLike,
        f_ext: Mapping[str, ArrayLike] | None = None,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Compute the second derivatives of multipliers . qdd, as for optimal control.

        They are the tensors of `forward_dynamics_second` times the multipliers. With
        mu = -M^-1 multipliers, and L = mu . tau of inverse dynamics at the same motion, they are
        d2L/dx dy + d2L/dx dqdd dqdd/dy + d2L/dy dqdd dqdd/dx. O(n^3).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like
            Velocities [rad/s or m/s].
        tau : (nv,) array_like
            Joint torques or forces [N m or N].
        multipliers : (nv,) array_like
            One for each acceleration.
        f_ext : mapping of str to (6,) array_like, optional
            As of `inverse_dynamics_second`.

        Returns
        -------
        tuple of four (nv, nv) ndarray
            By q and q, q and qd, qd and qd, q and tau. The first one is the row.

        Raises
        ------
        ModelError
            For a joint with a quaternion.
        SingularityError
            If the mass matrix is singular.
        """
        robot = self._robot
        self._refuse_others('forward_dynamics_hessian')
        (q, qd, tau, weights), _ = robot._states(q, qd, tau, multipliers)
        qdd = robot.forward_dynamics(q, qd, tau, f_ext)
        by_q, by_qd, by_tau = self.forward_dynamics(q, qd, tau, f_ext)
        mu = -(by_tau @ weights[..., None])[..., 0]
        q_q, q_qd, qd_qd, q_qdd = self.inverse_dynamics_hessian(q, qd, qdd, mu, f_ext)
        mixed = q_qdd @ by_q
        mixed += mixed.swapaxes(-1, -2)
        return q_q + mixed, q_qd + q_qdd @ by_qd, qd_qd, q_qdd @ by_tau

    def _refuse_others(self, what):
        """Raise ModelError where velocities are not the rates of coordinates."""
        self._robot.model.refuse_quaternions(what.replace('_', ' '))

    def _second(self, kernel, axes, f_ext, *given):
        """Return the four results of a kernel of second derivatives, with so many axes each."""
        robot = self._robot
        self._refuse_others(kernel.python.__name__)
        states, k = robot._states(*given)
        results = self._results(k, 4, axes)
        if robot.model.has_loops:
            self._of_loops(states, f_ext, results)
        elif robot.model.is_embedded:
            self._project(kernel, states, f_ext, results)
        else:
            wrenches = robot._wrenches(states[0], k, f_ext)
            robot._run(kernel, k, *robot._weighted, *states, *wrenches, *results)
        return results

    def _of_loops(self, states, f_ext, results):
        """Write the tensors of a robot with closed loops, or their sums with multipliers."""
        robot = self._robot
        for row, (q, qd, qdd, *multipliers) in enumerate(zip(*map(np.atleast_2d, states))):
            pushes = {name: of_row(wrench, row) for name, wrench in (f_ext or {}).items()}
            wrenches = robot._wrenches(q, None, pushes)
            tensors = second_derivatives(robot, q, qd, qdd, wrenches)
            for k, (result, tensor) in enumerate(zip(results, tensors)):
                if multipliers:
                    tensor = np.tensordot(multipliers[0], tensor, 1)
                    tensor = tensor.T if k == 3 else tensor  # by q and qdd, not by qdd and q
                result.reshape(-1, *tensor.shape)[row] = tensor

    def _project(self, kernel, states, f_ext, results):
        """Run a kernel over all joints, and project its results to the independent ones.

        Rates of all joints, and multipliers of torques, are constants E times theirs.
        """
        robot, axes = (
            self._robot,
            3 if kernel is generic.inverse_dynamics_second_derivatives else 2,
        )
        E = embedding_matrix(robot, np.zeros(robot.nq))
        every = [*robot.expand(*states[:3]), *(given @ E.T for given in states[3:])]
        found = [np.empty((len(E),) * axes) for _ in results]
        rows = zip(*(np.atleast_2d(given) for given in (states[0], *every)))
        for row, (q, *one) in enumerate(rows):
            pushes = {name: of_row(wrench, row) for name, wrench in (f_ext or {}).items()}
            kernel.vectorcall(*robot._weighted, *one, *robot._wrenches(q, None, pushes), *found)
            for result, tensor in zip(results, found):
                result.reshape(-1, *(robot.nv,) * axes)[row] = _contracted(tensor, E)

    def _squares(self, k):
        """Return three results (nv, nv)."""
        return self._results(k, 3, 2)

    def _results(self, k, count, axes):
        """Return results of so many axes of length nv."""
        robot = self._robot
        return tuple(robot._out(None, k, (robot.nv,) * axes) for _ in range(count))


def _contracted(tensor, E):
    """Return a tensor with E^T applied to every axis."""
    for _ in range(tensor.ndim):
        tensor = np.tensordot(tensor, E, (0, 0))  # the new axis is the last one
    return tensor
