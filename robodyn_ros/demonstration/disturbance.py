# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Find the times at which the machine delayed the nodes, from the missed cycles that they report.

A computer that stops for a tenth of a second leaves an arm without torque. Its tracking error then
does not depend on its control law.
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.errors import RobodynError

BUSY = 0.05  # share of missed cycles between two reports that makes a disturbance
SETTLING = 1.0  # [s] for an error to decay: ten time constants at 10 rad/s
ENOUGH = 0.5  # share of a run that must be undisturbed for a verdict


class ReferenceLost(RobodynError):
    """The controller stopped following because a busy machine starved it for too long."""


class Count(NamedTuple):
    """A node's report on its loop.

    `time`: time of the report [s].
    `cycles`: cycles run since the start of the node.
    `missed`: cycles missed since the start of the node.
    """

    time: float
    cycles: int
    missed: int


class Disturbance(NamedTuple):
    """An interval between two reports of a node, in which it missed cycles.

    `node`: name of the node.
    `begin`, `end`: times of the reports [s].
    `missed`: cycles missed between them.
    `due`: cycles that should have run.
    """

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
        """Return two consecutive disturbances as one.

        `other` (Disturbance): of the same node; it begins when this one ends.
        """
        return self._replace(
            end=other.end, missed=self.missed + other.missed, due=self.due + other.due
        )


def disturbances(counts):
    """Return the disturbances among reports.

    `counts` (dict): {node: list of Count, oldest first}.
    Returns in order of their beginning. Consecutive intervals of a node are merged.
    """
    found = []
    for node, reports in counts.items():
        for before, after in zip(reports, reports[1:]):
            missed = after.missed - before.missed
            due = missed + after.cycles - before.cycles
            if missed > BUSY * due:
                disturbance = Disturbance(node, before.time, after.time, missed, due)
                is_continued = (
                    found and found[-1].node == node and found[-1].end == disturbance.begin
                )
                found.append(found.pop().followed_by(disturbance) if is_continued else disturbance)
    return tuple(sorted(found, key=lambda each: each.begin))


def undisturbed(time, found):
    """Return which times are outside every disturbance and SETTLING after it.

    `time` (k,): times [s].
    `found` (sequence of Disturbance): the disturbances.
    """
    mask = np.ones(len(time), bool)
    for each in found:
        mask &= (time < each.begin) | (time > each.end + SETTLING)
    return mask
