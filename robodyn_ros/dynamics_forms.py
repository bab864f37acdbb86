"""The same dynamics asked or answered in other ways: other routes, wrenches alone, Hamilton."""
import numpy as np

from robodyn_ros.boundary import Boundary, each
from robodyn_ros.errors import ShapeError
from robodyn_ros.kernels import generic


class DynamicsForms(Boundary):
    """Other routes to the dynamics of a robot, and other questions.

    The routes give what `inverse_dynamics` and `forward_dynamics` give, which are faster for all
    but short chains: they are there to compare. Every method takes one state (nv,) or a batch (k,
    nv), and writes into `out` if given; wrong shapes and values that are not finite are a
    ShapeError, a singular pivot is a SingularityError that names the body.
    """

    def inverse_dynamics_composite(self, q, qd, qdd, f_ext=None, out=None):
        """tau = H (R alpha + y), inverse dynamics through composite bodies, in O(n).

        Jain 2011, Algorithm 5.3 (eq. 5.44-5.46). Arguments and result as of `inverse_dynamics`.
        """
        states, k = self._states(q, qd, qdd)
        out, wrench = self._out(out, k, (self.nv,)), self._wrenches(states[0], k, f_ext)
        for q, qd, qdd, tau in each(k, *states, out):
            generic.inverse_dynamics_composite(*self._weighted, q, qd, qdd, wrench(q), tau)
        return out

    def forward_dynamics_factored(self, q, qd, tau, f_ext=None, out=None):
        """L x = tau - C qd - g + J^T f_ext, L^T qdd = D^-1 x with the innovations factor L written
        out, in O(n depth).

        Jain 2011, section 7.2, second option. Arguments and result as of `forward_dynamics`.
        """
        return self._by_factors(generic.forward_dynamics_factored, q, qd, tau, f_ext, out)

    def forward_dynamics_dense(self, q, qd, tau, f_ext=None, out=None):
        """M qdd = tau - C qd - g + J^T f_ext by composite bodies and a dense Cholesky factor, in
        O(n^3).

        Jain 2011, section 7.2, first option; Walker and Orin 1982, method 3. Arguments and result
        as of `forward_dynamics`.
        """
        return self._by_factors(generic.forward_dynamics_dense, q, qd, tau, f_ext, out)

    def _by_factors(self, kernel, q, qd, tau, f_ext, out):
        """Forward dynamics by a kernel that needs a matrix and a vector to work in."""
        states, k = self._states(q, qd, tau)
        out, wrench = self._out(out, k, (self.nv,)), self._wrenches(states[0], k, f_ext)
        matrix, vector = np.empty((self.nv, self.nv)), np.empty(self.nv)
        for q, qd, tau, qdd in each(k, *states, out):
            self._accept(kernel(*self._weighted, q, qd, tau, wrench(q), self._zero, matrix, vector,
                                qdd))
        return out

    def torque_of_wrench(self, q, f_ext, out=None):
        """J^T f summed over any frames, gathered in O(n): the torque that the wrenches exert.

        Jain 2011, Algorithm 5.1 (eq. 5.38). f_ext : {frame: (6,) force and moment} [N, N m] in
        base axes at the frame's origin. Result (nv,) [N m or N].
        """
        (q,), k = self._states(q)
        out, wrench = self._out(out, k, (self.nv,)), self._wrenches(q, k, f_ext)
        for q, tau in each(k, q, out):
            generic.torque_of_wrench(*self._body, q, wrench(q), tau)
        return out

    def acceleration_of_wrench(self, q, f_ext, out=None):
        """M^-1 J^T f, what wrenches on any frames add to qdd, in O(n): neither J nor M is formed.
        Of impulses the jump of qd.

        Jain 2011, Algorithm 7.3, for wrenches that act on the robot: (7.43) and (7.44) define
        minus it. f_ext : {frame: (6,) force and moment}. Result (nv,).
        """
        (q,), k = self._states(q)
        out, wrench = self._out(out, k, (self.nv,)), self._wrenches(q, k, f_ext)
        for q, qdd in each(k, q, out):
            self._accept(
                generic.acceleration_of_wrench(*self._body, q, wrench(q), self._zero, qdd))
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
        if self.nq != self.nv:
            raise ShapeError(f'robot {self.name!r}: got {self.nq} coordinates for {self.nv} '
                             "velocities; expected as many, for Hamilton's equations")
        states, k = self._states(q, p, tau)
        rates = self._out(None, k, (self.nv,)), self._out(None, k, (self.nv,))
        for q, p, tau, qd, pdot in each(k, *states, *rates):
            self._accept(
                generic.hamilton_rates(*self._weighted, q, p, tau, self._zero, qd, pdot))
        return rates
