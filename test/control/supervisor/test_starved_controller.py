# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""An arm whose controller gets too little of the processor: feedback that comes late shakes it."""

import numpy as np
import pytest

from robodyn_ros.control.laws.pd import PDGravity
from robodyn_ros.control.supervisor.control_settings import Settings
from robodyn_ros.control.supervisor.controller_states import Reason, State
from robodyn_ros.control.supervisor.supervisor import Supervisor
from robodyn_ros.simulation.plant import Plant
from support.supervised import FRANKA
from tools.pages import starved

PERIOD = 1e-3
START = np.array([0.3, 0.2, -0.4, -1.5, 0.5, 1.6, 0.2])


def run(every, seconds=8.0, **changes):
    """Speed over its limit of the fastest joint in the last two seconds, and the supervisor.

    every : periods from one cycle to the next.
    """
    limits, stiffness = FRANKA.limits, np.diag(FRANKA.mass_matrix(START))
    supervisor = Supervisor(
        FRANKA,
        PDGravity(FRANKA),
        Settings(
            period=PERIOD,
            gains=[100.0 * stiffness, 20.0 * stiffness],
            effort_limits=limits.effort,
            effort_rate=np.full(7, 1000.0),
            velocity_limits=limits.velocity,
            lower=limits.lower,
            upper=limits.upper,
            state_timeout=0.2,
            **changes,
        ),
    )
    plant = Plant(FRANKA, position=START, velocity=np.full(7, 0.1))
    fastest = []
    for step in range(round(seconds / PERIOD)):
        if step % every == 0:
            now = 10.0 + step * PERIOD
            supervisor.measure(plant.q, plant.qd, now)
            if step == 0:
                assert supervisor.activate(now) == ''
            supervisor.tick(now)
        plant.step(supervisor.command, PERIOD)
        fastest.append((np.abs(plant.qd) / limits.velocity).max())
    return max(fastest[-round(2.0 / PERIOD) :]), supervisor


def test_in_time_it_holds():
    speed, supervisor = run(1)
    assert speed < 0.01 and supervisor.state is State.HOLD


@pytest.mark.parametrize('every', [15, 20, 30])
def test_late_it_shakes_without_a_guard(every):
    """What limits the effort, its rate and its direction does not end it: 20 times the limit."""
    speed, _ = run(every, overspeed=1e6, position_jump=10.0)
    assert speed > 2.0


@pytest.mark.parametrize('every', [15, 20, 30])
def test_late_it_comes_to_rest_with_the_guard(every):
    """How long it shakes before the guard acts is chance; then it comes to rest."""
    speed, supervisor = run(every, seconds=14.0, position_jump=10.0)
    assert (supervisor.state, supervisor.reason) == (State.FAULT, Reason.OVERSPEED)
    assert speed < 1.0


@pytest.mark.parametrize(('law', 'task'), starved.CASES)
def test_row_55_a_gap_of_50_ms_trips_nothing_as_the_page_states(law, task):
    """With the default limits; the line of the page is what comes out here."""
    one = starved.starve(law, task, 50)
    assert one.state in (State.HOLD, State.ACTIVE)
    assert task != 'held' or one.deviation < 1e-9
    assert starved.row(law, task, 50, one) in starved.PAGE.read_text()


def test_row_55_every_gap_of_every_law_is_on_the_page():
    text = starved.PAGE.read_text()
    for law, task in starved.CASES:
        for gap in starved.GAPS:
            assert f'| `{law}` | {task} | {gap} |' in text
    assert starved.PICTURE.name in text and starved.PICTURE.exists()
