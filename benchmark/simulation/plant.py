# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Speed of the plant at 1 kHz against real time: alone from Python, and many at once."""

import os
import time

import numpy as np

from benchmark import table
from robodyn_ros import Robot
from robodyn_ros.cli.demo import URDF
from robodyn_ros.codegen.parallel_rows import cores
from robodyn_ros.model.sources.examples import package_file
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import PlantSettings

STEP, STEPS = 1e-3, 20_000
PLANTS, LENGTH = 1000, 100  # of the rollouts
ROUNDS = 3
GOAL = 100.0  # times real time
SCHEMES = (('semi_implicit_euler', 1), ('semi_implicit_euler', 4), ('rk4', 1))


def measure():
    """Return microseconds per step, generic and specialised in turns, best of the rounds."""
    generic = Robot.from_urdf(package_file(URDF))
    robots = {'generic': generic, 'specialised': generic.specialised()}
    result = {'robot': generic.name, 'goal': GOAL, 'cores': cores(), 'schemes': {}}
    for integrator, substeps in SCHEMES:
        settings = PlantSettings(integrator=integrator, substeps=substeps)
        plants = {kind: Plant(robot, settings) for kind, robot in robots.items()}
        row = result['schemes'][f'{integrator}, {substeps} substeps'] = {}
        for way, run in (('step_us', _alone), ('rollout_us', _together)):
            best = dict.fromkeys(plants, np.inf)
            for _ in range(ROUNDS):
                for kind, plant in plants.items():
                    best[kind] = min(best[kind], run(plant))
            row |= {f'{kind}_{way}': value for kind, value in best.items()}
        row['times_real_time'] = 1e6 * STEP / row['specialised_step_us']
    result['load_average'] = os.getloadavg()
    return result


def _alone(plant):
    """Return the time of a step of one plant, called from Python [us]."""
    plant.reset()
    effort = Robot(plant.model).gravity_torque(plant.q)
    plant.step(effort, STEP)
    begin = time.perf_counter()
    for _ in range(STEPS):
        plant.step(effort, STEP)
    return 1e6 * (time.perf_counter() - begin) / STEPS


def _together(plant):
    """Return the time of many plants on all cores, per step of one plant [us]."""
    rng, n = np.random.default_rng(0), plant.model.nv
    plant.reset()
    efforts = rng.normal(Robot(plant.model).gravity_torque(plant.q), 1.0, (PLANTS, LENGTH, n))
    begin = time.perf_counter()
    plant.rollout(plant.q, np.zeros(n), efforts, STEP)
    return 1e6 * (time.perf_counter() - begin) / (PLANTS * LENGTH)


def show(result):
    """Print the table."""
    columns = [
        f'{kind}_{way}' for way in ('step_us', 'rollout_us') for kind in ('generic', 'specialised')
    ]
    table.show(
        f'Plant of {result["robot"]} at 1 kHz, from Python, and {PLANTS} plants on '
        f'{result["cores"]} cores (goal: {result["goal"]:.0f} times real time)',
        ('scheme', 'times real time', *(column.replace('_', ' ') for column in columns)),
        [
            (name, f'{row["times_real_time"]:.0f}', *(f'{row[column]:.2f}' for column in columns))
            for name, row in result['schemes'].items()
        ],
    )
