# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Configurations of a robot: coordinates, the neutral one, integration and differences."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.compile import generic
from robodyn_ros.errors import ShapeError
from robodyn_ros.robot.capsules import Capsule, distances, pairs_of
from robodyn_ros.robot.robot_view import View
from robodyn_ros.robot.validation import spread

#: Postures drawn at once, and at most before the search for a free one ends.
ATTEMPTS, MOST_ATTEMPTS = 100, 1000


class ConfigurationSpace(View):
    """Configurations q (nq,) of a robot, and the velocities (nv,) between them.

    q and qd have the same size and add up unless there are spherical or floating joints. Those
    have a quaternion (x, y, z, w) in q, and an angular velocity in child axes in qd. Quaternions
    are normalised; one of length zero raises a ShapeError.
    """

    def neutral(self) -> np.ndarray:
        """Return the configuration of all joints at zero, quaternions (0, 0, 0, 1).

        Returns
        -------
        (nq,) ndarray
            Positions [rad or m].
        """
        robot = self._robot
        q = np.zeros(robot.nq)
        q[[k + 3 for k in robot._quaternions]] = 1.0
        return q

    def random(
        self, rng: np.random.Generator | int | None = None, reach: float = 3.0
    ) -> np.ndarray:
        """Draw a configuration between the limits, rotations uniform over all.

        Parameters
        ----------
        rng : numpy.random.Generator or int, optional
            Generator or seed; a new one at every call by default.
        reach : float
            Largest distance from zero where there is no limit [rad or m].

        Returns
        -------
        (nq,) ndarray
            Positions [rad or m].
        """
        robot = self._robot
        rng = np.random.default_rng(rng)
        lower, upper = robot.limits.lower, robot.limits.upper
        low, high = np.clip(-reach, lower, upper), np.clip(reach, lower, upper)
        q, at = np.zeros(robot.nq), robot.model.coordinates
        q[at[at >= 0]] = rng.uniform(low, high)[at >= 0]
        for k in robot._quaternions:
            turn = rng.normal(size=4)
            q[k : k + 4] = turn / np.linalg.norm(turn)
        return q

    def sample(
        self,
        count: int,
        capsules: Sequence[Capsule] = (),
        margin: float = 0.0,
        rng: np.random.Generator | int | None = None,
        reach: float = 3.0,
    ) -> np.ndarray:
        """Draw postures within the limits whose capsules keep a distance.

        It works like `random`, and rejects postures in which two capsules come too close. Capsules
        of one link, and of links with a common joint, may touch.

        Parameters
        ----------
        count : int
            Number of postures.
        capsules : sequence of Capsule
            Capsules of the links; none are checked by default.
        margin : float
            Least distance of two capsules [m].
        rng : numpy.random.Generator or int, optional
            Generator or seed; a new one at every call by default.
        reach : float
            Largest distance from zero where there is no limit [rad or m].

        Returns
        -------
        (count, nq) ndarray
            Positions [rad or m].

        Raises
        ------
        ShapeError
            If no two capsules can collide, or none of 1000 postures or more is free.
        UnknownNameError
            For the frame of a capsule that does not exist.
        """
        rng = np.random.default_rng(rng)
        found: list[np.ndarray] = []
        drawn, wanted = 0, int(count)
        while len(found) < wanted:
            missing = max(wanted - len(found), ATTEMPTS if capsules else 0)
            rows = np.array([self.random(rng, reach) for _ in range(missing)])
            free = self.self_distance(rows, capsules) >= margin if capsules else slice(None)
            found += list(rows[free])
            drawn += missing
            if not found and drawn >= MOST_ATTEMPTS:
                raise ShapeError(
                    f'postures of robot {self._robot.name!r}: got none of {drawn} whose capsules '
                    f'are {margin} m apart; expected smaller radii or another margin'
                )
        return np.array(found[:wanted]).reshape(wanted, self._robot.nq)

    def self_distance(self, q: ArrayLike, capsules: Sequence[Capsule]) -> Any:
        """Compute the smallest distance of two capsules on links without a common joint.

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        capsules : sequence of Capsule
            Capsules of the links.

        Returns
        -------
        float or (k,) ndarray
            Distance [m]; minus the overlap if they intersect.

        Raises
        ------
        ShapeError
            If no two capsules can collide.
        UnknownNameError
            For the frame of a capsule that does not exist.
        """
        (q,), k = self._robot._states(q)
        pairs = pairs_of(self._robot, capsules)
        least = distances(self._robot, np.atleast_2d(q), capsules, pairs).min(axis=-1)
        return float(least[0]) if k is None else least

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
        robot = self._robot
        (q, qd), k = robot._states(q, qd, out=out, independent=True)
        if not (isinstance(dt, Real) and np.isfinite(dt)):
            raise ShapeError(
                f'time of a motion of robot {robot.name!r}: got {dt!r}; expected a '
                'finite number of seconds'
            )
        out = robot._out(out, k, (robot.nq,))
        robot._run(generic.integrate, k, robot.model.topology, q, qd, float(dt), out)
        return out

    def difference(
        self, start: ArrayLike, end: ArrayLike, out: np.ndarray | None = None
    ) -> np.ndarray:
        """Compute the velocity from one configuration to another in unit time.

        Rotations take the shorter way: integrate(start, difference(start, end), 1) is end. O(n).

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
        robot = self._robot
        (start,), k = robot._states(start, out=out, independent=True)
        (end,), of_end = robot._states(end, out=out, independent=True)
        if None not in (k, of_end) and k != of_end:
            raise ShapeError(
                f'robot {robot.name!r}: got {k} and {of_end} configurations; expected as many of '
                'both, or one of either'
            )
        start, end = spread([start, end])
        k = of_end if k is None else k
        out = robot._out(out, k, (robot.nv,))
        robot._run(generic.difference, k, robot.model.topology, start, end, out)
        return out
