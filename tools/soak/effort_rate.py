# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether each effort follows the one before it within the rate limit.

A message has no time of the loop, and a busy machine sends it late. A cycle that came late changes
the effort by three periods at most: that bounds the step of any effort to the next.
"""

import ast
import math

from robodyn_ros.control.supervisor.reference_clock import MAX_PERIODS
from robodyn_ros.ros.controller.controller_parameters import CONTROLLER_PARAMETERS

SILENCE = 0.1  # [s] after which a controller begins anew, at the safe torque
ROUNDING = 1e-9
RATES = ('max_effort_rate', 'update_rate')


def largest_step(given):
    """Return the largest step between efforts [N m], given parameters of the controller."""
    values = {spec.name: spec.default for spec in CONTROLLER_PARAMETERS}
    values |= {name: ast.literal_eval(str(given[name])) for name in RATES if name in given}
    return MAX_PERIODS * max(values['max_effort_rate']) / values['update_rate'] + ROUNDING


class EffortRate:
    """Compares each message with the one that was sent right before it.

    Parameters
    ----------
    most : float
        Largest step of one joint [N m].
    """

    def __init__(self, most):
        self._most, self._last = most, (-1, -math.inf, ())

    def exceeded(self, effort, number, time):
        """Return whether the effort is too far from the one before; remember it.

        Parameters
        ----------
        effort : sequence of float
            One per joint.
        number : int
            Of the message, by its publisher: one that was lost in between is no step.
        time : float
            At which it was sent [s].
        """
        before, then, last = self._last
        self._last = number, time, tuple(effort)
        if number != before + 1 or time - then > SILENCE or len(last) != len(effort):
            return False
        return not all(abs(new - old) <= self._most for new, old in zip(effort, last))
