# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A simulated mechanism with closed loops keeps them closed, and its energy."""

import numpy as np
import pytest

from robodyn_ros.simulation.faults import Faults
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import PlantSettings
from robodyn_ros.simulation.specialised_step import specialised_step
from support.robots.closed_loops import Referee, four_bar
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


def gap(robot, referee, q):
    """Return the largest error of the closures [m or rad], from the tree alone."""
    by_name = dict(zip(robot.all_joint_names, robot.expand(q)[0]))
    theta = np.array([by_name[joint] for joint in referee.tree.joint_names])
    return np.abs(referee.rows(theta, np.zeros(len(theta)))[0]).max()


@pytest.mark.parametrize('mechanism', [four_bar(), palletizer()], ids=['four-bar', 'palletizer'])
def test_loops_stay_closed_and_energy_stays(mechanism):
    """Two seconds without a drive: positions are a function of q, so nothing drifts."""
    robot, referee = mechanism.robot(gravity=(0.0, 0.0, 0.0)), Referee(mechanism)
    settings = PlantSettings(integrator='rk4', no_command='free')
    plant = Plant(robot, settings, robot.model.closed_posture, np.full(robot.nv, 0.2))
    begin = robot.energy(plant.q, plant.qd)[0]
    for _ in range(20):
        advance(plant, 100)
        assert gap(robot, referee, plant.q) < ERROR
    assert np.abs(plant.q - robot.model.closed_posture).max() > 0.05  # it has moved
    assert abs(robot.energy(plant.q, plant.qd)[0] / begin - 1.0) < DRIFT


@pytest.mark.parametrize('integrator', ['energy_rk4', 'dop853'])
def test_a_four_bar_swings_for_a_minute(integrator):
    """In steps of its own code: loops stay closed, and energy as of a tree, to rounding.

    It is 1e-11 of the largest energy, here the potential one. The slide is braked, since it has no
    stops.
    """
    mechanism = four_bar()
    robot, referee = mechanism.robot(gravity=HANGING), Referee(mechanism)
    settings = PlantSettings(integrator=integrator, no_command='free')
    plant = Plant(robot, settings, START)
    plant.use(specialised_step(robot.model, settings.integrator))
    plant.broken = Faults(stuck_joints=('slide',))
    energies, cranks, worst = [], [], 0.0
    for _ in range(100):
        advance(plant, 600)
        energies.append(robot.energy(plant.q, plant.qd))
        cranks.append(plant.q[1])
        worst = max(worst, gap(robot, referee, plant.q))
    assert worst < 1e-10
    error = np.sum(energies, axis=1) - sum(robot.energy(START, np.zeros(3)))
    assert np.abs(error).max() < 1e-11 * np.abs(energies).max()
    assert np.ptp(cranks) > 1.0 and np.max(energies, axis=0)[0] > 1.0
