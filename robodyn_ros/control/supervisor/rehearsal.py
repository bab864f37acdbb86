# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Run a control cycle without effect, so that its code and data are in the processor's caches."""

from robodyn_ros.control.supervisor.state_buffer import StateBuffer
from robodyn_ros.control.supervisor.torque_limiter import TorqueLimiter


class Rehearsal:
    """A state buffer and an output of one robot whose results are discarded."""

    def __init__(self, robot):
        self._state_buffer, self._torque_limiter = StateBuffer(robot.nv), TorqueLimiter(robot)

    def rehearse(self, measured, law, reference, settings, feedforward):
        """Process a joint state again, and compute and limit the torque for it.

        Exceptions of the law are raised.

        `measured` (Measurement): the joint state.
        `law` (ControlLaw): the law; it must not be stateful.
        `settings` (Settings): settings of the supervisor.
        `feedforward` (nv,): effort beside that of the law [N m or N].
        """
        self._state_buffer.accept(measured.state, measured.time, settings, measured.lag)
        self._torque_limiter.from_law(
            law, measured.q, measured.qd, reference, settings, feedforward
        )
        self._torque_limiter.limit(measured, settings, 0.0)
