# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""How well each integrator keeps the energy of a free swing, beside those of MuJoCo.

ROBODYN_SWING=3600 python -m benchmark integrators swings for one hour instead of a minute.
"""

import os
import time

import numpy as np

from benchmark import table
from robodyn_ros import Robot
from robodyn_ros.cli.demo import URDF, find
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import METHODS, PlantSettings

STEP = 1e-3  # [s]
SWING = float(os.environ.get('ROBODYN_SWING', 60.0))  # [s]
STRETCH = 10_000  # steps between two looks at the clock
EVERY = 10  # steps between two energies
PARTS = 8  # of the swing, for the trend
START = np.array([0.3, 0.7, -0.4, -1.5, 0.5, 1.0, 0.2])  # [rad], at rest


def measure():
    """Energy error and time of a step of every scheme, for the 7-joint arm without friction."""
    text = find(URDF).read_text().replace('type="revolute"', 'type="continuous"')
    robot = Robot.from_urdf(text)
    result = {'robot': robot.name, 'step_s': STEP, 'swing_s': SWING, 'schemes': {}}
    for integrator in METHODS:
        result['schemes'][integrator] = _errors(robot, *_swing(robot.specialised(), integrator))
    result['schemes'] |= _mujoco(robot, text)
    result['load_average'] = os.getloadavg()
    return result


def _swing(robot, integrator):
    """States of the swing, one in EVERY, and the time of a step [us]."""
    settings = PlantSettings(
        integrator=integrator, no_command='free', damping_scale=0.0, friction_scale=0.0
    )
    plant = Plant(robot, settings)
    q, qd, efforts = START, np.zeros(robot.nv), np.zeros((STRETCH, robot.nv))
    states, spent = [], 0.0
    plant.rollout(q, qd, efforts[:1], STEP)  # compiles
    for _ in range(round(SWING / STEP / STRETCH)):
        begin = time.perf_counter()
        found = plant.rollout(q, qd, efforts, STEP)
        spent += time.perf_counter() - begin
        q, qd = found.position[0, -1], found.velocity[0, -1]
        states += zip(found.position[0, EVERY::EVERY], found.velocity[0, EVERY::EVERY])
        if found.blown_up[0] >= 0:
            break
    return states, 1e6 * spent * STEP / SWING


def _mujoco(robot, text):
    """The same for the integrators of MuJoCo, where it is installed."""
    try:
        import mujoco
    except ImportError:
        return {}
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.timestep = STEP
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    model.dof_damping[:] = model.dof_frictionloss[:] = 0.0
    places = [model.joint(name).qposadr[0] for name in robot.joint_names]
    found = {}
    for name in ('EULER', 'IMPLICITFAST', 'IMPLICIT', 'RK4'):
        model.opt.integrator = getattr(mujoco.mjtIntegrator, f'mjINT_{name}')
        data, states = mujoco.MjData(model), []
        data.qpos[places] = START
        begin = time.perf_counter()
        for _ in range(round(SWING / STEP / EVERY)):
            mujoco.mj_step(model, data, EVERY)
            states.append((data.qpos[places], data.qvel[places]))
        spent = time.perf_counter() - begin
        found[f'MuJoCo {name.lower()}'] = _errors(robot, states, 1e6 * spent * STEP / SWING)
    return found


def _errors(robot, states, step_us):
    """Largest error of the energy and its mean over each part, in the largest kinetic energy."""
    energies = np.array([robot.energy(*(x.copy() for x in state)) for state in states])
    error = energies.sum(axis=1) - robot.energy(START, np.zeros(robot.nv))[1]
    largest = energies[:, 0].max()
    return {
        'largest': float(np.abs(error).max() / largest),
        'parts': [float(part.mean() / largest) for part in np.array_split(error, PARTS)],
        'step_us': step_us,
    }


def show(result):
    """Print the table."""
    euler = result['schemes']['semi_implicit_euler']['step_us']
    table.show(
        f'Free swing of {result["robot"]} at 1 kHz for {result["swing_s"]:.0f} s: error of the '
        'energy in its largest kinetic energy',
        ('scheme', 'largest', 'first eighth', 'last eighth', 'us a step', 'times Euler'),
        [
            (
                name,
                f'{row["largest"]:.1e}',
                f'{row["parts"][0]:.1e}',
                f'{row["parts"][-1]:.1e}',
                f'{row["step_us"]:.2f}',
                f'{row["step_us"] / euler:.1f}',
            )
            for name, row in result['schemes'].items()
        ],
    )
