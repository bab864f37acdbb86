"""What the frames of a robot do: where they are, how they move, what a force there meets."""
from dataclasses import dataclass
from numbers import Real

import numpy as np

from robodyn_ros.boundary import Boundary, each
from robodyn_ros.errors import ShapeError
from robodyn_ros.kernels import generic

AXES = ('x', 'y', 'z', 'rx', 'ry', 'rz')


@dataclass(frozen=True, eq=False)
class OperationalSpaceInertia:
    """Lambda = (J M^-1 J^T + damping^2 1)^-1 of the task axes kept, and what it was made of.

    inertia, inverse : (m, m), inverse = J M^-1 J^T undamped. jacobian : (m, nv). rank and
    singular_values (m,) of inverse. consistent_inverse : (nv, m) Jbar = M^-1 J^T Lambda. Base
    axes, at the frame's origin, linear rows first.
    """

    inertia: np.ndarray
    inverse: np.ndarray
    jacobian: np.ndarray
    rank: int
    singular_values: np.ndarray
    consistent_inverse: np.ndarray
    axes: tuple[str, ...]
    damping: float


class FrameQuantities(Boundary):
    """Pose, velocity, Jacobian and operational-space inertia of the frames of a robot.

    Base axes, at the frame's origin, linear part first.
    """

    def pose(self, q, frame, out=None):
        """X_0F, the homogeneous transform of a frame in the base; result (4, 4)."""
        (q,), k = self._states(q)
        out = self._out(out, k, (4, 4))
        for q, X in each(k, q, out):
            generic.pose(*self._body, q, *self._placement(frame), X)
        return out

    def velocity(self, q, qd, frame, out=None):
        """Velocity of the frame's origin and angular velocity; result (6,) [m/s, rad/s]."""
        states, k = self._states(q, qd)
        out = self._out(out, k, (6,))
        for q, qd, V in each(k, *states, out):
            generic.velocity(*self._body, q, qd, *self._placement(frame), V)
        return out

    def jacobian(self, q, frame, out=None):
        """J with [v; omega] = J qd; result (6, nv)."""
        (q,), k = self._states(q)
        out = self._out(out, k, (6, self.nv))
        for q, J in each(k, q, out):
            generic.jacobian(*self._body, q, *self._placement(frame), J)
        return out

    def jacobian_bias(self, q, qd, frame, out=None):
        """Jdot qd, the acceleration of the frame at qdd = 0; result (6,) [m/s^2, rad/s^2]."""
        states, k = self._states(q, qd)
        out = self._out(out, k, (6,))
        for q, qd, bias in each(k, *states, out):
            generic.jacobian_bias(
                *self._body, q, qd, *self._placement(frame), self._zero, bias)
        return out

    def operational_space_inertia(self, q, frame, axes=None, damping=0.0):
        """Lambda of a frame: the inertia that a force at its origin meets; an
        OperationalSpaceInertia.

        axes : which of 'x y z rx ry rz' to keep, as names or as six booleans; None for all. The
        axes kept share the inverse of the sub-block of J M^-1 J^T, not the sub-block of Lambda:
        the others move freely. damping : >= 0; damped inverse near singularities. One state at a
        time.
        """
        J, compliance = np.empty((6, self.nv)), np.empty((6, 6))
        q = self._task(q, frame, J, compliance)
        return self.task_inertia(q, J, compliance, self._axes(axes), self._damping(damping))

    def _task(self, q, frame, J, compliance):
        """Fill J and J M^-1 J^T of a frame; return q as a checked array."""
        (q,), k = self._states(q)
        if k is not None:
            raise ShapeError(f'operational_space_inertia of robot {self.name!r}: got a batch of '
                             f'{k} states; expected one state')
        body, placement = self._placement(frame)
        self._accept(generic.operational_space(
            *self._body, q, self._zero, body, placement, J, compliance))
        return q

    def task_inertia(self, q, jacobian, compliance, kept, damping):
        """The OperationalSpaceInertia of any task with J (6, nv) and J M^-1 J^T (6, 6), of which
        axes are kept.
        """
        kept = np.asarray(kept)
        m = len(kept)
        J = np.ascontiguousarray(jacobian[kept])
        inverse = np.ascontiguousarray(compliance[np.ix_(kept, kept)])
        inertia, values, solved = np.empty((m, m)), np.empty(m), np.empty((m, self.nv))
        rank = generic.task_inertia(
            inverse, damping, np.empty((m, m)), np.empty((m, m)), inertia, values)
        self._accept(generic.task_solve(*self._body, q, self._zero, J, solved))
        return OperationalSpaceInertia(inertia, inverse, J, rank, values, solved.T @ inertia,
                                       tuple(AXES[i] for i in kept), damping)

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
            raise ShapeError(f'axes of a task of robot {self.name!r}: got {axes!r}; expected some '
                             f'of {" ".join(AXES)}, each once, or six booleans, one at least true')
        return kept

    def _damping(self, damping):
        if not (isinstance(damping, Real) and 0.0 <= damping < np.inf):
            raise ShapeError(f'damping of a task of robot {self.name!r}: got {damping!r}; '
                             'expected a number >= 0')
        return float(damping)
