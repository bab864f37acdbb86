"""What the robot does as a whole: joint reactions, centre of mass, momentum, composite inertia."""
import numpy as np

from robodyn_ros.boundary import Boundary
from robodyn_ros.errors import SingularityError
from robodyn_ros.kernels import generic
from robodyn_ros.model.layout import MASS

#: Below this share of the terms that cancelled in it an inertia counts as zero.
ROUNDING = 1e-14


class WholeBody(Boundary):
    """Joint wrenches, centre of mass, momentum and composite inertia of a robot.

    Base axes, linear part first. The base link is no part of mass, centre and momentum. Every
    method takes one state, q (nq,) and all else (nv,), or a batch with k in front, and writes into
    `out` if given; wrong shapes and values that are not finite are a ShapeError.
    """

    def joint_wrenches(self, q, qd, qdd, f_ext=None, out=None):
        """The wrench that its parent exerts on each moving link: f(i) = sum f(children) + M(i)
        alpha(i) + b(i) - f_ext(i), in O(n).

        Jain 2011, eq. (5.4) and (5.43). What the motor gives about or along the hinge is part of
        it, reflected rotor inertia is not. f_ext : {frame: (6,) force and moment}. Result (nb - 1,
        6) [N, N m]: force, then moment about the origin of the link, in base axes, one row for
        each name of `model.body_names[1:]`, and for a body within a hinge of several freedoms
        that of the link beyond.
        """
        states, k = self._states(q, qd, qdd)
        out, tau = self._out(out, k, self._links_shape), np.empty(self.nv)
        self._run(generic.joint_wrenches, k, *self._weighted, *self._links, *states,
                  *self._wrenches(states[0], k, f_ext), tau, out)
        return out

    def forward_dynamics_wrenches(self, q, qd, tau, f_ext=None):
        """(qdd, joint wrenches) under torques, f = P+ alpha+ + z+, in O(n): articulated bodies
        know the wrenches without a sweep of inverse dynamics.

        Jain 2011, eq. (7.34) and (7.40). tau : (nv,) [N m or N]. Results (nv,) and (nb - 1, 6) as
        of `joint_wrenches`. Raises SingularityError.
        """
        states, k = self._states(q, qd, tau)
        result = self._out(None, k, (self.nv,)), self._out(None, k, self._links_shape)
        self._run(generic.forward_dynamics_wrenches, k, *self._weighted, *self._links, *states,
                  *self._wrenches(states[0], k, f_ext), self._zero, *result)
        return result

    def link_motions(self, q, qd, qdd):
        """(V, A): velocity and acceleration of every link, alpha(i) = phi* alpha(parent) + H* qdd
        + a(i), in O(n).

        Jain 2011, Algorithm 3.2 and eq. (5.8). Results (nb - 1, 6) [m/s, rad/s] and [m/s^2,
        rad/s^2]: of the origin of the link as a point has them, gravity not included, then
        angular; base axes, rows as of `joint_wrenches`.
        """
        states, k = self._states(q, qd, qdd)
        results = self._out(None, k, self._links_shape), self._out(None, k, self._links_shape)
        self._run(generic.link_motions, k, *self._body, *self._links, *states, *results)
        return results

    @property
    def mass(self):
        """Mass of everything that moves [kg]."""
        return float(self.model.constants[1:, MASS].sum())

    def centre_of_mass(self, q, out=None):
        """c = sum (m p + R h) / sum m from the origin of the base, in O(n); Jain 2011, eq. (4.13).

        Result (3,) [m]. Raises SingularityError where nothing has mass.
        """
        (q,), k = self._states(q)
        out = self._out(out, k, (3,))
        self._require_mass()
        self._run(generic.centre_of_mass, k, *self._body, q, out)
        return out

    def centre_of_mass_velocity(self, q, qd, out=None):
        """cdot = linear momentum / mass, in O(n); result (3,) [m/s]."""
        out = self._out(out, self._states(q, qd)[1], (3,))
        np.divide(self.centroidal_momentum(q, qd)[..., :3], self.mass, out=out)
        return out

    def centre_of_mass_jacobian(self, q, out=None):
        """J_C with cdot = J_C qd: the linear rows of the centroidal momentum matrix over the mass,
        in O(n); result (3, nv) [m or -].
        """
        out = self._out(out, self._states(q)[1], (3, self.nv))
        np.divide(self.centroidal_momentum_matrix(q)[..., :3, :], self.mass, out=out)
        return out

    def momentum(self, q, qd, out=None):
        """h = sum phi(0, i) M(i) V(i), gathered in O(n): linear and angular momentum about the
        origin of the base.

        Jain 2011, eq. (2.16)-(2.17) and (4.15). Result (6,) [N s, N m s]. Raises SingularityError
        where nothing has mass.
        """
        out = self.centroidal_momentum(q, qd, out=out)
        out[..., 3:] += np.cross(self.centre_of_mass(q), out[..., :3])
        return out

    def centroidal_momentum(self, q, qd, out=None):
        """Linear and angular momentum about the centre of mass, in O(n); result (6,) [N s, N m s].

        Jain 2011, eq. (4.15). Raises SingularityError where nothing has mass.
        """
        states, k = self._states(q, qd)
        out, com = self._out(out, k, (6,)), np.empty(3)
        self._require_mass()
        self._run(generic.centroidal_momentum, k, *self._body, *states, com, out)
        return out

    def centroidal_momentum_matrix(self, q, out=None):
        """A(q) with [linear; angular momentum about the centre of mass] = A qd, in O(n).

        Jain 2011, eq. (4.15): columns R(i) H*(i), moved to the centre of mass; Orin, Goswami and
        Lee 2013. Result (6, nv) [kg m or kg, kg m^2 or kg m]. Raises SingularityError where
        nothing has mass.
        """
        (q,), k = self._states(q)
        out, com = self._out(out, k, (6, self.nv)), np.empty(3)
        self._require_mass()
        self._run(generic.centroidal_momentum_matrix, k, *self._body, q, com, out)
        return out

    def centroidal_momentum_bias(self, q, qd, out=None):
        """Adot qd, so that the rate of the momentum about the centre of mass is A qdd + Adot qd,
        in O(n); Orin, Goswami and Lee 2013.

        Result (6,) [N, N m]. Raises SingularityError where nothing has mass.
        """
        states, k = self._states(q, qd)
        out, com = self._out(out, k, (6,)), np.empty(3)
        self._require_mass()
        self._run(generic.centroidal_momentum_bias, k, *self._body, *states, self._zero, com, out)
        return out

    def centroidal_velocity(self, q, qd):
        """V_C = R^-1 h about the centre of mass: how the robot would move with all hinges locked
        and the momentum it has, in O(n).

        Jain 2011, eq. (4.17), its sum over all bodies. Result (6,) [m/s, rad/s]. Raises
        SingularityError where nothing has mass, or all of it lies on a line.
        """
        h = self.centroidal_momentum(q, qd)
        mass, com, inertia = self.composite_inertia(q)
        reach = mass * (com * com).sum(axis=-1)  # rounding of what was moved to the centre
        least = np.linalg.eigvalsh(inertia)[..., 0]
        if not (least > ROUNDING * (reach + np.trace(inertia, axis1=-2, axis2=-1))).all():
            raise SingularityError(f'robot {self.name!r}: got a singular composite inertia; '
                                   'expected mass that does not lie on a line')
        spin = np.linalg.solve(inertia, h[..., 3:, None])[..., 0]
        return np.concatenate((h[..., :3] / mass, spin), axis=-1)

    def composite_inertia(self, q):
        """(mass [kg], centre of mass (3,) [m], inertia (3, 3) [kg m^2] about it, base axes) of the
        robot with its hinges locked, in O(n).

        Jain 2011, Algorithm 9.2: R of the base. Mass, centre and inertia are what `with_payload`
        of another robot takes. Batches have k in front of centre and inertia. Raises
        SingularityError where nothing has mass.
        """
        (q,), k = self._states(q)
        self._require_mass()
        com, inertia = self._out(None, k, (3,)), self._out(None, k, (3, 3))
        self._run(generic.composite_inertia, k, *self._body, q, com, inertia)
        return self.mass, com, inertia

    def _require_mass(self):
        if not self.mass > 0.0:
            raise SingularityError(f'robot {self.name!r}: got no mass on any moving link, hence '
                                   'no centre of mass; expected mass on at least one')

    @property
    def _links_shape(self):
        return (len(self.model.body_names) - 1, 6)

    def body_inertias(self, q):
        """(R, P): what each link feels like to push, with all hinges beyond it locked and with
        them free, in O(n).

        Jain 2011, Algorithms 4.1 and 6.1 (eq. 4.8, 6.30). Results (nb - 1, 6, 6) [kg, kg m,
        kg m^2]: force and moment for a unit acceleration, linear part first, about the origin of
        the link in base axes; rows as of `joint_wrenches`. R >= P >= the link's own. Raises
        SingularityError.
        """
        (q,), k = self._states(q)
        shape = 6 * len(self.model.topology) - 6, 6
        results = self._out(None, k, shape), self._out(None, k, shape)
        self._run(generic.body_inertias, k, *self._body, *self._links, q, self._zero, *results)
        return self._blocks(results)

    def _blocks(self, results):
        """Six rows a link as a matrix a link."""
        return tuple(blocks.reshape(*blocks.shape[:-2], -1, 6, 6) for blocks in results)
