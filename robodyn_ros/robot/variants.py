# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The same dynamics asked or answered in other ways: other routes, wrenches alone, Hamilton."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.compile import generic
from robodyn_ros.errors import ShapeError, UnknownNameError
from robodyn_ros.robot.frames import FrameQuantities, times

REFERENCES = ('body', 'offset', 'inertial', 'fixed')


class DynamicsForms(FrameQuantities):
    """Other routes to the dynamics of a robot, and other questions.

    The routes give what `inverse_dynamics` and `forward_dynamics` give, which are faster for all
    but short chains: they are there to compare. Every method takes one state, q (nq,) and all else
    (nv,), or a batch with k in front, and writes into `out` if given; wrong shapes and values that
    are not finite are a ShapeError, a singular pivot is a SingularityError that names the body.
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
        states, k = self._states(q, qd, qdd)
        out = self._out(out, k, (self.nv,))
        self._run(
            generic.inverse_dynamics_composite,
            k,
            *self._weighted,
            *states,
            *self._wrenches(states[0], k, f_ext),
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

        O(n); Jain 2011, Table 5.1. 'body': rates that the bodies see, frames at the joints
        (5.11, 2.28). 'offset': the same with frames at the centres of mass (5.18). 'inertial':
        rates that the base sees (5.19, 2.26). 'fixed': all about the origin of the base (5.47 to
        5.57, 2.38).

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
        if reference not in REFERENCES:
            raise UnknownNameError(
                f'reference of inverse dynamics of robot {self.name!r}: got '
                f'{reference!r}; expected one of {", ".join(REFERENCES)}'
            )
        states, k = self._states(q, qd, qdd)
        out = self._out(out, k, (self.nv,))
        kernel, frames = generic.inverse_dynamics_body, []
        if reference == 'body':
            frames = [np.zeros((len(self.model.constants), 3))]
        elif reference == 'offset':
            frames = [self.model.centres()]
        else:
            kernel = getattr(generic, f'inverse_dynamics_{reference}')
        self._run(
            kernel, k, *self._weighted, *states, *self._wrenches(states[0], k, f_ext), *frames, out
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
        """Compute forward dynamics by the innovations factor, written out.

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
        """Forward dynamics by a kernel that needs a matrix and a vector to work in."""
        states, k = self._states(q, qd, tau)
        out = self._out(out, k, (self.nv,))
        self._run(
            kernel,
            k,
            *self._weighted,
            *states,
            *self._wrenches(states[0], k, f_ext),
            self._zero,
            np.empty((self.nv, self.nv)),
            np.empty(self.nv),
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
        """Compute the motion where some joints have a given motion, the others a given torque.

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
        (q, qd, tau, qdd), k = self._states(q, qd, tau, qdd)
        prescribed = self._prescribed(prescribed)
        results = self._out(None, k, (self.nv,)), self._out(None, k, (self.nv,))
        self._run(
            generic.hybrid_dynamics,
            k,
            *self._weighted,
            q,
            qd,
            np.where(prescribed, qdd, tau),
            prescribed,
            *self._wrenches(q, k, f_ext),
            self._zero,
            *results,
        )
        return results

    def _prescribed(self, given):
        """(nv,) booleans from those, or from names of joints."""
        names = [given] if isinstance(given, str) else list(given)
        if names and all(isinstance(name, str) for name in names):
            if unknown := set(names) - set(self.joint_names):
                raise UnknownNameError(
                    f'prescribed joints of robot {self.name!r}: got '
                    f'{", ".join(sorted(unknown))}; expected some of '
                    f'{", ".join(self.joint_names)}'
                )
            return np.array([name in names for name in self.joint_names])
        flags = np.array(names)
        if names and (flags.dtype != np.bool_ or flags.shape != (self.nv,)):
            raise ShapeError(
                f'prescribed joints of robot {self.name!r}: got {given!r}; expected '
                f'names of joints, or {self.nv} booleans'
            )
        return flags if names else np.zeros(self.nv, dtype=np.bool_)

    def constrained_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        frame: str | Sequence[str],
        axes: str | Sequence | Mapping | None = None,
        acceleration: ArrayLike = 0.0,
        f_ext: Mapping[str, ArrayLike] | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Compute the motion with the acceleration of some task axes prescribed.

        qdd = qdd_f + M^-1 J^T f with f = Lambda (a - J qdd_f - Jdot qd); Jain 2011, eq. (7.43).
        A link is held (a = 0) or moved by a force that the axes transmit. Directions that the
        robot cannot move are not enforced.

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like
            Velocities [rad/s or m/s].
        tau : (nv,) array_like
            Joint torques or forces [N m or N].
        frame : str or sequence of str
            Name of a frame, or names of several.
        axes : str or sequence, optional
            Task axes to keep, of 'x y z rx ry rz': names, or six booleans; all by default. A
            mapping from frames to axes where several frames differ.
        acceleration : float or (m,) array_like
            Acceleration of the axes kept [m/s^2, rad/s^2].
        f_ext : mapping of str to (6,) array_like, optional
            External wrenches by frame: force and moment [N, N m] in base axes, at the frame's
            origin.

        Returns
        -------
        tuple of (nv,) and (m,) ndarray
            Accelerations, and the force on the robot [N, N m], in base axes, at the frame's
            origin.
        """
        qdd = self.forward_dynamics(q, qd, tau, f_ext)  # type: ignore[attr-defined]
        task = self.operational_space_inertia(q, frame, axes)
        names = tuple(task.rows)
        bias = np.concatenate([self.jacobian_bias(q, qd, name) for name in names], axis=-1)
        try:
            wanted = np.broadcast_to(self._floats(acceleration), task.jacobian.shape[:-1])
        except ValueError:
            raise ShapeError(
                f'acceleration of a task of robot {self.name!r}: got '
                f'{np.shape(acceleration)}; expected {task.jacobian.shape[:-1]}, or '
                'one number'
            ) from None
        missing = wanted - times(task.jacobian, qdd) - bias[..., self.task_rows(names, axes)]
        return qdd + times(task.consistent_inverse, missing), times(task.inertia, missing)

    def torque_of_wrench(
        self, q: ArrayLike, f_ext: Mapping[str, ArrayLike], out: np.ndarray | None = None
    ) -> np.ndarray:
        """Compute J^T f, the torques of wrenches on any frames.

        O(n); Jain 2011, Algorithm 5.1 (eq. 5.38).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        f_ext : mapping of str to (6,) array_like
            Wrenches by frame: force and moment [N, N m] in base axes, at the frame's origin.
        out : ndarray, optional
            Array that receives the result.

        Returns
        -------
        (nv,) ndarray
            Joint torques or forces [N m or N].
        """
        (q,), k = self._states(q)
        out = self._out(out, k, (self.nv,))
        self._run(generic.torque_of_wrench, k, *self._body, q, *self._wrenches(q, k, f_ext), out)
        return out

    def acceleration_of_wrench(
        self, q: ArrayLike, f_ext: Mapping[str, ArrayLike], out: np.ndarray | None = None
    ) -> np.ndarray:
        """Compute M^-1 J^T f, what wrenches on any frames add to qdd.

        Of impulses it is the jump of qd. O(n), neither J nor M is formed; Jain 2011, Algorithm
        7.3, with the opposite sign of (7.43) and (7.44).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        f_ext : mapping of str to (6,) array_like
            Wrenches by frame: force and moment [N, N m] in base axes, at the frame's origin.
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
        (q,), k = self._states(q)
        out = self._out(out, k, (self.nv,))
        self._run(
            generic.acceleration_of_wrench,
            k,
            *self._body,
            q,
            *self._wrenches(q, k, f_ext),
            self._zero,
            out,
        )
        return out

    def hamiltonian(self, q: ArrayLike, p: ArrayLike) -> Any:
        """Compute the energy over position and momentum: H = p M^-1 p / 2 + V(q).

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
        qd = self.mass_solve(q, p)  # type: ignore[attr-defined]
        kinetic, potential = self.energy(q, qd)  # type: ignore[attr-defined]
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
        self._require_rates()
        states, k = self._states(q, p, tau)
        rates = self._out(None, k, (self.nv,)), self._out(None, k, (self.nv,))
        self._run(generic.hamilton_rates, k, *self._weighted, *states, self._zero, *rates)
        return rates

    def _require_rates(self):
        if self.nq != self.nv:
            raise ShapeError(
                f'robot {self.name!r}: got {self.nq} coordinates for {self.nv} '
                "velocities; expected as many, for Hamilton's equations"
            )
