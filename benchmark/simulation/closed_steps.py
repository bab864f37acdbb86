# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Steps of mechanisms with closed loops at 1 kHz: two routes of ours, and MuJoCo.

`embedded` is a `Plant` over independent coordinates, `augmented` a `GraspingPlant` over all joints
of the tree, with multipliers. Each has Euler and Runge-Kutta steps. MuJoCo has equality
constraints, and its integrators of the same orders. All are called from Python in turns, on one
core, with the weight alone. `drift` is the largest change of the energy over a second, as a share
of the largest kinetic energy, and `gap` the largest opening of a loop.
"""

import time

import numpy as np

from benchmark import libraries, table
from benchmark.dynamics.closed_chains import mechanisms
from benchmark.dynamics.kernels import _one_core
from robodyn_ros.robot.robot import Robot
from robodyn_ros.simulation import GraspingPlant, Plant, PlantSettings
from support.referees import mechanism_referees
from support.referees.loop_gaps import loop_gaps
from support.robots.closed_loops import GRAVITY

DT, STEPS, ROUNDS = 1e-3, 1000, 3
NAMES = 'arm with a four-bar', 'palletizer', 'two arms with a bar'
ORDERS = {'euler': 'semi_implicit_euler', 'rk4': 'rk4'}


def measure():
    """Return {'robots': {name: {way: {'us', 'drift', 'gap'}}}}."""
    found = {name: _measured(mechanisms()[name]) for name in NAMES}
    return {'robots': found, 'unit': 'us', 'libraries': libraries.versions()}


def _measured(mechanism):
    """Return times, drifts and gaps of all ways for one mechanism."""
    embedded = mechanism.robot()
    tree = Robot.from_description(mechanism.description, gravity=GRAVITY)
    start = dict(zip(embedded.all_joint_names, embedded.expand(embedded.model.closed_posture)[0]))
    runs = {}
    for order, integrator in ORDERS.items():
        settings = PlantSettings(integrator=integrator, no_command='free')
        plants = {
            'embedded': Plant(embedded, settings),
            'augmented': GraspingPlant(
                tree, mechanism.closures, settings, [start[name] for name in tree.joint_names]
            ),
        }
        for route, plant in plants.items():
            runs[f'{route} {order}'] = _of_plant(mechanism, Robot(plant.model), plant)
        try:
            runs[f'mujoco {order}'] = _of_mujoco(mechanism, tree, start, order)
        except ImportError:
            continue
    rows = {way: {'us': np.inf} for way in runs}
    with _one_core():
        for _ in range(ROUNDS):
            for way, run in runs.items():
                rows[way]['us'] = min(rows[way]['us'], run(None))
    for way, run in runs.items():
        found = []
        run(lambda *values: found.append(values))
        kinetic, potential, gaps = np.array(found).T
        drift = np.ptp(kinetic + potential) / kinetic.max()
        rows[way] |= {'drift': float(drift), 'gap': float(gaps.max())}
    return rows


def _of_plant(mechanism, robot, plant):
    """Return what runs a plant: with a function it calls that, without one it returns a time."""

    def run(look):
        plant.reset()
        begin = time.perf_counter()
        for _ in range(STEPS):
            plant.step(None, DT)
            if look:
                places = dict(zip(robot.all_joint_names, robot.expand(plant.q)[0]))
                look(*robot.energy(plant.q, plant.qd), _largest_gap(mechanism, places))
        return 1e6 * (time.perf_counter() - begin) / STEPS

    return run


def _of_mujoco(mechanism, tree, start, order):
    """Return what runs MuJoCo, as `_of_plant` does."""
    import mujoco

    model = mechanism_referees._mujoco_model(mechanism)
    model.eq_solimp[:, :2] = mechanism_referees.COMPLIANT[0]
    kinds = mujoco.mjtIntegrator
    model.opt.integrator = {'euler': kinds.mjINT_EULER, 'rk4': kinds.mjINT_RK4}[order]
    model.opt.timestep = DT
    data, names = mujoco.MjData(model), [model.joint(k).name for k in range(model.njnt)]
    order_of_tree = [names.index(name) for name in tree.joint_names]

    def run(look):
        mujoco.mj_resetData(model, data)
        data.qpos[:] = [start[name] for name in names]
        begin = time.perf_counter()
        for _ in range(STEPS):
            mujoco.mj_step(model, data)
            if look:
                q, qd = data.qpos[order_of_tree], data.qvel[order_of_tree]
                look(*tree.energy(q, qd), _largest_gap(mechanism, dict(zip(names, data.qpos))))
        return 1e6 * (time.perf_counter() - begin) / STEPS

    return run


def _largest_gap(mechanism, places):
    return np.abs(loop_gaps(mechanism, places)).max()


def show(result):
    """Print times, drifts and gaps."""
    for name, rows in result['robots'].items():
        table.show(
            f'Steps of {name} at 1 kHz',
            ['way', 'us', 'drift of the energy', 'gap [m or rad]'],
            [
                [way, f'{row["us"]:.1f}', f'{row["drift"]:.1e}', f'{row["gap"]:.1e}']
                for way, row in rows.items()
            ],
        )
