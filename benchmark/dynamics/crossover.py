# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forward dynamics by O(n), O(n^2) and O(n^3) methods on chains of 1 to 60 joints.

    python -m benchmark crossover                       # a table, and its results
    python -m benchmark.dynamics.crossover --document   # the page and its picture

Every method is a recursion of the package, compiled for any robot (`generic`). It is also compiled
for one robot (`specialised`) if that takes at most MOST operations.

Times are for many states, in a compiled loop on one core. The least of ROUNDS interleaved rounds
counts, since disturbances only increase a time. Operations are those of the specialised code,
whether it is compiled or not.
"""

import argparse
import inspect
import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numba
import numpy as np

from benchmark import table
from benchmark.chains import chain
from robodyn_ros import Robot
from robodyn_ros.algorithms.core import aba, composite, working_memory
from robodyn_ros.algorithms.variants import dense_forward_dynamics, factored_forward_dynamics
from robodyn_ros.codegen.registry import Recipe
from robodyn_ros.codegen.specialise import record, specialise
from robodyn_ros.compile.kernel import Kernel

SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 18, 20, 24, 28, 32, 40, 48, 60)
MOST = 8000  # operations of specialised code, so that compiling takes seconds
BANK, ROUNDS, SPAN = 64, 25, 3e-4  # states, rounds, least time of one measurement [s]
TOUCH = 0.02  # share by which a method must be faster to count as faster
INPUTS = {'q': ('nv',), 'qd': ('nv',), 'tau': ('nv',)}
RESULTS = Path(__file__).parents[1] / 'results'
DOC = Path(__file__).parents[2] / 'doc' / 'code'


@dataclass(frozen=True)
class Route:
    """One method from torques to accelerations."""

    title: str
    order: int
    recursion: object

    @property
    def recipe(self):
        """Return the recipe of a method for one robot."""
        return Recipe(self.recursion, INPUTS, {'qdd': ('nv',)})


ROUTES = {
    'articulated': Route('articulated bodies', 1, aba.forward_dynamics),
    'factored': Route(
        'innovations factor', 2, factored_forward_dynamics.forward_dynamics_factored
    ),
    'branches': Route('composite bodies, L^T D L', 3, composite.forward_dynamics),
    'dense': Route(
        'composite bodies, dense L D L^T', 3, dense_forward_dynamics.forward_dynamics_dense
    ),
}
FAST = 'articulated'


def measure():
    """Return {'generic', 'specialised': {route: {n: us}}, 'counts': {route: {n: ...}},
    'crossings'}."""
    kernels = {
        name: Kernel(route.recursion, f'crossover {name}') for name, route in ROUTES.items()
    }
    walks = {
        name: _walk(list(inspect.signature(route.recursion).parameters))
        for name, route in ROUTES.items()
    }
    alone = _walk([*INPUTS, 'qdd'])
    result = {
        'unit': 'us',
        'sizes': SIZES,
        'wrong_counts': [],
        'counts': counts(SIZES),
        'generic': {name: {} for name in ROUTES},
        'specialised': {name: {} for name in ROUTES},
    }
    for n in SIZES:
        robot = Robot.from_urdf(chain(n))
        given = _arguments(robot)
        calls = {
            ('generic', name): _call(walks[name], kernels[name].compiled, given, route)
            for name, route in ROUTES.items()
        }
        for name in result['specialised']:
            if sum(result['counts'][name][n]) <= MOST:
                run = specialise(robot.model, f'crossover_{name}', ROUTES[name].recipe).one
                calls['specialised', name] = _call(alone, run.compiled, given, None)
        result['wrong_counts'] += _disagreements(robot, calls)
        for (kind, name), time_of in _timed(calls).items():
            result[kind][name][n] = time_of
    result['crossings'] = crossings(result)
    return result


def counts(sizes):
    """Return {route: {n: (multiplications, additions, divisions)}} of the code for one chain."""
    found = {name: {} for name in ROUTES}
    for n in sizes:
        model = Robot.from_urdf(chain(n)).model
        for name in found:
            kinds = record(name, ROUTES[name].recipe, model).counts()
            found[name][n] = tuple(
                kinds[kind] for kind in ('multiplications', 'additions', 'divisions')
            )
    return found


def crossings(result):
    """Return {'generic', 'specialised', 'operations': {route: crossing with FAST}}."""
    costs = {kind: result[kind] for kind in ('generic', 'specialised')}
    costs['operations'] = {name: _totals(found) for name, found in result['counts'].items()}
    return {
        kind: {name: crossing(found[FAST], found[name]) for name in found if name != FAST}
        for kind, found in costs.items()
    }


def crossing(fast, other):
    """Return the n beyond which `fast` costs less, interpolated between sizes; both are {n: cost}.

    None if it costs less from the first size on, or still more at the last one. None also if
    `other` is nowhere faster by more than TOUCH, which may be noise.
    """
    sizes = [n for n in fast if n in other]
    gain = np.array([other[n] - fast[n] for n in sizes])
    behind = np.flatnonzero(gain <= 0.0)
    most = max((1.0 - other[n] / fast[n] for n in sizes), default=0.0)
    if most <= TOUCH or behind[-1] == len(sizes) - 1:
        return None
    k = behind[-1]
    return float(sizes[k] + (sizes[k + 1] - sizes[k]) * gain[k] / (gain[k] - gain[k + 1]))


def slope(costs):
    """Return d log(cost)/d log(n) between the last size and the largest one up to half of it."""
    last = max(costs)
    half = max(n for n in costs if 2 * n <= last)
    return float(np.log(costs[last] / costs[half]) / np.log(last / half))


def _totals(of_route):
    return {n: sum(kinds) for n, kinds in of_route.items()}


def _walk(names):
    """Return a compiled loop over the states, which calls run(names) with row i of the states."""
    row = ', '.join(f'{name}[i]' if name in INPUTS else name for name in names)
    space = {}
    exec(
        f'def walk(run, repeat, {", ".join(names)}):\n for _ in range(repeat):\n'
        f'  for i in range(q.shape[0]): run({row})\n',
        space,
    )
    return numba.njit(space['walk'])


def _arguments(robot):
    nb, n, rng = len(robot.model.body_names), robot.nv, np.random.default_rng(robot.nv)
    q, qd, tau = rng.uniform(-1.0, 1.0, (3, BANK, n))
    return {
        'topology': robot.model.topology,
        'constants': robot.model.constants,
        'gravity': robot.model.gravity,
        'work': working_memory.allocate(robot.model.topology),
        'q': q,
        'qd': qd,
        'tau': tau,
        'f_ext': np.zeros((nb, 6)),
        'diagonal': np.zeros(n),
        'M': np.zeros((n, n)),
        'F': np.zeros((n, n)),
        'bias': np.zeros(n),
        'qdd': np.zeros(n),
    }


def _call(walk, run, given, route):
    """Return a function of the number of loops over the states, and the last acceleration."""
    names = [*INPUTS, 'qdd'] if route is None else inspect.signature(route.recursion).parameters
    arrays = [given[name] for name in names]
    return lambda repeat: walk(run, repeat, *arrays), given['qdd']


def _disagreements(robot, calls):
    """Compile all methods; return sentences about those whose results differ."""
    found, sentences = {}, []
    for key, (call, qdd) in calls.items():
        call(1)
        found[key] = qdd.copy()
    right = found['generic', FAST]
    for (kind, name), qdd in found.items():
        error = np.abs(qdd - right).max() / np.abs(right).max()
        if not error < 1e-8:
            sentences.append(f'{robot.nv} joints: {name} ({kind}) differs by {error:.1g}')
    return sentences


def _timed(calls):
    """Return the best time of each method for one state [us], with interleaved rounds."""
    repeats = {}
    for key, (call, _) in calls.items():
        begin = time.perf_counter()
        call(1)
        repeats[key] = max(1, round(SPAN / (time.perf_counter() - begin)))
    best = dict.fromkeys(calls, np.inf)
    for _ in range(ROUNDS):
        for key, (call, _) in calls.items():
            begin = time.perf_counter()
            call(repeats[key])
            spent = time.perf_counter() - begin
            best[key] = min(best[key], 1e6 * spent / (repeats[key] * BANK))
    return best


def show(result):
    """Print times, and where articulated bodies become the fastest."""
    for kind in ('generic', 'specialised'):
        names = list(result[kind])
        rows = [
            (
                n,
                *(
                    f'{result[kind][name][n]:.2f}' if n in result[kind][name] else ''
                    for name in names
                ),
            )
            for n in result['sizes']
        ]
        table.show(f'forward dynamics, {kind} [us]', ['joints', *titles(names)], rows)
    print('\n'.join(sentences(result)))


def titles(names):
    """Return the titles of the methods with their order."""
    orders = {1: 'O(n)', 2: 'O(n^2)', 3: 'O(n^3)'}
    return [f'{ROUTES[name].title}, {orders[ROUTES[name].order]}' for name in names]


def sentences(result):
    """Yield sentences on the crossings."""
    for kind, found in result['crossings'].items():
        for name, n in found.items():
            where = 'none among these sizes' if n is None else f'{n:.1f} joints'
            yield f'{kind}: articulated bodies against {ROUTES[name].title}: {where}'


def read():
    """Return the results of the last measurement, with sizes as numbers again."""
    result = json.loads((RESULTS / 'crossover.json').read_text())
    for kind in ('generic', 'specialised', 'counts'):
        result[kind] = {
            name: {int(n): value for n, value in of_route.items()}
            for name, of_route in result[kind].items()
        }
    result['crossings'] = crossings(result)
    return result


if __name__ == '__main__':
    from benchmark.dynamics.crossover_page import write

    parser = argparse.ArgumentParser(
        prog='python -m benchmark.dynamics.crossover',
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument('--document', action='store_true', required=True, help='write doc/')
    parser.parse_args()
    sys.exit(write(read(), DOC))
