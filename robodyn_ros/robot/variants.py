# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Other formulations of the dynamics: references, factors, Hamilton, hybrid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.compile import generic
from robodyn_ros.errors import ShapeError, UnknownNameError
from robodyn_ros.robot.robot_view import View

REFERENCES = ('body', 'offset', 'inertial', 'fixed')
#: Quantities whose velocities have to be rates of coordinates: method, and words for messages.
OF_RATES = {'hamilton_rates': "Hamilton's equations", 'damping_torques': 'damping torques'}


class Variants(View):
    """Other formulations of a robot's dynamics, and hybrid and Hamiltonian dynamics.

    The formulations give the same results as `inverse_dynamics` and `forward_dynamics`, which are
    faster for all but short chains. They serve for comparison.

    Every method takes one state, q (nq,) and all else (nv,), or a batch with k in front. It writes
    into `out` if given.
    """

    def inverse_dynamics_composite(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        f_ext: Mapping[str, ArrayLike] | None = None,
        out: np.ndarray | None = None,
    ) -> np.ndarray:
        """Compute inverse dynamics through composite bodies: tau = H (R alpha + y).

        O(n); Jain 2011, Algorithm 5.3 (eq. 5.44 to 5.46).

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
        (nv,) ndarray
            Joint torques or forces [N m or N].
        """
        robot = self._robot
        states, k = robot._states(q, qd, qdd, out=out)
        out = robot._out(out, k, (robot.nv,))
        robot._run(
            generic.inverse_dynamics_composite,
            k,
            *robot._weighted,
            *states,
            *robot._wrenches(states[0], k, f_ext),
            out,
        )
        return out

    def inverse_dynamics_in(
        self,
        reference: str,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        f_ext: Mapping[str, ArrayLike] | None = None,
        out: np.ndarray | None = None,
    ) -> np.ndarray:
        """Compute inverse dynamics in one of four references.

        O(n); Jain 2011, Table 5.1. 'body': rates in body axes, frames at the joints (5.11, 2.28).
        'offset': the same with frames at the centres of mass (5.18). 'inertial': rates in base
        axes (5.19, 2.26). 'fixed': all about the origin of the base (5.47 to 5.57, 2.38).

        Parameters
        ----------
        reference : {'body', 'offset', 'inertial', 'fixed'}
            The reference.
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
        (nv,) ndarray
            Joint torques or forces [N m or N].

        Raises
        ------
        UnknownNameError
            For another reference.
        """
        robot = self._robot
        if reference not in REFERENCES:
            raise UnknownNameError(
                f'reference of inverse dynamics of robot {robot.name!r}: got '
                f'{reference!r}; expected one of {", ".join(REFERENCES)}'
            )
        states, k = robot._states(q, qd, qdd, out=out)
        out = robot._out(out, k, (robot.nv,))
        kernel, frames = generic.inverse_dynamics_body, []
        if reference == 'body':
            frames = [np.zeros((len(robot.model.constants), 3))]
        elif reference == 'offset':
            frames = [robot.model.centres()]
        else:
            kernel = getattr(generic, f'inverse_dynamics_{reference}')
        robot._run(
            kernel,
            k,
            *robot._weighted,
            *states,
            *robot._wrenches(states[0], k, f_ext),
            *frames,
            out,
        )
        return out

    def forward_dynamics_factored(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        f_ext: Mapping[str, ArrayLike] | None = None,
        out: np.ndarray | None = None,
    ) -> np.ndarray:
        """Compute forward dynamics with the explicit innovations factor.

        L x = tau - C qd - g + J^T f_ext, L^T qdd = D^-1 x. O(n depth); Jain 2011, section 7.2,
        second option.

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
        out : ndarray, optional
            Array that receives the result.

        Returns
        -------
        (nv,) ndarray
            Accelerations [rad/s^2 or m/s^2].

        Raises
        ------
        SingularityError
            If the mass matrix is singular.
        """
        return self._by_factors(generic.forward_dynamics_factored, q, qd, tau, f_ext, out)

    def forward_dynamics_dense(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        f_ext: Mapping[str, ArrayLike] | None = None,
        out: np.ndarray | None = None,
    ) -> np.ndarray:
        """Compute forward dynamics by composite bodies and a dense L D L^T factor.

        O(n^3); Jain 2011, section 7.2, first option; Walker and Orin 1982, method 3.

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
        out : ndarray, optional
            Array that receives the result.

        Returns
        -------
        (nv,) ndarray
            Accelerations [rad/s^2 or m/s^2].

        Raises
        ------
        SingularityError
            If the mass matrix is singular.
        """
        return self._by_factors(generic.forward_dynamics_dense, q, qd, tau, f_ext, out)

    def _by_factors(self, kernel, q, qd, tau, f_ext, out):
        """Compute forward dynamics by a kernel with a matrix and a vector of working memory."""
        robot = self._robot
        states, k = robot._states(q, qd, tau, out=out)
        out = robot._out(out, k, (robot.nv,))
        robot._run(
            kernel,
            k,
            *robot._weighted,
            *states,
            *robot._wrenches(states[0], k, f_ext),
            robot._zero,
            np.empty((robot.nv, robot.nv)),
            np.empty(robot.nv),
            out,
        )
        return out

    def hybrid_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        qdd: ArrayLike,
        prescribed: Sequence[str] | np.ndarray,
        f_ext: Mapping[str, ArrayLike] | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Compute dynamics with the motion of some joints given, and the torque of the others.

        tau = M qdd + C qd + g - J^T f_ext. O(n); Featherstone 2008, section 9.2; Jain 2011,
        section 16.2.

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like
            Velocities [rad/s or m/s].
        tau : (nv,) array_like
            Torques; those of prescribed joints are not read.
        qdd : (nv,) array_like
            Accelerations; only those of prescribed joints are read.
        prescribed : sequence of str, or (nv,) array_like of bool
            Joints whose motion is given.
        f_ext : mapping of str to (6,) array_like, optional
            External wrenches by frame: force and moment [N, N m] in base axes, at the frame's
            origin.

        Returns
        -------
        tuple of two (nv,) ndarray
            Torques and accelerations.

        Raises
        ------
        SingularityError
            If the mass matrix is singular.
        UnknownNameError
            For a joint that does not exist.
        """
        robot = self._robot
        (q, qd, tau, qdd), k = robot._states(q, qd, tau, qdd)
        prescribed = self._prescribed(prescribed)
        results = (robot._out(None, k, (robot.nv,)), robot._out(None, k, (robot.nv,)))
        robot._run(
            generic.hybrid_dynamics,
            k,
            *robot._weighted,
            q,
            qd,
            np.where(prescribed, qdd, tau),
            prescribed,
            *robot._wrenches(q, k, f_ext),
            robot._zero,
            *results,
        )
        return results

    def _prescribed(self, joints):
        """Return (nv,) booleans from booleans or names of joints."""
        robot = self._robot
        names = [joints] if isinstance(joints, str) else list(joints)
        if names and all(isinstance(name, str) for name in names):
            if unknown := set(names) - set(robot.joint_names):
                raise UnknownNameError(
                    f'prescribed joints of robot {robot.name!r}: got '
                    f'{", ".join(sorted(unknown))}; expected some of '
                    f'{", ".join(robot.joint_names)}'
                )
            return np.array([name in names for name in robot.joint_names])
        flags = np.array(names)
        if names and (flags.dtype != np.bool_ or flags.shape != (robot.nv,)):
            raise ShapeError(
                f'prescribed joints of robot {robot.name!r}: got {joints!r}; expected '
                f'names of joints, or {robot.nv} booleans'
            )
        return flags if names else np.zeros(robot.nv, dtype=np.bool_)

    def hamiltonian(self, q: ArrayLike, p: ArrayLike) -> Any:
        """Compute the Hamiltonian: H = p M^-1 p / 2 + V(q).

        O(n); Jain 2011, section 4.2.2.

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        p : (nv,) array_like
            Generalised momentum [kg m^2/s or kg m/s].

        Returns
        -------
        float or (k,) ndarray
            Energy [J].
        """
        robot = self._robot
        qd = robot.mass_operator.solve(q, p)  # type: ignore[attr-defined]
        kinetic, potential = robot.energy(q, qd)  # type: ignore[attr-defined]
        return kinetic + potential

    def hamilton_rates(
        self, q: ArrayLike, p: ArrayLike, tau: ArrayLike
    ) -> tuple[np.ndarray, np.ndarray]:
        """Compute Hamilton's canonical equations: qd = dH/dp, pdot = -dH/dq + tau.

        O(n); Jain 2011, eq. (4.43).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        p : (nv,) array_like
            Generalised momentum [kg m^2/s or kg m/s].
        tau : (nv,) array_like
            Joint torques or forces [N m or N].

        Returns
        -------
        tuple of two (nv,) ndarray
            qd and pdot.

        Raises
        ------
        ShapeError
            For a robot with nq > nv, whose velocities are not rates of its coordinates.
        """
        robot = self._robot
        self._require_rates(OF_RATES['hamilton_rates'])
        states, k = robot._states(q, p, tau)
        rates = (robot._out(None, k, (robot.nv,)), robot._out(None, k, (robot.nv,)))
        robot._run(generic.hamilton_rates, k, *robot._weighted, *states, robot._zero, *rates)
        return rates

    def damping_torques(
        self, q: ArrayLike, qd: ArrayLike, rates: ArrayLike
    ) -> tuple[np.ndarray, np.ndarray]:
        """Compute torques that damp each velocity eta = m^T qd separately, with M = m m^T.

        The first, -m rates eta, takes the power sum rates eta^2. The second, m C(q, eta), does no
        work. Under both, and the weight, eta_i(t) = eta_i(0) exp(-rates_i t). O(n); Jain 2011,
        Lemma 19.10.

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like
            Velocities [rad/s or m/s].
        rates : (nv,) array_like
            Rates of decay [1/s].

        Returns
        -------
        tuple of two (nv,) ndarray
            Both torques or forces [N m or N].

        Raises
        ------
        ShapeError
            For a robot with nq > nv, whose velocities are not rates of its coordinates.
        """
        robot = self._robot
        self._require_rates(OF_RATES['damping_torques'])
        states, k = robot._states(q, qd, rates)
        torques = (robot._out(None, k, (robot.nv,)), robot._out(None, k, (robot.nv,)))
        robot._run(generic.damping_torques, k, *robot._body, *states, robot._zero, *torques)
        return torques

    def _require_rates(self, what):
        robot = self._robot
        if robot.nq != robot.nv:
            raise ShapeError(
                f'robot {robot.name!r}: got {robot.nq} coordinates for {robot.nv} '
                f'velocities; expected as many, for {what}'
            )
