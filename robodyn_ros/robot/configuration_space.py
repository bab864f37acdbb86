# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a configuration is: its coordinates, its zero, and moving from one to another."""

from __future__ import annotations

from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.compile import embedded, generic
from robodyn_ros.errors import ShapeError
from robodyn_ros.robot.validation import Boundary


class Configurations(Boundary):
    """Configurations q (nq,) of a robot, and the velocities (nv,) that lead from one to another.

    They are of one size, and add up, unless there are spherical or floating joints: those hold a
    quaternion (x, y, z, w) in q and an angular velocity in axes of the child in qd. A quaternion
    stands for the one of length one in its direction; one without direction is a ShapeError.
    """

    def neutral(self) -> np.ndarray:
        """Return the configuration of all joints at zero, quaternions (0, 0, 0, 1).

        Returns
        -------
        (nq,) ndarray
            Positions [rad or m].
        """
        q = np.zeros(self.nq)
        q[[k + 3 for k in self._quaternions]] = 1.0
        return q

    def random_configuration(
        self, rng: np.random.Generator | int | None = None, reach: float = 3.0
    ) -> np.ndarray:
        """Draw a configuration between the limits, rotations uniform over all.

        Parameters
        ----------
        rng : numpy.random.Generator or int, optional
            Generator or seed; another one at every call by default.
        reach : float
            Largest distance from zero where there is no limit [rad or m].

        Returns
        -------
        (nq,) ndarray
            Positions [rad or m].
        """
        rng = np.random.default_rng(rng)
        lower, upper = self.limits.lower, self.limits.upper
        low, high = np.clip(-reach, lower, upper), np.clip(reach, lower, upper)
        q, at = np.zeros(self.nq), self.model.coordinates
        q[at[at >= 0]] = rng.uniform(low, high)[at >= 0]
        for k in self._quaternions:
            turn = rng.normal(size=4)
            q[k : k + 4] = turn / np.linalg.norm(turn)
        return q

    def expand(
        self, q: ArrayLike, qd: ArrayLike | None = None, qdd: ArrayLike | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the state of all joints, those that depend on others included.

        rates = E qd, accelerations = E qdd + dE/dt qd; Jain 2011, section 15.1. Of a robot
        without dependent joints it is the given state.

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like, optional
            Velocities [rad/s or m/s], zero by default.
        qdd : (nv,) array_like, optional
            Accelerations [rad/s^2 or m/s^2], zero by default.

        Returns
        -------
        tuple of three ndarray
            Positions in the order of `all_position_names`; velocities and accelerations in that
            of `all_joint_names`.

        Raises
        ------
        ShapeError
            For a wrong shape or a value that is not finite.
        """
        none = np.zeros((*np.shape(q)[:-1], self.nv))
        states, k = self._states(q, none if qd is None else qd, none if qdd is None else qdd)
        if not self.model.is_embedded:
            return tuple(state.copy() for state in states)
        sizes = len(self.all_position_names), *[len(self.all_joint_names)] * 2
        results = tuple(self._out(None, k, (size,)) for size in sizes)
        run = embedded.expand_state.compiled
        if k is None:
            run(*self._body, *states, *results)
        else:
            for rows in zip(*states, *results):
                run(*self._body, *rows)
        return results

    def integrate(
        self, q: ArrayLike, qd: ArrayLike, dt: float, out: np.ndarray | None = None
    ) -> np.ndarray:
        """Move a configuration along a velocity.

        p' = p exp(dt omega) for a quaternion p. O(n).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like
            Velocities [rad/s or m/s].
        dt : float
            Time [s].
        out : ndarray, optional
            Array that receives the result.

        Returns
        -------
        (nq,) ndarray
            Positions, with quaternions of length one.
        """
        (q, qd), k = self._states(q, qd)
        if not (isinstance(dt, Real) and np.isfinite(dt)):
            raise ShapeError(
                f'time of a motion of robot {self.name!r}: got {dt!r}; expected a '
                'finite number of seconds'
            )
        out = self._out(out, k, (self.nq,))
        self._run(generic.integrate, k, self.model.topology, q, qd, float(dt), out)
        return out

    def difference(
        self, start: ArrayLike, end: ArrayLike, out: np.ndarray | None = None
    ) -> np.ndarray:
        """Compute the velocity that leads from one configuration to another in a second.

        The shorter way round: integrate(start, difference(start, end), 1) is end. O(n).

        Parameters
        ----------
        start : (nq,) array_like
            First configuration.
        end : (nq,) array_like
            Second configuration.
        out : ndarray, optional
            Array that receives the result.

        Returns
        -------
        (nv,) ndarray
            Velocity [rad/s or m/s].
        """
        (start,), k = self._states(start)
        (end,), of_end = self._states(end)
        if k != of_end:
            raise self._wrong_shapes((start, end))
        out = self._out(out, k, (self.nv,))
        self._run(generic.difference, k, self.model.topology, start, end, out)
        return out
