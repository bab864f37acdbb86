"""What the frames of a robot do: where they are, how they move, what a force there meets."""
from collections.abc import Mapping
from dataclasses import dataclass, fields
from numbers import Real

import numpy as np

from robodyn_ros.boundary import Boundary
from robodyn_ros.errors import ShapeError, UnknownNameError
from robodyn_ros.kernels import generic, rows
from robodyn_ros.kernels.batch import share_out
from robodyn_ros.quickened import quickened_at_frames

AXES = ('x', 'y', 'z', 'rx', 'ry', 'rz')
WEIGHTLESS = np.zeros(3)
WEIGHTLESS.flags.writeable = False


@dataclass(frozen=True, eq=False)
class OperationalSpaceInertia:
    """Lambda = (J M^-1 J^T + damping^2 1)^-1 of the task axes kept, and what it was made of.

    inertia, inverse : (m, m), inverse = J M^-1 J^T undamped. jacobian : (m, nv). rank and
    singular_values (m,) of inverse. consistent_inverse : (nv, m) Jbar = M^-1 J^T Lambda. axes :
    (m,) name of each row's axis. rows : {frame: its rows}, in the order asked for. Base axes, at
    the frame's origin, linear rows first.
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
        """The block of `inertia` or `inverse` that couples two frames: in `inverse`, what a force
        at `other` accelerates at `frame`, J_i M^-1 J_j^T (Jain 2011, eq. 10.18).

        other : `frame` itself if None. Raises UnknownNameError for a frame that is not of the
        task.
        """
        rows, columns = self._rows(frame), self._rows(frame if other is None else other)
        return getattr(self, of)[..., rows, columns]

    def _rows(self, frame):
        if frame not in self.rows:
            raise UnknownNameError(f'frame of an operational-space inertia: got {frame!r}; '
                                   f'expected one of {", ".join(self.rows)}')
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
            q, *(some or (self.jacobian, self.inverse, range(6), 0.0)), (frame,))
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

    @quickened_at_frames
    def pose(self, q, frame, out=None):
        """X_0F, the homogeneous transform of a frame in the base; result (4, 4)."""
        return self._of_frame('pose', frame, (4, 4), out, q)

    @quickened_at_frames
    def velocity(self, q, qd, frame, out=None):
        """Velocity of the frame's origin and angular velocity; result (6,) [m/s, rad/s]."""
        return self._of_frame('velocity', frame, (6,), out, q, qd)

    @quickened_at_frames
    def jacobian(self, q, frame, out=None):
        """J with [v; omega] = J qd; result (6, nv)."""
        return self._of_frame('jacobian', frame, (6, self.nv), out, q)

    @quickened_at_frames
    def jacobian_bias(self, q, qd, frame, out=None):
        """Jdot qd, the acceleration of the frame at qdd = 0; result (6,) [m/s^2, rad/s^2]."""
        return self._of_frame('jacobian_bias', frame, (6,), out, q, qd, work=(self._zero,))

    def _of_frame(self, name, frame, shape, out, *states, work=()):
        """The result of the kernel `name`, for one state or a batch of them."""
        states, k = self._states(*states)
        out = self._out(out, k, shape)
        self._run(getattr(generic, name), k, *self._body, *states, *self._placement(frame), *work,
                  out)
        return out

    def operational_space_inertia(self, q, frame, axes=None, damping=0.0):
        """Lambda of a frame, or of several at once: the inertia that forces at their origins meet;
        an OperationalSpaceInertia.

        Lambda = (J M^-1 J^T)^-1, from the compliance Omega = psi^T H^T D^-1 H psi, in O(n) for a
        frame and O(n + m^2 depth) for m of them, M is not formed (Jain 2011, Algorithms 10.1 and
        10.2). frame : a name, or a list of names, of which the inertia is (6 m, 6 m) with the
        blocks that couple them. axes : which of 'x y z rx ry rz' to keep, as names or as six
        booleans; None for all; {frame: axes} where several frames differ. The axes kept share the
        inverse of the sub-block of J M^-1 J^T, not the sub-block of Lambda: the others move
        freely. damping : >= 0 [1/sqrt(kg)]; damped inverse near singularities. A batch gives
        arrays with k in front.
        """
        names = self._distinct(frame)
        q, J, compliance = self._compliance(q, names)
        kept, damping = self._kept(names, axes), self._damping(damping)
        alone = q.ndim == 1 and len(names) == 1
        found = self._full_rank(q, *names, J, compliance, kept, damping) if alone else None
        return found or self.task_inertia(q, J, compliance, kept, damping, names)

    def _full_rank(self, q, frame, J, compliance, kept, damping):
        """The inertia of axes of a frame at one state; None where a direction is lost."""
        m = len(kept)
        jacobian, square = np.empty((m, self.nv)), np.empty((4, m, m))
        if generic.of_axes(J, compliance, kept, damping, *square[:2], jacobian, *square[2:]):
            return None
        return FullRankInertia(self, q.copy(), frame, square[3], square[2], jacobian,
                               (J, compliance, kept, damping))

    def task_compliance(self, q, frames):
        """J (6 m, nv) and J M^-1 J^T (6 m, 6 m) of several frames, in O(n + m^2 depth).

        frames : names, each once. Jain 2011, Algorithm 10.2 (eq. 10.18).
        """
        return self._compliance(q, self._distinct(frames))[1:]

    def operational_space_bias(self, q, qd, frame, axes=None, damping=0.0):
        """mu = Lambda (J M^-1 C qd - Jdot qd) and p = Lambda J M^-1 g of a frame or several, in
        O(n) beyond Lambda; an OperationalSpaceBias.

        Jain 2011, eq. (10.8) and Algorithm 10.5, at T = 0; Khatib 1987. frame, axes, damping : as
        of `operational_space_inertia`.
        """
        names = self._distinct(frame)
        (q, qd), k = self._states(q, qd)
        task = self.operational_space_inertia(q, names, axes, damping)
        rows, rest = self.task_rows(names, axes), np.zeros_like(qd)
        moving = self._free_acceleration(WEIGHTLESS, k, q, qd, names)[..., rows]
        falling = self._free_acceleration(self.model.gravity, k, q, rest, names)[..., rows]
        return OperationalSpaceBias(-times(task.inertia, moving), -times(task.inertia, falling),
                                    moving + falling, task)

    def null_space_projection(self, q, frame, axes=None, damping=0.0):
        """N = 1 - Jbar J of a task, (nv, nv), see OperationalSpaceInertia; N^T projects torques.

        frame, axes, damping : as of `operational_space_inertia`.
        """
        return self.operational_space_inertia(q, frame, axes, damping).null_space_projection

    def _free_acceleration(self, gravity, k, q, qd, names):
        """Acceleration of frames without torque, (6 m,)."""
        result = self._out(None, k, (6 * len(names),))
        self._run(generic.task_acceleration, k, self.model.topology, self.model.constants, gravity,
                  self._scratch, q, qd, np.zeros_like(qd), *self._wrenches(q, k, None), self._zero,
                  *self._placed(names), np.empty(self.nv), result)
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
            return names,
        try:
            found = tuple(names)
        except TypeError:
            found = ()
        if not found or len(set(found)) != len(found):
            raise ShapeError(f'frames of a task of robot {self.name!r}: got {names!r}; expected '
                             'names of frames, each once, one at least')
        return found

    def task_inertia(self, q, jacobian, compliance, kept, damping, names=()):
        """The OperationalSpaceInertia of any tasks with J (6 m, nv) and J M^-1 J^T (6 m, 6 m), of
        which rows are kept; names : of the m tasks.
        """
        kept = np.asarray(kept)
        k, m = None if q.ndim == 1 else len(q), len(kept)
        J = np.ascontiguousarray(jacobian[..., kept, :])
        inverse = np.ascontiguousarray(compliance[..., kept[:, None], kept])
        inertia, values = self._out(None, k, (m, m)), self._out(None, k, (m,))
        if k is None:
            rank = generic.task_inertia(
                inverse, damping, np.empty((m, m)), np.empty((m, m)), inertia, values)
        else:
            ranks, loop = np.empty(k), rows.task_inertia.compiled
            share_out(k, lambda first, last: loop(
                inverse, damping, inertia, values, ranks, first, last))
            rank = ranks.astype(int)
        solved = self._out(None, k, (m, self.nv))
        self._run(generic.task_solve, k, *self._body, q, self._zero, J, solved)
        ends = np.searchsorted(kept, range(0, 6 * len(names) + 1, 6)).tolist()
        placed = dict(zip(names, map(slice, ends, ends[1:])))
        return OperationalSpaceInertia(
            inertia, inverse, J, rank, values, solved.swapaxes(-2, -1) @ inertia,
            tuple(AXES[i % 6] for i in kept), damping, placed)

    def task_rows(self, names, axes):
        """Rows kept of the stacked tasks of several frames, six rows each, x y z rx ry rz."""
        if len(names) == 1 or not isinstance(axes, Mapping):
            axes = dict.fromkeys(names, axes)
        strange = [name for name in axes if name not in names]
        if strange:
            raise UnknownNameError(f'axes of a task of robot {self.name!r}: got some for frame '
                                   f'{strange[0]!r}; expected one of {", ".join(names)}')
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
            raise ShapeError(f'axes of a task of robot {self.name!r}: got {axes!r}; expected some '
                             f'of {" ".join(AXES)}, each once, or six booleans, one at least true')
        return kept

    def _damping(self, damping):
        if not (isinstance(damping, Real) and 0.0 <= damping < np.inf):
            raise ShapeError(f'damping of a task of robot {self.name!r}: got {damping!r}; '
                             'expected a number >= 0')
        return float(damping)
