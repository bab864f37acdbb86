# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Control laws printed as C: the bits of their tape, and the torque of the law in Python."""

import json
from dataclasses import replace

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.cli import emit
from robodyn_ros.codegen.emission import c_package
from robodyn_ros.codegen.emission.c_answers import interpreted
from robodyn_ros.codegen.emission.emit_c import Style
from robodyn_ros.control.laws.law_recipes import COMPANIONS, LAW_RECIPES
from robodyn_ros.control.laws.law_registry import law_class
from robodyn_ros.model.layout import FRICTION
from support.c_libraries import EXACT, call, emitted, run, shared
from support.processes import ROOT
from support.referees.tape_results import by_the_tape
from support.robots.closed_loops import geared
from support.robots.fingers import GRIPPER as FINGERS
from support.robots.mechanisms import palletizer
from support.robots.real_robots import ARMS, robot

STYLE = Style('arm')
PRINTED = LAW_RECIPES | COMPANIONS


def generic(one, n, seed):
    """Return arguments of a law at a state far from rest, some references slow enough to creep."""
    rng = np.random.default_rng(seed)
    given = {name: rng.uniform(-2.0, 2.0, shape) for name, shape in one.recording.inputs.items()}
    for name in {'gains', 'diagonal'} & set(given):
        given[name] = np.abs(given[name]) * (1.0 if name == 'diagonal' else 50.0)
    if 'reference' in given:
        given['reference'][1, : n // 2] *= 0.01
    return given


@pytest.fixture(scope='module', params=ARMS)
def arm(request, tmp_path_factory):
    """Return a robot, its laws, and their library without contraction."""
    case, folder = robot(request.param), tmp_path_factory.mktemp('law')
    passive = case.robot.joint_names[1::2]
    found, texts = emitted(case.robot.model, STYLE, [], laws=tuple(LAW_RECIPES), passive=passive)
    c_package.write(folder, texts)
    library = shared(folder, STYLE, [*EXACT, '-O0', '-DARM_LIBM'], 'gcc')
    return case.robot, {one.quantity: one for one in found}, library, folder


@pytest.mark.parametrize('name', PRINTED)
def test_same_bits_as_the_tape(arm, name):
    """Without contraction every bit of every term is that of the tape in Python."""
    owner, found, library, _ = arm
    for seed in range(5):
        given = [*generic(found[name], owner.nv, seed).values()]
        status, (terms,) = call(library, STYLE, found[name], given)
        assert status == 0
        assert terms.tobytes() == by_the_tape(found[name], given)[0].tobytes()


def test_friction_alone_calls_the_tangent_of_the_library(arm):
    """Laws ask the C library for nothing but sines, moves of memory, and tanh with friction."""
    owner, _, _, folder = arm
    asked = {}
    for source in sorted((folder / 'src').glob('*.c')):
        obj = folder / f'{source.stem}.o'
        run(['gcc', '-std=c99', '-O1', '-I', folder / 'include', '-c', source, '-o', obj])
        names = [line.split()[-1] for line in run(['nm', '-u', obj]).splitlines()]
        asked[source.stem] = {name for name in names if not name.startswith('arm_')}
    assert set().union(*asked.values()) <= ALLOWED
    for name in ('gravity_compensation', 'pd', 'pd_gravity'):
        assert 'tanh' not in asked[name]
    has_friction = owner.model.constants[:, FRICTION].any()
    assert ('tanh' in asked['computed_torque']) == has_friction


#: What a printed law may ask the C library for.
ALLOWED = {'cos', 'sin', 'sincos', 'tanh', 'memcpy', 'memset', '__stack_chk_fail'}


@pytest.mark.parametrize('name', PRINTED)
def test_torque_of_the_law_in_python(arm, name):
    """The results are those of the law's own text, friction of the arm with them."""
    owner, found, library, _ = arm
    for seed in range(5):
        given = generic(found[name], owner.nv, seed)
        ((result, shape),) = found[name].recording.outputs.items()
        expected = np.zeros(shape)
        subject = found[name].subject
        interpreted(PRINTED[name], subject, owner.model, given, {result: expected})
        status, (terms,) = call(library, STYLE, found[name], [*given.values()])
        assert status == 0
        assert np.abs(terms - expected).max() <= 1e-13 * max(1.0, np.abs(expected).max())


@pytest.mark.parametrize(
    ('name', 'passive'),
    [('computed_torque', ()), ('underactuated_computed_torque', ('joint2', 'joint4'))],
    ids=('computed_torque', 'underactuated'),
)
def test_torque_of_the_law_that_the_controller_runs(name, passive):
    """The class of the law, with its compiled kernel, gives the same terms to 1e-13."""
    owner = Robot.from_urdf(ROOT / 'config' / 'urdf' / 'franka_like.urdf')
    options = {'passive_joints': passive} if passive else {}
    law = law_class(name)(owner, **options)
    (one,) = (one for one in emitted(owner.model, STYLE, [], laws=[name], passive=passive)[0]
              if one.quantity == law.name)  # fmt: skip
    for seed in range(3):
        given, terms = generic(one, owner.nv, seed), np.zeros((6, owner.nv))
        law.torques(*given.values(), terms)
        (expected,) = by_the_tape(one, [*given.values()])
        assert np.abs(terms[4]).max() > 0.0
        assert not expected[:, [owner.joint_names.index(joint) for joint in passive]].any()
        assert np.abs(terms - expected).max() <= 1e-13 * np.abs(expected).max()


@pytest.mark.parametrize(
    'owner',
    [palletizer().robot, geared().robot, lambda: Robot.from_urdf(FINGERS)],
    ids=('loops', 'rotors', 'mimic'),
)
def test_laws_of_robots_with_dependent_joints(owner, tmp_path):
    """Terms of all independent joints are those of the classes, with their compiled kernels.

    Joints of loops and exact rotors have inertia of their own: without them the torque differs.
    """
    owner, style = owner(), replace(STYLE, lanes=4)
    found, texts = emitted(owner.model, style, [], laws=['computed_torque', 'pd_gravity'])
    c_package.write(tmp_path, texts)
    library, rng = shared(tmp_path, style, ['-O1'], 'gcc'), np.random.default_rng(8)
    assert library.arm_self_test() == 0
    for one in (each for each in found if each.quantity in ('computed_torque', 'pd_gravity')):
        law = law_class(one.quantity)(owner)
        for seed in range(3):
            given, terms = generic(one, owner.nv, seed), np.zeros((6, owner.nv))
            if owner.model.has_loops:
                given['q'] = owner.model.closed_posture + rng.uniform(-0.05, 0.05, owner.nv)
            law.torques(*given.values(), terms)
            status, (result,) = call(library, STYLE, one, [*given.values()])
            assert status == 0 and np.abs(terms).max() > 0.1
            assert np.abs(terms - result).max() <= 1e-13 * np.abs(terms).max()


@pytest.mark.parametrize(
    ('words', 'sentence'),
    [
        (['--laws', 'underactuated_computed_torque'], 'got no passive joint'),
        (['--laws', 'computed_torque', '--passive', 'joint2'], 'only underactuated_computed'),
        (['--laws', 'underactuated_computed_torque', '--passive', 'wheel'], "joint 'wheel'"),
        (
            ['--laws', 'underactuated_computed_torque', '--passive', 'joint1', 'joint2'],
            'expected one left to drive',
        ),
    ],
    ids=('none', 'another law', 'unknown', 'all'),
)
def test_passive_joints_that_do_not_fit_are_refused(words, sentence, tmp_path, capsys):
    urdf = str(ROOT / 'config' / 'urdf' / 'two_link.urdf')
    assert emit.main([urdf, '--output', str(tmp_path), *words]) != 0
    assert sentence in capsys.readouterr().err


def test_what_is_not_finite_is_refused(arm):
    """One argument that is no number, and no term is written."""
    owner, found, library, _ = arm
    one = found['computed_torque']
    for name in one.recording.inputs:
        given = generic(one, owner.nv, 0)
        given[name].flat[-1] = np.nan
        status, (terms,) = call(library, STYLE, one, [*given.values()])
        assert status == -1 and np.isnan(terms).all()


@pytest.mark.parametrize('style', [replace(STYLE, lanes=4), Style('arm', 'c++', 'float')], ids=str)
def test_lanes_and_single_precision_pass_their_answers(style, tmp_path):
    """Several states at once give the bits of one; C++ in single precision passes its answers."""
    case = robot('two_link')
    found, texts = emitted(case.robot.model, style, [], laws=['computed_torque'])
    c_package.write(tmp_path, texts)
    if not style.is_c:
        sources = [*sorted((tmp_path / 'src').glob('*.cpp')), tmp_path / 'test' / 'check.cpp']
        run(['g++', '-std=c++17', '-Wall', '-Wconversion', '-Werror', '-O1', '-I']
            + [tmp_path / 'include', *sources, '-o', tmp_path / 'check'])  # fmt: skip
        assert ': 0 numbers wrong' in run([tmp_path / 'check'])
        return
    library = shared(tmp_path, style, [*EXACT, '-O1', '-DARM_LIBM'], 'gcc')
    for one in found:
        alone = [[*generic(one, case.robot.nv, seed).values()] for seed in range(4)]
        together = [np.stack(arrays, axis=-1) for arrays in zip(*alone)]
        _, (terms,) = call(library, style, one, together)
        for lane, given in enumerate(alone):
            _, (expected,) = call(library, replace(style, lanes=1), one, given)
            assert np.ascontiguousarray(terms[..., lane]).tobytes() == expected.tobytes()


@pytest.mark.parametrize('mine', ['CMakeLists.txt', 'package.xml', 'src/self_test.c'])
def test_the_command_replaces_no_file_unasked(tmp_path, capsys, mine):
    """Of a folder that is a package already; with --force it does."""
    words = [str(ROOT / 'config' / 'urdf' / 'two_link.urdf'), '-o', str(tmp_path)]
    words += ['--quantities', 'gravity_torque']
    path = tmp_path / mine
    path.parent.mkdir(exist_ok=True)
    path.write_text('mine\n')
    assert emit.main(words) == 1
    assert f'{path} is there already; expected --force' in capsys.readouterr().err
    assert path.read_text() == 'mine\n'
    assert [each for each in tmp_path.rglob('*') if each.is_file()] == [path]
    assert emit.main([*words, '--force']) == 0
    assert 'arm' in path.read_text()


def test_command_prints_the_law_and_the_safe_torque(tmp_path, capsys):
    """`--laws` prints the law and its companions; manifest and header list them."""
    urdf = str(ROOT / 'config' / 'urdf' / 'two_link.urdf')
    assert emit.main([urdf, '--output', str(tmp_path), '--laws', 'computed_torque']) == 0
    assert 'arm_computed_torque' in capsys.readouterr().out
    told = tmp_path / 'manifest.json'
    functions = json.loads(told.read_text())['functions']
    header = (tmp_path / 'include' / 'arm_dynamics' / 'arm_dynamics.h').read_text()
    for name in ('computed_torque', *COMPANIONS):
        assert f'int arm_{name}(' in header
    for name in ('computed_torque', 'gravity_compensation'):
        assert functions[f'arm_{name}']['results'] == {'terms': [6, 2]}
    own_answers = (tmp_path / 'src' / 'self_test.c').read_text()
    assert 'check_computed_torque' in own_answers
