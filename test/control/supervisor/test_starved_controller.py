# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""An arm whose controller gets too little of the processor: feedback that comes late shakes it."""

import numpy as np
import pytest

from robodyn_ros.control.laws.law_registry import BUILT_IN
from robodyn_ros.control.laws.pd import PDGravity
from robodyn_ros.control.supervisor.control_settings import Settings
from robodyn_ros.control.supervisor.controller_states import Reason, State
from robodyn_ros.control.supervisor.supervisor import Supervisor
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import PlantSettings
from support.supervised import FRANKA
from tools.pages import starved

PERIOD = 1e-3
START = np.array([0.3, 0.2, -0.4, -1.5, 0.5, 1.6, 0.2])
STRETCHED = np.array([0.0, 1.2, 0.0, -0.3, 0.0, 1.2, 0.0])


def run(every, seconds=8.0, gap=(), void_command='brake', posture=START, **changes):
    """Speed over its limit of the fastest joint in the last two seconds, and the supervisor.

    every : periods from one cycle to the next. gap : periods without a controller. void_command :
    of the drive. posture : at the start.
    """
    limits, stiffness = FRANKA.limits, np.diag(FRANKA.mass_matrix(posture))
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
    drives = PlantSettings(void_command=void_command)
    plant = Plant(FRANKA, position=posture, velocity=np.full(7, 0.1), settings=drives)
    fastest = []
    for step in range(round(seconds / PERIOD)):
        starved_now = step in gap
        if step % every == 0 and not starved_now:
            now = 10.0 + step * PERIOD
            supervisor.measure(plant.q, plant.qd, now)
            if step == 0:
                assert supervisor.activate(now) == ''
            supervisor.tick(now)
        plant.step(None if starved_now else supervisor.command, PERIOD)
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
    """With the default limits; an arm that is held stays where it is."""
    one = starved.starve(law, task, 50)
    assert one.state in (State.HOLD, State.ACTIVE)
    assert task != 'held' or 1e-6 < one.deviation < 5e-3


@pytest.mark.slow
@pytest.mark.parametrize(('law', 'task'), starved.CASES)
def test_row_55_every_gap_of_every_law_is_on_the_page(law, task):
    """Each line of the page is what comes out here, and none ends in FAULT."""
    lines = starved.PAGE.read_text().splitlines()
    for gap in starved.GAPS:
        one = starved.starve(law, task, gap)
        assert starved.row(law, task, gap, one) in lines
        assert one.state is not State.FAULT


def test_row_55_no_law_is_missing_from_the_page_and_its_picture():
    lines = [line for line in starved.PAGE.read_text().splitlines() if line.startswith('| `')]
    assert {line.split('`')[1] for line in lines} == set(BUILT_IN)
    assert len(lines) == len(starved.CASES) * len(starved.GAPS)
    picture = starved.PICTURE.read_text()
    assert all(f'>{law}</text>' in picture for law in BUILT_IN)
    assert picture.count('<path d="M') == len(starved.CASES)


@pytest.mark.parametrize(
    ('drive', 'state', 'reason'),
    [('brake', State.HOLD, Reason.ACTIVATED), ('damp', State.FAULT, Reason.OVERSPEED)],
)
def test_row_55_a_brake_that_acts_in_time_spares_an_arm_the_guard(drive, state, reason):
    """A stretched arm that falls for 340 ms meets its guard; the default drive brakes."""
    assert PlantSettings().void_command == 'brake'
    _, supervisor = run(1, 3.0, gap=range(1000, 1340), void_command=drive, posture=STRETCHED)
    assert (supervisor.state, supervisor.reason) == (state, reason)
