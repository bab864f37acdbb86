# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forward dynamics of robots with closed loops, beside other libraries in one run on one core.

`embedded` is code for the robot over its independent joints. It closes the loops at every call.
`generic` is the kernel for any robot. `tree` is code for the same bodies with open loops, all
joints independent. `operations` are those of one call of each code. `python` is a call from
Python.

Pinocchio uses constraintDynamics, MuJoCo equality constraints. Both get the positions of all
joints with closed loops, so they do not close them. Pinocchio's constraintDynamics takes no mimic
joints, so it has no time for the gripper.

Every call gets another of many states. Times are minima of interleaved rounds, in microseconds.
"""

import sys
import time
from pathlib import Path

import numba
import numpy as np

from benchmark import libraries, table
from benchmark.dynamics.kernels import _one_core
from robodyn_ros.codegen.registry import RECIPES
from robodyn_ros.codegen.specialise import record, specialise
from robodyn_ros.robot.robot import Robot

sys.path.append(str(Path(__file__).resolve().parents[2] / 'test'))  # has the mechanisms
from support.referees import mechanism_referees  # noqa: E402
from support.robots.closed_loops import GRAVITY  # noqa: E402
from support.robots.mechanisms import STANDARD  # noqa: E402

BANK, ROUNDS, PASSES = 256, 15, 4
REACH = 0.02  # [rad or m] largest distance of independent joints from the closed posture
COLUMNS = (
    'embedded loop',
    'tree loop',
    'embedded python',
    'generic python',
    'pinocchio python',
    'mujoco python',
)


@numba.njit
def _loop(run, q, qd, tau, qdd):
    for i in range(len(q)):
        run(q[i], qd[i], tau[i], qdd)


def mechanisms():
    """Return {name: Mechanism}."""
    names = ('gripper', 'arm with a four-bar', 'palletizer', 'Delta', 'two arms with a bar')
    return {name: STANDARD[name] for name in names}


def measure():
    """Return {'robots': {name: {'joints', 'independent', 'operations', 'us': {column: time}}}}."""
    robots = {name: _measured(each) for name, each in mechanisms().items()}
    return {'robots': robots, 'unit': 'us', 'libraries': libraries.versions()}


def _measured(mechanism):
    robot, rng = mechanism.robot(), np.random.default_rng(0)
    tree = Robot.from_description(mechanism.description, gravity=GRAVITY)
    q = robot.model.closed_posture + rng.uniform(-REACH, REACH, (BANK, robot.nv))
    qd, tau = rng.uniform(-1.0, 1.0, (2, BANK, robot.nv))
    calls, operations = {'generic python': each(robot.forward_dynamics, q, qd, tau)}, {}
    codes = {'tree': (tree, rng.uniform(-1.0, 1.0, (3, BANK, tree.nv)))}
    if specialise(robot.model, 'forward_dynamics', RECIPES['forward_dynamics']):
        codes['embedded'] = robot, (q, qd, tau)
        calls['embedded python'] = each(robot.specialised().forward_dynamics, q, qd, tau)
    for name, (own, states) in codes.items():
        made = specialise(own.model, 'forward_dynamics', RECIPES['forward_dynamics'])
        one, out = made.one.compiled, np.empty(own.nv)
        recording = record('forward_dynamics', RECIPES['forward_dynamics'], own.model)
        operations[name] = sum(recording.counts().values())
        assert all(one(*state, out) == 0 for state in zip(*states)), 'the code refuses a state'
        calls[f'{name} loop'] = lambda one=one, states=states, out=out: _loop(one, *states, out)
    calls |= {
        f'{library} python': call
        for library, call in _others(mechanism, robot, q, qd, tau).items()
    }
    times = minima(calls)
    return {
        'joints': len(robot.all_joint_names),
        'independent': robot.nv,
        'operations': operations,
        'us': {name: times[name] for name in COLUMNS if name in times},
    }


def minima(calls):
    """Return {name: least time of one call [us]}, from functions that make BANK calls."""
    for call in calls.values():
        call()
    times = dict.fromkeys(calls, np.inf)
    with _one_core():
        for _ in range(ROUNDS):
            for name, call in calls.items():
                begin = time.perf_counter()
                for _ in range(PASSES):
                    call()
                took = (time.perf_counter() - begin) / (PASSES * BANK)
                times[name] = min(times[name], 1e6 * took)
    return times


def each(function, *states):
    """Return a call of a function for each of several states."""
    rows = list(zip(*states))

    def run():
        for row in rows:
            function(*row)

    return run


def _others(mechanism, robot, q, qd, tau):
    """Return {library: call for all states} of the installed libraries that read the mechanism."""
    states = [
        [dict(zip(names, values)) for names, values in zip(_names(robot), each)]
        for each in zip(*(robot.expand(q, qd)[:2]), tau)
    ]
    found = {}
    for library in ('mujoco',) if mechanism.followers else ('pinocchio', 'mujoco'):
        try:
            prepare = getattr(mechanism_referees, f'prepared_{library}')
            found[library] = prepare(mechanism, states)
        except ImportError:
            continue
    return found


def _names(robot):
    return robot.all_joint_names, robot.all_joint_names, robot.joint_names


def show(result):
    """Print the times, and the two ratios."""
    rows = []
    for name, row in result['robots'].items():
        us = row['us']
        cells = [f'{us[each]:.2f}' if each in us else '-' for each in COLUMNS]
        by_tree = us['embedded loop'] / us['tree loop'] if 'embedded loop' in us else np.nan
        best = us.get('embedded python', us['generic python'])
        faster = us['pinocchio python'] / best if 'pinocchio python' in us else np.nan
        size = f'{row["joints"]} / {row["independent"]}'
        lengths = [row['operations'].get(code, '-') for code in ('embedded', 'tree')]
        rows.append([name, size, *lengths, *cells, f'{by_tree:.2f}', f'{faster:.1f}'])
    table.show(
        'Forward dynamics of closed chains [us]',
        [
            'robot',
            'joints',
            'embedded operations',
            'tree operations',
            *COLUMNS,
            'embedded/tree',
            'Pinocchio/ours',
        ],
        rows,
    )
