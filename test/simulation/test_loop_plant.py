# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A four-bar goes through the dead centres of the joint that leads it.

The referee is a plant that its crank leads, which has no dead centre.
"""

import numpy as np
import pytest

from robodyn_ros.errors import UnknownNameError
from robodyn_ros.model.description import Limit
from robodyn_ros.simulation.loops.loop_plant import LoopPlant
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import PlantSettings
from support.referees.loop_gaps import loop_gaps
from support.robots.closed_loops import four_bar, several_four_bars

DT, TIME = 1e-3, 0.8
WEIGHTLESS = (0.0, 0.0, 0.0)
SETTINGS = PlantSettings(integrator='energy_rk4', no_command='free')
FOUR_BAR = several_four_bars(1, further=0)


def damped(value):
    """Return the four-bar whose joints all have some damping."""
    names = (each.name for each in FOUR_BAR.description.joints)
    return FOUR_BAR.with_joints(**{name: {'damping': value} for name in names})


def spun(mechanism=FOUR_BAR):
    """Return the mechanism led by its rocker, in a spin of its crank, and one led by the crank."""
    referee = mechanism.build()(['crank0'], mechanism.near)
    rates = dict(
        zip(referee.all_joint_names, referee.expand(referee.model.closed_posture, [9.0])[1])
    )
    plant = LoopPlant(mechanism.build(), SETTINGS, mechanism.near, rates, ['rocker0'])
    return plant, Plant(referee, SETTINGS, referee.model.closed_posture, [9.0])


def test_a_rocker_that_leads_its_crank_goes_on_beyond_its_ends():
    """Joints as of the referee, continuous, closed loops, and the energy of the start."""
    plant, referee = spun()
    assert plant.robot.joint_names == ('rocker0',)
    energy, before = sum(plant.robot.energy(plant.plant.q, plant.plant.qd)), plant.state()[0]
    for _ in range(round(TIME / DT)):
        plant.step(dt=DT)
        referee.step(dt=DT)
        position, rates = plant.state()
        for name, x in position.items():
            assert abs(x - before[name]) < 1.5 * DT * max(9.0, abs(rates[name]))
        before = position
    assert plant.choices >= 1 and not plant.fault and plant.t == referee.t
    assert position['crank0'] - FOUR_BAR.near['crank0'] > 2.0 * np.pi
    expected = dict(zip(referee.model.all_joint_names, _all(referee)))
    for name, x in position.items():
        assert abs(x - expected[name]) < 1e-5  # by the fourth order of both schemes
    assert np.abs(loop_gaps(FOUR_BAR, position)).max() < 1e-10
    last = sum(plant.robot.energy(plant.plant.q, plant.plant.qd))
    assert abs(last - energy) < 1e-9 * abs(energy)


def _all(plant):
    """Return the positions of all joints of a plant."""
    return plant._robot.expand(plant.q)[0]


def test_a_four_bar_all_of_whose_joints_have_ends_goes_through_all_of_them():
    """No choice serves for long, so each dead centre asks for another one."""
    rockers = four_bar((0.4, 0.35, 0.4, 0.7))
    plant = LoopPlant(rockers.build(WEIGHTLESS), SETTINGS, rockers.near)
    names = plant.robot.joint_names
    plant = LoopPlant(
        rockers.build(WEIGHTLESS), SETTINGS, rockers.near, {names[1]: 6.0, names[0]: 0.4}
    )
    energy, crank = plant.robot.energy(plant.plant.q, plant.plant.qd)[0], []
    for _ in range(round(TIME / DT)):
        plant.step(dt=DT)
        crank.append(plant.state()[0]['crank'])
    assert plant.choices >= 2 and not plant.fault
    assert np.abs(loop_gaps(rockers, plant.state()[0])).max() < 1e-10
    assert np.abs(np.diff(crank)).max() < 0.05 and np.ptp(crank) > 1.0
    last = plant.robot.energy(plant.plant.q, plant.plant.qd)[0]
    assert abs(last - energy) < 1e-9 * energy


def test_a_driven_joint_works_and_damping_of_all_joints_dissipates():
    """The torque of the rocker acts through dead centres, whether it leads or not.

    Energy changes by the work of torque and damping, but for the step in which E is held.
    """
    mechanism = damped(0.02)
    plant, _ = spun(mechanism)
    begin, work = sum(plant.robot.energy(plant.plant.q, plant.plant.qd)), 0.0
    for _ in range(round(TIME / DT)):
        position, rates = plant.state()
        plant.step({'rocker0': 1.5}, DT)
        after, later = plant.state()
        work += 1.5 * (after['rocker0'] - position['rocker0'])
        work -= 0.02 * DT * sum(((rates[name] + later[name]) / 2.0) ** 2 for name in rates)
    assert plant.choices >= 1 and not plant.fault
    gained = sum(plant.robot.energy(plant.plant.q, plant.plant.qd)) - begin
    assert work < -0.5 and abs(gained - work) < 0.02 * abs(work)


def test_an_unknown_joint_is_refused():
    """By its name, and nothing has changed."""
    with pytest.raises(UnknownNameError, match="no joint 'knee'; valid: crank0"):
        LoopPlant(FOUR_BAR.build(), SETTINGS, FOUR_BAR.near).step({'knee': 1.0})


def test_the_limit_of_an_effort_is_that_of_its_joint():
    """A strong rocker drives a weak crank that leads it."""
    limited = FOUR_BAR.with_joints(crank0={'limit': Limit(effort=0.5)})
    weak, strong = (
        LoopPlant(each.build(WEIGHTLESS), SETTINGS, FOUR_BAR.near, independent=['crank0'])
        for each in (limited, FOUR_BAR)
    )
    for plant in (weak, strong):
        plant.step({'rocker0': 9.0})
    assert weak.state() == strong.state()
    weak.step({'crank0': 9.0})
    strong.step({'crank0': 0.5})
    assert weak.state() == strong.state()
