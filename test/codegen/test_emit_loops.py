# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""C of robots with closed loops, also from the positions of all joints.

The referees are the kernels for any robot, which close the loops by Newton's method.
"""

import itertools
import json

import numpy as np
import pytest

from robodyn_ros.cli import emit
from robodyn_ros.codegen.derivative_registry import DERIVATIVES
from robodyn_ros.codegen.emission import c_package, c_selection
from robodyn_ros.codegen.emission.emit_c import Style
from robodyn_ros.codegen.loops import given_positions, loop_closing
from robodyn_ros.codegen.specialise import final_recording
from robodyn_ros.errors import ModelError, SingularityError
from support.c_libraries import STRICT, call, compiler, emitted, run, shared
from support.compare import agree
from support.processes import ROOT
from support.referees.tape_results import played
from support.robots.closed_loops import MECHANISMS
from support.robots.mechanisms import STANDARD

pytestmark = pytest.mark.slow

ALL = MECHANISMS | STANDARD
NEAR = 1e-12
BOTH = ('independent', 'all')
FOLDER = ROOT / 'config' / 'mechanisms'
QUANTITIES = ('forward_dynamics', 'energy', 'regressor', 'inverse_dynamics_derivatives', 'pose')


def postures(robot):
    """Return closed positions of all joints, near the reference and from anywhere else."""
    near = robot.model.closed_posture + np.linspace(-0.02, 0.05, robot.nq)
    return [robot.expand(near)[0], *given_positions.plan(robot.model).postures[-2:]]


def expected(robot, quantity, frame, given):
    """Return the results of a quantity by the kernels for any robot."""
    name = quantity.removesuffix(c_selection.FROM_ALL)
    if name == 'pose':
        return [robot.pose(*given, frame)]
    if name == 'regressor':
        q, qd, qd_r, qdd_r = given
        return [robot.links.regressor(q, qd, qdd_r, qd_r)]
    if name in DERIVATIVES:
        found = getattr(robot.derivatives, name.removesuffix('_derivatives'))(*given)
        return list(found)
    found = getattr(robot, name)(*given)
    return [np.array(found)]


@pytest.mark.parametrize('name', ['palletizer', 'two arms with a bar'])
def test_functions_from_all_positions_are_those_for_any_robot(name, tmp_path):
    """Those of the two arms too, which have no code from independent positions."""
    robot, style = ALL[name].robot(), Style('arm')
    frame = robot.model.body_names[-1]
    chosen = QUANTITIES[:-2] + QUANTITIES[-1:] if name.startswith('two') else QUANTITIES
    found, texts = emitted(robot.model, style, chosen, [frame], positions='all')
    assert [one.quantity for one in found] == [each + c_selection.FROM_ALL for each in chosen]
    c_package.write(tmp_path, texts)
    library, rng = shared(tmp_path, style, ['-O1'], 'gcc'), np.random.default_rng(5)
    assert library.arm_self_test() == 0
    for one in found:
        for every in postures(robot):
            shapes = [shape for key, shape in one.recording.inputs.items() if key != 'q']
            given = [every, *(rng.uniform(-1.0, 1.0, shape) for shape in shapes)]
            status, results = call(library, style, one, given)
            assert status == 0, one.name
            for mine, other in zip(results, expected(robot, one.quantity, frame, given)):
                agree(mine, other, max(1.0, np.abs(other).max()), NEAR)
        wrong = every.copy()
        wrong[robot.all_joint_names.index(frame)] += 1e-6
        status, results = call(library, style, one, [wrong, *given[1:]])
        assert status == 1 and all(np.isnan(result).all() for result in results)


def closed_states(robot, positions, count):
    """Return states of random closed postures, rounded to float."""
    model, rng, found = robot.model, np.random.default_rng(7), []
    for _ in range(count):
        q = robot.model.closed_posture + rng.uniform(-0.15, 0.15, model.nq)
        if positions == 'independent':
            plan = loop_closing.plan(model)
            q[plan.places] = plan.low + rng.uniform(0.01, 0.99, len(plan.low)) * plan.width
        qd, x = rng.uniform(-1.0, 1.0, (2, model.nv))
        try:
            every = robot.expand(q)[0]
        except SingularityError:  # two arms with a bar reach few postures
            continue
        q = q if positions == 'independent' else every
        found.append({'q': q, 'qd': qd, 'qdd': x, 'tau': x})
    return [{k: np.float64(np.float32(v)) for k, v in each.items()} for each in found]


@pytest.mark.parametrize(
    'name, positions',
    [
        *itertools.product(('four-bar in a tree', 'palletizer', 'gripper', 'Delta'), BOTH),
        ('two arms with a bar', 'all'),
    ],
)
def test_float_is_as_near_as_its_loops_are_closed(name, positions, tmp_path):
    """Against the kernels in double, at closed postures that are rounded to float.

    Errors of positions below the bound of closed loops may change results by as much. They change
    them more where dependent joints move faster than independent ones. No posture is refused.
    """
    robot, style = ALL[name].robot(), Style('arm', real='float')
    frame, wanted = robot.model.body_names[-1], ('inverse_dynamics', 'forward_dynamics', 'pose')
    found, texts = emitted(robot.model, style, wanted, [frame], positions=positions)
    c_package.write(tmp_path, texts)
    library = shared(tmp_path, style, ['-O1'], 'gcc')
    assert library.arm_self_test() == 0
    states, names = closed_states(robot, positions, 60), robot.model.all_position_names
    assert len(states) >= 40
    dependent = [k for k, each in enumerate(names) if each not in robot.model.position_names][-1]
    for one, state in itertools.product(found, states):
        given = [state[key] for key in one.recording.inputs]
        ratios = [robot.expand(state['q'], unit)[1] for unit in np.eye(robot.nv)]
        near = given_positions.CLOSED['float'] * np.abs(ratios).max()
        status, results = call(library, style, one, given)
        assert status == 0, one.name
        for mine, other in zip(results, expected(robot, one.quantity, frame, given)):
            agree(mine, other, max(1.0, np.abs(other).max()), near)
        if positions == 'all':
            wrong = state['q'].copy()
            wrong[dependent] += 10.0 * given_positions.CLOSED['float']
            status, results = call(library, style, one, [wrong, *given[1:]])
            assert status == 1 and all(np.isnan(result).all() for result in results)


@pytest.mark.parametrize('real', ['double', 'float'])
def test_known_answers_are_of_postures_that_the_code_accepts(real, tmp_path):
    """Stewart platforms close in postures far away, too, whose pivots are small."""
    robot, style = ALL['Stewart platform'].robot(), Style('arm', real=real)
    _, texts = emitted(robot.model, style, ['gravity_torque'], positions='all')
    c_package.write(tmp_path, texts)
    assert shared(tmp_path, style, ['-O1'], 'gcc').arm_self_test() == 0


def test_a_recording_is_printed_in_its_own_precision_only():
    """Loops of a recording close as well as its precision permits."""
    model = ALL['gripper'].robot().model
    chosen = c_selection.selected_functions(model, ['energy'])
    found = c_selection.record_all(model, chosen, 'float')
    with pytest.raises(ModelError, match='energy was recorded for float.*style of double'):
        c_package.files(model, '', found, Style('arm'))


@pytest.mark.parametrize('quantity', DERIVATIVES)
@pytest.mark.parametrize('name', ['palletizer', 'gripper'])
def test_derivatives_from_all_positions_are_those_for_any_robot(name, quantity):
    """Joints that follow others by a ratio move too, and those that are sums of others."""
    robot, rng = ALL[name].robot(), np.random.default_rng(6)
    recipe = DERIVATIVES[quantity].from_all_positions()
    recording = final_recording(quantity, recipe, robot.model)
    method = quantity.removesuffix('_derivatives').replace('mass_matrix_derivative', 'mass_matrix')
    for every in postures(robot):
        qd, x = rng.uniform(-1.0, 1.0, (2, robot.nv))
        given = {'q': every, 'qd': qd, 'qdd': x, 'tau': x}
        given = {key: given[key] for key in recipe.inputs}
        other = np.concatenate(
            [
                each.ravel()
                for each in np.atleast_1d(getattr(robot.derivatives, method)(*given.values()))
            ]
        )
        results, holds = played(recording, **given)
        assert holds
        agree(results, other, max(1.0, np.abs(other).max()), NEAR)


def test_numbers_that_no_result_needs_are_checked_too(tmp_path):
    """No derivative of the gripper depends on rates and torque, but their NaN is refused."""
    robot, style = ALL['gripper'].robot(), Style('arm')
    found, texts = emitted(robot.model, style, ['forward_dynamics_derivatives'])
    c_package.write(tmp_path, texts)
    library = shared(tmp_path, style, ['-O1'], 'gcc')
    given = [robot.model.closed_posture, np.zeros(1), np.zeros(1)]
    assert call(library, style, found[0], given)[0] == 0
    for k in range(3):
        wrong = [np.full(1, np.nan) if i == k else each for i, each in enumerate(given)]
        status, results = call(library, style, found[0], wrong)
        assert status == -1 and all(np.isnan(result).all() for result in results)


@pytest.mark.parametrize('real', ['double', 'float'])
def test_a_package_has_both_and_is_timed_at_closed_postures(real, tmp_path, capsys):
    """Of a command, with four states at once, built by CMake and tested by ctest."""
    compiler('gcc')
    cmake = compiler('cmake')
    files = [FOLDER / 'palletizer.urdf', '--closure-file', FOLDER / 'palletizer.yaml']
    options = ['--positions', 'both', '--lanes', 4, '--frames', 'plate', '--real', real]
    quantities = ['--quantities', 'gravity_torque', 'mass_matrix', 'jacobian']
    out = ['--output', tmp_path / 'arm']
    assert emit.main([*map(str, (*files, *options, *quantities, *out))]) == 0
    assert 'arm_jacobian_from_all_plate: ' in capsys.readouterr().out
    told = json.loads((tmp_path / 'arm' / 'manifest.json').read_text())
    assert told['frames'] == ['plate'] and len(told['all_position_names']) == 10
    assert told['functions']['arm_mass_matrix_from_all']['arguments'] == {'q': [10]}
    header = (tmp_path / 'arm' / 'include' / 'arm_dynamics' / 'arm_dynamics.h').read_text()
    assert 'enum { ARM_NQ_FROM_ALL = 10 };' in header
    build = tmp_path / 'build'
    flags = f'-DCMAKE_C_FLAGS={" ".join(STRICT)} -O1'
    run([cmake, '-S', tmp_path / 'arm', '-B', build, flags])
    run([cmake, '--build', build])
    assert '100% tests passed' in run(['ctest', '--test-dir', build])
    _, *rows = run([build / 'arm_timing', 2000]).splitlines()
    assert len(rows) == 12 and {row.split()[-1] for row in rows} == {'0'}


@pytest.mark.parametrize(
    'name, options, sentence',
    [
        ('two arms with a bar', {}, 'gravity_torque has no straight-line code.*of all joints'),
        ('two arms with a bar', {'positions': 'all', 'laws': ['pd']}, "law pd .*'both' or"),
    ],
)
def test_what_has_no_code_is_refused_by_a_sentence(name, options, sentence):
    robot = ALL[name].robot()
    with pytest.raises(ModelError, match=sentence):
        emitted(robot.model, Style('arm'), ['gravity_torque'], **options)


def test_a_tree_has_no_positions_of_all_joints(capsys, tmp_path):
    """The command says so, and writes nothing."""
    urdf, out = ROOT / 'config' / 'urdf' / 'two_link.urdf', tmp_path / 'out'
    assert emit.main([str(urdf), '--positions', 'all', '--output', str(out)]) == 1
    assert "has no closed loops, but got the positions 'all'" in capsys.readouterr().err
    assert not out.exists()
