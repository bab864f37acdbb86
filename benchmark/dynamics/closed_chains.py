# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forward dynamics of robots with closed loops, beside other libraries in one run on one core.

`embedded` is code that gets the positions of the independent joints, and closes the loops at every
call. `given` is code that gets the positions of all joints with closed loops, and
checks that they are closed. `generic` is the kernel for any robot, from either. `tree` is code for
the same bodies with open loops, all joints independent. `operations` are those of one call of each
code; one of a pack of columns counts once. `python` is a call from Python.

Pinocchio uses constraintDynamics, MuJoCo equality constraints. Both get the positions of all
joints with closed loops, as `given` does. They neither close nor check them. Pinocchio's
constraintDynamics takes no mimic joints, so it has no time for the gripper.

Every call gets another of many states. Times are minima of interleaved rounds, in microseconds.
"""

import sys
import time
from pathlib import Path

import numba
import numpy as np

from benchmark import libraries, table
from benchmark.dynamics.kernels import _one_core
from robodyn_ros.codegen.loops.column_packs import from_all_positions
from robodyn_ros.codegen.registry import RECIPES
from robodyn_ros.codegen.specialise import final_recording, specialise
from robodyn_ros.robot.robot import Robot

sys.path.append(str(Path(__file__).resolve().parents[2] / 'test'))  # has the mechanisms
from support.referees import mechanism_referees  # noqa: E402
from support.robots.closed_loops import GRAVITY  # noqa: E402
from support.robots.mechanisms import STANDARD  # noqa: E402

BANK, ROUNDS, PASSES = 256, 15, 4
CODES = 'given', 'embedded'
REACH = 0.02  # [rad or m] largest distance of independent joints from the closed posture
COLUMNS = (
    'given loop',
    'embedded loop',
    'tree loop',
    'given python',
    'embedded python',
    'generic given python',
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
    every, recipe = robot.expand(q)[0], RECIPES['forward_dynamics']
    mine, calls, operations = robot.specialised(), {}, {}
    for name, given in (('generic python', q), ('generic given python', every)):
        calls[name] = each(robot.forward_dynamics, given, qd, tau)
    codes = {
        'tree': (tree, recipe, rng.uniform(-1.0, 1.0, (3, BANK, tree.nv))),
        'embedded': (robot, recipe, (q, qd, tau)),
        'given': (robot, from_all_positions('forward_dynamics', recipe), (every, qd, tau)),
    }
    for name, (own, of_code, states) in codes.items():
        made = specialise(own.model, 'forward_dynamics', of_code)
        if made is None:
            continue
        one, out = made.one.compiled, np.empty(own.nv)
        of_code = of_code.of_model(own.model)
        recording = final_recording('forward_dynamics', of_code, own.model)
        packed = of_code.packed and of_code.packed(
            'forward_dynamics', of_code, own.model, recording
        )
        operations[name] = sum((packed or recording).counts().values())
        assert all(one(*state, out) == 0 for state in zip(*states)), 'the code refuses a state'
        calls[f'{name} loop'] = lambda one=one, states=states, out=out: _loop(one, *states, out)
        if name != 'tree':
            calls[f'{name} python'] = each(mine.forward_dynamics, *states)
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
                call()  # the one before, which may be slow, has left the caches cold
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
    """Print the times, and their ratios."""
    rows = []
    for name, row in result['robots'].items():
        us = row['us']
        cells = [f'{us[each]:.2f}' if each in us else '-' for each in COLUMNS]
        by_tree = [
            f'{us[f"{code} loop"] / us["tree loop"]:.2f}' if f'{code} loop' in us else '-'
            for code in CODES
        ]
        faster = [
            f'{us["pinocchio python"] / us[f"{code} python"]:.1f}'
            if {'pinocchio python', f'{code} python'} <= us.keys()
            else '-'
            for code in CODES
        ]
        size = f'{row["joints"]} / {row["independent"]}'
        lengths = [row['operations'].get(code, '-') for code in (*CODES, 'tree')]
        rows.append([name, size, *lengths, *cells, *by_tree, *faster])
    table.show(
        'Forward dynamics of closed chains [us]',
        [
            'robot',
            'joints',
            *(f'{code} operations' for code in (*CODES, 'tree')),
            *COLUMNS,
            *(f'{code}/tree' for code in CODES),
            *(f'Pinocchio/{code}' for code in CODES),
        ],
        rows,
    )
