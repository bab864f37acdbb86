# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Capsules on links, and their distances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from robodyn_ros.errors import ModelError, ShapeError, short_repr
from robodyn_ros.model.layout import PARENT

if TYPE_CHECKING:
    from robodyn_ros.robot.robot import Robot


@dataclass(frozen=True)
class Capsule:
    """The points within a radius of a segment that is fixed to a frame.

    Parameters
    ----------
    frame : str
        Name of a link or joint.
    start, end : (3,) sequence of float
        Ends of the segment [m] in axes of the frame; equal for a sphere.
    radius : float
        Radius [m].
    """

    frame: str
    start: Sequence[float]
    end: Sequence[float]
    radius: float

    __repr__ = short_repr

    def __post_init__(self) -> None:
        ends = np.array([*self.start, *self.end], dtype=float)
        if ends.shape != (6,) or not np.isfinite(ends).all() or not 0.0 < self.radius < np.inf:
            raise ModelError(
                f'capsule on frame {self.frame!r}: got ends {self.start!r} and {self.end!r} and '
                f'radius {self.radius!r}; expected twice three finite numbers and a radius > 0'
            )


def pairs_of(robot: Robot, capsules: Sequence[Capsule]) -> list[tuple[int, int]]:
    """Return the pairs of capsules that may collide: those on links without a common joint.

    `capsules`: capsules of the robot.
    Raises UnknownNameError: for a frame that does not exist.
    Raises ShapeError: if there is no such pair.
    """
    bodies, parents = [], robot.model.topology[:, PARENT]
    for capsule in capsules:
        bodies.append(robot.model.frame(capsule.frame).body)
    ends = [_link_ends(robot, body) for body in bodies]
    found = [
        (i, j)
        for i, j in combinations(range(len(capsules)), 2)
        if bodies[i] != bodies[j]
        and parents[ends[i][0]] != ends[j][1]
        and parents[ends[j][0]] != ends[i][1]
    ]
    if not found:
        raise ShapeError(
            f'capsules of robot {robot.name!r}: got {len(capsules)} on links that are the same or '
            'next to each other; expected two at least with another link between them'
        )
    return found


def _link_ends(robot: Robot, body: int) -> tuple[int, int]:
    """Return first and last body of the joint that carries a link."""
    first, names = body, robot.model.body_names
    parents = robot.model.topology[:, PARENT]
    while first > 0 and parents[first] > 0 and names[parents[first]] not in robot.frames:
        first = parents[first]
    return first, body


def distances(
    robot: Robot, q: np.ndarray, capsules: Sequence[Capsule], pairs: Sequence[tuple[int, int]]
) -> np.ndarray:
    """Return the distance of each pair; minus the overlap if they intersect.

    The nearest points of two segments: Ericson 2005, section 5.1.9.

    `q` (k, nq): postures.
    `capsules`: capsules of the robot.
    `pairs` (sequence of tuple of int): numbers of the capsules.
    """
    X = robot.frames.poses(q, [capsule.frame for capsule in capsules])
    ends = np.array([(capsule.start, capsule.end) for capsule in capsules], dtype=float)
    placed = np.einsum('kcij,cej->kcei', X[..., :3, :3], ends) + X[:, :, None, :3, 3]
    one, other = (placed[:, [pair[side] for pair in pairs]] for side in (0, 1))
    radii = np.array([capsule.radius for capsule in capsules])
    reach = np.array([radii[i] + radii[j] for i, j in pairs])
    gaps: np.ndarray = (
        segment_distance(one[..., 0, :], one[..., 1, :], other[..., 0, :], other[..., 1, :])
        - reach
    )
    return gaps


def segment_distance(p1: np.ndarray, q1: np.ndarray, p2: np.ndarray, q2: np.ndarray) -> np.ndarray:
    """Return the distance of segments p1 q1 and p2 q2.

    `p1`, `q1`, `p2`, `q2` (..., 3): ends of the segments [m].
    """
    along, across, r = q1 - p1, q2 - p2, p1 - p2
    a, e, b = _dot(along, along), _dot(across, across), _dot(along, across)
    c, f = _dot(along, r), _dot(across, r)
    s = np.clip(_quotient(b * f - c * e, a * e - b * b), 0.0, 1.0)
    t = np.clip(_quotient(b * s + f, e), 0.0, 1.0)
    s = np.clip(_quotient(b * t - c, a), 0.0, 1.0)
    gap = r + s[..., None] * along - t[..., None] * across
    distance: np.ndarray = np.sqrt(_dot(gap, gap))
    return distance


def _dot(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    product: np.ndarray = (x * y).sum(-1)
    return product


def _quotient(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return x / y, and 0 where y is 0: of points, and of parallel segments."""
    safe = y > 0.0
    return np.where(safe, x / np.where(safe, y, 1.0), 0.0)
