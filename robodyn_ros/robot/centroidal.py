# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The robot as one body: mass, centre of mass, momentum, composite inertia."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.compile import generic
from robodyn_ros.errors import SingularityError
from robodyn_ros.model.layout import MASS
from robodyn_ros.robot.robot_view import View

#: Share of its cancelled terms below which an inertia counts as zero.
ROUNDING = 1e-14


class Centroidal(View):
    """Mass, centre of mass, momentum and composite inertia of a robot.

    Quantities are in base axes, linear part first, and exclude the base link.

    Every method takes one state, q (nq,) and all else (nv,), or a batch with k in front. It writes
    into `out` if given.
    """

    @property
    def mass(self) -> float:
        """Return the mass of everything that moves [kg]."""
        self._robot.model.require_dynamics()
        return float(self._robot.model.constants[1:, MASS].sum())

    def centre_of_mass(self, q: ArrayLike, out: np.ndarray | None = None) -> np.ndarray:
        """Compute the centre of mass of the robot.

        O(n); Jain 2011, eq. (4.13).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        out : ndarray, optional
            Array that receives the result.

        Returns
        -------
        (3,) ndarray
            Position in the base [m].

        Raises
        ------
        SingularityError
            If nothing has mass.
        """
        robot = self._robot
        (q,), k = robot._states(q, out=out)
        out = robot._out(out, k, (3,))
        self._require_mass()
        robot._run(generic.centre_of_mass, k, *robot._body, q, out)
        return out

    def centre_of_mass_velocity(
        self, q: ArrayLike, qd: ArrayLike, out: np.ndarray | None = None
    ) -> np.ndarray:
        """Compute the velocity of the centre of mass.

        O(n).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like
            Velocities [rad/s or m/s].
        out : ndarray, optional
            Array that receives the result.

        Returns
        -------
        (3,) ndarray
            Velocity [m/s].

        Raises
        ------
        SingularityError
            If nothing has mass.
        """
        robot = self._robot
        out = robot._out(out, robot._states(q, qd)[1], (3,))
        np.divide(self.momentum(q, qd)[..., :3], self.mass, out=out)
        return out

    def centre_of_mass_jacobian(self, q: ArrayLike, out: np.ndarray | None = None) -> np.ndarray:
        """Compute J_C with cdot = J_C qd.

        O(n).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        out : ndarray, optional
            Array that receives the result.

        Returns
        -------
        (3, nv) ndarray
            Jacobian of the centre of mass [m or -].

        Raises
        ------
        SingularityError
            If nothing has mass.
        """
        robot = self._robot
        out = robot._out(out, robot._states(q)[1], (3, robot.nv))
        np.divide(self.momentum_matrix(q)[..., :3, :], self.mass, out=out)
        return out

    def momentum(self, q: ArrayLike, qd: ArrayLike, out: np.ndarray | None = None) -> np.ndarray:
        """Compute linear and angular momentum about the centre of mass.

        O(n); Jain 2011, eq. (4.15).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like
            Velocities [rad/s or m/s].
        out : ndarray, optional
            Array that receives the result.

        Returns
        -------
        (6,) ndarray
            Momentum [N s, N m s].

        Raises
        ------
        SingularityError
            If nothing has mass.
        """
        robot = self._robot
        states, k = robot._states(q, qd, out=out)
        out, com = robot._out(out, k, (6,)), np.empty(3)
        self._require_mass()
        robot._run(generic.centroidal_momentum, k, *robot._body, *states, com, out)
        return out

    def momentum_matrix(self, q: ArrayLike, out: np.ndarray | None = None) -> np.ndarray:
        """Compute A(q) with [linear; angular momentum about the centre of mass] = A qd.

        O(n); Jain 2011, eq. (4.15); Orin, Goswami and Lee 2013.

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        out : ndarray, optional
            Array that receives the result.

        Returns
        -------
        (6, nv) ndarray
            Centroidal momentum matrix [kg m or kg, kg m^2 or kg m].

        Raises
        ------
        SingularityError
            If nothing has mass.
        """
        robot = self._robot
        (q,), k = robot._states(q, out=out)
        out, com = robot._out(out, k, (6, robot.nv)), np.empty(3)
        self._require_mass()
        robot._run(generic.centroidal_momentum_matrix, k, *robot._body, q, com, out)
        return out

    def momentum_bias(
        self, q: ArrayLike, qd: ArrayLike, out: np.ndarray | None = None
    ) -> np.ndarray:
        """Compute Adot qd; the rate of the centroidal momentum is A qdd + Adot qd.

        O(n); Orin, Goswami and Lee 2013.

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like
            Velocities [rad/s or m/s].
        out : ndarray, optional
            Array that receives the result.

        Returns
        -------
        (6,) ndarray
            Bias [N, N m].

        Raises
        ------
        SingularityError
            If nothing has mass.
        """
        robot = self._robot
        states, k = robot._states(q, qd, out=out)
        out, com = robot._out(out, k, (6,)), np.empty(3)
        self._require_mass()
        robot._run(
            generic.centroidal_momentum_bias, k, *robot._body, *states, robot._zero, com, out
        )
        return out

    def momentum_about_base(
        self, q: ArrayLike, qd: ArrayLike, out: np.ndarray | None = None
    ) -> np.ndarray:
        """Compute linear and angular momentum about the origin of the base.

        O(n); Jain 2011, eq. (2.16), (2.17) and (4.15).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like
            Velocities [rad/s or m/s].
        out : ndarray, optional
            Array that receives the result.

        Returns
        -------
        (6,) ndarray
            Momentum [N s, N m s].

        Raises
        ------
        SingularityError
            If nothing has mass.
        """
        com = self.centre_of_mass(q)  # before out is written, which may be q
        out = self.momentum(q, qd, out=out)
        out[..., 3:] += np.cross(com, out[..., :3])
        return out

    def velocity(self, q: ArrayLike, qd: ArrayLike) -> np.ndarray:
        """Compute the velocity that the robot would have with all joints locked.

        V_C = R^-1 h about the centre of mass, with the momentum h of the current motion. O(n);
        Jain 2011, eq. (4.17), its sum over all bodies.

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like
            Velocities [rad/s or m/s].

        Returns
        -------
        (6,) ndarray
            Velocity [m/s, rad/s].

        Raises
        ------
        SingularityError
            If nothing has mass, or all of it lies on a line.
        """
        h = self.momentum(q, qd)
        mass, com, inertia = self.composite_inertia(q)
        reach = mass * (com * com).sum(axis=-1)  # rounding of the shift to the centre of mass
        least = np.linalg.eigvalsh(inertia)[..., 0]
        if not (least > ROUNDING * (reach + np.trace(inertia, axis1=-2, axis2=-1))).all():
            raise SingularityError(
                f'robot {self._robot.name!r}: got a singular composite inertia; '
                'expected mass that does not lie on a line'
            )
        spin = np.linalg.solve(inertia, h[..., 3:, None])[..., 0]
        return np.concatenate((h[..., :3] / mass, spin), axis=-1)

    def composite_inertia(self, q: ArrayLike) -> tuple[Any, np.ndarray, np.ndarray]:
        """Compute mass, centre of mass and inertia with all joints locked.

        O(n); Jain 2011, Algorithm 9.2: R of the base. `with_payload` of another robot takes
        them.

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].

        Returns
        -------
        tuple of float, (3,) and (3, 3) ndarray
            Mass [kg], centre of mass [m] and inertia about it [kg m^2], in base axes.

        Raises
        ------
        SingularityError
            If nothing has mass.
        """
        robot = self._robot
        (q,), k = robot._states(q)
        self._require_mass()
        com, inertia = robot._out(None, k, (3,)), robot._out(None, k, (3, 3))
        robot._run(generic.composite_inertia, k, *robot._body, q, com, inertia)
        return self.mass, com, inertia

    def _require_mass(self) -> None:
        if not self.mass > 0.0:
            raise SingularityError(
                f'robot {self._robot.name!r}: got no mass on any moving link, hence '
                'no centre of mass; expected mass on at least one'
            )
