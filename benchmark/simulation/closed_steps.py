# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Steps of mechanisms with closed loops at 1 kHz: two routes of ours, and MuJoCo.

`embedded` is a `Plant` over independent coordinates, `augmented` a `GraspingPlant` over all joints
of the tree, with multipliers. Each has Euler and Runge-Kutta steps. MuJoCo has equality
constraints, and its integrators of the same orders. All are called from Python in turns, on one
core, with the weight alone and without friction. `drift` is the largest change of the energy over
0.2 s, as a share of the largest kinetic energy. `gap` is the largest distance of the frames of a
closure.
"""

import time

import numpy as np

from benchmark import libraries, table
from benchmark.dynamics.closed_chains import mechanisms
from benchmark.dynamics.kernels import _one_core
from robodyn_ros.robot.robot import Robot
from robodyn_ros.simulation import GraspingPlant, Plant, PlantSettings
from support.referees import mechanism_referees
from support.robots.closed_loops import GRAVITY

DT, STEPS, ROUNDS = 1e-3, 200, 5
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
        settings = PlantSettings(
            integrator, no_command='free', damping_scale=0.0, friction_scale=0.0
        )
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
    gap = _largest_gap(mechanism)

    def run(look):
        plant.reset()
        begin = time.perf_counter()
        for _ in range(STEPS):
            plant.step(None, DT)
            if look:
                places = dict(zip(robot.all_joint_names, robot.expand(plant.q)[0]))
                look(*robot.energy(plant.q, plant.qd), gap(places))
        assert not plant.fault, plant.fault
        return 1e6 * (time.perf_counter() - begin) / STEPS

    return run


def _of_mujoco(mechanism, tree, start, order):
    """Return what runs MuJoCo, as `_of_plant` does."""
    import mujoco

    gap = _largest_gap(mechanism)
    model = mechanism_referees._mujoco_model(mechanism)
    model.eq_solimp[:, :2] = mechanism_referees.COMPLIANT[0]
    kinds = mujoco.mjtIntegrator
    model.opt.integrator = {'euler': kinds.mjINT_EULER, 'rk4': kinds.mjINT_RK4}[order]
    model.opt.timestep, model.dof_damping[:], model.dof_frictionloss[:] = DT, 0.0, 0.0
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
                look(*tree.energy(q, qd), gap(dict(zip(names, data.qpos))))
        return 1e6 * (time.perf_counter() - begin) / STEPS

    return run


def _largest_gap(mechanism):
    """Return the function of {joint: position} that finds the largest gap [m]."""
    robot = mechanism.tree()

    def gap(places):
        q = np.array([places[name] for name in robot.joint_names])
        ends = [
            [robot.pose(q, f'{closure.name}_{end}')[:3, 3] for end in 'ab']
            for closure in mechanism.closures
        ]
        return max(np.linalg.norm(a - b) for a, b in ends)

    return gap


def show(result):
    """Print times, drifts and gaps."""
    for name, rows in result['robots'].items():
        table.show(
            f'Steps of {name} at 1 kHz',
            ['way', 'us', 'drift of the energy', 'gap [m]'],
            [
                [way, f'{row["us"]:.1f}', f'{row["drift"]:.1e}', f'{row["gap"]:.1e}']
                for way, row in rows.items()
            ],
        )
