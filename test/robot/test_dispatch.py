# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fast methods: the answers and sentences of the Python methods, and always the same object."""

import copy
import functools
import gc
import inspect
import pickle
import sys
import threading
import time
import tracemalloc
import weakref
from types import MethodType

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.codegen.derivative_registry import DERIVATIVES
from robodyn_ros.codegen.registry import FRAME_RECIPES, RECIPES
from robodyn_ros.compile.vectorcall import method as methods
from robodyn_ros.errors import RobodynError
from robodyn_ros.robot import dispatch
from robodyn_ros.robot.dispatch import method_of, place_of
from support.robots.families import FAMILIES, MIXED, states

OF_STATES = (
    'inverse_dynamics',
    'gravity_torque',
    'bias_torque',
    'mass_matrix',
    'mass_matrix_inverse',
    'coriolis_matrix',
    'forward_dynamics',
    'inverse_dynamics_derivatives',
    'forward_dynamics_derivatives',
    'mass_matrix_derivative',
)
OF_FRAMES = ('pose', 'velocity', 'jacobian', 'jacobian_bias')
BUILT_IN = type(len)


def arguments(case, name, seed=0):
    """Return one random state for a method, and the frame."""
    recipe = (RECIPES | DERIVATIVES | FRAME_RECIPES)[name]
    q, qd, third = states(case.robot, 1, seed)[0]
    values = {'q': q, 'qd': qd}
    given = [values.get(argument, third).copy() for argument in recipe.inputs]
    return given + [case.tip] * (name in OF_FRAMES)


def fast_and_python(case, name, robot=None):
    """Return the fast method of a robot, its kernel in place, and the Python method of another."""
    robot = Robot(case.robot.model) if robot is None else robot
    fast = method_of(robot, name)
    fast(*arguments(case, name))
    assert isinstance(fast, BUILT_IN) and robot._cases[name], 'it has no kernel'
    owner, title = place_of(Robot(case.robot.model), name)
    return fast, MethodType(getattr(type(owner), title), owner)


def same(found, expected):
    """Compare results to the last bit: the kernel is the same."""
    for one, other in zip(
        *((x if isinstance(x, tuple) else (x,)) for x in (found, expected)), strict=True
    ):
        assert type(one) is np.ndarray and one.flags.carray and one.flags.owndata
        assert np.array_equal(one, other) and np.isfinite(one).all()


@pytest.mark.parametrize('name', OF_STATES + OF_FRAMES)
@pytest.mark.parametrize('family', ['permuted', 'sliding_tree', 'one_slide'])
def test_the_same_bits_as_the_careful_method(family, name):
    """Each call returns new arrays without other references."""
    case = FAMILIES[family]
    fast, python = fast_and_python(case, name)
    for seed in range(1, 4):
        given = arguments(case, name, seed)
        found = fast(*given)
        same(found, python(*given))
        same(fast(*arguments(case, name, 0)), python(*arguments(case, name, 0)))
        same(found, python(*given))


@pytest.mark.parametrize('name', OF_STATES + OF_FRAMES)
def test_out_by_name_and_by_place(name):
    """It is what comes back; one of another shape or kind is refused with the same sentence."""
    case = FAMILIES['sliding_tree']
    fast, python = fast_and_python(case, name)
    given, expected = arguments(case, name, 1), python(*arguments(case, name, 1))
    if isinstance(expected, tuple):
        with pytest.raises(TypeError):
            fast(*given, out=expected)
        return
    out = np.full_like(expected, np.nan)
    assert fast(*given, out=out) is out
    same(out, expected)
    assert fast(**dict(zip(inspect.signature(fast).parameters, given)), out=out) is out
    same(fast(*given, out=None), expected)
    key = ''.join(['o', 'ut'])  # another object than the name in the code
    assert fast(*given, **{key: out}) is out
    shape = expected.shape
    for wrong in (
        np.zeros((*shape, 1)),
        np.zeros((shape[0] + 1, *shape[1:])),
        np.zeros(0),
        np.zeros(shape, np.float32),
        np.zeros((2, *shape))[:, ..., 0],
        [0.0],
        'out',
    ):
        assert outcome(fast, given, out=wrong) == outcome(python, given, out=wrong)
    out.flags.writeable = False
    assert outcome(fast, given, out=out) == outcome(python, given, out=out)


def outcome(call, given, **options):
    """Return what a call came to, in a form to compare."""
    try:
        found = call(*given, **options)
    except Exception as error:
        return type(error), str(error)
    return [np.array(x).tobytes() for x in (found if isinstance(found, tuple) else (found,))]


class Marked(np.ndarray):
    """A subclass."""


CHANGES = {
    'list': list,
    'text': str,
    'None': lambda _: None,
    'number': lambda _: 0.1,
    'float32': lambda x: x.astype(np.float32),
    'complex': lambda x: x.astype(complex),
    'whole numbers': lambda x: np.ones(len(x), int),
    'other endian': lambda x: x.astype('>f8'),
    'strided': lambda x: x.repeat(2)[::2],
    'backwards': lambda x: x[::-1],
    'subclass': lambda x: x.view(Marked),
    'masked': lambda x: np.ma.array(x, mask=x > 0),
    'read-only': lambda x: np.frombuffer(x.tobytes()),
    'pickled': lambda x: pickle.loads(pickle.dumps(x)),
    'column': lambda x: x[:, None],
    'too long': lambda x: np.append(x, 0.1),
    'too short': lambda x: x[:-1].copy(),
    'empty': lambda x: x[:0].copy(),
    'NaN': lambda x: np.where(np.arange(len(x)) == len(x) - 1, np.nan, x),
    'infinite': lambda x: np.where(np.arange(len(x)) == 1, -np.inf, x),
    'huge': lambda x: np.where(np.arange(len(x)) == 1, 1e308, x),
    'minus zero': lambda x: 0.0 * -abs(x),
    'denormal': lambda x: 0.0 * x + 5e-324,
}


@pytest.mark.parametrize('change', CHANGES)
@pytest.mark.parametrize(
    'name', ['inverse_dynamics', 'mass_matrix', 'velocity', 'forward_dynamics_derivatives']
)
def test_other_arguments_use_the_python_method(name, change):
    """In any place: the same numbers, or the same sentence."""
    case = FAMILIES['sliding_tree']
    fast, python = fast_and_python(case, name)
    for place in range(len(arguments(case, name)) - (name in OF_FRAMES)):
        given = arguments(case, name, 2)
        given[place] = CHANGES[change](given[place])
        with np.errstate(all='ignore'):
            assert outcome(fast, given) == outcome(python, given)


@pytest.mark.parametrize('name', OF_STATES + OF_FRAMES)
def test_batches_and_wrenches_go_the_careful_way(name):
    """And do not spoil what follows."""
    case = FAMILIES['sliding_tree']
    fast, python = fast_and_python(case, name)
    given = arguments(case, name, 3)
    many = [np.tile(x, (3, 1)) if isinstance(x, np.ndarray) else x for x in given]
    assert outcome(fast, many) == outcome(python, many)
    if 'f_ext' in inspect.signature(python).parameters:
        f_ext = {case.tip: np.arange(1.0, 7.0)}
        assert outcome(fast, given, f_ext=f_ext) == outcome(python, given, f_ext=f_ext)
        assert outcome(fast, [*given, f_ext]) != outcome(fast, given)
        assert outcome(fast, given, f_ext={'nose': f_ext[case.tip]})[0].__name__ == (
            'UnknownNameError'
        )
    same(fast(*given), python(*given))


def test_every_frame_goes_over_by_itself():
    """An unknown frame has the same error as before."""
    case = FAMILIES['sliding_tree']
    fast, _ = fast_and_python(case, 'jacobian')
    robot = Robot(case.robot.model)
    (q,) = arguments(case, 'jacobian', 4)[:1]
    for _ in range(2):
        for frame in robot.frames:
            same(fast(q, frame), Robot(robot.model).jacobian(q, frame))
            same(fast(q, frame=frame), Robot(robot.model).jacobian(q, frame))
    for wrong in ('nose', None, 3, [case.tip], {}, b'tip'):
        found = outcome(fast, (q, wrong))
        assert issubclass(found[0], RobodynError) and 'valid: ' in found[1]


@pytest.mark.parametrize('name', ['gravity_torque', 'forward_dynamics_derivatives', 'pose'])
def test_no_reference_is_kept_or_lost(name):
    """By calls that go well, that write into an array, that are refused, and by the robot."""
    case = FAMILIES['sliding_tree']
    fast, python = fast_and_python(case, name)
    given = arguments(case, name)
    out = None if isinstance(python(*given), tuple) else python(*given)
    bad = [np.full_like(given[0], np.nan), *given[1:]]
    watched = [*given, out, None, 0, 'out', np.ndarray, np.dtype(np.float64), fast, bad[0]]

    def calls():
        for _ in range(1000):
            fast(*given)
            if out is not None:
                fast(*given, out=out)
            outcome(fast, bad)
            outcome(fast, given[:-1])

    calls()
    gc.collect()
    before, objects = [sys.getrefcount(x) for x in watched], len(gc.get_objects())
    calls()
    gc.collect()
    after = [sys.getrefcount(x) for x in watched]
    # of None and 0 others take and give some too
    assert max(abs(a - b) for a, b in zip(after, before)) < 500, (before, after)
    assert abs(len(gc.get_objects()) - objects) < 500


def test_a_robot_without_references_is_freed():
    """Its methods hold it, and it holds them: a collection finds that."""
    case = FAMILIES['sliding_tree']
    robot = Robot(case.robot.model)
    work = robot._work
    robot.gravity_torque(*arguments(case, 'gravity_torque'))
    robot.pose(*arguments(case, 'pose'))
    gc.collect()
    held = sys.getrefcount(work)
    del robot
    gc.collect()
    assert sys.getrefcount(work) < held and sys.getrefcount(work) <= 2


@pytest.mark.parametrize('name', OF_STATES + OF_FRAMES)
def test_it_still_describes_itself(name):
    """Name, text and arguments are those of the class."""
    owner, title = place_of(Robot(FAMILIES['one_slide'].robot.model), name)
    fast = getattr(owner, title)
    written = getattr(type(owner), title)
    expected = [key for key in inspect.signature(written).parameters if key != 'self']
    assert list(inspect.signature(fast).parameters) == expected
    assert (fast.__name__, fast.__doc__) == (title, written.__doc__)
    with pytest.raises(TypeError, match=rf'{title}\(\) missing'):
        fast()


def test_copies_and_pickles_begin_again():
    """Each with working memory of its own."""
    case = FAMILIES['permuted']
    fast, python = fast_and_python(case, 'inverse_dynamics', robot := Robot(case.robot.model))
    given = arguments(case, 'inverse_dynamics', 5)
    for other in (copy.copy(robot), copy.deepcopy(robot), pickle.loads(pickle.dumps(robot))):
        assert vars(other)['inverse_dynamics'] is not vars(robot)['inverse_dynamics']
        same(other.inverse_dynamics(*given), fast(*given))


@pytest.mark.parametrize('kind', ['generic', 'specialised'])
@pytest.mark.parametrize('name', OF_STATES + OF_FRAMES)
def test_a_method_is_the_same_object_before_and_after_its_calls(kind, name):
    """One that was kept serves as well as any: f = robot.pose, and then f many times."""
    case = FAMILIES['one_slide']
    robot = Robot(case.robot.model)
    if kind == 'specialised':
        robot = robot.specialised([case.tip])
    kept, given = method_of(robot, name), arguments(case, name)
    first = kept(*given)
    assert method_of(robot, name) is kept and isinstance(kept, BUILT_IN)
    same(kept(*given), first)
    assert method_of(robot, name) is kept


def test_the_kernel_serves_from_the_second_call_on(monkeypatch):
    """The Python method is not asked again for one state in float64 arrays."""
    case = FAMILIES['permuted']
    robot, given = Robot(case.robot.model), arguments(case, 'gravity_torque')
    expected = robot.gravity_torque(*given)
    monkeypatch.setattr(Robot, '_states', None)
    same(robot.gravity_torque(*given), expected)
    with pytest.raises(TypeError):
        robot.gravity_torque(*(x.tolist() for x in given))


def test_a_subclass_keeps_its_own_methods():
    """Also where they call those of Robot."""

    class Doubled(Robot):
        def gravity_torque(self, q, out=None):
            return 2.0 * super().gravity_torque(q, out)

    case = FAMILIES['permuted']
    robot, (q,) = Doubled(case.robot.model), arguments(case, 'gravity_torque')
    expected = 2.0 * case.robot.gravity_torque(q)
    for _ in range(3):
        assert np.array_equal(robot.gravity_torque(q), expected)


def test_quaternions_without_direction_take_the_python_path():
    """One without direction is found in Python."""
    robot = Robot(MIXED['balls_in_a_row'].robot.model)
    assert robot.nq > robot.nv
    q, qd, qdd = states(robot, 1)[0]
    for _ in range(3):
        robot.inverse_dynamics(q, qd, qdd)
        with pytest.raises(RobodynError, match='quaternion of length'):
            robot.inverse_dynamics(np.zeros_like(q), qd, qdd)
    assert 'inverse_dynamics' not in vars(robot)


def test_another_interpreter_keeps_the_careful_methods(monkeypatch):
    """Where objects are laid out otherwise."""
    monkeypatch.setattr(methods, 'layout_is_known', lambda: False)
    case = FAMILIES['permuted']
    for robot in (Robot(case.robot.model), FAMILIES['one_slide'].robot.specialised()):
        given = states(robot, 1)[0]
        for _ in range(2):
            found = robot.inverse_dynamics(*given)
            # code for one robot adds up in another order, so its last bits are its own
            expected = Robot(robot.model).inverse_dynamics(*given)
            np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-13 * abs(expected).max())
        assert not isinstance(robot.inverse_dynamics, BUILT_IN)


def test_a_result_that_is_held_is_never_written_again():
    """Neither is one of which a view or a buffer is left."""
    robot = FAMILIES['permuted'].robot
    Q = np.random.default_rng(1).uniform(-1.0, 1.0, (60, robot.nv))
    holds = (lambda M: M, lambda M: M[1:], memoryview, lambda M: M.T)
    held = [holds[k % len(holds)](robot.mass_matrix(q)) for k, q in enumerate(Q)]
    for k, (q, found) in enumerate(zip(Q, held)):
        expected = holds[k % len(holds)](Robot(robot.model).mass_matrix(q))
        np.testing.assert_array_equal(np.asarray(found), np.asarray(expected))


def test_a_result_that_its_owner_changed_in_place_is_not_returned_again():
    """Its shape, dtype and flags were the caller's to change."""
    robot, q = FAMILIES['permuted'].robot, np.full(FAMILIES['permuted'].robot.nv, 0.3)
    expected = robot.mass_matrix(q).copy()

    def flatten(M):
        M.shape = (-1,)

    def halve(M):
        M.dtype = np.float32

    def seal(M):
        M.flags.writeable = False

    for change in (flatten, halve, seal):
        for _ in range(3 * methods.KEPT_EACH):
            M = robot.mass_matrix(q)
            np.testing.assert_array_equal(M, expected)
            assert M.shape == expected.shape and M.dtype == np.float64 and M.flags.writeable
            change(M)


def test_a_weak_reference_sees_its_result_no_more_once_it_may_be_another():
    """An array with a weak reference is left until others take its place."""
    robot, q = FAMILIES['permuted'].robot, np.full(FAMILIES['permuted'].robot.nv, 0.3)
    followed = weakref.ref(robot.mass_matrix(q))
    held = []
    for scale in range(3 * methods.KEPT_EACH):
        held.append(robot.mass_matrix(scale * q))
        assert followed() is None or all(followed() is not M for M in held)
    assert followed() is None


@pytest.mark.parametrize('keeps, makes', [(methods.KEPT_EACH, False), (0, True)])
def test_arrays_that_nobody_holds_are_returned_again(keeps, makes, monkeypatch):
    """So a loop that uses each result once allocates no array, of one result or of three."""
    whole = functools.partial(methods.machine_method, keeps=keeps)
    monkeypatch.setattr(dispatch, 'machine_method', whole)
    robot = Robot(FAMILIES['permuted'].robot.model)
    given = states(robot, 1)[0]
    for method in (robot.inverse_dynamics, robot.derivatives.inverse_dynamics):
        for _ in range(2 * methods.KEPT_EACH):
            method(*given)
        tracemalloc.start()
        for _ in range(20):
            method(*given)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert (most > np.ndarray.__basicsize__) == makes


def test_threads_never_share_a_result():
    """The interpreter's lock is held from the choice of an array to its return."""
    robot, wrong = FAMILIES['permuted'].robot, []
    Q = np.random.default_rng(2).uniform(-1.0, 1.0, (4, robot.nv))

    def call(q):
        expected = robot.mass_matrix(q).copy()
        for _ in range(3000):
            M = robot.mass_matrix(q)
            time.sleep(0)  # another thread runs
            if not np.array_equal(M, expected):
                wrong.append(M)

    threads = [threading.Thread(target=call, args=(q,)) for q in Q]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_any_callable_may_be_the_code_of_a_case():
    """Only C functions of one convention are called without Python's own checks."""
    kept = []

    def keep(result):
        kept.append(result)
        return 0

    def fail(_):
        raise ValueError

    def otherwise(out=None):
        return 'otherwise'

    for one in (keep, kept.append):  # a function in Python, and one in C of another convention
        found = methods.machine_method(otherwise, [(one, (), ())], [], [(2, 3)])()
        assert found is kept.pop() and found.shape == (2, 3) and found.dtype is np.dtype(float)
        assert type(found) is np.ndarray and found.flags.owndata and found.flags.carray
    assert methods.machine_method(otherwise, [(fail, (), ())], [], [(2,)])() == 'otherwise'


def test_a_singular_pivot_is_reported_by_the_python_method():
    """With the name of the body."""
    model = FAMILIES['skew_chain'].robot.model
    constants = model.constants.copy()
    constants[-1, 12:23] = 0.0
    robot = Robot(model.with_constants(constants))
    given = [np.full(robot.nv, 0.3) for _ in range(3)]
    Robot(model).forward_dynamics(*given)  # the kernel is there
    robot._cases['forward_dynamics'].append(robot._case('forward_dynamics'))
    for _ in range(2):
        with pytest.raises(RobodynError, match="singular at body 'link7'"):
            robot.forward_dynamics(*given)


def test_specialised_robots_use_their_own_code_at_their_frames():
    """And the code for any robot at the others."""
    case = FAMILIES['sliding_tree']
    robot, q = case.robot.specialised(frames=[case.tip]), states(case.robot, 1)[0][0]
    other = next(name for name in robot.frames if name != case.tip)
    for frame, ours in ((case.tip, True), (other, False)):
        expected = case.robot.jacobian(q, frame)
        for _ in range(3):
            assert np.allclose(robot.jacobian(q, frame), expected, rtol=0.0, atol=1e-12 * 10.0)
        assert (robot._cases['jacobian'][frame][0] is robot._one.get(('jacobian', frame))) is ours
