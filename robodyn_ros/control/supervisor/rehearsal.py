# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Run a cycle without effect, so that its code and data are in the caches."""

from robodyn_ros.control.supervisor.state_buffer import Inbox
from robodyn_ros.control.supervisor.torque_limiter import Output


class Rehearsal:
    """An inbox and an output of one robot whose results are discarded."""

    def __init__(self, robot):
        self._inbox, self._output = Inbox(robot.nv), Output(robot)

    def rehearse(self, measured, law, reference, settings):
        """Process a Measurement again, and compute and limit the torque of a law for it.

        law : one without state. reference : (3, nv). Raises the exceptions of the law.
        """
        self._inbox.accept(measured.state, measured.time, settings, measured.lag)
        self._output.from_law(law, measured.q, measured.qd, reference, settings)
        self._output.limit(measured, settings, 0.0)
