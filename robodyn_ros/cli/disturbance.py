"""When the machine kept the nodes from their work, by the cycles they say they missed.

A computer that stands still for a tenth of a second leaves an arm without torque: what it tracks
then says nothing of its control law.
"""
from typing import NamedTuple

import numpy as np

from robodyn_ros.errors import RobodynError

BUSY = 0.05      # share of the cycles missed between two reports from which on that time is
                 # disturbed: half of the error of computed torque is then the machine's
SETTLING = 1.0   # [s] in which an error dies away: ten time constants at 10 rad/s
ENOUGH = 0.5     # share of a run that has to be undisturbed to be judged


class ReferenceLost(RobodynError):
    """The controller stopped following, as it must when a busy machine starves it too long."""


class Count(NamedTuple):
    """What a node says of its loop at a time [s]: cycles run and missed since it began."""

    time: float
    cycles: int
    missed: int


class Disturbance(NamedTuple):
    """From one report of a node to the next [s], the cycles it missed of those that were due."""

    node: str
    begin: float
    end: float
    missed: int
    due: int

    def __str__(self):
        return (f'the {self.node} missed {self.missed} of {self.due} cycles between '
                f'{max(self.begin, 0.0):.1f} and {self.end:.1f} s')


def disturbances(counts):
    """The disturbances among the reports, in order. counts : {node: Counts, oldest first}."""
    found = []
    for node, reports in counts.items():
        for before, after in zip(reports, reports[1:]):
            missed = after.missed - before.missed
            due = missed + after.cycles - before.cycles
            if missed > BUSY * due:
                found.append(Disturbance(node, before.time, after.time, missed, due))
    return tuple(sorted(found, key=lambda each: each.begin))


def undisturbed(time, found):
    """Which of the times (k,) [s] are neither within a disturbance nor soon after one, (k,)."""
    calm = np.ones(len(time), bool)
    for each in found:
        calm &= (time < each.begin) | (time > each.end + SETTLING)
    return calm
