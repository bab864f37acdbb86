# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Check whether each effort follows the previous one within the rate limit.

A message has no time of the loop, and a busy machine sends it late. A late cycle changes the
effort by three periods at most. That bounds the step from any effort to the next.
"""

import ast
import math

from robodyn_ros.control.supervisor.reference_clock import MAX_PERIODS
from robodyn_ros.ros.controller.controller_parameters import CONTROLLER_PARAMETERS

SILENCE = 0.1  # [s] of silence, after which a controller begins again at the safe torque
ROUNDING = 1e-9
RATES = ('max_effort_rate', 'update_rate')


def largest_step(given):
    """Return the largest allowed step between efforts, for parameters of the controller [N m]."""
    values = {spec.name: spec.default for spec in CONTROLLER_PARAMETERS}
    values |= {name: ast.literal_eval(str(given[name])) for name in RATES if name in given}
    return MAX_PERIODS * max(values['max_effort_rate']) / values['update_rate'] + ROUNDING


class EffortRate:
    """Compares each message with the one sent right before it.

    Parameters
    ----------
    most : float
        Largest allowed step of one joint [N m].
    """

    def __init__(self, most):
        self._most, self._last = most, (-1, -math.inf, ())

    def exceeded(self, effort, number, time):
        """Return whether the step to an effort is too large, and remember the effort.

        Parameters
        ----------
        effort : sequence of float
            One per joint [N m].
        number : int
            Number of the message, by its publisher. Steps across lost messages do not count.
        time : float
            Time at which it was sent [s].
        """
        before, then, last = self._last
        self._last = number, time, tuple(effort)
        if number != before + 1 or time - then > SILENCE or len(last) != len(effort):
            return False
        return not all(abs(new - old) <= self._most for new, old in zip(effort, last))
