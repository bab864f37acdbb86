# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Dynamics of tasks at frames: compliance, bias, null space, prescribed motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.codegen.parallel_rows import parallel_for
from robodyn_ros.compile import batch_loops, generic
from robodyn_ros.errors import ShapeError, UnknownNameError
from robodyn_ros.robot.operational_space_dynamics import (
    AXES,
    OperationalSpaceBias,
    OperationalSpaceInertia,
)
from robodyn_ros.robot.robot_view import View

WEIGHTLESS = np.zeros(3)
WEIGHTLESS.flags.writeable = False


def times(matrix, x):
    """Return a product for one state, or for each state of a batch.

    `x` ((n,) or (k, n) ndarray): the vector.
    """
    return (matrix @ x[..., None])[..., 0]


class TaskSpace(View):
    """Compliance, bias, null space and prescribed motion of tasks at frames of a robot.

    Base axes, at the origin of each frame, linear part first.

    Every method takes one state, q (nq,) and all else (nv,), or a batch with k in front. It writes
    into `out` if given.
    """

    def compliance(
        self, q: ArrayLike, frames: str | Sequence[str]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Compute J and J M^-1 J^T of several frames.

        O(n + m^2 depth); Jain 2011, Algorithm 10.2 (eq. 10.18).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        frames : str or sequence of str
            Names of the frames, each once.

        Returns
        -------
        tuple of (6 m, nv) and (6 m, 6 m) ndarray
            J and J M^-1 J^T of m frames.
        """
        robot = self._robot
        return robot._compliance(q, robot._distinct(frames))[1:]

    def bias(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        frame: str | Sequence[str],
        axes: str | Sequence | Mapping | None = None,
        damping: float = 0.0,
    ) -> OperationalSpaceBias:
        """Compute mu and p with Lambda xdd + mu + p = F.

        mu = Lambda (J M^-1 C qd - Jdot qd) and p = Lambda J M^-1 g. Sources: Jain 2011, eq. 10.8
        and Algorithm 10.5, at T = 0; Khatib 1987. O(n) beyond Lambda.

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like
            Velocities [rad/s or m/s].
        frame : str or sequence of str
            Name of a frame, or names of several.
        axes : str or sequence, optional
            Task axes to keep, of 'x y z rx ry rz': names, or six booleans; all by default. A
            mapping from frames to axes where several frames differ.
        damping : float
            Damping of the inverse near singular postures [1/sqrt(kg)].

        Returns
        -------
        OperationalSpaceBias
        """
        robot = self._robot
        names = robot._distinct(frame)
        (q, qd), k = robot._states(q, qd)
        task = robot.operational_space_inertia(q, names, axes, damping)
        rows, rest = self.rows(names, axes), np.zeros_like(qd)
        moving = self._free_acceleration(WEIGHTLESS, k, q, qd, names)[..., rows]
        falling = self._free_acceleration(robot.model.gravity, k, q, rest, names)[..., rows]
        return OperationalSpaceBias(
            -times(task.inertia, moving), -times(task.inertia, falling), moving + falling, task
        )

    def null_space_projection(
        self,
        q: ArrayLike,
        frame: str | Sequence[str],
        axes: str | Sequence | Mapping | None = None,
        damping: float = 0.0,
    ) -> np.ndarray:
        """Compute N = 1 - Jbar J of a task; N^T projects torques.

        See OperationalSpaceInertia.

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        frame : str or sequence of str
            Name of a frame, or names of several.
        axes : str or sequence, optional
            Task axes to keep, of 'x y z rx ry rz': names, or six booleans; all by default. A
            mapping from frames to axes where several frames differ.
        damping : float
            Damping of the inverse near singular postures [1/sqrt(kg)].

        Returns
        -------
        (nv, nv) ndarray
            Projection.
        """
        return self._robot.operational_space_inertia(q, frame, axes, damping).null_space_projection

    def _free_acceleration(self, gravity, k, q, qd, names):
        """Return the acceleration of frames without torque, (6 m,)."""
        robot = self._robot
        result = robot._out(None, k, (6 * len(names),))
        robot._run(
            generic.task_acceleration,
            k,
            robot.model.topology,
            robot.model.constants,
            gravity,
            robot._work,
            q,
            qd,
            np.zeros_like(qd),
            *robot._wrenches(q, k, None),
            robot._zero,
            *robot._placed(names),
            np.empty(robot.nv),
            result,
        )
        return result

    def inertia(
        self,
        q: np.ndarray,
        jacobian: np.ndarray,
        compliance: np.ndarray,
        kept: ArrayLike,
        damping: float,
        names: Sequence[str] = (),
    ) -> OperationalSpaceInertia:
        """Compute the operational-space inertia of any task.

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        jacobian : (6 m, nv) array_like
            J of m tasks.
        compliance : (6 m, 6 m) array_like
            J M^-1 J^T.
        kept : (k,) array_like of int
            Rows that are kept.
        damping : float
            Damping of the inverse near singular postures [1/sqrt(kg)].
        names : sequence of str
            Names of the tasks.

        Returns
        -------
        OperationalSpaceInertia
        """
        robot = self._robot
        kept = np.asarray(kept)
        k, m = None if q.ndim == 1 else len(q), len(kept)
        J = np.ascontiguousarray(jacobian[..., kept, :])
        inverse = np.ascontiguousarray(compliance[..., kept[:, None], kept])
        inertia, values = robot._out(None, k, (m, m)), robot._out(None, k, (m,))
        if k is None:
            rank = generic.task_inertia(
                inverse, damping, np.empty((m, m)), np.empty((m, m)), inertia, values
            )
        else:
            ranks, loop = np.empty(k), batch_loops.task_inertia.compiled
            parallel_for(
                k, lambda first, last: loop(inverse, damping, inertia, values, ranks, first, last)
            )
            rank = ranks.astype(int)
        solved = robot._out(None, k, (m, robot.nv))
        robot._run(generic.task_solve, k, *robot._body, q, robot._zero, J, solved)
        ends = np.searchsorted(kept, range(0, 6 * len(names) + 1, 6)).tolist()
        placed = dict(zip(names, map(slice, ends, ends[1:])))
        return OperationalSpaceInertia(
            inertia,
            inverse,
            J,
            rank,
            values,
            solved.swapaxes(-2, -1) @ inertia,
            tuple(AXES[i % 6] for i in kept),
            damping,
            placed,
        )

    def rows(self, names: Sequence[str], axes: str | Sequence | Mapping | None) -> list[int]:
        """Return the rows kept of the stacked tasks of several frames.

        Each frame has six rows: x y z rx ry rz.

        Parameters
        ----------
        names : sequence of str
            Names of the frames.
        axes : str or sequence, optional
            Task axes to keep, of 'x y z rx ry rz': names, or six booleans; all by default. A
            mapping from frames to axes where several frames differ.

        Returns
        -------
        list of int
            Indices of the rows.
        """
        if len(names) == 1 or not isinstance(axes, Mapping):
            axes = dict.fromkeys(names, axes)
        strange = [name for name in axes if name not in names]
        if strange:
            raise UnknownNameError(
                f'axes of a task of robot {self._robot.name!r}: got some for frame '
                f'{strange[0]!r}; expected one of {", ".join(names)}'
            )
        return [6 * k + i for k, name in enumerate(names) for i in self._axes(axes.get(name))]

    def _axes(self, axes):
        """Return the indices of the task axes kept, from names, six booleans or None."""
        if axes is None:
            return list(range(6))
        try:
            asked = axes.split() if isinstance(axes, str) else list(axes)
            if len(asked) == 6 and all(isinstance(axis, (bool, np.bool_)) for axis in asked):
                asked = [name for name, keep in zip(AXES, asked) if keep]
            kept = sorted(AXES.index(axis) for axis in asked)
        except (TypeError, ValueError):
            kept = []
        if not kept or len(set(kept)) != len(kept):
            raise ShapeError(
                f'axes of a task of robot {self._robot.name!r}: got {axes!r}; expected some '
                f'of {" ".join(AXES)}, each once, or six booleans, one at least true'
            )
        return kept

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
        A force along these axes holds (a = 0) or moves a link. Directions that the robot cannot
        move are not enforced.

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
        robot = self._robot
        qdd = robot.forward_dynamics(q, qd, tau, f_ext)  # type: ignore[attr-defined]
        task = robot.operational_space_inertia(q, frame, axes)
        names = tuple(task.rows)
        bias = np.concatenate([robot.jacobian_bias(q, qd, name) for name in names], axis=-1)
        try:
            wanted = np.broadcast_to(robot._floats(acceleration), task.jacobian.shape[:-1])
        except ValueError:
            raise ShapeError(
                f'acceleration of a task of robot {robot.name!r}: got '
                f'{np.shape(acceleration)}; expected {task.jacobian.shape[:-1]}, or '
                'one number'
            ) from None
        missing = wanted - times(task.jacobian, qdd) - bias[..., self.rows(names, axes)]
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
        robot = self._robot
        (q,), k = robot._states(q, out=out)
        out = robot._out(out, k, (robot.nv,))
        robot._run(
            generic.torque_of_wrench, k, *robot._body, q, *robot._wrenches(q, k, f_ext), out
        )
        return out

    def acceleration_of_wrench(
        self, q: ArrayLike, f_ext: Mapping[str, ArrayLike], out: np.ndarray | None = None
    ) -> np.ndarray:
        """Compute M^-1 J^T f, the acceleration due to wrenches on any frames.

        For impulses it is the jump of qd. O(n), without J and M; Jain 2011, Algorithm 7.3, with
        the opposite sign of (7.43) and (7.44).

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
        robot = self._robot
        (q,), k = robot._states(q, out=out)
        out = robot._out(out, k, (robot.nv,))
        robot._run(
            generic.acceleration_of_wrench,
            k,
            *robot._body,
            q,
            *robot._wrenches(q, k, f_ext),
            robot._zero,
            out,
        )
        return out
