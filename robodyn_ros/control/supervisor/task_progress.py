# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Judge whether an end effector has reached its target, comes nearer, or stays away."""

import math
from typing import Any

import numpy as np

from robodyn_ros.control.laws.law import ControlLaw
from robodyn_ros.control.reference.task_reference import POSITION, QUATERNION
from robodyn_ros.control.supervisor.controller_states import ARRIVALS, Reason
from robodyn_ros.control.supervisor.reference_clock import Clock
from robodyn_ros.spatial.turning import turn_between

PROGRESS = 1e-3  # [m or rad] a smaller approach is no progress, a smaller step no new target
PATIENCE = 1.0  # [s] time without progress after which the end effector stays away
PERIOD = 0.1  # [s] between two looks at an end effector that moves or rests


class TaskProgress:
    """Advance the reference of an end effector, and watch what the end effector does.

    `law` (ControlLaw): the law of the end effector.
    `distance`, `angle`: distance from the target [m, rad] along and about the axes that the law
      controls.
    `stays_away`: whether the end effector is not there, and has come no nearer for PATIENCE.
    """

    def __init__(self, law: ControlLaw):
        self._law, self._watched = law, -math.inf
        self._restart()

    def _restart(self):
        self.distance = self.angle = 0.0
        self.stays_away = self._is_there = False
        self._target = np.full((QUATERNION + 1, 4), math.inf)
        self._best, self._since = (math.inf, math.inf), 0.0

    def advance(self, clock: Clock, age: float, held: str, tolerance: tuple[float, float]) -> str:
        """Advance the reference to the present.

        A target is reached when the end effector is there, not when its reference is.

        `clock`: clock of the references.
        `age`: age of the joint state [s].
        `held`: reason of HOLD, '' in other states.
        `tolerance`: distance and angle within which the target is reached [m, rad].
        Returns the Reason of HOLD if it is a new one, else ''.
        """
        task: Any = self._law.task
        ended = task.advance(clock.time, clock.elapsed, age)
        if not (task.moving or held in ARRIVALS):
            self._restart()
            return ended
        if not ended and 0.0 <= clock.time - self._watched < PERIOD:
            return Reason.NONE
        self._watched = clock.time
        self._measure(clock.time, tolerance)
        if not ended and task.moving or not (self._is_there or self.stays_away):
            return Reason.NONE
        task.moving = False
        reason = Reason.TARGET_REACHED if self._is_there else Reason.TARGET_NOT_REACHED
        return reason if reason != held else Reason.NONE

    def _measure(self, now, tolerance):
        """Measure the distance, and note progress."""
        target, measured = self._law.task.target, self._law.task.measured
        away = np.concatenate(
            (
                target[POSITION, :3] - measured[POSITION, :3],
                turn_between(target[QUATERNION], measured[QUATERNION]),
            )
        )
        if self._law.task_axes is not None:
            away[self._law.values[self._law.task_axes] <= 0.0] = 0.0
        self.distance, self.angle = np.linalg.norm(away.reshape(2, 3), axis=1).tolist()
        self._is_there = self.distance <= tolerance[0] and self.angle <= tolerance[1]
        moved = np.abs(target[: QUATERNION + 1] - self._target).max() > PROGRESS
        nearer = self.distance < self._best[0] - PROGRESS or self.angle < self._best[1] - PROGRESS
        if self._is_there or nearer or moved:
            self._target[:] = target[: QUATERNION + 1]
            self._best, self._since = (self.distance, self.angle), now
        self.stays_away = now - self._since >= PATIENCE
