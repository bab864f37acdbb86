# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether an end effector gets nearer to its target, and how far it is from one that it does not
reach."""

import math

import numpy as np

from robodyn_ros.control.reference.task_reference import POSITION, QUATERNION, TaskReference
from robodyn_ros.control.supervisor.controller_states import Reason, State

NEAR = 5e-3, 0.02  # [m], [rad] within which a target counts as reached
PROGRESS = 1e-3  # [m or rad] that count as getting nearer
PATIENCE = 1.0  # [s] without getting nearer
PERIOD = 0.1  # [s] between two looks


class TaskProgress:
    """Watches one end effector, from the cycles: in simulated time nobody else sees enough of it.

    Args:
      task: what its law follows.

    Attributes:
      sentence: '', or how far from its target the end effector stays.

    """

    def __init__(self, task: TaskReference):
        self._task, self.sentence, self._looked = task, '', -math.inf
        self._target, self._best, self._since = None, (math.inf, math.inf), 0.0

    def update(self, state: State, reason: str, now: float):
        """Look at the end effector, if it is time to.

        Args:
          state: of the controller.
          reason: of that state.
          now: time [s] on the clock of the cycles.

        """
        if not 0.0 <= now - self._looked < PERIOD:
            self._looked = now
            self.sentence = self._judge(state, reason, now)

    def _judge(self, state, reason, now):
        """Return what `sentence` is to be."""
        arrived = reason == Reason.TARGET_REACHED
        if not (state is State.HOLD and arrived or state is State.ACTIVE and self._task.moving):
            self._target = None
            return ''
        distance, angle = self._distance()
        target = self._task.target[: QUATERNION + 1].tobytes()
        nearer = distance < self._best[0] - PROGRESS or angle < self._best[1] - PROGRESS
        if target != self._target or nearer or now < self._since:
            self._target, self._best, self._since = target, (distance, angle), now
        is_near = distance <= NEAR[0] and angle <= NEAR[1]
        if is_near or now - self._since < PATIENCE:
            return ''
        return (
            f'The end effector stays {distance:.3g} m and {angle:.3g} rad from its target, '
            'which is out of reach, or more than the arm can hold.'
        )

    def _distance(self) -> tuple[float, float]:
        """Return how far [m] and by which angle [rad] the end effector is from its target."""
        target, measured = self._task.target, self._task.measured
        distance = np.linalg.norm(target[POSITION, :3] - measured[POSITION, :3])
        cosine = min(1.0, abs(float(target[QUATERNION] @ measured[QUATERNION])))
        return float(distance), 2.0 * math.acos(cosine)
