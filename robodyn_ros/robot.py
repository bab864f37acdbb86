"""The friendly face of a robot: every quantity of its dynamics by name. Check, allocate, call."""
from dataclasses import dataclass
from numbers import Real

import numpy as np

from robodyn_ros.boundary import Boundary
from robodyn_ros.errors import KernelError, ShapeError
from robodyn_ros.kernels import generic, rows
from robodyn_ros.model import build, dh, urdf
from robodyn_ros.model.layout import INERTIA, MASS

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


class Robot(Boundary):
    """A robot with its kernels and its scratch memory.

    tau = M(q) qdd + C(q, qd) qd + g(q) - J^T f_ext, joints in the order of `joint_names`, SI
    units. Where a frame is concerned: base axes, at the frame's origin, linear part first. Every
    method takes one state (nv,) or a batch (k, nv), and writes into `out` if given. Wrong shapes,
    other types and values that are not finite are a ShapeError. One Robot serves one thread at a
    time; `Robot(robot.model)` makes another over the same frozen model.
    """

    @classmethod
    def from_urdf(cls, text_or_path, joints=None, base=None, gravity=(0.0, 0.0, -9.81),
                  locked=None):
        """Read a URDF (its text, or the path of a file).

        joints : names of the joints to move, in the order of q; None for all. base : link that
        stands still; None for the root. gravity : (3,) [m/s^2] in base axes. locked : angles [rad
        or m] of joints held still. Raises ModelError or UnknownNameError, with a sentence that
        names the element.
        """
        return cls(build.build(urdf.parse(text_or_path), joints=joints, base=base, gravity=gravity,
                               locked=locked or {}))

    @classmethod
    def from_dh(cls, rows, convention='modified', gravity=(0.0, 0.0, -9.81), **options):
        """Build a serial arm from Denavit-Hartenberg rows; see robodyn_ros.model.dh.describe."""
        description = dh.describe(rows, convention=convention, **options)
        return cls(build.build(description, gravity=gravity))

    def specialised(self, frames=(), progress=None):
        """The same robot over straight-line code compiled for it alone; see SpecialisedRobot.

        frames : names of the frames to specialise too. progress : called with (kernel, done, all).
        """
        from robodyn_ros.specialised import SpecialisedRobot  # a subclass: it imports this module
        return SpecialisedRobot(self.model, frames, progress)

    def with_payload(self, mass, com, inertia, frame):
        """Return a new Robot that carries a rigid body on a frame; this one stays as it is.

        mass [kg]; com (3,) [m] and inertia (3, 3) [kg m^2] about it, in the axes of the frame.
        """
        return Robot(self.model.with_inertia(frame, mass, com, inertia))

    def with_gravity(self, gravity):
        """Return a new Robot under another gravity (3,) [m/s^2] in base axes: a base mounted at
        any orientation.
        """
        return Robot(self.model.with_gravity(gravity))

    def inverse_dynamics(self, q, qd, qdd, f_ext=None, out=None):
        """tau = M qdd + C qd + g - J^T f_ext, in O(n). f_ext : {frame: (6,) force and moment};
        result (nv,).
        """
        states, k = self._states(q, qd, qdd)
        out = self._out(out, k, (self.nv,))
        if k is not None and not f_ext:
            self._batch(rows.inverse_dynamics, self._weighted, *states, self._no_wrench, out)
            return out
        wrench = self._wrenches(states[0], k, f_ext)
        for q, qd, qdd, tau in _each(k, *states, out):
            generic.inverse_dynamics(*self._weighted, q, qd, qdd, wrench(q), tau)
        return out

    def gravity_torque(self, q, out=None):
        """g(q) = dV/dq: the torque that holds the robot still, in O(n); result (nv,)."""
        (q,), k = self._states(q)
        out = self._out(out, k, (self.nv,))
        if k is None:
            generic.gravity_torque(*self._weighted, q, out)
        else:
            self._batch(rows.gravity_torque, self._weighted, q, out)
        return out

    def bias_torque(self, q, qd, out=None):
        """h = C qd + g: the torque at zero acceleration, in O(n); result (nv,)."""
        states, k = self._states(q, qd)
        out = self._out(out, k, (self.nv,))
        if k is None:
            generic.bias_torque(*self._weighted, *states, out)
        else:
            self._batch(rows.bias_torque, self._weighted, *states, out)
        return out

    def mass_matrix(self, q, out=None):
        """M(q), rotor inertias included, in O(n depth); result (nv, nv)."""
        (q,), k = self._states(q)
        out = self._out(out, k, (self.nv, self.nv))
        if k is None:
            generic.mass_matrix(*self._body, q, out)
        else:
            self._batch(rows.mass_matrix, self._body, q, out)
        return out

    def mass_matrix_inverse(self, q, out=None):
        """M(q)^-1 from articulated inertias, in O(n^2); result (nv, nv)."""
        (q,), k = self._states(q)
        out = self._out(out, k, (self.nv, self.nv))
        self._accept(
            generic.mass_matrix_inverse(*self._body, q, self._zero, out) if k is None else
            self._batch(rows.mass_matrix_inverse, self._body, q, self._zero, out))
        return out

    def mass_solve(self, q, b, out=None):
        """x with M(q) x = b, in O(n); result (nv,)."""
        (q, b), k = self._states(q, b)
        out = self._out(out, k, (self.nv,))
        self._accept(
            generic.mass_solve(*self._body, q, self._zero, b, out) if k is None else
            self._batch(rows.mass_solve, self._body, q, self._zero, b, out))
        return out

    def coriolis_matrix(self, q, qd, out=None):
        """C(q, qd) of the Christoffel symbols, so that Mdot - 2 C is skew, in O(n depth); result
        (nv, nv).
        """
        states, k = self._states(q, qd)
        out = self._out(out, k, (self.nv, self.nv))
        if k is None:
            generic.coriolis_matrix(*self._body, *states, out)
        else:
            self._batch(rows.coriolis_matrix, self._body, *states, out)
        return out

    def forward_dynamics(self, q, qd, tau, f_ext=None, out=None):
        """qdd = M^-1 (tau - C qd - g + J^T f_ext), in O(n); result (nv,)."""
        states, k = self._states(q, qd, tau)
        out = self._out(out, k, (self.nv,))
        if k is not None and not f_ext:
            self._accept(self._batch(rows.forward_dynamics, self._weighted, *states,
                                     self._no_wrench, self._zero, out))
            return out
        wrench = self._wrenches(states[0], k, f_ext)
        for q, qd, tau, qdd in _each(k, *states, out):
            self._accept(generic.forward_dynamics(
                *self._weighted, q, qd, tau, wrench(q), self._zero, qdd))
        return out

    def regressor(self, q, qd, qdd, qd_r=None, out=None):
        """Y with Y theta = M qdd + C qd + g, theta = `inertial_parameters()`, in O(n depth).

        Rotor inertias are no part of it. qd_r : (nv,) reference velocity of Slotine and Li; then Y
        theta = M qdd + C(q, qd) qd_r + g, with the C of `coriolis_matrix`. Result (nv, 10 nv).
        """
        states, k = self._states(q, qd, qd if qd_r is None else qd_r, qdd)
        out = self._out(out, k, (self.nv, 10 * self.nv))
        for q, qd, qd_r, qdd, Y in _each(k, *states, out):
            generic.regressor(*self._weighted, q, qd, qd_r, qdd, Y)
        return out

    def inertial_parameters(self):
        """theta of every moving body in the order of the model: m [kg], m c (3) [kg m], and Ixx
        Ixy Ixz Iyy Iyz Izz [kg m^2] about the origin of the body's frame, in its axes; (10 nv,).
        """
        return self.model.constants[1:, MASS:INERTIA + 6].ravel()

    def inverse_dynamics_derivatives(self, q, qd, qdd):
        """dtau/dq, dtau/dqd and dtau/dqdd = M, each (nv, nv), without wrenches; batches have k in
        front. Of a specialised robot only.
        """
        raise self._only_specialised('inverse_dynamics_derivatives')

    def forward_dynamics_derivatives(self, q, qd, tau):
        """dqdd/dq, dqdd/dqd and dqdd/dtau = M^-1, each (nv, nv), without wrenches; batches have k
        in front. Of a specialised robot only.
        """
        raise self._only_specialised('forward_dynamics_derivatives')

    def mass_matrix_derivative(self, q):
        """dM/dq, with [i, j, k] = dM_ij / dq_k, (nv, nv, nv); batches have k in front. Of a
        specialised robot only.
        """
        raise self._only_specialised('mass_matrix_derivative')

    def _only_specialised(self, method):
        return KernelError(f'robot {self.name!r}: {method} is written from the recording of one '
                           f'robot; expected robot.specialised().{method}(...)')

    def pose(self, q, frame, out=None):
        """X_0F, the homogeneous transform of a frame in the base; result (4, 4)."""
        (q,), k = self._states(q)
        out = self._out(out, k, (4, 4))
        for q, X in _each(k, q, out):
            generic.pose(*self._body, q, *self._placement(frame), X)
        return out

    def velocity(self, q, qd, frame, out=None):
        """Velocity of the frame's origin and angular velocity; result (6,) [m/s, rad/s]."""
        states, k = self._states(q, qd)
        out = self._out(out, k, (6,))
        for q, qd, V in _each(k, *states, out):
            generic.velocity(*self._body, q, qd, *self._placement(frame), V)
        return out

    def jacobian(self, q, frame, out=None):
        """J with [v; omega] = J qd; result (6, nv)."""
        (q,), k = self._states(q)
        out = self._out(out, k, (6, self.nv))
        for q, J in _each(k, q, out):
            generic.jacobian(*self._body, q, *self._placement(frame), J)
        return out

    def jacobian_bias(self, q, qd, frame, out=None):
        """Jdot qd, the acceleration of the frame at qdd = 0; result (6,) [m/s^2, rad/s^2]."""
        states, k = self._states(q, qd)
        out = self._out(out, k, (6,))
        for q, qd, bias in _each(k, *states, out):
            generic.jacobian_bias(
                *self._body, q, qd, *self._placement(frame), self._zero, bias)
        return out

    def energy(self, q, qd):
        """(kinetic, potential) energy [J], two numbers, or two arrays (k,) for a batch."""
        states, k = self._states(q, qd)
        out = self._out(None, k, (2,))
        if k is None:
            generic.energy(*self._weighted, *states, out)
        else:
            self._batch(rows.energy, self._weighted, *states, out)
        return out[..., 0], out[..., 1]

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


def _each(k, *arrays):
    """The arrays themselves for a single state; their rows, state by state, for a batch of k."""
    return (arrays,) if k is None else zip(*arrays)
