# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A plant whose rocker leads passes its dead centres; the referee is led by the crank."""

import numpy as np
import pytest

from robodyn_ros.model.description import Limit
from robodyn_ros.simulation.joint_table import RATE_GAIN, STIFFNESS
from robodyn_ros.simulation.loops.passing_plant import PassingPlant
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import PlantSettings
from support.robots.closed_loops import several_four_bars

DT = 1e-3
SETTINGS = PlantSettings(integrator='energy_rk4', no_command='free', command_timeout=1.0)
FOUR_BAR = several_four_bars(1, further=0)
SPEED = 9.0  # [rad/s] of the crank
PAYLOAD = 'coupler0', 0.4, (0.2, 0.0, 0.0)


def pair(settings=SETTINGS):
    """Return a plant that the rocker leads, and one that the crank leads, in the same spin."""
    referee = FOUR_BAR.robot(independent=['crank0'])
    rates = referee.expand(referee.model.closed_posture, [SPEED])[1]
    speed = dict(zip(referee.all_joint_names, rates))['rocker0']
    robot = FOUR_BAR.robot(independent=['rocker0'])
    return (
        PassingPlant(robot, settings, robot.model.closed_posture, [speed]),
        Plant(referee, settings, referee.model.closed_posture, [SPEED]),
    )


def places(plant):
    """Return the positions of all joints of a plant by name."""
    state = plant.q, plant.qd, plant.effort
    all_joints = plant.all_joints if isinstance(plant, PassingPlant) else None
    positions = all_joints(*state)[0] if all_joints else plant._robot.expand(plant.q)[0]
    return dict(zip(plant.model.all_joint_names, np.array(positions)))


def test_a_rocker_that_leads_turns_its_crank_all_around():
    """Two dead centres in a turn; the state is that of the referee, in joints of the rocker."""
    plant, referee = pair()
    assert plant.model.joint_names == ('rocker0',)
    for _ in range(800):
        plant.step(None, DT)
        referee.step(None, DT)
    assert not plant.fault and plant.passes >= 2 and plant.t == referee.t
    expected = places(referee)
    assert expected['crank0'] - FOUR_BAR.near['crank0'] > 2.0 * np.pi
    assert plant.q == pytest.approx([expected['rocker0']], abs=1.1e-5)
    for name, x in places(plant).items():
        # truncation of order four: 1.03e-5 at this step, 3.9e-7 at half of it
        assert abs(x - expected[name]) < 1.1e-5
    assert plant._passage is None  # the rocker leads again


def test_torques_wrenches_and_payloads_act_at_a_dead_centre():
    """All of them as on the referee, whose crank gets the torque of the rocker by virtual work."""
    plant, referee = pair()
    began = False
    for _ in range(300):
        if plant._passage is not None and not began:
            for each in (plant, referee):
                each.attach(*PAYLOAD)
                each.apply_wrench('coupler0', (3.0, -2.0, 0.0, 0.0, 0.0, 0.5))
            began = True
        rates = referee._robot.expand(referee.q, [1.0])[1]
        ratio = dict(zip(referee.model.all_joint_names, rates))['rocker0']
        plant.step([4.0], DT)
        referee.step([4.0 * ratio], DT)
        assert plant.effort == [4.0]
    assert began and not plant.fault and plant.passes >= 1
    expected = places(referee)
    for name, x in places(plant).items():
        assert abs(x - expected[name]) < 2e-3  # E is that of the beginning of a step


def test_a_reset_begins_anew_bit_for_bit():
    """In the first assembly mode, however many dead centres it has passed."""
    plant, _ = pair()
    runs = []
    for _ in range(2):
        run = []
        for _ in range(450):
            plant.step([1.0], DT)
            run.append((plant.q[0], plant.qd[0]))
        runs.append(run)
        assert plant.passes >= 1
        plant.reset()
    assert runs[0] == runs[1]


@pytest.mark.parametrize('limit', [1e5, 300.0], ids=['within its limit', 'saturated'])
def test_a_position_drive_passes_dead_centres_as_the_law_acts_on_a_led_rocker(limit):
    """The referee is led by the crank; its torque is that of the drive, by virtual work.

    Its steps are shorter by half or more. The error of Euler steps is halved with the step.
    """
    mechanism = FOUR_BAR.with_joints(rocker0={'limit': Limit(-9.0, 9.0, 99.0, limit)})
    settings = PlantSettings(
        'semi_implicit_euler',
        no_command='free',
        command_timeout=1.0,
        command_modes=('position',),
        carries_weight=False,
    )
    goal, plants, end = FOUR_BAR.near['rocker0'] + 1.0, [], 0.12 - 1e-9
    for dt in (2.5e-4, 1.25e-4):
        robot = mechanism.robot(independent=['rocker0'])
        plant, most = PassingPlant(robot, settings, robot.model.closed_posture, [0.0]), 0.0
        while plant.t < end:
            plant.step([goal], dt)
            most = max(most, abs(plant.effort[0]))
        assert plant.passes >= 1 and not plant.fault
        assert most == limit if limit == 300.0 else most < limit
        plants.append(plant)
    stiffness, damping = plant._drives.joints[0, [STIFFNESS, RATE_GAIN]]
    robot = mechanism.robot(independent=['crank0'])
    referee = Plant(robot, SETTINGS, robot.model.closed_posture)
    rocker = robot.all_joint_names.index('rocker0')
    while referee.t < end:
        angles, rates, _ = robot.expand(referee.q, [1.0])
        torque = stiffness * (goal - angles[rocker]) - damping * rates[rocker] * referee.qd[0]
        referee.step([rates[rocker] * np.clip(torque, -limit, limit)], 6.25e-5)
    expected = places(referee)
    coarse, fine = (
        max(abs(x - expected[name]) for name, x in places(plant).items()) for plant in plants
    )
    assert fine < 0.6 * coarse and coarse < 0.06


def test_a_position_drive_that_carries_the_weight_settles_beyond_its_reach():
    """It swings about the dead centre, ever less; the crank comes to where the rocker turns."""
    plant, _ = pair(
        PlantSettings(
            integrator='semi_implicit_euler', no_command='free', command_modes=('position',)
        )
    )
    plant.set_state(plant._robot.model.closed_posture, [0.0])
    swings = []
    for _ in range(4000):
        plant.step([FOUR_BAR.near['rocker0'] + 1.0], DT)
        assert not plant.fault and np.isfinite([*places(plant).values(), plant.effort[0]]).all()
        swings.append(plant.q[0])
    furthest = max(swings)
    assert np.ptp(swings[-500:]) < 0.5 * np.ptp(swings[:500]) and plant.passes > 2
    assert abs(np.mean(swings[-500:]) - furthest) < 0.05


def test_a_kinematic_drive_stops_at_a_dead_centre_with_a_sentence():
    """No motion can be prescribed there; a reset lets it go on."""
    plant, _ = pair(PlantSettings(no_command='free', command_modes=('position',), kinematic=True))
    for k in range(1000):
        plant.step([FOUR_BAR.near['rocker0'] + 2.0 * k * DT], DT)
    assert 'in pin0 joints crank0, coupler0 of closed loops do not follow' in plant.fault
    assert np.isfinite([*plant.q, *places(plant).values()]).all()
    plant.reset()
    plant.step([FOUR_BAR.near['rocker0']], DT)
    assert not plant.fault


def test_a_robot_without_a_command_stands_still_at_a_dead_centre():
    """The brakes of a command that is void hold it, and the next command moves it on."""
    plant, _ = pair(PlantSettings(no_command='free', command_timeout=0.01))
    while plant._passage is None:
        assert plant.t < 1.0
        plant.step([0.0], DT)
    for _ in range(20):
        plant.step(None, DT)
    rest = places(plant)
    plant.step(None, DT)
    assert places(plant) == rest and plant.qd == [0.0] and not plant.fault
    for _ in range(50):
        plant.step([5.0], DT)
    assert places(plant)['crank0'] != rest['crank0'] and not plant.fault
