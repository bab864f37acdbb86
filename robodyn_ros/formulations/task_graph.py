# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The vector quantities of a formulation as tasks: what each needs, and what it costs.

A formulation computes each of its quantities by `step(name, link, function, *inputs)`. With
`at_once` that is the value of the function. A `Recorder` also notes which quantities were inputs,
and counts the operations.
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.formulations.count import Tally


class Task(NamedTuple):
    """One quantity of a formulation.

    `multiplications`: multiplications that it takes.
    `additions`: additions that it takes.
    `needs`: the quantities (name, link) that it needs.
    """

    multiplications: int
    additions: int
    needs: tuple


def at_once(name, link, function, *inputs):
    """Return a quantity.

    `name`: name of the quantity, not used.
    `link`: its link, not used.
    `function` (callable): returns the quantity.
    `*inputs` (object): arguments of the function.
    """
    return function(*inputs)


class Recorder:
    """A `step` that records every quantity as a Task, in the order of the computation.

    `tally` (Tally): counts the operations of the inputs.
    """

    def __init__(self, tally):
        self.tasks = {}
        self._tally = tally
        self._made = {}  # the quantity of each array by its id; the array is kept, so is the id

    def __call__(self, name, link, function, *inputs):
        before = self._tally.multiplications, self._tally.additions
        result = function(*inputs)
        needs = tuple(self._made[id(each)][0] for each in inputs if id(each) in self._made)
        self.tasks[name, link] = Task(
            self._tally.multiplications - before[0], self._tally.additions - before[1], needs
        )
        self._made[id(result)] = (name, link), result
        return result


def recorded(inverse_dynamics, robot, seed=1):
    """Return the tasks of an inverse dynamics.

    `inverse_dynamics` (callable): `inverse_dynamics(robot, q, qd, qdd, step=step)`.
    `seed`: seed of the state.
    Returns the tasks by quantity and link, links counted from 1, each behind what it needs.
    """
    tally = Tally()
    states = np.random.default_rng(seed).uniform(0.5, 1.0, (3, len(robot.body_names) - 1))
    record = Recorder(tally)
    inverse_dynamics(robot, *(tally.numbers(state) for state in states), step=record)
    return record.tasks
