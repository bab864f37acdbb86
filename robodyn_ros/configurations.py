"""What a configuration is: its coordinates, its zero, and moving from one to another."""
from numbers import Real

import numpy as np

from robodyn_ros.boundary import Boundary
from robodyn_ros.errors import ShapeError
from robodyn_ros.kernels import generic


class Configurations(Boundary):
    """Configurations q (nq,) of a robot, and the velocities (nv,) that lead from one to another.

    They are of one size, and add up, unless there are spherical or floating joints: those hold a
    quaternion (x, y, z, w) in q and an angular velocity in axes of the child in qd. A quaternion
    stands for the one of length one in its direction; one without direction is a ShapeError.
    """

    def neutral(self):
        """The configuration (nq,) of all joints at zero, quaternions (0, 0, 0, 1)."""
        q = np.zeros(self.nq)
        q[[k + 3 for k in self._quaternions]] = 1.0
        return q

    def random_configuration(self, rng=None, reach=3.0):
        """A configuration (nq,): between the limits, at most `reach` [rad or m] from zero where
        there is none, rotations uniform over all.

        rng : numpy.random.Generator, or a seed of one; None for another one at every call.
        """
        rng = np.random.default_rng(rng)
        lower, upper = self.limits.lower, self.limits.upper
        low, high = np.clip(-reach, lower, upper), np.clip(reach, lower, upper)
        q, at = np.zeros(self.nq), self.model.coordinates
        q[at[at >= 0]] = rng.uniform(low, high)[at >= 0]
        for k in self._quaternions:
            turn = rng.normal(size=4)
            q[k:k + 4] = turn / np.linalg.norm(turn)
        return q

    def integrate(self, q, qd, dt, out=None):
        """q moved along qd for dt [s], p' = p exp(dt omega) for a quaternion p, in O(n); result
        (nq,), with quaternions of length one.
        """
        (q, qd), k = self._states(q, qd)
        if not (isinstance(dt, Real) and np.isfinite(dt)):
            raise ShapeError(f'time of a motion of robot {self.name!r}: got {dt!r}; expected a '
                             'finite number of seconds')
        out = self._out(out, k, (self.nq,))
        self._run(generic.integrate, k, self.model.topology, q, qd, float(dt), out)
        return out

    def difference(self, start, end, out=None):
        """The velocity that leads from one configuration to the other within a second, the shorter
        way round, in O(n): integrate(start, difference(start, end), 1) is end; result (nv,).
        """
        (start,), k = self._states(start)
        (end,), of_end = self._states(end)
        if k != of_end:
            raise self._wrong_shapes((start, end))
        out = self._out(out, k, (self.nv,))
        self._run(generic.difference, k, self.model.topology, start, end, out)
        return out
