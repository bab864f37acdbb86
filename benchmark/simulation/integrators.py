# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Energy errors of a free swing by each integrator, beside those of MuJoCo.

ROBODYN_SWING=3600 python -m benchmark integrators swings for one hour instead of a minute.
ROBODYN_SWING=0 measures only the times of the steps, beside the errors of the last run. `python -m
benchmark.simulation.integrators_page` writes table and picture of the last run to doc/.
"""

import json
import os
import time

import numpy as np

from benchmark import table
from benchmark.__main__ import RESULTS
from robodyn_ros import Robot
from robodyn_ros.cli.demo import URDF
from robodyn_ros.model.sources.examples import package_file
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import METHODS, PlantSettings

STEP = 1e-3  # [s]
SWING = float(os.environ.get('ROBODYN_SWING', 60.0))  # [s]
STRETCH = 10_000  # steps between two checks of the state
EVERY = 10  # steps between two energies
PARTS = 60  # of the swing, for the trend and the picture
START = np.array([0.3, 0.7, -0.4, -1.5, 0.5, 1.0, 0.2])  # [rad], at rest
TIMED, ROUNDS = 1000, 40  # steps from START, the same for all; rounds, of which the best counts
SCALE = 'energy_rk4'  # its largest kinetic energy is the unit of all errors
LOST = 0.1  # of that energy: error of a useless swing
DRIFT = 3.0  # standard deviations of a walk without a trend


def measure():
    """Return energy error and step time of every scheme, for the 7-joint arm without friction."""
    text = package_file(URDF).read_text().replace('type="revolute"', 'type="continuous"')
    generic = Robot.from_urdf(text)
    robots = {'generic': generic, 'specialised': generic.specialised()}
    result = {'robot': generic.name, 'step_s': STEP, 'swing_s': SWING, 'schemes': {}}
    runs = {}
    for integrator in METHODS:
        for kind, robot in robots.items():
            runs[integrator, kind] = _ours(robot, integrator)
    runs |= _mujoco(generic, text)
    times = _times(runs)
    if not SWING:
        return _with_times(times)
    swings = {
        name: _energies(generic, run) for (name, kind), run in runs.items() if kind != 'generic'
    }
    unit = swings[SCALE][:, 0].max()
    for name, energies in swings.items():
        error = (energies.sum(axis=1) - generic.energy(START, np.zeros(generic.nv))[1]) / unit
        result['schemes'][name] = errors(error) | {'step_us': _own(times, name)}
    result['load_average'] = os.getloadavg()
    return result


def _with_times(times):
    """Return the last result with newly measured times."""
    result = json.loads((RESULTS / 'integrators.json').read_text())
    for name, row in result['schemes'].items():
        row['step_us'] = _own(times, name)
    return result


def _own(times, name):
    return {kind: spent for (each, kind), spent in times.items() if each == name}


def _ours(robot, integrator):
    """Return a function run(q, qd, steps) that integrates until positions are not finite.

    It returns one state in EVERY.
    """
    settings = PlantSettings(
        integrator=integrator, no_command='free', damping_scale=0.0, friction_scale=0.0
    )
    plant = Plant(robot, settings)

    def run(q, qd, steps):
        found = plant.rollout(q, qd, np.zeros((steps, robot.nv)), STEP)
        end = steps + 1 if found.blown_up[0] < 0 else found.blown_up[0] + 1
        return found.position[0, EVERY:end:EVERY], found.velocity[0, EVERY:end:EVERY]

    return run


def _mujoco(robot, text):
    """Return such functions for the integrators of MuJoCo, if it is installed."""
    try:
        import mujoco
    except ImportError:
        return {}
    runs = {}
    for name in ('EULER', 'IMPLICITFAST', 'IMPLICIT', 'RK4'):
        model = mujoco.MjModel.from_xml_string(text)
        model.opt.timestep = STEP
        model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
        model.dof_damping[:] = model.dof_frictionloss[:] = 0.0
        model.opt.integrator = getattr(mujoco.mjtIntegrator, f'mjINT_{name}')
        places = [model.joint(joint).qposadr[0] for joint in robot.joint_names]
        runs[f'MuJoCo {name.lower()}', 'MuJoCo'] = _theirs(mujoco, model, places)
    return runs


def _theirs(mujoco, model, places):
    data = mujoco.MjData(model)

    def run(q, qd, steps):
        mujoco.mj_resetData(model, data)
        data.qpos[places], data.qvel[places] = q, qd
        position, velocity = np.empty((2, steps // EVERY, len(places)))
        for k in range(steps // EVERY):
            mujoco.mj_step(model, data, EVERY)
            position[k], velocity[k] = data.qpos[places], data.qvel[places]
            if data.warning[mujoco.mjtWarning.mjWARN_BADQACC].number:
                return position[:k], velocity[:k]
        return position, velocity

    return run


def _times(runs):
    """Return the processor time of a step of each integrator [us]: a second of the swing, in
    turns.

    The time of a run of a few steps, mostly overhead of the call, is subtracted.
    """
    best = {(name, steps): np.inf for name in runs for steps in (EVERY, TIMED)}
    for _ in range(ROUNDS + 1):  # the first round compiles
        for name, steps in best:
            begin = time.process_time()
            position, _ = runs[name](START, np.zeros_like(START), steps)
            spent = time.process_time() - begin
            if len(position) != steps // EVERY:
                raise RuntimeError(f'{name} did not take its {steps} steps')
            best[name, steps] = min(best[name, steps], 1e6 * spent)
    return {name: (best[name, TIMED] - best[name, EVERY]) / (TIMED - EVERY) for name in runs}


def _energies(robot, run):
    """Return kinetic and potential energy [J] of the swing, in every EVERY-th state."""
    q, qd, found = START, np.zeros_like(START), []
    for _ in range(round(SWING / STEP / STRETCH)):
        position, velocity = run(q, qd, STRETCH)
        found += [robot.energy(x.copy(), v.copy()) for x, v in zip(position, velocity)]
        if len(position) < STRETCH // EVERY:
            break
        q, qd = position[-1], velocity[-1]
    return np.array(found)


def errors(error):
    """Return figures of the energy error over time.

    Parameters
    ----------
    error : (k,) ndarray
        Errors of the energy, one in EVERY steps, in units of the energy of SCALE.

    Returns
    -------
    dict
        'largest': the largest magnitude. 'an_hour': the slope of the fitted line, per hour.
        'deviations': the gain from the first to the last part, over a root. That is the root of
        the sum of the squared gains from part to part. A random walk without a trend has a
        standard deviation of 1 in this number. A steady gain has the root of the number of parts.
        'lost_s': the time at which the error exceeded LOST, or None.
    """
    beyond = np.flatnonzero(~(np.abs(error) < LOST))
    lost = len(beyond) > 0 or len(error) < round(SWING / STEP / EVERY)
    end = beyond[0] if len(beyond) else len(error)
    parts = np.array_split(error[:end], min(PARTS, end))
    means = np.array([part.mean() for part in parts])
    times = (np.arange(len(means)) + 0.5) * end * STEP * EVERY / len(means)
    gains = np.diff(means)
    return {
        'largest': float(np.abs(error[:end]).max()),
        'an_hour': float(3600.0 * np.polyfit(times, means, 1)[0]),
        'deviations': float(gains.sum() / np.sqrt(gains @ gains)) if gains.any() else 0.0,
        'lost_s': float(end * STEP * EVERY) if lost else None,
        'times_s': times.tolist(),
        'parts': means.tolist(),
    }


def trend(row):
    """Return the trend of one scheme in words."""
    if row['lost_s'] is not None:
        return f'lost after {row["lost_s"]:.1f} s'
    number = f'{row["deviations"]:+.1f}'
    return f'none ({number})' if abs(row['deviations']) < DRIFT else f'yes ({number})'


def rows(result):
    """Return the cells of the table."""
    schemes = result['schemes']
    unit = schemes['semi_implicit_euler']['step_us']
    for name, row in schemes.items():
        lost, spent = row['lost_s'] is not None, row['step_us']
        yield (
            name,
            '-' if lost else f'{row["largest"]:.1e}',
            '-' if lost else f'{row["an_hour"]:+.1e}',
            trend(row),
            *(f'{spent[kind]:.2f}' if kind in spent else '-' for kind in unit),
            *(f'{spent[kind] / unit[kind]:.2f}' if kind in spent else '-' for kind in unit),
            f'{spent["MuJoCo"]:.2f}' if 'MuJoCo' in spent else '-',
        )


COLUMNS = (
    'scheme',
    'largest error',
    'slope an hour',
    'trend (deviations)',
    'generic [us]',
    'specialised [us]',
    'generic / Euler',
    'specialised / Euler',
    'MuJoCo [us]',
)


def show(result):
    """Print the table."""
    table.show(
        f'Free swing of {result["robot"]} at 1 kHz for {result["swing_s"]:.0f} s: error of the '
        'energy in the largest kinetic energy',
        COLUMNS,
        rows(result),
    )
