# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A law that learns stops while its torque is limited, and goes on when it is not."""

import numpy as np
import pytest

from robodyn_ros.control.laws.adaptive import AdaptiveComputedTorque
from robodyn_ros.simulation.plant import Plant
from support.supervised import PERIOD, TWO_LINK, Bench

REST = np.array([0.3, 0.5])


def learner(**changes):
    """Return a bench whose arm hangs under its reference, so that there is something to learn."""
    gains = np.array([[100.0] * 2, [20.0] * 2])
    bench = Bench(law=AdaptiveComputedTorque, gains=gains, **changes)
    bench.activate()
    bench.q = bench.q - 0.05
    return bench


def test_row_23_without_a_limit_it_learns():
    bench = learner(effort_rate=np.full(2, 1e6))
    bench.run(50)
    assert np.abs(bench.law.learnt).max() > 1e-3


@pytest.mark.parametrize(
    'limited',
    [{'effort_limits': np.array([1.0, 1.0])}, {'effort_rate': np.full(2, 1e-3)}],
    ids=['effort', 'rate'],
)
def test_row_23_at_a_limit_it_learns_nothing(limited):
    """The law stops adapting one cycle after the limit acts."""
    bench = learner(**limited)
    bench.run(2)
    learnt = bench.law.learnt.copy()
    bench.run(500)
    assert bench.law.saturated and np.array_equal(bench.law.learnt, learnt)
    bench.supervisor.settings = bench.supervisor.settings.replace(
        effort_limits=np.full(2, 1e3), effort_rate=np.full(2, 1e6)
    )
    bench.run(50)
    assert not bench.law.saturated and not np.array_equal(bench.law.learnt, learnt)


def test_row_23_a_saturated_spell_leaves_nothing_to_swing_back_from():
    """A weak second and a strong one: the arm comes to its posture without an overshoot."""
    bench = Bench(
        law=AdaptiveComputedTorque,
        gains=np.array([[100.0] * 2, [20.0] * 2]),
        effort_rate=np.full(2, 1e5),
    )
    bench.q = REST.copy()
    bench.activate()
    plant = Plant(TWO_LINK, position=REST, velocity=np.zeros(2))

    def play(ticks):
        errors = []
        for _ in range(ticks):
            plant.step(bench.command, PERIOD)
            bench.q, bench.qd = plant.q.copy(), plant.qd.copy()
            bench.run(1)
            errors.append(REST - plant.q)
        return np.array(errors)

    change = bench.supervisor.settings.replace
    bench.supervisor.settings = change(effort_limits=0.9 * np.abs(bench.gravity))
    fallen = play(100)[-1]
    learnt = np.abs(bench.law.learnt).max()
    bench.supervisor.settings = change(effort_limits=np.full(2, 500.0))
    play(3000)
    assert np.abs(fallen).max() > 1e-3 and learnt < 1e-3
    assert np.abs(REST - plant.q).max() < 0.1 * np.abs(fallen).max()
