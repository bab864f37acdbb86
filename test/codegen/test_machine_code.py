# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The compiled code: what it refuses, that it equals its text, cache and batches."""

import os
import subprocess
import sys

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.codegen import specialise as specialising
from robodyn_ros.codegen.emit_llvm import LANES
from robodyn_ros.codegen.registry import RECIPES
from robodyn_ros.compile import cache
from robodyn_ros.errors import KernelError, ShapeError, SingularityError
from robodyn_ros.robot.dispatch import method_of
from robodyn_ros.robot.specialised_robot import SpecialisedRobot
from support.patience import PATIENCE
from support.robots.families import states
from test.codegen.conftest import COMPILED, Answers, named

EXACT = 1e-13


@pytest.fixture(params=COMPILED, scope='session')
def compiled_case(request):
    """Return a robot of each sort, with its specialised twin."""
    case = named(request.param)
    return case, case.robot.specialised(frames=[case.tip])


@pytest.fixture(scope='session')
def arm(franka):
    """Return the Franka-like arm, specialised."""
    return franka.specialised()


def test_every_kernel_gives_what_the_generic_one_gives(compiled_case, quantity):
    """Every kernel gives what the generic one gives."""
    case, robot = compiled_case
    answers, (name, recipe) = Answers(case, seed=5), quantity
    answers.skip_if_pointless(name)
    key = (name, case.tip) if (name, case.tip) in robot.kernels else name
    expected = answers.expected(name, recipe)
    got = [np.full(array.shape, np.nan) for array in expected]
    assert robot.kernels[key].one(*answers.given(recipe), *got) == 0
    for mine, theirs in zip(got, expected):
        assert np.abs(mine - theirs).max() <= answers.tolerance(name, theirs, EXACT) + 1e-15


@pytest.mark.parametrize('spoil', [np.nan, np.inf, -np.inf, 1e308])
def test_refuses_what_is_not_finite(arm, spoil):
    """A bad number anywhere: status -1, the output as it was; no quarter turn too many."""
    kernel = arm.kernels['inverse_dynamics'].one
    for argument in range(3):
        for joint in range(7):
            given = [np.full(7, 0.1) for _ in range(3)]
            given[argument][joint] = spoil
            tau = np.full(7, 7.0)
            status = kernel(*given, tau)
            if np.isfinite(spoil):  # so large that squares overflow: the numbers decide
                assert status in (0, -1)
            else:
                assert status == -1 and (tau == 7.0).all()


def test_machine_code_refuses_wrong_shapes(arm):
    """Length six or eight, any argument: status -1, nothing written."""
    kernel = arm.kernels['inverse_dynamics'].one
    for argument in range(4):
        for size in (0, 6, 8):
            given = [np.ones(size if k == argument else 7) for k in range(4)]
            assert kernel(*given) == -1 and (given[3] == 1.0).all()


def test_machine_code_refuses_other_types(arm):
    """float32, integers, strided views: a TypeError, never a second compilation."""
    kernel = arm.kernels['gravity_torque'].one
    for q in (np.ones(7, np.float32), np.ones(7, int), np.ones(14)[::2], [0.0] * 7):
        with pytest.raises(TypeError):
            kernel(q, np.ones(7))
    assert len(kernel.compiled.signatures) == 1


def test_a_singular_pivot_leaves_the_output():
    """No inertia about a joint: status 1, nothing written; the face says which body."""
    model = named('skew_chain').robot.model
    constants = model.constants.copy()
    constants[-1, 12:23] = 0.0
    robot = Robot(model.with_constants(constants)).specialised()
    x = np.full(7, 7.0)
    assert robot.kernels['mass_solve'].one(np.ones(7), np.ones(7), x) == 1 and (x == 7.0).all()
    with pytest.raises(SingularityError, match='link7'):
        robot.mass_operator.solve(np.ones(7), np.ones(7), out=x)


@pytest.mark.parametrize('size', [1e-300, 1e-8, 1.0, 3.0, 1e3, 9.9e4, 1.1e5, 1e9])
def test_sines_are_exact_to_rounding_for_any_angle(arm, franka, size):
    """Cosines and sines to rounding, from denormals to where the C library takes over.

    A turned frame adds a constant to its angle, which costs the digits that a large angle has not.
    """
    rng = np.random.default_rng(0)
    for _ in range(20):
        q = size * rng.uniform(-1.0, 1.0, 7)
        expected = franka.gravity_torque(q)
        allowed = 1e-13 + 4.0 * np.finfo(float).eps * size
        scale = np.abs(expected).max() + 10.0
        assert np.abs(arm.gravity_torque(q) - expected).max() <= allowed * scale


def test_mistakes_get_the_sentences_of_robot(arm):
    """What the fast call does not take, the Python path explains."""
    with pytest.raises(ShapeError, match='expected'):
        arm.inverse_dynamics(np.ones(6), np.ones(7), np.ones(7))
    with pytest.raises(ShapeError, match='finite'):
        arm.mass_matrix(np.full(7, np.nan))
    assert np.allclose(
        arm.gravity_torque([0.1] * 7), arm.gravity_torque(np.full(7, 0.1)), rtol=1e-12, atol=1e-12
    )  # [N m] of sums up to 50


@pytest.mark.parametrize('name', [name for name in RECIPES if name != 'energy'])
@pytest.mark.parametrize('k', [0, 1, LANES - 1, LANES, 3 * LANES + 5, 1200])
def test_a_batch_is_its_rows_one_by_one(compiled_case, name, k):
    """Any number of states: row by row the same as one by one, to rounding."""
    _, robot = compiled_case
    rng = np.random.default_rng(k)
    given = [rng.uniform(-1.4, 1.4, (k, robot.nv)) for _ in RECIPES[name].inputs]
    got = method_of(robot, name)(*given)
    shape = got.shape[1:]
    assert got.shape == (k, *shape)
    for i in range(0, k, 1 if k < 50 else 97):
        expected = method_of(robot, name)(*(array[i] for array in given))
        assert np.abs(got[i] - expected).max() <= 1e-11 * max(1.0, np.abs(expected).max())


def test_batches_are_written_into_out(arm):
    """The caller's array is used, and wrong ones are refused."""
    states_ = np.random.default_rng(0).uniform(-1.0, 1.0, (3, 40, 7))
    out = np.full((40, 7), np.nan)
    assert arm.inverse_dynamics(*states_, out=out) is out and np.isfinite(out).all()
    for wrong in (np.empty((39, 7)), np.empty((40, 7), np.float32), np.empty((7, 40)).T):
        with pytest.raises(ShapeError, match='out'):
            arm.inverse_dynamics(*states_, out=wrong)


def test_a_bad_row_of_a_batch_is_named(arm):
    """One NaN among a thousand states: the sentence of Robot."""
    states_ = np.random.default_rng(0).uniform(-1.0, 1.0, (3, 1000, 7))
    states_[1, 777, 3] = np.nan
    with pytest.raises(ShapeError, match='joint4'):
        arm.inverse_dynamics(*states_)


def test_a_singular_row_of_a_batch():
    """A pivot that vanishes in some rows only refuses those rows."""
    model = named('skew_chain').robot.model
    constants = model.constants.copy()
    constants[-1, 12:23] = 0.0
    robot = Robot(model.with_constants(constants))
    with pytest.raises(SingularityError, match='link7'):
        robot.mass_operator.solve(np.ones((20, 7)), np.ones((20, 7)))


def test_a_wrong_kernel_is_found_before_it_serves(franka, monkeypatch):
    """A kernel that computes something else is found out."""
    right = specialising.specialise

    def wrong(model, name, recipe, frame=None):
        heavier = model.with_scaled_masses(1.0 + 1e-9)
        return right(heavier if name == 'mass_matrix' else model, name, recipe, frame)

    monkeypatch.setattr('robodyn_ros.robot.specialised_robot.specialise', wrong)
    with pytest.raises(KernelError, match='mass_matrix.*differs'):
        SpecialisedRobot(franka.model)


def test_too_long_code_stays_generic(franka, monkeypatch):
    """Beyond LARGEST operations the generic kernel serves, and the robot says so."""
    monkeypatch.setattr(specialising, 'LARGEST', 700)
    monkeypatch.setattr(specialising, 'imported', uncached)
    robot = SpecialisedRobot(franka.model)
    assert 'forward_dynamics' in robot.generic and 'inverse_dynamics' in robot.kernels
    q, qd, tau = states(robot, 1)[0]
    assert np.array_equal(robot.forward_dynamics(q, qd, tau), franka.forward_dynamics(q, qd, tau))


def uncached(stem, write):
    """Import a text without looking for it in the cache."""
    found, keep = cache.found, cache.save
    cache.found, cache.save = (lambda file, name: iter(())), (lambda file, name, data: False)
    try:
        return IMPORTED(stem, write)
    finally:
        cache.found, cache.save = found, keep


IMPORTED = specialising.imported

CHILD = """
import sys
from robodyn_ros.codegen import specialise as specialising
from robodyn_ros.model import build, urdf
if sys.argv[2] == 'cached':
    specialising.record = None  # nothing may be recorded
model = build.build(urdf.parse(sys.argv[1]))
recipe = specialising.RECIPES['gravity_torque']
kernel = specialising.specialise(model, 'gravity_torque', recipe).one
import numpy as np
q, tau = np.full(model.nv, 0.3), np.zeros(model.nv)
assert kernel(q, tau) == 0
print(sum(kernel.compiled.stats.cache_hits.values()), tau.tolist())
"""


def run(how, home):
    """Run CHILD in a process of its own."""
    urdf = str(named('franka_like').path)
    environment = {**os.environ, 'ROBODYN_CACHE_DIR': str(home), 'PYTHONWARNINGS': 'ignore'}
    done = subprocess.run(
        [sys.executable, '-c', CHILD, urdf, how],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split(' ', 1)


def test_another_process_loads_what_one_compiled(tmp_path):
    """The second process neither records nor compiles; a damaged text is written anew."""
    home = tmp_path / 'cache'
    hits, tau = run('cold', home)
    assert hits == '0'
    assert run('cached', home) == ['1', tau]
    (text,) = home.rglob('*gravity_torque*.py')
    assert oct(text.parent.stat().st_mode & 0o777) == '0o700'
    text.write_text(text.read_text()[:500])
    assert run('cold', home)[1] == tau
    assert run('cached', home) == ['1', tau]
    for file in home.rglob('*.nb?'):
        file.write_bytes(b'garbage')
    assert run('cached', home)[1] == tau


def test_kernels_compile_without_a_cache(tmp_path):
    """No folder to write in: it compiles and runs all the same."""
    blocked = tmp_path / 'file'
    blocked.write_text('')
    assert run('cold', blocked / 'cache')[0] == '0'
