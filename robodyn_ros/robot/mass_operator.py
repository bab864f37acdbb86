# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The mass matrix as an operator: solve, multiply and factorise without forming it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.compile import generic
from robodyn_ros.errors import short_repr
from robodyn_ros.robot.robot_view import View


@dataclass(frozen=True, eq=False)
class MassFactors:
    """Factors of M = L diag(D) L^T, joints in the order of `joint_names`.

    For a batch, L and D have k in front.

    `L`: 1 on its diagonal; off it, nonzero only where joint i carries joint j.
    `D`: joint inertias [kg m^2 or kg].
    `order`: numbers of the joints from base to tip. L[order][:, order] is unit upper triangular.
      In reverse order, as Jain counts, it is unit lower triangular.
    """

    L: np.ndarray
    D: np.ndarray
    order: np.ndarray

    __repr__ = short_repr


class MassOperator(View):
    """Solutions, products and factors of the mass matrix, without forming it.

    Every method takes one state, q (nq,) and all else (nv,), or a batch with k in front. It writes
    into `out` if given.
    """

    def solve(self, q: ArrayLike, b: ArrayLike, out: np.ndarray | None = None) -> np.ndarray:
        """Solve M(q) x = b.

        O(n).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        b : (nv,) array_like
            Right-hand side.
        out : ndarray, optional
            Array that receives the result.

        Returns
        -------
        (nv,) ndarray
            The solution x.

        Raises
        ------
        SingularityError
            If the mass matrix is singular.
        """
        robot = self._robot
        (q, b), k = robot._states(q, b, out=out)
        out = robot._out(out, k, (robot.nv,))
        robot._run(generic.mass_solve, k, *robot._body, q, robot._zero, b, out)
        return out

    def product(self, q: ArrayLike, x: ArrayLike, out: np.ndarray | None = None) -> np.ndarray:
        """Compute M(q) x by two sweeps, without M.

        For a velocity this is the generalised momentum, for an acceleration the inertial torque.
        O(n); Jain 2011, eq. (4.6).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        x : (nv,) array_like
            Vector.
        out : ndarray, optional
            Array that receives the result.

        Returns
        -------
        (nv,) ndarray
            The product.
        """
        robot = self._robot
        (q, x), k = robot._states(q, x, out=out)
        out = robot._out(out, k, (robot.nv,))
        robot._run(generic.mass_product, k, *robot._body, q, x, out)
        return out

    def factors(self, q: ArrayLike) -> MassFactors:
        """Compute the innovations factors M = L D L^T, L = 1 + H phi K.

        O(n depth); Jain 2011, Lemmas 7.3 and 9.11 (eq. 7.14 and 9.49).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].

        Returns
        -------
        MassFactors

        Raises
        ------
        SingularityError
            If the mass matrix is singular.
        """
        robot = self._robot
        (q,), k = robot._states(q)
        F, D = (robot._out(None, k, (robot.nv, robot.nv)), robot._out(None, k, (robot.nv,)))
        robot._run(generic.mass_factors, k, *robot._body, q, robot._zero, F, D)
        return self._factors(F, D)

    def _factors(self, F: np.ndarray, D: np.ndarray) -> MassFactors:
        """Return the MassFactors with L = F^T."""
        return MassFactors(np.swapaxes(F, -1, -2), D, self._robot.model.elimination_order)

    def factor_rates(self, q: ArrayLike, qd: ArrayLike) -> MassFactors:
        """Compute dL/dt and dD/dt of the innovations factors M = L D L^T along a motion.

        dM/dt = dL/dt D L^T + L dD/dt L^T + L D dL^T/dt. With the unit velocity of a joint these
        are derivatives by its position. For all joints, pass np.broadcast_to(q, (nv, nq)) and
        np.eye(nv). O(n depth) for a tree, O(n^3) with dependent joints; Jain 2011, Algorithm 18.1
        and eq. (18.61).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like
            Velocities [rad/s or m/s].

        Returns
        -------
        MassFactors
            Rates of both factors. The diagonal of that of L is zero.

        Raises
        ------
        SingularityError
            If the mass matrix is singular.
        """
        robot = self._robot
        (q, qd), k = robot._states(q, qd)
        if robot.model.is_embedded:
            return self._factor_rates_of_matrix(q, qd)
        F, D = (robot._out(None, k, (robot.nv, robot.nv)), robot._out(None, k, (robot.nv,)))
        robot._run(generic.mass_factor_rates, k, *robot._body, q, qd, robot._zero, F, D)
        return self._factors(F, D)

    def _factor_rates_of_matrix(self, q: ArrayLike, qd: ArrayLike) -> MassFactors:
        """Return the rates of L and D from dM/dt = C + C^T.

        L^-1 dM/dt L^-T = Y D + dD/dt + (Y D)^T. With the joints from base to tip, Y = L^-1 dL/dt
        has entries above the diagonal only.
        """
        factors, C = self.factors(q), self._robot.coriolis_matrix(q, qd)
        order = factors.order
        L = factors.L[..., order[:, None], order]
        rate = (C + np.swapaxes(C, -1, -2))[..., order[:, None], order]
        half = np.linalg.solve(L, rate)
        middle = np.linalg.solve(L, np.swapaxes(half, -1, -2))
        D_rate = np.empty_like(factors.D)
        D_rate[..., order] = np.diagonal(middle, axis1=-2, axis2=-1)
        L_rate = np.empty_like(factors.L)
        L_rate[..., order[:, None], order] = L @ (np.triu(middle, 1) / factors.D[..., None, order])
        return MassFactors(L_rate, D_rate, order)

    def factor_product(
        self,
        q: ArrayLike,
        x: ArrayLike,
        transposed: bool = False,
        inverse: bool = False,
        out: np.ndarray | None = None,
    ) -> np.ndarray:
        """Multiply a vector by the innovations factor L of M = L D L^T, or its inverse.

        The result is L x, L^T x (transposed), L^-1 x (inverse) or L^-T x (both). O(n); Jain 2011,
        eq. (7.14) and (7.17).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        x : (nv,) array_like
            Vector.
        transposed : bool
            Whether L is transposed.
        inverse : bool
            Whether L is inverted.
        out : ndarray, optional
            Array that receives the result.

        Returns
        -------
        (nv,) ndarray
            The product.

        Raises
        ------
        SingularityError
            If the mass matrix is singular.
        """
        robot = self._robot
        (q, x), k = robot._states(q, x, out=out)
        out = robot._out(out, k, (robot.nv,))
        robot._run(
            generic.factor_product,
            k,
            *robot._body,
            q,
            robot._zero,
            x,
            bool(transposed),
            bool(inverse),
            out,
        )
        return out

    def joint_inertias(self, q: ArrayLike, out: np.ndarray | None = None) -> np.ndarray:
        """Compute D of M = L D L^T: the inertia at each joint with the outer joints free.

        Rotor included. O(n); Jain 2011, Algorithm 6.1.

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        out : ndarray, optional
            Array that receives the result.

        Returns
        -------
        (nv,) ndarray
            Inertias in the order of `joint_names` [kg m^2 or kg].
        """
        robot = self._robot
        (q,), k = robot._states(q, out=out)
        out = robot._out(out, k, (robot.nv,))
        robot._run(generic.joint_inertias, k, *robot._body, q, robot._zero, out)
        return out

    def log_det(self, q: ArrayLike) -> Any:
        """Compute the logarithm of det M, which cannot overflow.

        O(n); Jain 2011, eq. (9.53).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].

        Returns
        -------
        float or (k,) ndarray
            Sum of log D(i).

        Raises
        ------
        SingularityError
            If the mass matrix is singular.
        """
        return np.log(self.joint_inertias(q)).sum(axis=-1)

    def log_det_gradient(self, q: ArrayLike, out: np.ndarray | None = None) -> np.ndarray:
        """Compute the gradient of log det M by the positions, Tr[M^-1 dM/dq].

        It is along unit velocities. Half of it is Fixman's correction of a rigid model of a
        molecule, without temperature. O(n) for a tree, O(n^3) with dependent joints; Jain 2011,
        eq. (18.68).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        out : ndarray, optional
            Array that receives the result.

        Returns
        -------
        (nv,) ndarray
            Gradient in the order of `joint_names` [1/rad or 1/m].

        Raises
        ------
        SingularityError
            If the mass matrix is singular.
        """
        robot = self._robot
        (q,), k = robot._states(q, out=out)
        out = robot._out(out, k, (robot.nv,))
        if robot.model.is_embedded:
            rates = robot.derivatives.mass_matrix(q)
            np.einsum('...ij,...ijk->...k', robot.mass_matrix_inverse(q), rates, out=out)
        else:
            robot._run(generic.log_det_gradient, k, *robot._body, q, robot._zero, out)
        return out

    def det(self, q: ArrayLike) -> Any:
        """Compute the determinant of M as the product of D(i).

        O(n); Jain 2011, eq. (9.53).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].

        Returns
        -------
        float or (k,) ndarray
            Determinant.

        Raises
        ------
        SingularityError
            If the mass matrix is singular.
        """
        return self.joint_inertias(q).prod(axis=-1)

    def diagonal(self, q: ArrayLike, out: np.ndarray | None = None) -> np.ndarray:
        """Compute the diagonal of M: the inertia at each joint with the others locked.

        Rotor included. O(n); Jain 2011, eq. (4.20).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        out : ndarray, optional
            Array that receives the result.

        Returns
        -------
        (nv,) ndarray
            Inertias [kg m^2 or kg].
        """
        robot = self._robot
        (q,), k = robot._states(q, out=out)
        out = robot._out(out, k, (robot.nv,))
        robot._run(generic.mass_matrix_diagonal, k, *robot._body, q, out)
        return out

    def trace(self, q: ArrayLike) -> Any:
        """Compute the trace of M, rotors included.

        O(n); Jain 2011, eq. (4.21).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].

        Returns
        -------
        float or (k,) ndarray
            Trace.
        """
        return self.diagonal(q).sum(axis=-1)
