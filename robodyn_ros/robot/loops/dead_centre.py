# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Detect a dead centre: a posture where the independent joints of a loop do not determine it.

There J_u of the dependent joints loses rank, although J of all joints does not. In J_u v = 0, v
are the joints that are not determined. In u^T J_u = 0, u^T J_i are those that cannot move on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from robodyn_ros.model.layout import COORDINATE, STOPS, V
from robodyn_ros.robot.loops.equations import LoopEquations

if TYPE_CHECKING:  # which imports this package
    from robodyn_ros.robot.robot import Robot

NEAR = 0.1  # least singular value of J_u, as a share of that in the closed posture of the model
FAR = 0.5  # the same share of a posture from which Newton's method stays in its assembly mode
TAKES_PART = 1e-3  # entry of a singular vector, as a share of the largest
STEPS = 3.0  # to a dead centre at the present rate; from there a step does not follow the motion


class DeadCentre(NamedTuple):
    """How much joints and closures take part in a dead centre, each as a share of the largest.

    `led`: dependent joints that are not determined.
    `leading`: independent joints that cannot move on.
    `closures`: closures whose equations depend on each other there.
    """

    led: dict[str, float]
    leading: dict[str, float]
    closures: dict[str, float]


class DeadCentres:
    """Find dead centres of a robot with closed loops.

    `robot` (Robot): with closed loops.
    `usual`: least singular value of J_u far from a dead centre, by default that in the closed
      posture.
    `usual`: this value.
    """

    def __init__(self, robot: Robot, usual: float | None = None):
        self._robot, self._loops = robot, LoopEquations(robot.model)
        if usual is None:
            usual = _least(self._loops, robot.expand(robot.model.closed_posture)[0])[1]
        self.usual = usual

    def near(self, q: np.ndarray) -> DeadCentre | None:
        """Return the dead centre that a posture is near, None elsewhere.

        `q`: posture in which the loops close [rad or m].
        """
        found = self._least(q)
        return self._parts(*found) if found[1] < NEAR * self.usual else None

    def nearest(self, q: np.ndarray) -> DeadCentre:
        """Return the dead centre that would be the next one in a posture, near or far.

        `q`: posture in which the loops close [rad or m].
        """
        return self._parts(*self._least(q))

    def is_ahead(self, before: np.ndarray, now: np.ndarray) -> bool:
        """Return whether a dead centre is fewer than STEPS steps away at the present rate.

        The least singular value of J_u vanishes in proportion to the time that is left. Euler
        steps halve the distance of the independent joints to the dead centre each time. So a plant
        would stand still there, although the dependent joints had not come to rest.

        `before`, `now`: postures before and after a step, in which the loops close [rad or m].
        """
        return bool(self.are_ahead(np.array([before, now]), [0])[0])

    def are_ahead(self, motion: np.ndarray, steps: Sequence[int]) -> np.ndarray:
        """Return after which of some steps of a motion `is_ahead` holds.

        `motion`: postures before and after m steps, in which the loops close [rad or m].
        `steps`: numbers of the steps, from 0.
        """
        left = self._sizes(motion[np.add(steps, 1)])
        found = left < NEAR * self.usual
        near = np.asarray(steps)[found]
        found[found] = left[found] < STEPS * (self._sizes(motion[near]) - left[found])
        return found

    def sentence(self, q: np.ndarray, share: float = NEAR) -> str:
        """Return a sentence about the dead centre that a posture is near; '' of any other.

        `q`: posture in which the loops close [rad or m].
        `share`: least singular value of J_u in such a posture, as a share of the usual one.
        """
        least = self._least(q)
        if not least[1] < share * self.usual:
            return ''
        found = self._parts(*least)
        led, leading, closures = (
            [name for name, share in each.items() if share > TAKES_PART] for each in found
        )
        return (
            f'in {", ".join(closures)} joints {", ".join(led)} of closed loops do not follow from '
            f'{", ".join(leading)} at a dead centre of this choice of independent joints '
            f'(expected another choice, such as {led[0]} in place of {leading[0]})'
        )

    def _sizes(self, postures):
        """Return the least singular value of J_u in each posture."""
        rows = [
            self._loops.equations(self._robot.expand(q)[0])[:, : self._loops.unknowns]
            for q in postures
        ]
        if not rows:
            return np.empty(0)
        return np.linalg.svd(np.array(rows), compute_uv=False)[:, -1]

    def _least(self, q):
        return _least(self._loops, self._robot.expand(q)[0])

    def _parts(self, L, _, vectors):
        """Return the shares of the joints from both singular vectors."""
        model, unknowns, (u, v) = self._robot.model, self._loops.unknowns, vectors
        free, stuck = abs(v), abs(u @ L[:, unknowns:-1])
        unknown = model.topology[1:, COORDINATE] - model.nv
        led = {
            model.all_joint_names[model.topology[row, V]]: free[unknown[row - 1]] / free.max()
            for row in model.led_by_loops
        }
        ends = np.cumsum(
            [
                int(stops).bit_count()
                for stops in model.topology[1 : len(model.closures) + 1, STOPS]
            ]
        )
        of_rows = np.array([np.abs(rows).max() for rows in np.split(u, ends[:-1])])
        return DeadCentre(
            led,
            dict(zip(model.joint_names, stuck / stuck.max())),
            dict(zip(model.closures, of_rows / of_rows.max())),
        )

    def is_far(self, places: Mapping[str, float]) -> bool:
        """Return whether these independent joints lead well in a posture, in any assembly mode.

        `places`: positions of all joints in which the loops close [rad or m].
        """
        posture = np.array([places[name] for name in self._robot.all_position_names])
        return _least(self._loops, posture)[1] >= FAR * self.usual


def _least(loops, posture):
    """Return the rows of the loops, the least singular value of J_u, and its two vectors."""
    L = loops.equations(posture)
    U, sizes, Vt = np.linalg.svd(L[:, : loops.unknowns], full_matrices=False)
    return L, sizes[-1], (U[:, -1], Vt[-1])
