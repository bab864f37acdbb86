# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kernels beside other libraries: the same robot, the same states, in one run on one core.

Every call gets another of many states, so that no processor predicts its branches.

- `loop` is a compiled loop over the states: ours by Numba, Pinocchio's own in C++ where it has
one.
  These are rneaInParallel and abaInParallel with one thread.
- `python` is a call from Python by the public interface, with checks of the arguments.
- `generic` is the same with the kernels for any robot.
- `casadi` is the recursion of this package recorded by CasADi, as C code of gcc -O3.

Times are minima of interleaved rounds, in microseconds. Compiling and loading are in seconds of
processor time. Batches use all cores.
"""

import contextlib
import datetime
import math
import os
import tempfile
import time
from pathlib import Path

import numba
import numpy as np

from benchmark import libraries
from benchmark.chains import read
from benchmark.libraries import BANK
from robodyn_ros import Robot
from robodyn_ros.codegen.derivative_registry import DERIVATIVES, WRITTEN_OUT
from robodyn_ros.codegen.parallel_rows import cores
from robodyn_ros.codegen.registry import FRAME_RECIPES, RECIPES, frame_recipes
from robodyn_ros.codegen.specialise import sizes, specialise
from robodyn_ros.robot.dispatch import method_of

#: Many rounds, each shorter than a busy system lets a process run undisturbed [s].
ROUND, CALLS, ROUNDS = 1e-3, 1000, 25
RESULTS = Path(__file__).parents[1] / 'results'
SIZES = (2, 6, 7, 14, 30, 48)
#: States of a batch, fewer where its results would take more memory [byte].
BATCH, MEMORY = 100_000, 400_000_000
QUANTITIES = (
    'inverse_dynamics',
    'gravity_torque',
    'mass_matrix',
    'forward_dynamics',
    'mass_matrix_inverse',
    'coriolis_matrix',
    'jacobian',
    'operational_space_inertia',
    'inverse_dynamics_derivatives',
    'forward_dynamics_derivatives',
)
#: Goals for seven joints, in a compiled loop and from Python [us].
GOALS = {
    'inverse_dynamics': (0.17, 0.36),
    'mass_matrix': (0.10, 0.30),
    'forward_dynamics': (0.30, 0.50),
    'mass_matrix_inverse': (0.40, 0.60),
    'operational_space_inertia': (0.8, 1.2),
    'inverse_dynamics_derivatives': (1.0, 1.5),
}
BATCHES = {'inverse_dynamics': 3, 'forward_dynamics': 3, 'mass_matrix': 1}
LOOPS = {
    1: 'def loop(run, a, {o}, n):\n for i in range(n): run(a[i], {r})\n',
    2: 'def loop(run, a, b, {o}, n):\n for i in range(n): run(a[i], b[i], {r})\n',
    3: 'def loop(run, a, b, c, {o}, n):\n for i in range(n): run(a[i], b[i], c[i], {r})\n',
}


def measure():
    """Return {'robots': {name: {'joints', 'rows': {quantity: numbers}, 'batch'}}}."""
    result = {
        'robots': {},
        'unit': 'us',
        'wrong_counts': [],
        'load': [os.getloadavg()[0]],
        'libraries': libraries.versions(),
    }
    own = ('ROBODYN_CACHE_DIR', 'ROBODYN_BUILT_KERNELS')
    before = {name: os.environ[name] for name in own if name in os.environ}
    with tempfile.TemporaryDirectory() as folder:  # so that compile times are those of a new robot
        os.environ.update(zip(own, (folder, '')))
        try:
            for size in SIZES:
                text = read(size)
                result['robots'][str(size)] = _robot(text, result['wrong_counts'])
        finally:
            for name in own:
                del os.environ[name]
            os.environ.update(before)
    result['load'].append(os.getloadavg()[0])
    return result


def _robot(text, wrong):
    robot = Robot.from_urdf(text)
    rng = np.random.default_rng(0)
    states = dict(zip(('q', 'qd', 'qdd'), rng.uniform(-1.0, 1.0, (3, BANK, robot.nv))))
    states['tau'] = states['qdd']
    frame = robot.model.body_names[-1]
    others, absent = libraries.find(text, frame)
    notes, differing = _disagreements(robot, others, states)
    wrong += differing
    notes += [f'No {library}: {why}' for library, why in absent.items()]
    serve = [
        name
        for name in os.environ.get('ROBODYN_QUANTITIES', '').split() or QUANTITIES
        if name not in FRAME_RECIPES or name in frame_recipes(robot.model, frame)
    ]
    made = {name: _compiled(robot.model, name, frame) for name in serve}
    face = robot.specialised(frames=[frame])
    rows = {}
    with _one_core():
        for name in serve:
            kernels, row = made[name]
            rows[name] = row | _timed(_calls(robot, face, name, frame, kernels, states, others))
    return {
        'name': robot.name,
        'joints': robot.nv,
        'rows': rows,
        'notes': notes,
        'batch': _batches(robot, face),
    }


@contextlib.contextmanager
def _one_core():
    """Keep this process on one core, if the system can."""
    if not hasattr(os, 'sched_setaffinity'):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _disagreements(robot, others, states):
    """Exclude functions that compute something else, and return sentences about them.

    Quantities without an agreeing library have a sentence, too.
    """
    notes, wrong = [], []
    for name in ('inverse_dynamics', 'forward_dynamics', 'mass_matrix'):
        given = [states[argument][0] for argument in RECIPES[name].inputs]
        agree = differ = 0
        for library in others.values():
            for key, call in list(library.get(name, {}).items()):
                if not key.endswith('python'):
                    continue
                gravity = libraries.GRAVITY.get(key, robot.model.gravity)
                ours = _upper(method_of(robot.with_gravity(gravity), name)(*given))
                theirs = _upper(np.array(call(*given)))
                error = np.abs(ours - theirs).max() / np.abs(ours).max()
                if error < 1e-9:
                    agree += 1
                else:
                    differ += 1
                    del library[name][key]
                    notes.append(
                        f'{key} is left out of {name}, from which it differs by '
                        f'{error:.1g} of its size'
                    )
        if differ and not agree:
            wrong.append(f'{robot.name}, {name}: nobody agrees')
    return notes, wrong


def _upper(result):
    """Return a vector itself, and the upper half of a matrix, since Pinocchio fills only that."""
    return result if result.ndim == 1 else np.triu(result)


def _recipe(name):
    return (RECIPES | FRAME_RECIPES | DERIVATIVES)[name]


def _compiled(model, name, frame):
    """Return the kernels of one quantity or None, and the times of compiling and loading them."""
    recipe, at = _recipe(name), frame if name in FRAME_RECIPES else None
    if model.nv > WRITTEN_OUT.get(name, model.nv):
        return None, {}
    row = {}
    for what in ('compile_s', 'load_s'):
        begin = time.process_time()
        made = specialise(model, name, recipe, at)
        if made is None:
            return None, {}
        made.one.compiled  # noqa: B018
        row[what] = time.process_time() - begin
    return made, row


def _calls(robot, face, name, frame, made, states, others):
    """Return {column: (function that calls for all states, number of its calls)}."""
    recipe = _recipe(name)
    given = [states[argument] for argument in recipe.inputs]
    at = [frame] if name in FRAME_RECIPES else []
    calls = {}
    if made:
        outputs = [np.empty(shape) for shape in sizes(recipe.outputs, robot.model).values()]
        loop, run = _loop(len(given), len(outputs)), made.one.compiled
        calls['loop'] = lambda: loop(run, *given, *outputs, BANK), BANK
    for key, one in {'python': face, 'generic': robot}.items():
        method_of(one, name)(*(array[0] for array in given), *at)  # the first call compiles
        calls[key] = _from_python(method_of(one, name), given, at)
    for library in others.values():
        for key, call in library.get(name, {}).items():
            calls[key] = call(given) if key.endswith('loop') else _from_python(call, given)
    return calls


def _from_python(call, given, at=()):
    """Return a function that calls from Python for all states, and the number of its calls."""
    states = [(*(array[i] for array in given), *at) for i in range(BANK)]
    call(*states[0])
    begin = time.perf_counter()
    call(*states[0])
    states = states[: max(1, min(CALLS, int(ROUND / (time.perf_counter() - begin))))]

    def run():
        for state in states:
            call(*state)

    return run, len(states)


def _timed(calls):
    """Return the best time of a call of each, with interleaved rounds [us]."""
    best = dict.fromkeys(calls, np.inf)
    for call, _ in calls.values():
        call()
    for _ in range(ROUNDS):
        for key, (call, count) in calls.items():
            begin = time.perf_counter()
            call()
            best[key] = min(best[key], 1e6 * (time.perf_counter() - begin) / count)
    return best


def _loop(inputs, outputs):
    names = ', '.join(f'o{k}' for k in range(outputs))
    space = {}
    exec(LOOPS[inputs].format(o=names, r=names), space)
    return numba.njit(space['loop'])


def _batches(robot, face):
    """Return the time of one of many states on all cores, specialised and generic [us]."""
    states = np.random.default_rng(1).uniform(-1.0, 1.0, (3, BATCH, robot.nv))
    result = {'cores': cores()}
    for name, count in BATCHES.items():
        shape = (robot.nv,) if count > 1 else (robot.nv, robot.nv)
        k = min(BATCH, MEMORY // (8 * math.prod(shape)))
        given, out = [array[:k] for array in states[:count]], np.empty((k, *shape))
        result[name] = {'of': k} | _timed(
            {
                key: (lambda method=method_of(which, name): method(*given, out=out), k)
                for key, which in (('specialised', face), ('generic', robot))
            }
        )
    return result


COLUMNS = (
    'loop',
    'python',
    'generic',
    'pinocchio loop',
    'pinocchio python',
    'mujoco python',
    'drake python',
    'casadi python',
    'dynibo python',
    'toolbox python',
)


def show(result):
    """Print a table for each robot with ratios to Pinocchio, and write it as Markdown."""
    lines = [_preface(result)]
    for robot in result['robots'].values():
        columns = ('quantity', *COLUMNS, 'loop ratio', 'python ratio', 'compile [s]', 'load [s]')
        rows = [
            (
                name,
                *(_cell(row, key) for key in COLUMNS),
                _ratio(row, 'pinocchio loop', 'loop'),
                _ratio(row, 'pinocchio python', 'python'),
                _cell(row, 'compile_s'),
                _cell(row, 'load_s'),
            )
            for name, row in robot['rows'].items()
        ]
        if robot['joints'] == 7:
            columns += ('goals',)
            rows = [(*row, ' / '.join(map(str, GOALS.get(row[0], '-')))) for row in rows]
        title = f'{robot["name"]}, {robot["joints"]} joints [us]'
        lines += [
            f'\n## {title}\n',
            '| ' + ' | '.join(columns) + ' |',
            '|---' + '|---:' * (len(columns) - 1) + '|',
        ]
        lines += ['| ' + ' | '.join(row) + ' |' for row in rows]
        said = [
            f'{times["of"]} {name} on {robot["batch"]["cores"]} cores, each: '
            f'{times["specialised"]:.3f} us, generic {times["generic"]:.3f} us.'
            for name, times in robot['batch'].items()
            if name != 'cores'
        ]
        said += [f'{note}.' for note in robot['notes']]
        lines += ['', *(f'- {sentence}' for sentence in said)]
    print('\n'.join(lines))
    (RESULTS / 'kernels.md').write_text('\n'.join(lines) + '\n')


def _preface(result):
    """Return what was measured, when, where, and how busy the machine was."""
    where = ', '.join(
        f'{key} {value}' for key, value in (result['machine'] | result['libraries']).items()
    )
    first, last = result['load']
    return (
        f'# Kernels\n\nPrinted by `python -m benchmark kernels` on {datetime.date.today()}. '
        f'Machine: {where}. Load of the machine: {first:.1f} at first and {last:.1f} at last.'
    )


def _cell(row, key):
    return f'{row[key]:.3f}' if key in row else '-'


def _ratio(row, theirs, ours):
    return f'{row[theirs] / row[ours]:.1f}' if theirs in row and ours in row else '-'
