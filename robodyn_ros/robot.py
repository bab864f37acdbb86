"""The friendly face of a robot: every quantity of its dynamics by name. Check, allocate, call."""
import numpy as np

from robodyn_ros.configurations import Configurations
from robodyn_ros.dynamics_forms import DynamicsForms
from robodyn_ros.factors import Factors
from robodyn_ros.kernels import generic
from robodyn_ros.model import build, dh, urdf
from robodyn_ros.model.layout import INERTIA, MASS
from robodyn_ros.quickened import quickened
from robodyn_ros.recursions.mass_matrix_inverse_common import motions
from robodyn_ros.recursions.matrices import wide
from robodyn_ros.whole_body import WholeBody


class Robot(DynamicsForms, Factors, WholeBody, Configurations):
    """A robot with its kernels and its scratch memory.

    tau = M(q) qdd + C(q, qd) qd + g(q) - J^T f_ext, joints in the order of `joint_names`, SI
    units. Where a frame is concerned: base axes, at the frame's origin, linear part first. Every
    method takes one state, q (nq,) in the order of `position_names` and all else (nv,), or a batch
    (k, nq) and (k, nv), and writes into `out` if given; nq = nv but for quaternions, see
    Configurations. Wrong shapes, other types and values that are not finite are a ShapeError. One
    Robot serves one thread at a time; `Robot(robot.model)` makes another over the same model.
    """

    @classmethod
    def from_urdf(cls, text_or_path, joints=None, base=None, gravity=(0.0, 0.0, -9.81),
                  locked=None, free_base=False):
        """Read a URDF (its text, or the path of a file).

        joints : names of the joints to move, in the order of q; None for all but floating and
        planar ones, which have to be named or locked. base : link that stands still; None for the
        root. gravity : (3,) [m/s^2] in base axes. locked : {joint: position} of joints held still,
        a number [rad or m] or as many as the joint has positions; 0 where its links coincide.
        free_base : whether the base moves freely, on a joint 'free_base' that comes first, q of
        seven and qd of six numbers (see doc/hinges.md). Raises ModelError or UnknownNameError,
        with a sentence that names the element.
        """
        return cls.from_description(urdf.parse(text_or_path), joints, base, gravity, locked,
                                    free_base)

    @classmethod
    def from_description(cls, description, joints=None, base=None, gravity=(0.0, 0.0, -9.81),
                         locked=None, free_base=False):
        """Build a robot of links and joints, with the hinges that URDF has no word for.

        description : robodyn_ros.model.description.RobotDescription, whose joints may be helical,
        cylindrical, universal and spherical as well. All else as in from_urdf.
        """
        return cls(build.build(description, joints=joints, base=base, gravity=gravity,
                               locked=locked or {}, free_base=free_base))

    @classmethod
    def from_dh(cls, rows, convention='modified', gravity=(0.0, 0.0, -9.81), **options):
        """Build a serial arm from Denavit-Hartenberg rows; see robodyn_ros.model.dh.describe."""
        description = dh.describe(rows, convention=convention, **options)
        return cls(build.build(description, gravity=gravity))

    def specialised(self, frames=(), progress=None, also=()):
        """The same robot over straight-line code compiled for it alone; see SpecialisedRobot.

        frames : names of the frames to specialise too, or tuples of names for what couples them.
        progress : called with (kernel, done, all). also : names of further methods, such as
        'joint_wrenches' or 'centre_of_mass'.
        """
        from robodyn_ros.specialised import SpecialisedRobot  # a subclass: it imports this module
        return SpecialisedRobot(self.model, frames, progress, also)

    def linked(self, kernel):
        """The Kernel itself; a SpecialisedRobot gives its twin, see robodyn_ros.kernels.link."""
        return kernel

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

    @quickened
    def inverse_dynamics(self, q, qd, qdd, f_ext=None, out=None):
        """tau = M qdd + C qd + g - J^T f_ext, in O(n). f_ext : {frame: (6,) force and moment},
        or (k, 6) with a batch; result (nv,).
        """
        states, k = self._states(q, qd, qdd)
        out = self._out(out, k, (self.nv,))
        self._run(generic.inverse_dynamics, k, *self._weighted, *states,
                  *self._wrenches(states[0], k, f_ext), out)
        return out

    @quickened
    def gravity_torque(self, q, out=None):
        """g(q) = dV/dq: the torque that holds the robot still, in O(n); result (nv,)."""
        (q,), k = self._states(q)
        out = self._out(out, k, (self.nv,))
        self._run(generic.gravity_torque, k, *self._weighted, q, out)
        return out

    @quickened
    def bias_torque(self, q, qd, out=None):
        """h = C qd + g: the torque at zero acceleration, in O(n); result (nv,)."""
        states, k = self._states(q, qd)
        out = self._out(out, k, (self.nv,))
        self._run(generic.bias_torque, k, *self._weighted, *states, out)
        return out

    @quickened
    def mass_matrix(self, q, out=None):
        """M(q), rotor inertias included, in O(n depth); result (nv, nv)."""
        (q,), k = self._states(q)
        out = self._out(out, k, (self.nv, self.nv))
        self._run(generic.mass_matrix, k, *self._body, q, out)
        return out

    @quickened
    def mass_matrix_inverse(self, q, out=None):
        """M(q)^-1 from articulated inertias, in O(n^2) (Jain 2011, Alg 10.4); result (nv, nv)."""
        (q,), k = self._states(q)
        out = self._out(out, k, (self.nv, self.nv))
        self._run(generic.mass_matrix_inverse, k, *self._body, q, self._zero,
                  np.empty(motions(self.nv)), out)
        return out

    def mass_solve(self, q, b, out=None):
        """x with M(q) x = b, in O(n); result (nv,)."""
        (q, b), k = self._states(q, b)
        out = self._out(out, k, (self.nv,))
        self._run(generic.mass_solve, k, *self._body, q, self._zero, b, out)
        return out

    @quickened
    def coriolis_matrix(self, q, qd, out=None):
        """C(q, qd) of the Christoffel symbols, so that Mdot - 2 C is skew, in O(n depth); result
        (nv, nv).
        """
        states, k = self._states(q, qd)
        out = self._out(out, k, (self.nv, self.nv))
        self._run(generic.coriolis_matrix, k, *self._body, *states, out)
        return out

    @quickened
    def forward_dynamics(self, q, qd, tau, f_ext=None, out=None):
        """qdd = M^-1 (tau - C qd - g + J^T f_ext), in O(n); f_ext as in `inverse_dynamics`; result
        (nv,).
        """
        states, k = self._states(q, qd, tau)
        out = self._out(out, k, (self.nv,))
        self._run(generic.forward_dynamics, k, *self._weighted, *states,
                  *self._wrenches(states[0], k, f_ext), self._zero, out)
        return out

    def regressor(self, q, qd, qdd, qd_r=None, out=None):
        """Y with Y theta = M qdd + C qd + g, theta = `inertial_parameters()`, in O(n depth).

        Rotor inertias are no part of it. qd_r : (nv,) reference velocity of Slotine and Li; then Y
        theta = M qdd + C(q, qd) qd_r + g, with the C of `coriolis_matrix`. Result (nv, 10 nv).
        """
        states, k = self._states(q, qd, qd if qd_r is None else qd_r, qdd)
        out = self._out(out, k, (self.nv, 10 * self.nv))
        self._run(generic.regressor, k, *self._weighted, *states, out)
        return out

    def energy(self, q, qd):
        """(kinetic, potential) energy [J], two numbers, or two arrays (k,) for a batch."""
        states, k = self._states(q, qd)
        out = self._out(None, k, (2,))
        self._run(generic.energy, k, *self._weighted, *states, out)
        return out[..., 0], out[..., 1]

    def inertial_parameters(self):
        """theta of every moving body in the order of the model: m [kg], m c (3) [kg m], and Ixx
        Ixy Ixz Iyy Iyz Izz [kg m^2] about the origin of the body's frame, in its axes; (10 nv,).
        """
        return self.model.constants[1:, MASS:INERTIA + 6].ravel()

    @quickened
    def inverse_dynamics_derivatives(self, q, qd, qdd, f_ext=None):
        """dtau/dq, dtau/dqd and dtau/dqdd = M, each (nv, nv), in O(n depth); batches have k in
        front. Derivatives by q are along unit velocities. f_ext : as in `inverse_dynamics`; for
        dtau/dq each wrench turns and travels with the link it pushes.
        """
        states, k = self._states(q, qd, qdd)
        results = self._squares(k)
        self._run(generic.inverse_dynamics_derivatives, k, *self._weighted, *states,
                  *self._wrenches(states[0], k, f_ext), *results)
        return results

    @quickened
    def forward_dynamics_derivatives(self, q, qd, tau, f_ext=None):
        """dqdd/dq, dqdd/dqd and dqdd/dtau = M^-1, each (nv, nv), in O(n^3); batches have k in
        front. f_ext and derivatives by q as in `inverse_dynamics_derivatives`.
        """
        states, k = self._states(q, qd, tau)
        results = self._squares(k)
        self._run(generic.forward_dynamics_derivatives, k, *self._weighted, *states,
                  *self._wrenches(states[0], k, f_ext), self._zero, np.empty(self.nv),
                  np.empty((self.nv, self.nv)), np.empty(wide(self.nv)), *results)
        return results

    @quickened
    def mass_matrix_derivative(self, q, out=None):
        """dM/dq, with [i, j, k] = dM_ij / dq_k along unit velocities, (nv, nv, nv), in O(n
        depth^2); batches have k in front.
        """
        (q,), k = self._states(q)
        out = self._out(out, k, (self.nv, self.nv, self.nv))
        self._run(generic.mass_matrix_derivative, k, *self._body, q, self._zero, out)
        return out

    def _squares(self, k):
        """Three results (nv, nv)."""
        return tuple(self._out(None, k, (self.nv, self.nv)) for _ in range(3))
