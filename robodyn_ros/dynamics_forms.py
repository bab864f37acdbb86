"""The same dynamics asked or answered in other ways: other routes, wrenches alone, Hamilton."""
import numpy as np

from robodyn_ros.errors import ShapeError, UnknownNameError
from robodyn_ros.frame_quantities import FrameQuantities, times
from robodyn_ros.kernels import generic

REFERENCES = ('body', 'offset', 'inertial', 'fixed')


class DynamicsForms(FrameQuantities):
    """Other routes to the dynamics of a robot, and other questions.

    The routes give what `inverse_dynamics` and `forward_dynamics` give, which are faster for all
    but short chains: they are there to compare. Every method takes one state, q (nq,) and all else
    (nv,), or a batch with k in front, and writes into `out` if given; wrong shapes and values that
    are not finite are a ShapeError, a singular pivot is a SingularityError that names the body.
    """

    def inverse_dynamics_composite(self, q, qd, qdd, f_ext=None, out=None):
        """tau = H (R alpha + y), inverse dynamics through composite bodies, in O(n).

        Jain 2011, Algorithm 5.3 (eq. 5.44-5.46). Arguments and result as of `inverse_dynamics`.
        """
        states, k = self._states(q, qd, qdd)
        out = self._out(out, k, (self.nv,))
        self._run(generic.inverse_dynamics_composite, k, *self._weighted, *states,
                  *self._wrenches(states[0], k, f_ext), out)
        return out

    def inverse_dynamics_in(self, reference, q, qd, qdd, f_ext=None, out=None):
        """tau = H f, f = sum phi f(children) + M alpha + b - f_ext, inverse dynamics in one of
        four references, in O(n).

        Jain 2011, Table 5.1. reference : 'body', rates that the bodies see, frames at the hinges
        (5.11, 2.28); 'offset', the same with the frames at the centres of mass (5.18); 'inertial',
        rates that the base sees (5.19, 2.26); 'fixed', all about the origin of the base (5.47 to
        5.57, 2.38). Other arguments and result as of `inverse_dynamics`. Raises UnknownNameError
        for another reference.
        """
        if reference not in REFERENCES:
            raise UnknownNameError(f'reference of inverse dynamics of robot {self.name!r}: got '
                                   f'{reference!r}; expected one of {", ".join(REFERENCES)}')
        states, k = self._states(q, qd, qdd)
        out = self._out(out, k, (self.nv,))
        kernel, frames = generic.inverse_dynamics_body, ()
        if reference == 'body':
            frames = np.zeros((len(self.model.constants), 3)),
        elif reference == 'offset':
            frames = self.model.centres(),
        else:
            kernel = getattr(generic, f'inverse_dynamics_{reference}')
        self._run(kernel, k, *self._weighted, *states, *self._wrenches(states[0], k, f_ext),
                  *frames, out)
        return out

    def forward_dynamics_factored(self, q, qd, tau, f_ext=None, out=None):
        """L x = tau - C qd - g + J^T f_ext, L^T qdd = D^-1 x with the innovations factor L written
        out, in O(n depth).

        Jain 2011, section 7.2, second option. Arguments and result as of `forward_dynamics`.
        """
        return self._by_factors(generic.forward_dynamics_factored, q, qd, tau, f_ext, out)

    def forward_dynamics_dense(self, q, qd, tau, f_ext=None, out=None):
        """M qdd = tau - C qd - g + J^T f_ext by composite bodies and a dense L D L^T factor, in
        O(n^3).

        Jain 2011, section 7.2, first option; Walker and Orin 1982, method 3. Arguments and result
        as of `forward_dynamics`.
        """
        return self._by_factors(generic.forward_dynamics_dense, q, qd, tau, f_ext, out)

    def _by_factors(self, kernel, q, qd, tau, f_ext, out):
        """Forward dynamics by a kernel that needs a matrix and a vector to work in."""
        states, k = self._states(q, qd, tau)
        out = self._out(out, k, (self.nv,))
        self._run(kernel, k, *self._weighted, *states, *self._wrenches(states[0], k, f_ext),
                  self._zero, np.empty((self.nv, self.nv)), np.empty(self.nv), out)
        return out

    def hybrid_dynamics(self, q, qd, tau, qdd, prescribed, f_ext=None):
        """(tau, qdd) where the motion of some joints is prescribed and the torque of the others is
        given, in O(n).

        tau = M qdd + C qd + g - J^T f_ext by articulated bodies that give in at the other joints
        only (Featherstone 2008, section 9.2; Jain 2011, section 16.2). prescribed : names of
        joints, or (nv,) booleans. tau, qdd : (nv,); what is not given is not read, but is a
        number. Results (nv,) each. Raises SingularityError, and UnknownNameError for a joint that
        there is not.
        """
        (q, qd, tau, qdd), k = self._states(q, qd, tau, qdd)
        prescribed = self._prescribed(prescribed)
        results = self._out(None, k, (self.nv,)), self._out(None, k, (self.nv,))
        self._run(generic.hybrid_dynamics, k, *self._weighted, q, qd,
                  np.where(prescribed, qdd, tau), prescribed, *self._wrenches(q, k, f_ext),
                  self._zero, *results)
        return results

    def _prescribed(self, given):
        """(nv,) booleans from those, or from names of joints."""
        names = [given] if isinstance(given, str) else list(given)
        if names and all(isinstance(name, str) for name in names):
            if unknown := set(names) - set(self.joint_names):
                raise UnknownNameError(f'prescribed joints of robot {self.name!r}: got '
                                       f'{", ".join(sorted(unknown))}; expected some of '
                                       f'{", ".join(self.joint_names)}')
            return np.array([name in names for name in self.joint_names])
        flags = np.array(names)
        if names and (flags.dtype != np.bool_ or flags.shape != (self.nv,)):
            raise ShapeError(f'prescribed joints of robot {self.name!r}: got {given!r}; expected '
                             f'names of joints, or {self.nv} booleans')
        return flags if names else np.zeros(self.nv, dtype=np.bool_)

    def constrained_dynamics(self, q, qd, tau, frame, axes=None, acceleration=0.0, f_ext=None):
        """(qdd, force) with the acceleration of some task axes prescribed: qdd = qdd_f + M^-1 J^T
        f, f = Lambda (a - J qdd_f - Jdot qd).

        Jain 2011, eq. (7.43), with f for the multipliers: a link held (a = 0), or moved, by a
        force that the axes transmit. frame, axes : as of `operational_space_inertia`; along
        directions that the robot cannot move, nothing is enforced. acceleration : (m,) [m/s^2,
        rad/s^2] of the axes kept, or one number for all. Results (nv,) and (m,) [N, N m], acting
        on the robot, base axes, at the frame's origin.
        """
        qdd = self.forward_dynamics(q, qd, tau, f_ext)
        task = self.operational_space_inertia(q, frame, axes)
        names = tuple(task.rows)
        bias = np.concatenate([self.jacobian_bias(q, qd, name) for name in names], axis=-1)
        try:
            wanted = np.broadcast_to(self._floats(acceleration), task.jacobian.shape[:-1])
        except ValueError:
            raise ShapeError(f'acceleration of a task of robot {self.name!r}: got '
                             f'{np.shape(acceleration)}; expected {task.jacobian.shape[:-1]}, or '
                             'one number') from None
        missing = (wanted - times(task.jacobian, qdd)
                   - bias[..., self.task_rows(names, axes)])
        return qdd + times(task.consistent_inverse, missing), times(task.inertia, missing)

    def torque_of_wrench(self, q, f_ext, out=None):
        """J^T f summed over any frames, gathered in O(n): the torque that the wrenches exert.

        Jain 2011, Algorithm 5.1 (eq. 5.38). f_ext : {frame: (6,) force and moment} [N, N m] in
        base axes at the frame's origin. Result (nv,) [N m or N].
        """
        (q,), k = self._states(q)
        out = self._out(out, k, (self.nv,))
        self._run(generic.torque_of_wrench, k, *self._body, q, *self._wrenches(q, k, f_ext), out)
        return out

    def acceleration_of_wrench(self, q, f_ext, out=None):
        """M^-1 J^T f, what wrenches on any frames add to qdd, in O(n): neither J nor M is formed.
        Of impulses the jump of qd.

        Jain 2011, Algorithm 7.3, for wrenches that act on the robot: (7.43) and (7.44) define
        minus it. f_ext : {frame: (6,) force and moment}. Result (nv,).
        """
        (q,), k = self._states(q)
        out = self._out(out, k, (self.nv,))
        self._run(generic.acceleration_of_wrench, k, *self._body, q, *self._wrenches(q, k, f_ext),
                  self._zero, out)
        return out

    def hamiltonian(self, q, p):
        """H(q, p) = p M^-1 p / 2 + V(q) [J], the energy as a function of position and momentum p =
        `mass_product(q, qd)`, in O(n); a number, or (k,) for a batch. Jain 2011, section 4.2.2.
        """
        kinetic, potential = self.energy(q, self.mass_solve(q, p))
        return kinetic + potential

    def hamilton_rates(self, q, p, tau):
        """(qd, pdot): qd = dH/dp, pdot = -dH/dq + tau, Hamilton's canonical equations, in O(n).

        Jain 2011, eq. (4.43). p : (nv,) [kg m^2/s or kg m/s] generalised momentum; tau : (nv,) [N
        m or N]. Results (nv,) each. Raises ShapeError for a robot whose velocities are not the
        rates of its coordinates (nq > nv).
        """
        self._require_rates()
        states, k = self._states(q, p, tau)
        rates = self._out(None, k, (self.nv,)), self._out(None, k, (self.nv,))
        self._run(generic.hamilton_rates, k, *self._weighted, *states, self._zero, *rates)
        return rates

    def _require_rates(self):
        if self.nq != self.nv:
            raise ShapeError(f'robot {self.name!r}: got {self.nq} coordinates for {self.nv} '
                             "velocities; expected as many, for Hamilton's equations")
