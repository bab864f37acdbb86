"""Kernels beside Pinocchio and MuJoCo: the same robot, the same states, in one run on one core.

Every call gets another state of a bank, so that no processor learns it by heart. `loop` is a
compiled loop over the bank (ours: numba; Pinocchio: its own C++ loop, rneaInParallel and
abaInParallel with one thread, where it has one); `python` is a call from Python through the public
face, argument checks included; `generic` the same with kernels for any robot. Minima of
interleaved rounds, in microseconds; compiling and loading in seconds of processor time.
"""
import os
import tempfile
import time
from pathlib import Path

import numba
import numpy as np

from benchmark import table
from benchmark.chains import read
from robodyn_ros import Robot, specialised
from robodyn_ros.kernels.batch import cores, share_out
from robodyn_ros.kernels.derivatives import DERIVATIVES
from robodyn_ros.kernels.specialise import FRAME_RECIPES, RECIPES, sizes, specialise

BANK, CALLS, ROUNDS = 1024, 2000, 7
RESULTS = Path(__file__).parent / 'results'
SIZES = (2, 6, 7, 14, 30, 48)
BATCH = 100_000
#: What every robot is measured in; the others only with at most SMALL joints.
ALWAYS = ('inverse_dynamics', 'gravity_torque', 'mass_matrix', 'forward_dynamics')
QUANTITIES = (*ALWAYS, 'mass_matrix_inverse', 'operational_space', 'inverse_dynamics_derivatives',
              'forward_dynamics_derivatives')
SMALL = 14
LOOPS = {1: 'def loop(run, a, {o}, n):\n for i in range(n): run(a[i], {r})\n',
         2: 'def loop(run, a, b, {o}, n):\n for i in range(n): run(a[i], b[i], {r})\n',
         3: 'def loop(run, a, b, c, {o}, n):\n for i in range(n): run(a[i], b[i], c[i], {r})\n'}


def measure():
    """{'robots': {name: {'joints', 'rows': {quantity: numbers}, 'batch'}}}."""
    result = {'robots': {}, 'unit': 'us', 'batch_of': BATCH, 'wrong_counts': []}
    before = os.environ.get('ROBODYN_CACHE_DIR')
    with tempfile.TemporaryDirectory() as folder:  # so that compile times are those of a new robot
        os.environ['ROBODYN_CACHE_DIR'] = folder
        try:
            for size in SIZES:
                text = read(size)
                result['robots'][str(size)] = _robot(text, result['wrong_counts'])
        finally:
            os.environ.pop('ROBODYN_CACHE_DIR')
            if before is not None:
                os.environ['ROBODYN_CACHE_DIR'] = before
    return result


def _robot(text, wrong):
    robot = Robot.from_urdf(text)
    rng = np.random.default_rng(0)
    states = dict(zip(('q', 'qd', 'qdd'), rng.uniform(-1.0, 1.0, (3, BANK, robot.nv))))
    states['tau'] = states['qdd']
    frame = robot.model.body_names[-1]
    others = [library for library in (_pinocchio(text, frame), _mujoco(text)) if library]
    rows = {}
    for library in others:
        wrong += _disagreements(robot, library, states)
    for name in QUANTITIES:
        if robot.nv <= SMALL or name in ALWAYS:
            rows[name] = _row(robot, name, frame, states, others)
    return {'name': robot.name, 'joints': robot.nv, 'rows': rows, 'batch': _batch(robot)}


def _disagreements(robot, library, states):
    """Sentences about quantities that another library computes differently: no race, then."""
    sentences = []
    for name in ('inverse_dynamics', 'forward_dynamics', 'mass_matrix'):
        given = [states[argument][0] for argument in RECIPES[name].inputs]
        ours = _upper(getattr(robot, name)(*given))
        for key, call in library[name].items():
            if key.endswith('python'):
                theirs = _upper(call(*given))
                error = np.abs(ours - theirs).max() / np.abs(ours).max()
                if not error < 1e-9:
                    sentences.append(f'{robot.name}, {name}: {key} differs by {error:.1g}')
    return sentences


def _upper(result):
    """A vector as it is; of a matrix the upper half, as Pinocchio leaves the lower one alone."""
    return result if result.ndim == 1 else np.triu(result)


def _row(robot, name, frame, states, others):
    """Numbers of one quantity."""
    recipe = (RECIPES | FRAME_RECIPES | DERIVATIVES)[name]
    at = frame if name in FRAME_RECIPES else None
    begin = time.process_time()
    made = specialise(robot.model, name, recipe, at)
    row = {}
    if made:
        made.one.compiled
        row['compile_s'] = time.process_time() - begin
        begin = time.process_time()
        again = specialise(robot.model, name, recipe, at)
        again.one.compiled
        row['load_s'] = time.process_time() - begin
    given = [states[argument] for argument in recipe.inputs]
    outputs = [np.empty(shape) for shape in sizes(recipe.outputs, robot.model).values()]
    calls = {}
    if made:
        loop = _loop(len(given), len(outputs))
        run = made.one.compiled
        calls['loop'] = lambda: loop(run, *given, *outputs, BANK), BANK
        calls['python'] = _from_python(_face(robot, made, name, outputs), given)
    if name in RECIPES:
        calls['generic'] = _from_python(getattr(robot, name), given)
    for library in others:
        for key, call in library.get(name, {}).items():
            calls[key] = call(given) if callable(call) and key.endswith('loop') else (
                _from_python(call, given))
    row |= _timed(calls)
    return row


def _face(robot, made, name, outputs):
    """The public method over one kernel, as SpecialisedRobot installs it."""
    run = made.one.compiled
    kinds = {1: specialised._of_one, 2: specialised._of_two, 3: specialised._of_three}
    if len(outputs) == 1:
        return kinds[len(RECIPES[name].inputs)](run, None, None, outputs[0].shape)
    shapes = [array.shape for array in outputs]

    def several(*given):
        results = [np.empty(shape) for shape in shapes]
        run(*given, *results)
        return results
    return several


def _from_python(call, given):
    """Calls from Python over the bank, and how many there are."""
    states = [tuple(array[i] for array in given) for i in range(BANK)] * (1 + CALLS // BANK)
    states = states[:CALLS]

    def run():
        for state in states:
            call(*state)
    return run, CALLS


def _timed(calls):
    """Best time a call of each, with the rounds interleaved [us]."""
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


def _batch(robot):
    """Inverse dynamics of many states on all cores, specialised and generic [us each]."""
    states = np.random.default_rng(1).uniform(-1.0, 1.0, (3, BATCH, robot.nv))
    out = np.empty((BATCH, robot.nv))
    made = specialise(robot.model, 'inverse_dynamics', RECIPES['inverse_dynamics'])
    rows = made.rows.compiled
    calls = {'specialised': (lambda: share_out(BATCH, lambda first, last: rows(
                 *states, out, first, last)), BATCH),
             'generic': (lambda: robot.inverse_dynamics(*states, out=out), BATCH)}
    return _timed(calls) | {'cores': cores()}


def _pinocchio(text, frame):
    """Calls of Pinocchio by quantity; None where it is not installed."""
    try:
        import pinocchio as pin
    except ImportError:
        return None
    model = pin.buildModelFromXML(text)
    data, pool = model.createData(), pin.ModelPool(model, 1)
    number = model.getFrameId(frame)
    world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED

    def compliance(q):
        J = pin.computeFrameJacobian(model, data, q, number, world)
        return J, J @ pin.computeMinverse(model, data, q) @ J.T

    def inside(run):
        def of(given):
            columns = [np.asfortranarray(array.T) for array in given]
            return lambda: run(1, pool, *columns), BANK
        return of

    return {
        'inverse_dynamics': {'pinocchio loop': inside(pin.rneaInParallel),
                             'pinocchio python': lambda *x: pin.rnea(model, data, *x)},
        'gravity_torque': {
            'pinocchio python': lambda q: pin.computeGeneralizedGravity(model, data, q)},
        'mass_matrix': {'pinocchio python': lambda q: pin.crba(model, data, q)},
        'forward_dynamics': {'pinocchio loop': inside(pin.abaInParallel),
                             'pinocchio python': lambda *x: pin.aba(model, data, *x)},
        'mass_matrix_inverse': {'pinocchio python': lambda q: pin.computeMinverse(model, data, q)},
        'operational_space': {'pinocchio python': compliance},
        'inverse_dynamics_derivatives': {
            'pinocchio python': lambda *x: pin.computeRNEADerivatives(model, data, *x)},
        'forward_dynamics_derivatives': {
            'pinocchio python': lambda *x: pin.computeABADerivatives(model, data, *x)}}


def _mujoco(text):
    """Calls of MuJoCo, without contacts and constraints; None where it is not installed."""
    try:
        import mujoco
    except ImportError:
        return None
    model = mujoco.MjModel.from_xml_string(text)
    for name in ('CONSTRAINT', 'CONTACT', 'ACTUATION', 'PASSIVE', 'SPRING', 'DAMPER'):
        model.opt.disableflags |= getattr(mujoco.mjtDisableBit, f'mjDSBL_{name}', 0)  # by version
    data = mujoco.MjData(model)
    M = np.empty((model.nv, model.nv))

    def inverse(q, qd, qdd):
        data.qpos, data.qvel, data.qacc = q, qd, qdd
        mujoco.mj_inverse(model, data)
        return data.qfrc_inverse

    def forward(q, qd, tau):
        data.qpos, data.qvel, data.qfrc_applied = q, qd, tau
        mujoco.mj_forward(model, data)
        return data.qacc

    def mass(q):
        data.qpos = q
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_crb(model, data)
        try:
            mujoco.mj_fullM(model, M, data.qM)
        except (TypeError, AttributeError):
            mujoco.mj_fullM(model, data, M)
        return M

    return {'inverse_dynamics': {'mujoco python': inverse},
            'forward_dynamics': {'mujoco python': forward}, 'mass_matrix': {'mujoco python': mass}}


COLUMNS = ('loop', 'python', 'generic', 'pinocchio loop', 'pinocchio python', 'mujoco python')


def show(result):
    """One table a robot, and how many times faster than Pinocchio; written as markdown too."""
    lines = []
    for robot in result['robots'].values():
        batch = robot['batch']
        title = (f'{robot["name"]}, {robot["joints"]} joints [us]; {result["batch_of"]} inverse '
                 f'dynamics on {batch["cores"]} cores: {batch["specialised"]:.3f} each, generic '
                 f'{batch["generic"]:.3f}')
        columns = ('quantity', *COLUMNS, 'loop ratio', 'python ratio', 'compile [s]', 'load [s]')
        rows = [(name, *(_cell(row, key) for key in COLUMNS),
                 _ratio(row, 'pinocchio loop', 'loop'),
                 _ratio(row, 'pinocchio python', 'python'),
                 _cell(row, 'compile_s'), _cell(row, 'load_s'))
                for name, row in robot['rows'].items()]
        table.show(title, columns, rows)
        lines += [f'\n## {title}\n', '| ' + ' | '.join(columns) + ' |',
                  '|---' + '|---:' * (len(columns) - 1) + '|']
        lines += ['| ' + ' | '.join(row) + ' |' for row in rows]
    (RESULTS / 'kernels.md').write_text('# Kernels\n' + '\n'.join(lines) + '\n')


def _cell(row, key):
    return f'{row[key]:.3f}' if key in row else '-'


def _ratio(row, theirs, ours):
    return f'{row[theirs] / row[ours]:.1f}' if theirs in row and ours in row else '-'
