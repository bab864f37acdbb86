# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Detect an end effector that does not reach its target."""

import math

import numpy as np

from robodyn_ros.control.reference.task_reference import POSITION, QUATERNION, TaskReference
from robodyn_ros.control.supervisor.controller_states import Reason, State

NEAR = 5e-3, 0.02  # [m], [rad] tolerance of a reached target
PROGRESS = 1e-3  # [m or rad] a smaller approach is no progress
PATIENCE = 1.0  # [s] time without progress before a message
PERIOD = 0.1  # [s] time between checks


class TaskProgress:
    """Check the progress of one end effector.

    The control cycles call it, so checks follow simulated time.

    Parameters
    ----------
    task : TaskReference
        The reference that the law follows.

    Attributes
    ----------
    sentence : str
        Message with the remaining distance from the target, '' while there is progress.
    """

    def __init__(self, task: TaskReference):
        self._task, self.sentence, self._last_check = task, '', -math.inf
        self._target, self._best, self._since = None, (math.inf, math.inf), 0.0

    def update(self, state: State, reason: str, now: float):
        """Check the end effector, if a check is due.

        Parameters
        ----------
        state : State
            State of the controller.
        reason : str
            Reason of that state.
        now : float
            Time on the clock of the cycles [s].
        """
        if not 0.0 <= now - self._last_check < PERIOD:
            self._last_check = now
            self.sentence = self._judge(state, reason, now)

    def _judge(self, state, reason, now):
        """Return the new `sentence`."""
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
            f'The end effector stays {distance:.3g} m and {angle:.3g} rad from its target. This '
            f'is out of reach, or needs more effort than the arm has.'
        )

    def _distance(self) -> tuple[float, float]:
        """Return distance [m] and angle [rad] of the end effector from its target."""
        target, measured = self._task.target, self._task.measured
        distance = np.linalg.norm(target[POSITION, :3] - measured[POSITION, :3])
        cosine = min(1.0, abs(float(target[QUATERNION] @ measured[QUATERNION])))
        return float(distance), 2.0 * math.acos(cosine)
