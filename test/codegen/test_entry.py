# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The way in from Python: what it takes, what it refuses, and that it lives as long as needed."""

import gc
import inspect
import pickle
import sys

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.codegen.registry import RECIPES
from robodyn_ros.codegen.specialise import specialise
from robodyn_ros.compile.vectorcall import entry as entries
from robodyn_ros.compile.vectorcall.entry import REFUSED, entry
from robodyn_ros.errors import ShapeError
from robodyn_ros.robot.dispatch import method_of, place_of
from support.robots.families import FAMILIES

ROBOT = FAMILIES['sliding_tree'].robot
N = ROBOT.nv


@pytest.fixture(scope='module')
def kernel():
    """Return the inverse dynamics of a tree as compiled code."""
    return specialise(ROBOT.model, 'inverse_dynamics', RECIPES['inverse_dynamics']).one


@pytest.fixture(scope='module', params=['entry', 'dispatcher'])
def call(request, kernel):
    """Return the entry, and what takes its place where the interpreter is another one."""
    if request.param == 'entry':
        assert entries.layout_is_known()
        return entry(kernel)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entries, 'layout_is_known', lambda: False)
        return entry(kernel)


def states():
    """Return q, qd and qdd, and room for the torque."""
    return [*np.random.default_rng(3).uniform(-1.0, 1.0, (3, N)), np.full(N, 7.0)]


def test_same_numbers_as_the_dispatcher(kernel, call):
    """The code behind is the same, to the last bit."""
    *given, tau = states()
    expected = np.empty(N)
    assert kernel(*given, expected) == call(*given, tau) == 0
    assert (tau == expected).all()


class Marked(np.ndarray):
    """A subclass may change what its entries mean."""


def _unaligned():
    raw = np.zeros(8 * N + 1, np.uint8)
    return raw[1:].view(np.float64)


OTHERS = {
    'list': lambda: [0.1] * N,
    'tuple': lambda: (0.1,) * N,
    'None': lambda: None,
    'number': lambda: 0.1,
    'text': lambda: 'q',
    'type': lambda: np.ndarray,
    'int64': lambda: np.ones(N, np.int64),
    'uint64': lambda: np.ones(N, np.uint64),
    'complex': lambda: np.ones(N, complex),
    'float32': lambda: np.ones(N, np.float32),
    'datetime': lambda: np.ones(N, 'M8[s]'),
    'object': lambda: np.ones(N, object),
    'other endian': lambda: np.ones(N, '>f8'),
    'scalar array': lambda: np.array(0.1),
    'matrix': lambda: np.ones((N, 1)),
    'strided': lambda: np.ones(2 * N)[::2],
    'backwards': lambda: np.ones(N)[::-1],
    'buffer': lambda: memoryview(np.ones(N)),
}


@pytest.mark.parametrize('argument', range(4))
@pytest.mark.parametrize('sort', OTHERS)
def test_what_is_no_float64_array_is_refused(call, sort, argument):
    """In any place: a status, no exception, nothing written."""
    given = states()
    given[argument] = OTHERS[sort]()
    assert call(*given) == REFUSED
    if argument < 3:
        assert (given[3] == 7.0).all()


@pytest.mark.parametrize('argument', range(4))
def test_arrays_out_of_a_pickle_are_as_good(call, argument):
    """Their dtype is another object than numpy's own: so come all arrays of other processes."""
    given = states()
    assert call(*given) == 0
    expected = given[3].copy()
    given[argument] = pickle.loads(pickle.dumps(given[argument]))
    assert given[argument].dtype is not np.dtype(np.float64)
    given[3][:] = 7.0
    assert call(*given) == 0
    assert (given[3] == expected).all()


@pytest.mark.parametrize('size', [0, 1, N - 1, N + 1, 1000])
@pytest.mark.parametrize('argument', range(4))
def test_wrong_lengths_are_refused(call, size, argument):
    """By the code itself, before it reads or writes an entry."""
    given = states()
    given[argument] = np.full(size, 7.0)
    assert call(*given) == -1
    assert (given[3] == 7.0).all()


@pytest.mark.parametrize('count', [0, 1, 3, 5])
def test_wrong_numbers_of_arguments_are_refused(call, count):
    """Too few or too many."""
    assert call(*[np.full(N, 7.0)] * count) == REFUSED


def test_subclasses_and_unaligned_arrays_are_refused(kernel):
    """The Python path makes plain arrays of them."""
    *given, tau = states()
    for other in (given[0].view(Marked), _unaligned()):
        assert entry(kernel)(other, *given[1:], tau) == REFUSED
        assert (tau == 7.0).all()


def test_results_are_never_written_into_what_is_read_only(call):
    """Not even where the Python path would say so later."""
    *given, tau = states()
    tau.flags.writeable = False
    assert call(*given, tau) == REFUSED and (tau == 7.0).all()


def test_inputs_may_be_read_only(kernel):
    """They are not written."""
    *given, tau = states()
    for array in given:
        array.flags.writeable = False
    assert entry(kernel)(*given, tau) == 0


def test_no_reference_is_kept_or_lost(kernel):
    """Ten thousand calls, accepted and refused, leave the counts of references as they were."""
    call, (*given, tau) = entry(kernel), states()
    arrays = [*given, tau]
    gc.collect()
    before = [sys.getrefcount(x) for x in (*arrays, np.ndarray, tau.dtype, None, 0, REFUSED)]
    for _ in range(10_000):
        call(*arrays)
        call(tau, None)
    after = [sys.getrefcount(x) for x in (*arrays, np.ndarray, tau.dtype, None, 0, REFUSED)]
    assert all(abs(a - b) < 1000 for a, b in zip(after, before))


def test_code_lives_as_long_as_its_entry():
    """The kernel may be gone: its entry keeps the machine code."""
    call = entry(specialise(ROBOT.model, 'inverse_dynamics', RECIPES['inverse_dynamics']).one)
    gc.collect()
    *given, tau = states()
    assert call(*given, tau) == 0
    expected = ROBOT.inverse_dynamics(*given)
    assert np.abs(tau - expected).max() <= 1e-12 * np.abs(expected).max()


def test_the_python_method_explains_refusals_of_the_entry():
    """Wrong types and shapes end in the sentences of the Python path."""
    robot = FAMILIES['one_slide'].robot.specialised()
    assert robot.gravity_torque([0.1]).shape == (1,)
    assert robot.gravity_torque(np.ones(1, int)).shape == (1,)
    for wrong in (np.ones(2), np.array(1.0), np.full(1, np.nan), 'q', None, np.ones(1, complex)):
        with pytest.raises(ShapeError):
            robot.gravity_torque(wrong)
    with pytest.raises(ShapeError):
        robot.gravity_torque(np.ones(1), out=np.ones(1, np.float32))


@pytest.fixture(scope='module')
def fast():
    """Return a specialised robot of one joint."""
    return FAMILIES['one_slide'].robot.specialised()


@pytest.mark.parametrize(
    'name',
    [
        *(name for name in RECIPES if name != 'energy'),
        'inverse_dynamics_derivatives',
        'forward_dynamics_derivatives',
    ],
)
def test_methods_have_the_arguments_of_the_generic_robot(fast, name):
    """By position and by name, with the same sentence."""
    if name not in RECIPES:
        method_of(fast, name)(*np.ones((3, 1)))  # the code is written when it is first asked for
    owner, title = place_of(Robot(fast.model), name)
    generic = getattr(type(owner), title)
    expected = [key for key in inspect.signature(generic).parameters if key != 'self']
    found = list(inspect.signature(method_of(fast, name)).parameters)
    assert found == expected
    assert method_of(fast, name).__doc__ == generic.__doc__
    states = [key for key in expected if key not in ('f_ext', 'out')]
    given = np.random.default_rng(1).uniform(0.5, 1.0, (len(states), 1))
    by_place = method_of(fast, name)(*given)
    by_name = method_of(fast, name)(**dict(zip(states, given)))
    assert np.array_equal(np.array(by_place), np.array(by_name))


def test_wrenches_and_out_by_name(fast):
    """A wrench goes to the Python path, a result into the caller's array."""
    case, one = FAMILIES['one_slide'], np.ones(1)
    f_ext = {case.tip: np.arange(1.0, 7.0)}
    expected = case.robot.inverse_dynamics(one, one, one, f_ext)
    assert np.abs(fast.inverse_dynamics(one, one, one, f_ext=f_ext) - expected).max() <= (
        1e-12 * np.abs(expected).max()
    )
    out = np.zeros(1)
    assert fast.inverse_dynamics(q=one, qd=one, qdd=one, out=out) is out and out[0] != 0.0
