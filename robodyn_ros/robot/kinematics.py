# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pose, velocity, Jacobian and operational-space inertia of the frames of a robot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.compile import generic
from robodyn_ros.errors import ShapeError
from robodyn_ros.robot.dispatch import fast_method
from robodyn_ros.robot.operational_space_dynamics import FullRankInertia, OperationalSpaceInertia
from robodyn_ros.robot.task_space import TaskSpace
from robodyn_ros.robot.validation import CheckedModel


class FrameQuantities(CheckedModel):
    """Pose, velocity, Jacobian and operational-space inertia of the frames of a robot.

    Base axes, at the frame's origin, linear part first.
    """

    task_space: TaskSpace

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
        """Return the result of the kernel `name`, for one state or a batch of them."""
        states, k = self._states(*states, out=out)
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
        """Compute Lambda = (J M^-1 J^T)^-1, the effective inertia at a frame.

        It is computed from compliances propagated from base to tip, without M. O(n) for a frame,
        O(n + m^2 depth) for m frames (Jain 2011, Algorithms 10.1 and 10.2). The result is the
        inverse of the block of the axes kept; the other axes move freely.

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
        return self.task_space.inertia(states, J, compliance, kept, damping, names)

    def _full_rank(self, q, frame, J, compliance, kept, damping):
        """Return the inertia of axes of a frame at one state; None where a direction is lost."""
        m = len(kept)
        jacobian, square = np.empty((m, self.nv)), np.empty((4, m, m))
        if generic.of_axes(J, compliance, kept, damping, *square[:2], jacobian, *square[2:]):
            return None
        return FullRankInertia(
            self, q.copy(), frame, square[3], square[2], jacobian, (J, compliance, kept, damping)
        )

    def _compliance(self, q, names):
        """Return q as a checked array, J and J M^-1 J^T of one frame or several."""
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
        """Return the names of one frame or several, each once."""
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

    def _kept(self, names, axes):
        """Return the same as an array; names are looked up once."""
        if not (axes is None or isinstance(axes, str)):
            return np.array(self.task_space.rows(names, axes))
        if (names, axes) not in self._rows_kept:
            self._rows_kept[names, axes] = np.array(self.task_space.rows(names, axes))
        return self._rows_kept[names, axes]

    def _damping(self, damping):
        if not (isinstance(damping, Real) and 0.0 <= damping < np.inf):
            raise ShapeError(
                f'damping of a task of robot {self.name!r}: got {damping!r}; '
                'expected a number >= 0'
            )
        return float(damping)
