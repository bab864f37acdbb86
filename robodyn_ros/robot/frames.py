# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the frames of a robot do: where they are, how they move, what a force there meets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.codegen.parallel_rows import share_out
from robodyn_ros.compile import batch_loops, generic
from robodyn_ros.errors import ShapeError, UnknownNameError
from robodyn_ros.robot.dispatch import fast_method
from robodyn_ros.robot.validation import Boundary

AXES = ('x', 'y', 'z', 'rx', 'ry', 'rz')
WEIGHTLESS = np.zeros(3)
WEIGHTLESS.flags.writeable = False


@dataclass(frozen=True, eq=False)
class OperationalSpaceInertia:
    """Operational-space inertia Lambda = (J M^-1 J^T + damping^2 1)^-1 of the task axes kept.

    In base axes, at the origin of the frame, linear rows first.

    Parameters
    ----------
    inertia, inverse : (m, m) ndarray
        Lambda, and J M^-1 J^T undamped.
    jacobian : (m, nv) ndarray
        J of the axes kept.
    rank : int
        Rank of the inverse.
    singular_values : (m,) ndarray
        Singular values of the inverse.
    consistent_inverse : (nv, m) ndarray
        Jbar = M^-1 J^T Lambda.
    axes : tuple of str
        Name of the axis of each row.
    damping : float
        Damping [1/sqrt(kg)].
    rows : dict of str to slice
        Rows of each frame, in the order asked for.
    """

    inertia: np.ndarray
    inverse: np.ndarray
    jacobian: np.ndarray
    rank: int
    singular_values: np.ndarray
    consistent_inverse: np.ndarray
    axes: tuple[str, ...]
    damping: float
    rows: dict[str, slice]

    def block(self, frame, other=None, of='inertia'):
        """Return the block of `inertia` or `inverse` that couples two frames.

        In `inverse` it is J_i M^-1 J_j^T, the acceleration at `frame` by a force at `other`
        (Jain 2011, eq. 10.18).

        Parameters
        ----------
        frame : str
            Frame of the rows.
        other : str, optional
            Frame of the columns; `frame` itself by default.
        of : {'inertia', 'inverse'}
            The matrix.

        Raises
        ------
        UnknownNameError
            For a frame that is not of the task.
        """
        rows, columns = self._rows(frame), self._rows(frame if other is None else other)
        return getattr(self, of)[..., rows, columns]

    def _rows(self, frame):
        if frame not in self.rows:
            raise UnknownNameError(
                f'frame of an operational-space inertia: got {frame!r}; '
                f'expected one of {", ".join(self.rows)}'
            )
        return self.rows[frame]

    @property
    def null_space_projection(self):
        """N = 1 - Jbar J, (nv, nv): J N = 0, N N = N.

        N qd is the part of a joint velocity that the task does not see, and N^T tau the part of a
        joint torque that does not accelerate it, J M^-1 N^T = 0: the dynamically consistent
        projection (Khatib 1987, eq. 47). In Jain's operators M^-1 J^T Lambda J is H Upsilon_f
        phi^T H^T (2011, Lemma 10.3). Where the task is damped, the projection is one only roughly.
        """
        return np.eye(self.jacobian.shape[-1]) - self.consistent_inverse @ self.jacobian


class FullRankInertia(OperationalSpaceInertia):
    """An OperationalSpaceInertia of axes of a frame that have lost no direction: inertia, inverse
    and jacobian are there, the other fields are computed when first asked for.

    some : J and J M^-1 J^T of all axes, the rows kept and the damping, where it is not all of
    them undamped.
    """

    def __init__(self, robot, q, frame, inertia, inverse, jacobian, some=None):
        known = self.__dict__
        known['inertia'], known['inverse'], known['jacobian'] = inertia, inverse, jacobian
        known['_of'] = robot, q, frame, some

    def __getattr__(self, name):
        if name not in _FIELDS:
            raise AttributeError(f'{type(self).__name__} has no attribute {name!r}')
        robot, q, frame, some = self._of
        known = self.__dict__
        whole = robot.task_inertia(
            q, *(some or (self.jacobian, self.inverse, range(6), 0.0)), (frame,)
        )
        known |= vars(whole) | known
        return known[name]

    def __reduce__(self):
        return OperationalSpaceInertia, tuple(getattr(self, name) for name in _FIELDS)


_FIELDS = tuple(field.name for field in fields(OperationalSpaceInertia))


@dataclass(frozen=True, eq=False)
class OperationalSpaceBias:
    """Lambda xdd + coriolis + gravity = F of the task axes kept, without joint torques.

    coriolis : (m,) mu = Lambda (J M^-1 C qd - Jdot qd). gravity : (m,) p = Lambda J M^-1 g. Both
    [N, N m], base axes, at the frame's origin, linear rows first. free_acceleration : (m,) xdd
    without force and torque, -J M^-1 (C qd + g) + Jdot qd [m/s^2, rad/s^2], which exists at
    singular postures too. task : the OperationalSpaceInertia.
    """

    coriolis: np.ndarray
    gravity: np.ndarray
    free_acceleration: np.ndarray
    task: OperationalSpaceInertia

    @property
    def total(self):
        """mu + p, (m,) [N, N m]: Jain's C_os at T = 0 (2011, eq. 10.8)."""
        return self.coriolis + self.gravity


def times(matrix, x):
    """A product for one state, or for each state of a batch."""
    return (matrix @ x[..., None])[..., 0]


class FrameQuantities(Boundary):
    """Pose, velocity, Jacobian and operational-space inertia of the frames of a robot.

    Base axes, at the frame's origin, linear part first.
    """

    @fast_method
    def pose(self, q: ArrayLike, frame: str, out: np.ndarray | None = None) -> np.ndarray:
        """Compute the pose of a frame in the base.

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        frame : str
            Name of a link or joint.
        out : ndarray, optional
            Array that receives the result.

        Returns
        -------
        (4, 4) ndarray
            Homogeneous transform [-, m].
        """
        return self._of_frame('pose', frame, (4, 4), out, q)

    @fast_method
    def velocity(
        self, q: ArrayLike, qd: ArrayLike, frame: str, out: np.ndarray | None = None
    ) -> np.ndarray:
        """Compute the velocity of a frame's origin and its angular velocity.

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like
            Velocities [rad/s or m/s].
        frame : str
            Name of a link or joint.
        out : ndarray, optional
            Array that receives the result.

        Returns
        -------
        (6,) ndarray
            Linear, then angular velocity [m/s, rad/s].
        """
        return self._of_frame('velocity', frame, (6,), out, q, qd)

    @fast_method
    def jacobian(self, q: ArrayLike, frame: str, out: np.ndarray | None = None) -> np.ndarray:
        """Compute J with [v; omega] = J qd.

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        frame : str
            Name of a link or joint.
        out : ndarray, optional
            Array that receives the result.

        Returns
        -------
        (6, nv) ndarray
            Jacobian, linear rows first.
        """
        return self._of_frame('jacobian', frame, (6, self.nv), out, q)

    @fast_method
    def jacobian_bias(
        self, q: ArrayLike, qd: ArrayLike, frame: str, out: np.ndarray | None = None
    ) -> np.ndarray:
        """Compute Jdot qd, the acceleration of a frame at qdd = 0.

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like
            Velocities [rad/s or m/s].
        frame : str
            Name of a link or joint.
        out : ndarray, optional
            Array that receives the result.

        Returns
        -------
        (6,) ndarray
            Linear, then angular acceleration [m/s^2, rad/s^2].
        """
        return self._of_frame('jacobian_bias', frame, (6,), out, q, qd, work=(self._zero,))

    def _of_frame(self, name, frame, shape, out, *states, work=()):
        """The result of the kernel `name`, for one state or a batch of them."""
        states, k = self._states(*states)
        out = self._out(out, k, shape)
        self._run(
            getattr(generic, name), k, *self._body, *states, *self._placement(frame), *work, out
        )
        return out

    def operational_space_inertia(
        self,
        q: ArrayLike,
        frame: str | Sequence[str],
        axes: str | Sequence | Mapping | None = None,
        damping: float = 0.0,
    ) -> OperationalSpaceInertia:
        """Compute Lambda = (J M^-1 J^T)^-1, the inertia that a force at a frame meets.

        From compliances carried base to tip, without M: O(n) for a frame, O(n + m^2 depth) for m
        of them (Jain 2011, Algorithms 10.1 and 10.2). The axes kept share the inverse of their
        block of J M^-1 J^T; the other axes move freely.

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
        OperationalSpaceInertia
            Of several frames (6 m, 6 m), with the blocks that couple them.
        """
        names = self._distinct(frame)
        states, J, compliance = self._compliance(q, names)
        kept, damping = self._kept(names, axes), self._damping(damping)
        if states.ndim == 1 and len(names) == 1:
            found = self._full_rank(states, names[0], J, compliance, kept, damping)
            if found:
                return found
        return self.task_inertia(states, J, compliance, kept, damping, names)

    def _full_rank(self, q, frame, J, compliance, kept, damping):
        """The inertia of axes of a frame at one state; None where a direction is lost."""
        m = len(kept)
        jacobian, square = np.empty((m, self.nv)), np.empty((4, m, m))
        if generic.of_axes(J, compliance, kept, damping, *square[:2], jacobian, *square[2:]):
            return None
        return FullRankInertia(
            self, q.copy(), frame, square[3], square[2], jacobian, (J, compliance, kept, damping)
        )

    def task_compliance(
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
        return self._compliance(q, self._distinct(frames))[1:]

    def operational_space_bias(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        frame: str | Sequence[str],
        axes: str | Sequence | Mapping | None = None,
        damping: float = 0.0,
    ) -> OperationalSpaceBias:
        """Compute mu and p with Lambda xdd + mu + p = F.

        mu = Lambda (J M^-1 C qd - Jdot qd) and p = Lambda J M^-1 g (Jain 2011, eq. 10.8 and
        Algorithm 10.5, at T = 0; Khatib 1987). O(n) beyond Lambda.

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
        names = self._distinct(frame)
        (q, qd), k = self._states(q, qd)
        task = self.operational_space_inertia(q, names, axes, damping)
        rows, rest = self.task_rows(names, axes), np.zeros_like(qd)
        moving = self._free_acceleration(WEIGHTLESS, k, q, qd, names)[..., rows]
        falling = self._free_acceleration(self.model.gravity, k, q, rest, names)[..., rows]
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
        return self.operational_space_inertia(q, frame, axes, damping).null_space_projection

    def _free_acceleration(self, gravity, k, q, qd, names):
        """Acceleration of frames without torque, (6 m,)."""
        result = self._out(None, k, (6 * len(names),))
        self._run(
            generic.task_acceleration,
            k,
            self.model.topology,
            self.model.constants,
            gravity,
            self._scratch,
            q,
            qd,
            np.zeros_like(qd),
            *self._wrenches(q, k, None),
            self._zero,
            *self._placed(names),
            np.empty(self.nv),
            result,
        )
        return result

    def _compliance(self, q, names):
        """q as a checked array, J and J M^-1 J^T of one frame or several."""
        (q,), k = self._states(q)
        size = 6 * len(names)
        J, compliance = self._out(None, k, (size, self.nv)), self._out(None, k, (size, size))
        self._fill(q, k, names, J, compliance)
        return q, J, compliance

    def _fill(self, q, k, names, J, compliance):
        """Fill J and J M^-1 J^T of frames."""
        kernel, places = generic.coupled_compliance, self._placed(names)
        if len(names) == 1:
            kernel, places = generic.operational_space, self._placement(names[0])
        self._run(kernel, k, *self._body, q, self._zero, *places, J, compliance)

    def _distinct(self, names):
        """The names of one frame or several, each once."""
        if isinstance(names, str):
            return (names,)
        try:
            found = tuple(names)
        except TypeError:
            found = ()
        if not found or len(set(found)) != len(found):
            raise ShapeError(
                f'frames of a task of robot {self.name!r}: got {names!r}; expected '
                'names of frames, each once, one at least'
            )
        return found

    def task_inertia(
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
        kept : sequence of int
            Rows that are kept.
        damping : float
            Damping of the inverse near singular postures [1/sqrt(kg)].
        names : sequence of str
            Names of the tasks.

        Returns
        -------
        OperationalSpaceInertia
        """
        kept = np.asarray(kept)
        k, m = None if q.ndim == 1 else len(q), len(kept)
        J = np.ascontiguousarray(jacobian[..., kept, :])
        inverse = np.ascontiguousarray(compliance[..., kept[:, None], kept])
        inertia, values = self._out(None, k, (m, m)), self._out(None, k, (m,))
        if k is None:
            rank = generic.task_inertia(
                inverse, damping, np.empty((m, m)), np.empty((m, m)), inertia, values
            )
        else:
            ranks, loop = np.empty(k), batch_loops.task_inertia.compiled
            share_out(
                k, lambda first, last: loop(inverse, damping, inertia, values, ranks, first, last)
            )
            rank = ranks.astype(int)
        solved = self._out(None, k, (m, self.nv))
        self._run(generic.task_solve, k, *self._body, q, self._zero, J, solved)
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

    def task_rows(self, names: Sequence[str], axes: str | Sequence | Mapping | None) -> list[int]:
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
                f'axes of a task of robot {self.name!r}: got some for frame '
                f'{strange[0]!r}; expected one of {", ".join(names)}'
            )
        return [6 * k + i for k, name in enumerate(names) for i in self._axes(axes.get(name))]

    def _kept(self, names, axes):
        """The same as an array; of words they are looked up once."""
        if not (axes is None or isinstance(axes, str)):
            return np.array(self.task_rows(names, axes))
        if (names, axes) not in self._rows_kept:
            self._rows_kept[names, axes] = np.array(self.task_rows(names, axes))
        return self._rows_kept[names, axes]

    def _axes(self, axes):
        """Indices of the task axes kept, from names, six booleans or None."""
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
                f'axes of a task of robot {self.name!r}: got {axes!r}; expected some '
                f'of {" ".join(AXES)}, each once, or six booleans, one at least true'
            )
        return kept

    def _damping(self, damping):
        if not (isinstance(damping, Real) and 0.0 <= damping < np.inf):
            raise ShapeError(
                f'damping of a task of robot {self.name!r}: got {damping!r}; '
                'expected a number >= 0'
            )
        return float(damping)
