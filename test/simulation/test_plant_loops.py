# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A simulated mechanism with closed loops publishes closed loops, and keeps its energy.

Gaps are those of the published positions of all joints, by forward kinematics of the tests.
"""

import numpy as np
import pytest

from robodyn_ros.robot.loops.dead_centre import DeadCentres
from robodyn_ros.simulation.all_joints import AllJoints
from robodyn_ros.simulation.faults import Faults
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import PlantSettings
from robodyn_ros.simulation.specialised_step import specialised_step
from support.referees.loop_gaps import loop_gap_rates, loop_gaps
from support.robots.closed_loops import four_bar, several_four_bars
from support.robots.mechanisms import palletizer

DT = 1e-3
ERROR = 1e-12  # [m or rad] of the loops: that of Newton's method at any time, so none grows
HANGING = (-0.7, 1.3, 9.7)  # weight of a four-bar upside down, whose crank then swings
START = np.array((-0.5, 0.6, 0.0))  # of yaw, crank and slide, off their rest
DRIFT = 1e-6  # of the kinetic energy, by the fourth order of the scheme at this step


def advance(plant, count):
    """Advance a plant that nothing commands."""
    for _ in range(count):
        assert plant._step(*plant._arrays, DT, *plant._options) == 0


def gap(mechanism, plant, all_joints):
    """Return the largest gap [m or rad], or rate of one times a second, of the published state."""
    position, velocity, _ = (
        dict(zip(plant.model.all_joint_names, each))
        for each in all_joints.state(plant.q, plant.qd, plant.effort)
    )
    rates = loop_gap_rates(mechanism, position, velocity)
    return max(np.abs(loop_gaps(mechanism, position)).max(), np.abs(rates).max())


@pytest.mark.parametrize('mechanism', [four_bar(), palletizer()], ids=['four-bar', 'palletizer'])
def test_loops_stay_closed_and_energy_stays(mechanism):
    """Two seconds without a drive: positions are a function of q, so nothing drifts."""
    robot = mechanism.robot(gravity=(0.0, 0.0, 0.0))
    settings = PlantSettings(integrator='rk4', no_command='free')
    plant = Plant(robot, settings, robot.model.closed_posture, np.full(robot.nv, 0.2))
    begin, all_joints = robot.energy(plant.q, plant.qd)[0], AllJoints(robot.model)
    for _ in range(20):
        advance(plant, 100)
        assert gap(mechanism, plant, all_joints) < ERROR
    assert np.abs(plant.q - robot.model.closed_posture).max() > 0.05  # it has moved
    assert abs(robot.energy(plant.q, plant.qd)[0] / begin - 1.0) < DRIFT


@pytest.mark.parametrize(
    ('integrator', 'specialised'),
    [('energy_rosenbrock', False), ('energy_rk4', True), ('dop853', True)],
)
def test_a_four_bar_swings_for_a_minute(integrator, specialised):
    """Loops stay closed, and energy as of a tree, to rounding, in steps of its own code too.

    It is 1e-11 of the largest energy, here the potential one. The slide is braked, since it has no
    stops.
    """
    mechanism = four_bar()
    robot = mechanism.robot(gravity=HANGING)
    settings = PlantSettings(integrator=integrator, no_command='free')
    plant = Plant(robot, settings, START)
    if specialised:  # of the implicit step this would compile for minutes
        plant.replace_kernel(specialised_step(robot.model, settings.integrator))
    plant.injected_faults = Faults(stuck_joints=('slide',))
    energies, cranks, worst, all_joints = [], [], 0.0, AllJoints(robot.model)
    for _ in range(100):
        advance(plant, 600)
        energies.append(robot.energy(plant.q, plant.qd))
        cranks.append(plant.q[1])
        worst = max(worst, gap(mechanism, plant, all_joints))
    assert worst < 1e-10
    error = np.sum(energies, axis=1) - sum(robot.energy(START, np.zeros(3)))
    assert np.abs(error).max() < 1e-11 * np.abs(energies).max()
    assert np.ptp(cranks) > 1.0 and np.max(energies, axis=0)[0] > 1.0


def test_a_fault_at_a_dead_centre_names_the_loop():
    """A rocker that leads its crank to the end of its way; the crank could have gone on."""
    plant = Plant(four_bar().robot(independent=['rocker']))
    torque = np.where(np.array(plant.model.joint_names) == 'rocker', 60.0, 0.0)
    while not plant.fault:
        assert plant.t < 1.0
        plant.step(torque, DT)
    assert 'mass matrix' not in plant.fault
    assert 'joints crank, coupler of closed loops do not follow from rocker' in plant.fault
    assert 'such as crank in place of rocker' in plant.fault


def drifting(goal, integrator='semi_implicit_euler'):
    """Return a plant whose rocker leads, with a drive of positions, and its target."""
    robot = several_four_bars(1, further=0).robot(independent=['rocker0'])
    settings = PlantSettings(no_command='free', command_modes=('position',), integrator=integrator)
    plant = Plant(robot, settings)
    return plant, np.array([plant.q[0] + goal])


@pytest.mark.parametrize('goal', [1.2, 2.0, -1.0, -2.0])
def test_a_position_drive_does_not_creep_to_a_dead_centre_without_a_word(goal, monkeypatch):
    """Euler steps would halve the distance each time, while the crank turns fast.

    Without the check of the rank the joints stand still, at a ratio of rates above 1e7.
    """
    plant, target = drifting(goal)
    while not plant.fault:
        assert plant.t < 0.5
        plant.step(target, DT)
    assert 'in pin0 joints crank0, coupler0 of closed loops do not follow' in plant.fault
    assert 'such as crank0 in place of rocker0' in plant.fault and plant.faults == 1
    _, rates, _ = plant._robot.expand(plant.q, [1.0])
    assert np.isfinite(rates).all() and np.abs(rates).max() < 200.0
    monkeypatch.setattr(DeadCentres, 'is_ahead', lambda *_: False)
    plant.reset()
    for _ in range(400):
        plant.step(target, DT)
    _, rates, _ = plant._robot.expand(plant.q, [1.0])
    assert np.abs(rates).max() > 1e7


@pytest.mark.parametrize('goal', [0.7, 0.8])
def test_a_drive_that_stops_short_of_a_dead_centre_is_left_alone(goal):
    """The rocker reaches 0.829 rad; at 0.8 its crank already moves four times as fast."""
    plant, target = drifting(goal)
    for _ in range(1500):
        plant.step(target, DT)
    assert not plant.fault and abs(plant.q[0] - target[0]) < 1e-6


def test_a_fault_elsewhere_does_not_blame_a_dead_centre():
    """A state that leaves all reason where the loops are well led."""
    robot = four_bar().robot(gravity=(0.0, 0.0, 0.0))
    plant = Plant(robot, PlantSettings(largest_speed=1.0))
    plant.step(np.full(robot.nv, 1e4), DT)
    assert 'not finite or too large' in plant.fault and 'dead centre' not in plant.fault


def test_rollouts_stop_before_a_dead_centre_as_plants_do():
    """Each row has the bits of a plant, and its sentence; those that turn back go on.

    With 90 N m in place of 100 the last bits decide whether the rocker stops in time.
    """
    robot = four_bar().robot(independent=['rocker'], gravity=(0.0, 0.0, 0.0))
    plant, count = Plant(robot, PlantSettings(no_command='free')), 400
    lead = np.array(plant.model.joint_names) == 'rocker'
    efforts = np.zeros((4, count, robot.nv))
    efforts[1], efforts[3] = 60.0 * lead, 100.0 * lead
    efforts[2, :20], efforts[2, 20:40] = 60.0 * lead, -60.0 * lead
    found = plant.rollout(plant.q.copy(), 0.0 * plant.qd, efforts, DT)
    for k, row in enumerate(efforts):
        plant.reset()
        stopped = -1
        for step, effort in enumerate(row):
            assert np.array_equal(found.position[k, step], plant.q)
            assert np.array_equal(found.velocity[k, step], plant.qd)
            plant.step(effort, DT)
            if plant.fault and stopped < 0:
                stopped = step
        assert found.blown_up[k] == stopped and bool(found.faults[k]) == (stopped >= 0)
        assert np.array_equal(found.position[k, count], plant.q)
    assert (found.blown_up >= 0).tolist() == [False, True, False, True]
    step = found.blown_up[1]
    assert 'in rollout 1 in pin joints crank, coupler of closed loops' in found.faults[1]
    assert 'do not follow from rocker at a dead centre' in found.faults[1]
    assert f'after step {step}, at t = {(step + 1) * DT:.6g} s' in found.faults[1]


def test_a_rollout_whose_loops_open_returns_to_the_last_closed_state():
    """A long step that leads beyond the reach of the rocker, 0.829 rad, in one go."""
    robot = several_four_bars(1, further=0).robot(independent=['rocker0'], gravity=(0, 0, 0))
    plant = Plant(robot, PlantSettings(integrator='rk4', no_command='free'))
    begin, fast, long = plant.q + 0.829 - 0.3, np.array([80.0]), 0.01
    found = plant.rollout(begin, fast, np.zeros((3, 1)), long)
    plant.set_state(begin, fast)
    for step in range(3):
        assert np.array_equal(found.position[0, step], plant.q)
        assert np.array_equal(found.velocity[0, step], plant.qd)
        plant.step([0.0], long)
    assert 'the loops of pin0 do not close' in plant.fault
    assert found.blown_up.tolist() == [0]
    assert 'in rollout 0 the loops of pin0 do not close' in found.faults[0]
    assert np.array_equal(found.position[0, -1], begin) and not found.velocity[0, -1].any()
