# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Times at which the machine delayed the nodes, from the missed cycles that they report.

A computer that stops for a tenth of a second leaves an arm without torque. Its tracking error then
does not depend on its control law.
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.errors import RobodynError

BUSY = 0.05  # share of cycles missed between two reports beyond which that time is disturbed
SETTLING = 1.0  # [s] for an error to decay: ten time constants at 10 rad/s
ENOUGH = 0.5  # share of a run that must be undisturbed to be judged


class ReferenceLost(RobodynError):
    """The controller stopped following because a busy machine starved it for too long."""


class Count(NamedTuple):
    """A node's report on its loop at a time [s]: cycles run and missed since its start."""

    time: float
    cycles: int
    missed: int


class Disturbance(NamedTuple):
    """Cycles missed of those due between two reports of a node [s]."""

    node: str
    begin: float
    end: float
    missed: int
    due: int

    def __str__(self):
        when = (
            f'between {max(self.begin, 0.0):.1f} and {self.end:.1f} s'
            if self.end > 0.0
            else 'just before the start'
        )
        return f'the {self.node} missed {self.missed} of {self.due} cycles {when}'

    def followed_by(self, other):
        """Return both as one; `other` is of the same node and begins where this one ends."""
        return self._replace(
            end=other.end, missed=self.missed + other.missed, due=self.due + other.due
        )


def disturbances(counts):
    """Return the disturbances among the reports in order, consecutive ones as one.

    Parameters
    ----------
    counts : dict
        {node: Counts, oldest first}.
    """
    found = []
    for node, reports in counts.items():
        for before, after in zip(reports, reports[1:]):
            missed = after.missed - before.missed
            due = missed + after.cycles - before.cycles
            if missed > BUSY * due:
                one = Disturbance(node, before.time, after.time, missed, due)
                goes_on = found and found[-1].node == node and found[-1].end == one.begin
                found.append(found.pop().followed_by(one) if goes_on else one)
    return tuple(sorted(found, key=lambda each: each.begin))


def undisturbed(time, found):
    """Return which of the times (k,) [s] are outside every disturbance and its aftermath, (k,)."""
    calm = np.ones(len(time), bool)
    for each in found:
        calm &= (time < each.begin) | (time > each.end + SETTLING)
    return calm
