# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Recordings printed as C: the same bits as the tape, in any style, by any compiler."""

import ctypes
import hashlib
import inspect
import itertools
import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.codegen import emit_python
from robodyn_ros.codegen.emission import c_package, c_selection, c_templates
from robodyn_ros.codegen.emission.c_cost import cost
from robodyn_ros.codegen.emission.emit_c import Style
from robodyn_ros.codegen.specialise import specialise
from robodyn_ros.errors import ModelError, UnknownNameError
from robodyn_ros.robot.dispatch import method_of
from support.c_libraries import (
    EXACT,
    STRICT,
    call,
    compiler,
    emitted,
    run,
    shared,
    with_sanitizers,
)
from support.processes import ROOT, run_script
from support.referees.tape_results import by_the_tape
from support.robots.families import FAMILIES, MIXED, states
from support.robots.fingers import GRIPPER as FINGERS
from support.robots.mechanisms import gripper
from support.robots.real_robots import robot

pytestmark = pytest.mark.slow

#: What is printed of every robot: one of each sort.
SOME = (*c_selection.DEFAULT, 'energy', 'jacobian', 'pose')
#: Rest of what a short arm is printed with: nothing that specialises is left out.
REST = tuple(
    name
    for name in c_selection.QUANTITIES
    if name not in (*SOME, 'coupled_compliance', 'operational_space')
)
EXACTLY = Style('arm')


#: A robot whose loops close, and one whose joint follows another.
CONSTRAINED = {'gripper': lambda: gripper().robot(), 'fingers': lambda: Robot.from_urdf(FINGERS)}
TIPS = {'gripper': 'left_finger', 'fingers': 'right'}


def named(name):
    """Return the case of that name."""
    if name in CONSTRAINED:
        return SimpleNamespace(robot=CONSTRAINED[name](), tip=TIPS[name])
    return (FAMILIES | MIXED).get(name) or robot(name)


def inputs_of(one, robot, seed=0):
    """Return inputs of a function at a generic state."""
    ((q, qd, third),) = states(robot, 1, seed)
    if robot.model.has_loops:  # they close near this posture
        q = robot.model.closed_posture + 0.05 * q
    rng = np.random.default_rng(seed)
    known = {'q': q, 'qd': qd, 'qdd': third}
    return [
        known.get(name, rng.uniform(-1.0, 1.0, shape))
        for name, shape in one.recording.inputs.items()
    ]


@pytest.mark.parametrize(
    ('name', 'command', 'optimised'),
    [
        *itertools.product(('two_link', 'ur_like'), ('clang', 'gcc'), ('-O2',)),
        ('franka_like', 'clang', '-O0'),
        *((name, 'gcc', '-O0') for name in (*FAMILIES, *MIXED, *CONSTRAINED)),
    ],
)
def test_same_bits_as_the_tape(name, command, optimised, tmp_path):
    """Without contraction, and with the sines of the C library, every bit is that of Python."""
    case = named(name)
    found, texts = emitted(case.robot.model, EXACTLY, SOME, [case.tip])
    c_package.write(tmp_path, texts)
    library = shared(tmp_path, EXACTLY, [*EXACT, optimised, '-DARM_LIBM'], command)
    for one in found:
        given = inputs_of(one, case.robot)
        status, results = call(library, EXACTLY, one, given)
        if status:
            assert name not in CONSTRAINED
            assert one.recording.singular or one.recording.tape.checks
            assert all(np.isnan(result).all() for result in results)
            continue
        for mine, expected in zip(results, by_the_tape(one, given)):
            assert mine.tobytes() == expected.tobytes(), one.name


@pytest.mark.parametrize('name', ['ur_like', 'gripper'])
def test_kernels_have_the_same_statements(name):
    """The text of each kernel is what its recording gives, from which C is printed."""
    case = named(name)
    found, _ = emitted(case.robot.model, EXACTLY, SOME, [case.tip])
    for one in found:
        kernel = specialise(case.robot.model, one.quantity, one.recipe, one.subject).rows.python
        text = inspect.getsource(sys.modules[kernel.__module__])
        mine, printed = (
            each.partition('\ndef ')[2].partition('\n\n\n')[0]
            for each in (text, emit_python.write(one.recording))
        )
        assert mine == printed, one.name


def test_everything_that_specialises_is_printed(tmp_path):
    """What is left of the quantities: the other forms, derivatives, momentum, wrenches, joints."""
    case = named('two_link')
    found, texts = emitted(case.robot.model, EXACTLY, REST, [case.tip], case.robot.joint_names[:1])
    assert {one.quantity for one in found} == set(REST)
    c_package.write(tmp_path, texts)
    library = shared(tmp_path, EXACTLY, [*EXACT, '-DARM_LIBM'], 'gcc')
    for one in found:
        given = inputs_of(one, case.robot)
        status, results = call(library, EXACTLY, one, given)
        if one.quantity == 'operational_space_inertia':
            assert status == 1
            continue
        assert status == 0
        for mine, expected in zip(results, by_the_tape(one, given)):
            assert mine.tobytes() == expected.tobytes(), one.name


def test_a_tuple_of_frames_emits_their_coupling(tmp_path):
    """What couples two frames is printed for a tuple of them."""
    case = named('tree')
    frames = tuple(case.robot.model.body_names[-2:])
    found, texts = emitted(case.robot.model, EXACTLY, ['coupled_compliance'], [frames])
    c_package.write(tmp_path, texts)
    library = shared(tmp_path, EXACTLY, EXACT, 'gcc')
    (one,), given = found, inputs_of(found[0], case.robot)
    status, (J, compliance) = call(library, EXACTLY, one, given)
    expected = np.vstack([case.robot.jacobian(given[0], frame) for frame in frames])
    assert status == 0
    np.testing.assert_allclose(J, expected, rtol=0.0, atol=1e-13)
    inverse = case.robot.mass_matrix_inverse(given[0])
    np.testing.assert_allclose(compliance, J @ inverse @ J.T, rtol=0.0, atol=1e-10)


#: Compilers of C++ by those of C.
IN_CPP = {'gcc': 'g++', 'clang': 'clang++'}
STYLES = [Style('arm', *pair) for pair in itertools.product(('c', 'c++'), ('double', 'float'))]


@pytest.mark.parametrize(
    'style, command', [*zip(STYLES, ('gcc', 'clang', 'clang', 'gcc'))], ids=str
)
def test_package_builds_installs_and_is_found(style, command, tmp_path, monkeypatch):
    """CMake builds without a warning, ctest passes, another project finds what is installed."""
    cmake = compiler('cmake')
    case = named('ur_like')
    monkeypatch.setattr(c_templates, 'SHORT', 400)
    _, texts = emitted(
        case.robot.model, style, (*SOME, 'inverse_dynamics_derivatives'), [case.tip]
    )
    c_package.write(tmp_path / 'arm', texts)
    made = compiler(command if style.is_c else IN_CPP[command])
    kind = 'C' if style.is_c else 'CXX'
    flags = '-Wall -Wextra -Wconversion -Wshadow -pedantic -Werror'
    chosen = [f'-DCMAKE_{kind}_COMPILER={made}', f'-DCMAKE_{kind}_FLAGS={flags}']
    build = tmp_path / 'build'
    run([cmake, '-S', tmp_path / 'arm', '-B', build, *chosen])
    run([cmake, '--build', build])
    asked = [made, c_templates.SPILLS, '-fsyntax-only', '-x', style.language, '-']
    known = not subprocess.run(asked, input=b'', capture_output=True, check=False).returncode
    used = (build / 'CMakeFiles' / 'arm_dynamics.dir' / 'flags.make').read_text()
    assert (c_templates.SPILLS in used) == (known and command == 'gcc')
    assert (c_templates.RENAMED in used) == (command == 'gcc')
    shrunk = re.findall(rf'src/(\w+)\S*_OPTIONS = {c_templates.SHRUNK}', used)
    sources = {path for path in texts if path.startswith('src/') and not path.endswith('.h')}
    short = {Path(path).stem for path in sources if texts[path].count('\n') <= 400}
    assert 'inverse_dynamics_derivatives' not in short and 'gravity_torque' in short
    expected = short if command == 'gcc' else set()
    assert set(shrunk) == expected
    assert '100% tests passed' in run(['ctest', '--test-dir', build])
    run([cmake, '--install', build, '--prefix', tmp_path / 'installed'])
    user = tmp_path / 'user'
    user.mkdir()
    extension = 'c' if style.is_c else 'cpp'
    header = 'arm_dynamics/arm_dynamics.' + ('h' if style.is_c else 'hpp')
    own = 'arm_self_test' if style.is_c else 'arm::self_test'
    (user / f'main.{extension}').write_text(
        f'#include "{header}"\nint main(void) {{ return {own}(); }}\n'
    )
    (user / 'CMakeLists.txt').write_text(
        f'cmake_minimum_required(VERSION 3.16)\nproject(user LANGUAGES {kind})\n'
        f'find_package(arm_dynamics 1.0 REQUIRED)\nadd_executable(user main.{extension})\n'
        'target_link_libraries(user PRIVATE arm_dynamics::arm_dynamics)\n'
    )
    run(
        [cmake, '-S', user, '-B', user / 'build', *chosen]
        + [f'-DCMAKE_PREFIX_PATH={tmp_path / "installed"}']
    )
    run([cmake, '--build', user / 'build'])
    run([user / 'build' / 'user'])


@pytest.mark.parametrize('command', ['gcc', 'clang'])
@pytest.mark.parametrize('style', STYLES[::2], ids=str)
def test_sanitizers_find_nothing(style, command, tmp_path):
    """Neither undefined behaviour nor a wrong address, at states of any size."""
    made = with_sanitizers(command if style.is_c else IN_CPP[command])
    case = named('ur_like' if style.is_c else 'two_link')
    found, texts = emitted(case.robot.model, style, SOME, [case.tip])
    c_package.write(tmp_path, texts)
    ext, name = ('c', 'arm_') if style.is_c else ('cpp', 'arm::')
    calls = '\n'.join(_of_any_size(one, name) for one in found)
    header = 'arm_dynamics.h' if style.is_c else 'arm_dynamics.hpp'
    (tmp_path / f'main.{ext}').write_text(
        f'#include "arm_dynamics/{header}"\nint main(void) {{\n{calls}\n'
        f'return {name}self_test(); }}\n'
    )
    sources = sorted((tmp_path / 'src').glob(f'*.{ext}'))
    # Names for a debugger would take eight times as long as the rest.
    run(
        [made, '-O1', '-fsanitize=address,undefined']
        + ['-fsanitize=float-cast-overflow', '-fno-sanitize-recover=all', '-I']
        + [tmp_path / 'include', *sources, tmp_path / f'main.{ext}', '-o', tmp_path / 'main']
        + ['-lm']
    )
    run([tmp_path / 'main'])


def _of_any_size(one, name):
    """Statements that call a function with numbers from tiny to infinite and not a number."""
    inputs = {k: int(np.prod(shape)) for k, shape in one.recording.inputs.items()}
    outputs = {k: int(np.prod(shape)) for k, shape in one.recording.outputs.items()}
    sizes = '1e-320, 1.0, 1e4, 1e6, 1e22, 1e300, 1e308 * 10.0, 0.0 * (1e308 * 10.0)'
    lines = [f'{{ const double sizes[] = {{{sizes}}};', 'for (int k = 0; k < 8; ++k) {']
    lines += [f'double {n}[{size}] = {{0}};' for n, size in (inputs | outputs).items()]
    lines += [
        f'for (int i = 0; i < {size}; ++i) {n}[i] = sizes[k] * (i % 2 ? 1 : -1);'
        for n, size in inputs.items()
    ]
    return '\n'.join((*lines, f'{name}{one.name}({", ".join(inputs | outputs)});', '} }'))


@pytest.fixture(scope='module')
def arm(tmp_path_factory):
    """Return a six-jointed arm, its functions, and its library as CMake makes it."""
    case, folder = named('ur_like'), tmp_path_factory.mktemp('arm')
    found, texts = emitted(case.robot.model, EXACTLY, frames=[case.tip])
    c_package.write(folder, texts)
    library = shared(folder, EXACTLY, ['-O3', '-march=native', '-ffp-contract=fast'], 'gcc')
    return case.robot, {one.quantity: one for one in found}, library, folder


#: What divides by pivots of the mass matrix, so that rounding grows with its condition.
INVERTING = ('forward_dynamics', 'mass_matrix_inverse')
ACCURATE = ('inverse_dynamics', 'mass_matrix', 'gravity_torque', 'coriolis_matrix', *INVERTING)


def test_own_sines_and_contraction_cost_rounding_only(arm):
    """The package's own sines and fused operations are as near to the robot as rounding."""
    robot, found, library, _ = arm
    for seed in range(20):
        for name in ACCURATE:
            given = inputs_of(found[name], robot, seed)
            status, (result,) = call(library, EXACTLY, found[name], given)
            expected = method_of(robot, name)(*given)
            condition = np.linalg.cond(robot.mass_matrix(given[0])) if name in INVERTING else 1.0
            assert status == 0
            if name == 'mass_matrix_inverse':  # of joints of unlike inertia: each on its own scale
                scale = np.sqrt(np.diag(expected))
                result, expected = (array / np.outer(scale, scale) for array in (result, expected))
            error = np.abs(result - expected).max() / max(1.0, np.abs(expected).max())
            assert error <= max(1e-14, 2.2e-16 * condition), name


def test_own_sines_are_exact_to_a_unit_in_the_last_place(tmp_path):
    """Every quadrant, tiny and large angles, and the step to the C library's."""
    _, texts = emitted(named('two_link').robot.model, EXACTLY)
    c_package.write(tmp_path, texts)
    (tmp_path / 'src' / 'reached.c').write_text(
        '#include "internal.h"\nvoid reached(int n, const double *x, double *c, double *s);\n'
        'void reached(int n, const double *x, double *c, double *s)\n'
        '{ arm_cosines_and_sines(n, x, NULL, c, s); }\n'
    )
    library = shared(tmp_path, EXACTLY, ['-O3', '-ffp-contract=fast'], 'gcc')
    rng = np.random.default_rng(0)
    quarters = np.arange(-400, 401) * (0.5 * np.pi)
    angles = np.concatenate([rng.uniform(-s, s, 40_000) for s in (1e-8, 1.0, 10.0, 1e3, 1e5)])
    angles = np.concatenate([angles, quarters, quarters + 1e-9, [0.0, -0.0, 1e5, -1e5, 1e-310]])
    for some in (angles, np.append(angles, 1e7)):
        x = np.ascontiguousarray(some)
        both = np.empty((2, len(x)))
        library.reached(len(x), *(ctypes_pointer(a) for a in (x, both[0], both[1])))
        for mine, exact in zip(
            both, (np.cos(x.astype(np.longdouble)), np.sin(x.astype(np.longdouble)))
        ):
            spacing = np.spacing(np.abs(exact).astype(float))
            assert (np.abs(mine - exact) / spacing).max() < 1.0


def test_sines_of_shifted_angles_are_those_of_sums(tmp_path):
    """Bit for bit, also if no angle or only some have a shift."""
    _, texts = emitted(named('two_link').robot.model, EXACTLY)
    c_package.write(tmp_path, texts)
    arguments = 'int n, const double *q, const double *shift, double *c, double *s'
    (tmp_path / 'src' / 'reached.c').write_text(
        f'#include "internal.h"\nvoid reached({arguments});\n'
        f'void reached({arguments})\n{{ arm_cosines_and_sines(n, q, shift, c, s); }}\n'
    )
    library = shared(tmp_path, EXACTLY, ['-O3', '-ffp-contract=fast'], 'gcc')
    rng = np.random.default_rng(1)
    q = np.append(rng.uniform(-4.0, 4.0, 1021), [0.0, -0.0, -0.0])
    for shift in (np.full(1024, -0.0), np.where(q > 1.0, -0.0, rng.uniform(-4.0, 4.0, 1024))):
        angles, (found, expected) = q + shift, np.empty((2, 2, 1024))
        library.reached(1024, *map(ctypes_pointer, (q, shift, *found)))
        library.reached(1024, ctypes_pointer(angles), None, *map(ctypes_pointer, expected))
        assert found.tobytes() == expected.tobytes()


def ctypes_pointer(array):
    """Return the address of an array, for C."""
    return ctypes.c_void_p(array.ctypes.data)


def test_status_is_reported_and_nothing_is_written(arm):
    """NaN and infinity are refused, a singular pivot is, and the results stay as they were."""
    robot, found, library, _ = arm
    for bad in (np.nan, np.inf, -np.inf):
        given = inputs_of(found['forward_dynamics'], robot)
        given[1][2] = bad
        status, (result,) = call(library, EXACTLY, found['forward_dynamics'], given)
        assert status == -1 and np.isnan(result).all()
    straight = [np.zeros(robot.nv)]  # the wrist has lost a direction
    status, results = call(library, EXACTLY, found['operational_space_inertia'], straight)
    assert status == 1 and all(np.isnan(result).all() for result in results)


def test_no_heap_no_data_no_library(arm):
    """Object files hold no variables and ask for nothing but sines and moves of memory."""
    _, _, _, folder = arm
    objects = []
    for source in sorted((folder / 'src').glob('*.c')):
        if source.stem == 'self_test':
            continue
        objects.append(folder / f'{source.stem}.o')
        run(['gcc', '-std=c99', '-O2', '-I', folder / 'include', '-c', source, '-o', objects[-1]])
    undefined, data = set(), []
    for line in run(['nm', *objects]).splitlines():
        *_, kind, name = ('', *line.split()) if len(line.split()) > 1 else ('', '', '')
        if kind == 'U':
            undefined.add(name)
        elif kind and kind in 'DdBbCc':
            data.append(name)
    assert undefined <= {'cos', 'sin', 'sincos', 'memcpy', 'memset', '__stack_chk_fail'}
    assert not data


def test_a_wrong_constant_fails_the_self_test(arm, tmp_path):
    """The known answers are not from the text that they judge."""
    _, _, library, folder = arm
    assert library.arm_self_test() == 0
    run(['cp', '-r', folder / 'src', folder / 'include', tmp_path])
    source = tmp_path / 'src' / 'gravity_torque.c'
    text = source.read_text()
    assert text.count('9.81 * ') > 0
    source.write_text(text.replace('9.81 * ', '9.8100001 * ', 1))
    assert shared(tmp_path, EXACTLY, ['-O1'], 'gcc').arm_self_test() > 0


def test_text_is_the_same_in_every_process(tmp_path):
    """Every file has the same bytes under any seed of hashes; no file has a date."""
    script = f"""
import hashlib, json
from robodyn_ros.cli import emit
from pathlib import Path
assert emit.main([{str(ROOT / 'config/urdf/two_link.urdf')!r}, '--output', 'out', '--force',
                  '--frames', 'tool0']) == 0
print(json.dumps({{str(path): hashlib.sha256(path.read_bytes()).hexdigest()
                  for path in sorted(Path('out').rglob('*.*')) if path.is_file()}}))
""".replace(
        'assert emit',
        'import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()):\n assert emit',
    )
    first, _ = run_script(script, tmp_path, PYTHONHASHSEED=1)
    second, _ = run_script(script, tmp_path, PYTHONHASHSEED=2)
    assert first == second and len(first) > 10


def test_what_does_not_fit_is_refused():
    """Each sentence says what was got, and what would be valid."""
    model = named('two_link').robot.model
    for error, words, arguments in (
        (
            UnknownNameError,
            "'inverse_dynamic'.*inverse_dynamics",
            {'quantities': ['inverse_dynamic']},
        ),
        (ModelError, 'no frame; expected some of', {'quantities': ['jacobian']}),
        (UnknownNameError, 'no joint as prescribed', {'quantities': ['hybrid_dynamics']}),
        (
            UnknownNameError,
            "joint 'elbow'",
            {'quantities': ['hybrid_dynamics'], 'prescribed': ['elbow']},
        ),
        (UnknownNameError, "no frame 'hand'", {'frames': ['hand']}),
    ):
        with pytest.raises(error, match=words):
            c_selection.selected_functions(model, **arguments)
    twice = c_selection.selected_functions(model, ['energy', 'energy'])
    with pytest.raises(ModelError, match='two functions would be called'):
        c_selection.record_all(model, twice)
    for prefix in ('Arm', '2arm', 'arm-1', '', 'if'):
        with pytest.raises(ModelError, match='prefix'):
            c_package.files(model, '', c_selection.record_all(model, twice[:1]), Style(prefix))


def test_fast_math_is_refused(arm):
    """What would break the checks of NaN does not compile."""
    folder = arm[-1]
    done = subprocess.run(
        ['gcc', '-ffast-math', '-fsyntax-only', '-I', folder / 'include']
        + [folder / 'src' / 'mass_matrix.c'],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode and 'ffast-math' in done.stderr


@pytest.fixture
def elsewhere():
    """Return a compiler for aarch64, and an emulator of it."""
    emulator = shutil.which('qemu-aarch64-static') or compiler('qemu-aarch64')
    return compiler('aarch64-linux-gnu-gcc'), emulator


def _built_elsewhere(command, folder, program, *flags):
    """Return a program of a package, built for another processor."""
    sources = [*sorted((folder / 'src').glob('*.c')), program]
    made = folder / program.stem
    run(
        [command, '-std=c99', *STRICT, *flags, '-static', '-I', folder / 'include', *sources]
        + ['-o', made, '-lm']
    )
    return made


@pytest.mark.parametrize('real', ['double', 'float'])
def test_the_self_test_passes_on_another_processor(real, elsewhere, tmp_path):
    """Cross-compiled for aarch64, under an emulator."""
    command, emulator = elsewhere
    case = named('ur_like')
    _, texts = emitted(case.robot.model, Style('arm', real=real), frames=[case.tip])
    c_package.write(tmp_path, texts)
    program = _built_elsewhere(command, tmp_path, tmp_path / 'test' / 'check.c', '-O2')
    assert ': 0 numbers wrong' in run([emulator, program])


@pytest.mark.parametrize('name', ['ur_like', 'gripper'])
def test_same_bits_on_another_processor(name, elsewhere, tmp_path):
    """Without contraction, with the package's own sines, for one state and for four at once."""
    command, emulator = elsewhere
    case, style = named(name), replace(EXACTLY, lanes=4)
    found, texts = emitted(case.robot.model, style, SOME, [case.tip])
    c_package.write(tmp_path, texts)
    library = shared(tmp_path, style, [*EXACT, '-O1'], 'gcc')
    calls, expected = [], []
    for one, each in itertools.product(found, (EXACTLY, style)):
        lanes = [inputs_of(one, case.robot, seed) for seed in range(each.lanes)]
        given = [np.stack(arrays, axis=-1) for arrays in zip(*lanes)]
        status, results = call(library, each, one, given)
        expected += [status, *(number for result in results for number in result.ravel())]
        calls.append(_that_prints(each.function(one.name), given, results))
    (tmp_path / 'print.c').write_text(
        '#include <math.h>\n#include <stdio.h>\n#include "arm_dynamics/arm_dynamics.h"\n'
        f'int main(void) {{\n{"".join(calls)}return 0; }}\n'
    )
    program = _built_elsewhere(command, tmp_path, tmp_path / 'print.c', *EXACT, '-O1')
    printed = [*map(float.fromhex, run([emulator, program]).split())]
    assert np.array(printed).tobytes() == np.array(expected, float).tobytes()


def _that_prints(function, given, results):
    """Return statements that call a function, and print its status and every bit of results."""
    arrays = [f'a{k}' for k in range(len(given) + len(results))]
    lines = [
        f'const double {name}[] = {{{", ".join(map(float.hex, array.ravel()))}}};'
        for name, array in zip(arrays, given)
    ]
    lines += [
        f'double {name}[{array.size}]; for (int k = 0; k < {array.size}; ++k) {name}[k] = NAN;'
        for name, array in zip(arrays[len(given) :], results)
    ]
    lines.append(f'printf("%d\\n", {function}({", ".join(arrays)}));')
    lines += [
        f'for (int k = 0; k < {array.size}; ++k) printf("%a\\n", {name}[k]);'
        for name, array in zip(arrays[len(given) :], results)
    ]
    return '\n'.join(('{', *lines, '}', ''))


@pytest.mark.parametrize('command', ['gcc', 'clang'])
@pytest.mark.parametrize(
    'style', [Style('arm', 'c', 'double', 4), Style('arm', 'c', 'float', 8)], ids=str
)
def test_several_states_at_once_give_the_same_bits(style, command, tmp_path):
    """Each lane is what the function of one state gives; one bad lane refuses all."""
    case, one_state = named('ur_like'), replace(style, lanes=1)
    found, texts = emitted(case.robot.model, style, SOME, [case.tip])
    c_package.write(tmp_path, texts)
    library = shared(tmp_path, style, [*EXACT, '-O1', '-DARM_LIBM'], command)
    for one in found:
        lanes = [inputs_of(one, case.robot, seed) for seed in range(style.lanes)]
        given = [np.stack(arrays, axis=-1) for arrays in zip(*lanes)]
        status, results = call(library, style, one, given)
        assert status == 0, one.name
        for lane, alone in enumerate(lanes):
            _, expected = call(library, one_state, one, alone)
            for mine, theirs in zip(results, expected):
                assert mine[..., lane].tobytes() == theirs.tobytes(), one.name
        given[0][0, 1] = np.nan
        status, results = call(library, style, one, given)
        assert status == -1 and all(np.isnan(result).all() for result in results)


def test_the_programs_of_a_package_cover_several_states(tmp_path):
    """Self-test, times and manifest have both functions of each quantity."""
    style = Style('arm', lanes=4)
    found, texts = emitted(named('two_link').robot.model, style)
    c_package.write(tmp_path, texts)
    sources = sorted((tmp_path / 'src').glob('*.c'))
    for program in ('check', 'timing'):
        run(
            [compiler('gcc'), '-std=c99', *STRICT, '-O1', '-I', tmp_path / 'include', *sources]
            + [tmp_path / 'test' / f'{program}.c', '-o', tmp_path / program, '-lm']
        )
    assert f'{2 * len(found)} functions: 0 numbers wrong' in run([tmp_path / 'check'])
    timed = {line.split()[0] for line in run([tmp_path / 'timing', 100]).splitlines()[1:]}
    functions = json.loads((tmp_path / 'manifest.json').read_text())['functions']
    assert timed == {one.name + lanes for one in found for lanes in ('', '_x4')}
    assert set(functions) == {f'arm_{name}' for name in timed}
    wide = functions['arm_mass_matrix_x4']
    assert (wide['lanes'], wide['arguments']) == (4, {'q': [2, 4]})
    assert wide['results'] == {'M': [2, 2, 4]}
    source = tmp_path / 'src' / 'gravity_torque_x4.c'
    text = source.read_text()
    assert text.count('9.81') > 0
    source.write_text(text.replace('9.81', '9.8100001', 1))
    assert shared(tmp_path, style, ['-O1'], 'gcc').arm_self_test() > 0


def test_colcon_builds_an_emitted_package(tmp_path):
    """A workspace with the package in it, by colcon."""
    colcon = compiler('colcon')
    _, texts = emitted(named('two_link').robot.model, EXACTLY)
    c_package.write(tmp_path / 'src' / 'arm_dynamics', texts)
    run([colcon, 'build'], cwd=tmp_path)
    assert (tmp_path / 'install' / 'arm_dynamics' / 'include').is_dir()
    assert list((tmp_path / 'install').rglob('arm_dynamicsConfig.cmake'))


def test_cost_is_reported(arm):
    """Bytes of code and of stack of each function; more operations take more code."""
    compiler('gcc')
    _, found, _, folder = arm
    names = ['gravity_torque', 'inverse_dynamics', 'coriolis_matrix']
    told = cost(folder, names, EXACTLY)
    code, stack = zip(*(told[name] for name in names))
    assert code[0] < code[1] < code[2] < 100_000 and 0 < min(stack) <= max(stack) < 20_000


def test_manifest_states_what_a_program_needs(arm):
    """Joint order, gravity, status and every function with shapes and operations."""
    robot, found, library, folder = arm
    told = json.loads((folder / 'manifest.json').read_text())
    assert told['joint_names'] == list(robot.joint_names) and told['gravity'] == [0.0, 0.0, -9.81]
    assert told['urdf_sha256'] == hashlib.sha256(b'<robot/>').hexdigest()
    library.arm_urdf_sha256.restype = library.arm_joint_name.restype = ctypes.c_char_p
    assert library.arm_urdf_sha256().decode() == told['urdf_sha256']
    names = [library.arm_joint_name(k) for k in range(robot.nv)]
    assert [name.decode() for name in names] == told['joint_names']
    assert library.arm_joint_name(robot.nv) is None and library.arm_joint_name(-1) is None
    for one in found.values():
        function = told['functions'][EXACTLY.function(one.name)]
        assert function['operations'] == one.recording.counts()
        assert function['results'] == {k: list(v) for k, v in one.recording.outputs.items()}
