# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Detect a dead centre: a posture where the independent joints of a loop do not determine it.

There J_u of the dependent joints loses rank, although J of all joints does not. In J_u v = 0, v
are the joints that are not determined. In u^T J_u = 0, u^T J_i are those that cannot move on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from robodyn_ros.model.layout import COORDINATE, V
from robodyn_ros.robot.loops.equations import LoopEquations

if TYPE_CHECKING:  # which imports this package
    from robodyn_ros.robot.robot import Robot

NEAR = 0.1  # least singular value of J_u, as a share of that in the closed posture of the model
FAR = 0.5  # the same share of a posture from which Newton's method stays in its assembly mode
TAKES_PART = 1e-3  # entry of a singular vector, as a share of the largest


def dead_centre(robot: Robot, q: np.ndarray, usual: float | None = None) -> str:
    """Return a sentence about the dead centre that a posture is near; '' of any other.

    Parameters
    ----------
    robot : Robot
        Any robot; one without closed loops has no dead centre.
    q : (nq,) ndarray
        Posture in which its loops close [rad or m].
    usual : float, optional
        As of `DeadCentres`.

    Returns
    -------
    str
    """
    found = DeadCentres(robot, usual).near(q) if robot.model.has_loops else None
    if found is None:
        return ''
    led, leading = ([name for name, share in each.items() if share > TAKES_PART] for each in found)
    return (
        f'joints {", ".join(led)} of closed loops do not follow from {", ".join(leading)} at a '
        'dead centre of this choice of independent joints (expected another choice, such as '
        f'{led[0]} in place of {leading[0]})'
    )


class DeadCentres:
    """Find dead centres of a robot with closed loops.

    Parameters
    ----------
    robot : Robot
        With closed loops.
    usual : float, optional
        Least singular value of J_u far from a dead centre, by default that in the closed posture.

    Attributes
    ----------
    usual : float
        This value.
    """

    def __init__(self, robot: Robot, usual: float | None = None):
        self._robot, self._loops = robot, LoopEquations(robot.model)
        if usual is None:
            usual = _least(self._loops, robot.expand(robot.model.closed_posture)[0])[1]
        self.usual = usual

    def near(self, q: np.ndarray) -> tuple[dict[str, float], dict[str, float]] | None:
        """Return how much each joint takes part in the dead centre that a posture is near.

        Parameters
        ----------
        q : (nq,) ndarray
            Posture in which the loops close [rad or m].

        Returns
        -------
        tuple of dict of str to float, or None
            Of the dependent joints that are not determined, and of the independent ones that
            cannot move on. Each is a share of the largest. None elsewhere.
        """
        found = self._least(q)
        return self._parts(*found) if found[1] < NEAR * self.usual else None

    def shares(self, q: np.ndarray) -> tuple[float, tuple[dict[str, float], dict[str, float]]]:
        """Return the least singular value of J_u, and what `near` returns near a dead centre.

        Parameters
        ----------
        q : (nq,) ndarray
            Posture in which the loops close [rad or m].

        Returns
        -------
        tuple of float and tuple
        """
        found = self._least(q)
        return found[1], self._parts(*found)

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
        return led, dict(zip(model.joint_names, stuck / stuck.max()))

    def is_far(self, places: Mapping[str, float]) -> bool:
        """Return whether these independent joints lead well in a posture, in any assembly mode.

        Parameters
        ----------
        places : mapping of str to float
            Positions of all joints in which the loops close [rad or m].

        Returns
        -------
        bool
        """
        posture = np.array([places[name] for name in self._robot.all_position_names])
        return _least(self._loops, posture)[1] >= FAR * self.usual


def _least(loops, posture):
    """Return the rows of the loops, the least singular value of J_u, and its two vectors."""
    L = loops.equations(posture)
    U, sizes, Vt = np.linalg.svd(L[:, : loops.unknowns], full_matrices=False)
    return L, sizes[-1], (U[:, -1], Vt[-1])
