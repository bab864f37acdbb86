# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Motions, joint wrenches, inertias and inertial parameters of all links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.compile import generic
from robodyn_ros.errors import short_repr
from robodyn_ros.model.layout import INERTIA, MASS
from robodyn_ros.robot.loops.constraint_forces import link_wrenches
from robodyn_ros.robot.robot_view import View
from robodyn_ros.robot.validation import of_row


@dataclass(frozen=True, eq=False)
class LinkOperators:
    """Blocks of the spatial operators phi, psi, M, H and G, or their rates along a motion.

    In base axes about the origins of the links, linear part first. A link has the row of
    `joint_wrenches`, a joint that of `joint_names`. For a batch, all have k in front.

    A joint of several degrees of freedom is freed from its last one on, as of
    `mass_operator.factors`. psi of its link is phi times their shares 1 - G H.

    `phi`: phi(parent, k): from a wrench on a link to the same one on its parent. The transpose is
      for motions of the parent, with the joint locked [-, m].
    `psi`: psi(parent, k) = phi (1 - G H): the same with the joint free, and free joints beyond.
    `M`: inertia of the link alone [kg, kg m, kg m^2].
    `H`: motion of the link, relative to its parent, for a unit rate of each joint.
    `G`: Kalman gain P H^T / D: wrench on the link for a unit torque or force of each joint.
    """

    phi: np.ndarray
    psi: np.ndarray
    M: np.ndarray
    H: np.ndarray
    G: np.ndarray

    __repr__ = short_repr


class Links(View):
    """Motions, joint wrenches, inertias and inertial parameters of all links of a robot.

    Base axes, linear part first, a row for each link of `model.body_names[1:]`.

    Every method takes one state, q (nq,) and all else (nv,), or a batch with k in front. It writes
    into `out` if given.
    """

    def motions(
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
        robot = self._robot
        states, k = robot._states(q, qd, qdd)
        results = (robot._out(None, k, self._links_shape), robot._out(None, k, self._links_shape))
        robot._run(generic.link_motions, k, *robot._body, *robot._links, *states, *results)
        return results

    def joint_wrenches(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        f_ext: Mapping[str, ArrayLike] | None = None,
        out: np.ndarray | None = None,
    ) -> np.ndarray:
        """Compute the wrench that its parent exerts on each moving link.

        O(n); Jain 2011, eq. (5.4) and (5.43). The motor torque about the joint is included,
        reflected rotor inertia is not. Closures of loops act on the links of their frames; see
        `Robot.constraint_forces`.

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
            `model.body_names[1:]`. An intermediate body of a joint with several degrees of freedom
            has the row of the child link.
        """
        robot = self._robot
        states, k = robot._states(q, qd, qdd, out=out)
        out, tau = robot._out(out, k, self._links_shape), np.empty(robot.nv)
        if robot.model.has_loops:
            return self._in_loops(states, f_ext, out)
        robot._run(
            generic.joint_wrenches,
            k,
            *robot._weighted,
            *robot._links,
            *states,
            *robot._wrenches(states[0], k, f_ext),
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

        The articulated-body algorithm gives the wrenches without inverse dynamics, O(n); Jain
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
        robot = self._robot
        states, k = robot._states(q, qd, tau)
        result = (robot._out(None, k, (robot.nv,)), robot._out(None, k, self._links_shape))
        if robot.model.has_loops:
            robot.forward_dynamics(states[0], states[1], states[2], f_ext, out=result[0])
            self._in_loops((*states[:2], result[0]), f_ext, result[1])
            return result
        robot._run(
            generic.forward_dynamics_wrenches,
            k,
            *robot._weighted,
            *robot._links,
            *states,
            *robot._wrenches(states[0], k, f_ext),
            robot._zero,
            *result,
        )
        return result

    def _in_loops(self, states, f_ext, out):
        """Write the wrenches of a robot with closed loops, one state after the other."""
        rows = zip(*map(np.atleast_2d, states), out.reshape(-1, *self._links_shape))
        for row, (*state, result) in enumerate(rows):
            pushes = {name: of_row(wrench, row) for name, wrench in (f_ext or {}).items()}
            result[:] = link_wrenches(self._robot, *state, pushes)[0]
        return out

    def inertias(self, q: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Compute composite and articulated-body inertia of every link.

        This is the inertia of a link and all its descendants, with joints locked (R) and free (P).
        O(n); Jain 2011, Algorithms 4.1 and 6.1 (eq. 4.8, 6.30). R >= P >= inertia of the link.

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
        robot = self._robot
        (q,), k = robot._states(q)
        shape = 6 * len(robot.model.topology) - 6, 6
        results = robot._out(None, k, shape), robot._out(None, k, shape)
        robot._run(generic.body_inertias, k, *robot._body, *robot._links, q, robot._zero, *results)
        return self._blocks(results)

    def articulated_inertia_rates(self, q: ArrayLike, qd: ArrayLike) -> np.ndarray:
        """Compute dP/dt of the articulated-body inertia of every link along a motion.

        The entries are in base axes, about the moving origin of the link. With the unit velocity
        of a joint this is the derivative by its position. O(n); Jain 2011, Algorithm 18.1 and eq.
        (18.49).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like
            Velocities [rad/s or m/s].

        Returns
        -------
        (nb - 1, 6, 6) ndarray
            Rates of P of `inertias` [kg/s, kg m/s, kg m^2/s], linear part first.

        Raises
        ------
        SingularityError
            If the mass matrix is singular.
        """
        robot = self._robot
        (q, qd), k = robot._states(q, qd)
        rates = robot._out(None, k, (6 * len(robot.model.topology) - 6, 6))
        robot._run(
            generic.articulated_inertia_rates,
            k,
            *robot._body,
            *robot._links,
            q,
            qd,
            robot._zero,
            rates,
        )
        return self._blocks([rates])[0]

    def operators(self, q: ArrayLike) -> LinkOperators:
        """Compute the blocks of phi, psi, M, H and G of all links.

        The mass matrix is H phi M phi^T H^T without rotors, with the products of phi along the
        tree. O(n); Jain 2011, Algorithm 6.1 and eq. (1.29), (9.33).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].

        Returns
        -------
        LinkOperators

        Raises
        ------
        SingularityError
            If the mass matrix is singular.
        """
        robot = self._robot
        (q,), k = robot._states(q)
        return self._run_operators(generic.link_operators, k, q)

    def operator_rates(self, q: ArrayLike, qd: ArrayLike) -> LinkOperators:
        """Compute the rates of `operators` along a motion.

        The entries are in base axes, about the moving origins of the links. With the unit
        velocity of a joint these are the derivatives by its position. O(n); Jain 2011, Algorithm
        18.1 and eq. (18.10), (18.43).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like
            Velocities [rad/s or m/s].

        Returns
        -------
        LinkOperators
            Rates of all blocks.

        Raises
        ------
        SingularityError
            If the mass matrix is singular.
        """
        robot = self._robot
        (q, qd), k = robot._states(q, qd)
        return self._run_operators(generic.link_operator_rates, k, q, qd)

    def _run_operators(self, kernel, k, *states):
        """Run a kernel whose results are those of `LinkOperators`."""
        robot = self._robot
        shapes = [(6 * len(robot.model.topology) - 6, 6)] * 3 + [(robot.nv, 6)] * 2
        results = [robot._out(None, k, shape) for shape in shapes]
        robot._run(kernel, k, *robot._body, *robot._links, *states, robot._zero, *results)
        return self._operators(results)

    def _operators(self, results):
        """Return the LinkOperators of the results of a kernel."""
        return LinkOperators(*self._blocks(results[:3]), *results[3:])

    def regressor(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        qd_r: ArrayLike | None = None,
        out: np.ndarray | None = None,
    ) -> np.ndarray:
        """Compute Y with Y theta = M qdd + C qd + g.

        Theta is `inertial_parameters()`; rotor inertias are not part of it. O(n depth).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like
            Velocities [rad/s or m/s].
        qdd : (nv,) array_like
            Accelerations [rad/s^2 or m/s^2].
        qd_r : (nv,) array_like, optional
            Reference velocity of Slotine and Li. Then Y theta = M qdd + C(q, qd) qd_r + g, with
            the C of `coriolis_matrix`.
        out : ndarray, optional
            Array that receives the result.

        Returns
        -------
        (nv, 10 (nb - 1)) ndarray
            Regressor.
        """
        robot = self._robot
        states, k = robot._states(q, qd, qd if qd_r is None else qd_r, qdd, out=out)
        out = robot._out(out, k, (robot.nv, 10 * (len(robot.model.body_names) - 1)))
        robot._run(generic.regressor, k, *robot._weighted, *states, out)
        return out

    def inertial_parameters(self) -> np.ndarray:
        """Return the ten inertial parameters of every moving body.

        They are mass m [kg], first moment m c (3) [kg m], and Ixx Ixy Ixz Iyy Iyz Izz [kg m^2].
        Inertias are about the origin of the body's frame, in its axes.

        Returns
        -------
        (10 (nb - 1),) ndarray
            Parameters in the order of the model.
        """
        return self._robot.model.constants[1:, MASS : INERTIA + 6].ravel()

    @property
    def _links_shape(self):
        return (len(self._robot.model.body_names) - 1, 6)

    def _blocks(self, results):
        """Reshape six rows of each link to a matrix for each."""
        links = self._links_shape[0]
        return tuple(blocks.reshape(*blocks.shape[:-2], links, 6, 6) for blocks in results)
