# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the robot does as a whole: joint reactions, centre of mass, momentum, composite inertia."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.compile import generic
from robodyn_ros.errors import SingularityError
from robodyn_ros.model.layout import MASS
from robodyn_ros.robot.validation import Boundary

#: Below this share of the terms that cancelled in it an inertia counts as zero.
ROUNDING = 1e-14


class WholeBody(Boundary):
    """Joint wrenches, centre of mass, momentum and composite inertia of a robot.

    Base axes, linear part first. The base link is no part of mass, centre and momentum. Every
    method takes one state, q (nq,) and all else (nv,), or a batch with k in front, and writes into
    `out` if given; wrong shapes and values that are not finite are a ShapeError.
    """

    def joint_wrenches(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        f_ext: Mapping[str, ArrayLike] | None = None,
        out: np.ndarray | None = None,
    ) -> np.ndarray:
        """Compute the wrench that its parent exerts on each moving link.

        O(n); Jain 2011, eq. (5.4) and (5.43). The torque of the motor about the joint is part of
        it, reflected rotor inertia is not.

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
        out : ndarray, optional
            Array that receives the result.

        Returns
        -------
        (nb - 1, 6) ndarray
            Force and moment [N, N m] about the link's origin, a row for each of
            `model.body_names[1:]`. A body within a joint of several degrees of freedom has the
            row of the link beyond.
        """
        states, k = self._states(q, qd, qdd)
        out, tau = self._out(out, k, self._links_shape), np.empty(self.nv)
        self._run(
            generic.joint_wrenches,
            k,
            *self._weighted,
            *self._links,
            *states,
            *self._wrenches(states[0], k, f_ext),
            tau,
            out,
        )
        return out

    def forward_dynamics_wrenches(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        f_ext: Mapping[str, ArrayLike] | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Compute accelerations and joint wrenches under torques.

        Articulated bodies give the wrenches without a sweep of inverse dynamics, O(n); Jain
        2011, eq. (7.34) and (7.40).

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
        tuple of (nv,) and (nb - 1, 6) ndarray
            Accelerations, and wrenches as of `joint_wrenches`.

        Raises
        ------
        SingularityError
            If the mass matrix is singular.
        """
        states, k = self._states(q, qd, tau)
        result = self._out(None, k, (self.nv,)), self._out(None, k, self._links_shape)
        self._run(
            generic.forward_dynamics_wrenches,
            k,
            *self._weighted,
            *self._links,
            *states,
            *self._wrenches(states[0], k, f_ext),
            self._zero,
            *result,
        )
        return result

    def link_motions(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike
    ) -> tuple[np.ndarray, np.ndarray]:
        """Compute velocity and acceleration of every link.

        One sweep, O(n); Jain 2011, Algorithm 3.2 and eq. (5.8). Rows as of `joint_wrenches`,
        linear part first. Gravity is not included.

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like
            Velocities [rad/s or m/s].
        qdd : (nv,) array_like
            Accelerations [rad/s^2 or m/s^2].

        Returns
        -------
        tuple of two (nb - 1, 6) ndarray
            Velocities [m/s, rad/s] and accelerations [m/s^2, rad/s^2] of the origins of the
            links.
        """
        states, k = self._states(q, qd, qdd)
        results = self._out(None, k, self._links_shape), self._out(None, k, self._links_shape)
        self._run(generic.link_motions, k, *self._body, *self._links, *states, *results)
        return results

    @property
    def mass(self) -> float:
        """Return the mass of everything that moves [kg]."""
        return float(self.model.constants[1:, MASS].sum())

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
        (q,), k = self._states(q)
        out = self._out(out, k, (3,))
        self._require_mass()
        self._run(generic.centre_of_mass, k, *self._body, q, out)
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
        out = self._out(out, self._states(q, qd)[1], (3,))
        np.divide(self.centroidal_momentum(q, qd)[..., :3], self.mass, out=out)
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
        out = self._out(out, self._states(q)[1], (3, self.nv))
        np.divide(self.centroidal_momentum_matrix(q)[..., :3, :], self.mass, out=out)
        return out

    def momentum(self, q: ArrayLike, qd: ArrayLike, out: np.ndarray | None = None) -> np.ndarray:
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
        out = self.centroidal_momentum(q, qd, out=out)
        out[..., 3:] += np.cross(self.centre_of_mass(q), out[..., :3])
        return out

    def centroidal_momentum(
        self, q: ArrayLike, qd: ArrayLike, out: np.ndarray | None = None
    ) -> np.ndarray:
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
        states, k = self._states(q, qd)
        out, com = self._out(out, k, (6,)), np.empty(3)
        self._require_mass()
        self._run(generic.centroidal_momentum, k, *self._body, *states, com, out)
        return out

    def centroidal_momentum_matrix(
        self, q: ArrayLike, out: np.ndarray | None = None
    ) -> np.ndarray:
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
        (q,), k = self._states(q)
        out, com = self._out(out, k, (6, self.nv)), np.empty(3)
        self._require_mass()
        self._run(generic.centroidal_momentum_matrix, k, *self._body, q, com, out)
        return out

    def centroidal_momentum_bias(
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
        states, k = self._states(q, qd)
        out, com = self._out(out, k, (6,)), np.empty(3)
        self._require_mass()
        self._run(generic.centroidal_momentum_bias, k, *self._body, *states, self._zero, com, out)
        return out

    def centroidal_velocity(self, q: ArrayLike, qd: ArrayLike) -> np.ndarray:
        """Compute the velocity that the robot would have with all joints locked.

        V_C = R^-1 h about the centre of mass, with the momentum of the present motion. O(n);
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
        h = self.centroidal_momentum(q, qd)
        mass, com, inertia = self.composite_inertia(q)
        reach = mass * (com * com).sum(axis=-1)  # rounding of what was moved to the centre
        least = np.linalg.eigvalsh(inertia)[..., 0]
        if not (least > ROUNDING * (reach + np.trace(inertia, axis1=-2, axis2=-1))).all():
            raise SingularityError(
                f'robot {self.name!r}: got a singular composite inertia; '
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
        (q,), k = self._states(q)
        self._require_mass()
        com, inertia = self._out(None, k, (3,)), self._out(None, k, (3, 3))
        self._run(generic.composite_inertia, k, *self._body, q, com, inertia)
        return self.mass, com, inertia

    def _require_mass(self):
        if not self.mass > 0.0:
            raise SingularityError(
                f'robot {self.name!r}: got no mass on any moving link, hence '
                'no centre of mass; expected mass on at least one'
            )

    @property
    def _links_shape(self):
        return (len(self.model.body_names) - 1, 6)

    def body_inertias(self, q: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Compute composite and articulated-body inertia of every link.

        The inertia of a link and all beyond it, joints locked (R) and free (P). O(n); Jain 2011,
        Algorithms 4.1 and 6.1 (eq. 4.8, 6.30). R >= P >= the inertia of the link.

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].

        Returns
        -------
        tuple of two (nb - 1, 6, 6) ndarray
            R and P [kg, kg m, kg m^2] about the link's origin in base axes, linear part first.
            Rows as of `joint_wrenches`.

        Raises
        ------
        SingularityError
            If the mass matrix is singular.
        """
        (q,), k = self._states(q)
        shape = 6 * len(self.model.topology) - 6, 6
        results = self._out(None, k, shape), self._out(None, k, shape)
        self._run(generic.body_inertias, k, *self._body, *self._links, q, self._zero, *results)
        return self._blocks(results)

    def _blocks(self, results):
        """Six rows a link as a matrix a link."""
        return tuple(blocks.reshape(*blocks.shape[:-2], -1, 6, 6) for blocks in results)
