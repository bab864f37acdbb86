# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""First and second derivatives of one state, beside Pinocchio's first ones, in one run.

`loop` is a compiled loop over many states, `python` a call from Python with its checks. Both run
code for one robot. `generic` is a call of the kernels for any robot. `pinocchio` is
computeRNEADerivatives or computeABADerivatives from Python. Times are minima of interleaved
rounds, in microseconds.
"""

import numba
import numpy as np

from benchmark import libraries
from benchmark.chains import read
from benchmark.dynamics.kernels import BANK, _from_python, _one_core, _timed
from robodyn_ros import Robot
from robodyn_ros.codegen.derivative_registry import DERIVATIVES
from robodyn_ros.codegen.registry import FURTHER_RECIPES
from robodyn_ros.codegen.specialise import sizes
from robodyn_ros.compile import generic
from robodyn_ros.robot.dispatch import method_of

FIRST = ('inverse_dynamics_derivatives', 'forward_dynamics_derivatives')
SECOND = ('inverse_dynamics_second_derivatives', 'inverse_dynamics_hessian')
#: Joints, and whether code for one robot is compiled for second derivatives.
ROBOTS = {6: True, 7: True, 14: False, 30: False}
#: Goals: [us] in a compiled loop at seven joints, and the ratio of Pinocchio's time to ours.
GOALS = {
    (7, 'inverse_dynamics_derivatives'): '9 times',
    (7, 'forward_dynamics_derivatives'): '9 times',
    (30, 'inverse_dynamics_derivatives'): '4 times',
    (30, 'forward_dynamics_derivatives'): '4 times',
    (7, 'inverse_dynamics_second_derivatives'): '3 us',
    (7, 'forward_dynamics_second_derivatives'): '10 us',
}
COLUMNS = ('loop', 'python', 'generic', 'pinocchio')


def measure():
    """Return {'robots': {joints: {quantity: {column: us}}}}."""
    return {
        'robots': {str(joints): _robot(joints, long) for joints, long in ROBOTS.items()},
        'libraries': libraries.versions(),
        'unit': 'us',
    }


def _robot(joints, compiled):
    text = read(joints)
    robot = Robot.from_urdf(text)
    face = robot.specialised(also=SECOND if compiled else ())
    rng = np.random.default_rng(0)
    states = dict(
        zip(
            ('q', 'qd', 'qdd', 'multipliers'),
            rng.uniform(-1.0, 1.0, (4, BANK, robot.nv)),
            strict=True,
        )
    )
    states['tau'] = states['qdd']
    others, _ = libraries.find(text, robot.model.body_names[-1])
    rows = {}
    with _one_core():
        for name in (*FIRST, *SECOND):
            rows[name] = _timed(_calls(name, robot, face, states, others))
        forward = _forward(robot, face, states, compiled)
        rows['forward_dynamics_second_derivatives'] = _timed(forward)
    return rows


def _calls(name, robot, face, states, others):
    recipe = (DERIVATIVES | FURTHER_RECIPES)[name]
    given = [states[argument] for argument in recipe.inputs]
    calls = {}
    for key, one in {'python': face, 'generic': robot}.items():
        method_of(one, name)(*(array[0] for array in given))
        calls[key] = _from_python(method_of(one, name), given)
    if name in face.kernels:
        outputs = [np.empty(shape) for shape in sizes(recipe.outputs, robot.model).values()]
        loop, run = _loop(len(given), len(outputs)), face.kernels[name].one.compiled
        calls['loop'] = lambda: loop(run, *given, *outputs, BANK), BANK
    for library in others.values():
        for key, call in library.get(name, {}).items():
            if key == 'pinocchio python':
                calls['pinocchio'] = _from_python(call, given)
    return calls


def _forward(robot, face, states, compiled):
    """Second derivatives of forward dynamics: three kernels, and a fourth that multiplies."""
    n, given = robot.nv, [states[name] for name in ('q', 'qd', 'tau')]
    calls = {
        key: _from_python(one.derivatives.forward_dynamics_second, given)
        for key, one in {'python': face, 'generic': robot}.items()
    }
    if compiled:
        names = ('forward_dynamics', *FIRST[1:], *SECOND[:1])
        runs = [face.kernels[name].one.compiled for name in names]
        runs.append(generic.forward_dynamics_second_derivatives.compiled)
        arrays = [np.empty(n), *(np.empty((n, n)) for _ in range(3))]
        arrays += [np.empty((n, n, n)) for _ in range(10)]
        calls['loop'] = lambda: _forward_loop(*runs, *given, *arrays, BANK), BANK
    return calls


@numba.njit
def _forward_loop(run, first, second, multiply, q, qd, tau, qdd, a, b, c, *rest):
    tensors, count = rest[:10], rest[10]
    for i in range(count):
        run(q[i], qd[i], tau[i], qdd)
        first(q[i], qd[i], tau[i], a, b, c)
        second(q[i], qd[i], qdd, *tensors[:4])
        multiply(a, b, c, *tensors)


def _loop(inputs, outputs):
    """Return a compiled loop over the rows of the inputs."""
    rows, after = (
        ''.join(f'{letter}{k}, ' for k in range(count))
        for letter, count in (('x', inputs), ('o', outputs))
    )
    each = ''.join(f'x{k}[i], ' for k in range(inputs))
    space = {}
    exec(
        f'def loop(run, {rows}{after}n):\n    for i in range(n):\n        run({each}{after})\n',
        space,
    )
    return numba.njit(space['loop'])


def show(result):
    """Print one table for each robot."""
    for joints, rows in result['robots'].items():
        print(f'\n## {joints} joints [us]\n')
        head = ('quantity', *COLUMNS, 'python ratio', 'goal')
        print('| ' + ' | '.join(head) + ' |\n|---' + '|---:' * (len(head) - 1) + '|')
        for name, row in rows.items():
            ratio = f'{row["pinocchio"] / row["python"]:.1f}' if 'pinocchio' in row else '-'
            cells = [f'{row[key]:.2f}' if key in row else '-' for key in COLUMNS]
            goal = GOALS.get((int(joints), name), '-')
            print('| ' + ' | '.join((name, *cells, ratio, goal)) + ' |')
