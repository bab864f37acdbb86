# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A simulated mechanism with closed loops keeps them closed, and its energy."""

import numpy as np
import pytest

from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import PlantSettings
from support.closed_loops import Referee, four_bar
from support.mechanisms import palletizer

STEPS, DT = 2000, 1e-3
ERROR = 1e-12  # [m or rad] of the loops: that of Newton's method at any time, so none grows
DRIFT = 1e-6  # of the kinetic energy, by the fourth order of the scheme at this step


@pytest.mark.parametrize('mechanism', [four_bar(), palletizer()], ids=['four-bar', 'palletizer'])
def test_loops_stay_closed_and_energy_stays(mechanism):
    """Two seconds at 1 kHz without a drive: positions are a function of q, so nothing drifts."""
    robot, referee = mechanism.robot(gravity=(0.0, 0.0, 0.0)), Referee(mechanism)
    settings = PlantSettings(integrator='rk4', no_command='free')
    qd = np.full(robot.nv, 0.2)
    plant = Plant(robot, settings, robot.model.closed_posture, qd)
    begin, worst = robot.energy(plant.q, plant.qd)[0], 0.0
    for step in range(STEPS):
        plant.step(np.zeros(robot.nv), DT)
        if step % 100 == 99:
            theta, rates, _ = robot.expand(plant.q, plant.qd)
            by_name = dict(zip(robot.all_joint_names, theta))
            order = np.array([by_name[joint] for joint in referee.tree.joint_names])
            worst = max(worst, np.abs(referee.rows(order, np.zeros(len(order)))[0]).max())
    assert worst < ERROR
    assert np.abs(plant.q - robot.model.closed_posture).max() > 0.05  # it has moved
    assert abs(robot.energy(plant.q, plant.qd)[0] / begin - 1.0) < DRIFT
