# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""One kernel, one signature: what does not fit is a TypeError, never another compilation."""

import importlib
import pkgutil

import numpy as np
import pytest

import robodyn_ros
from robodyn_ros.compile import Kernel, generic, kernel, warm_up
from robodyn_ros.errors import KernelError
from robodyn_ros.spatial.types import Boolean, Integer, Scalar, Vector
from support.calls import arguments, results
from support.robots.families import FAMILIES

GENERIC = {item.python.__name__: item for item in generic.ALL}


@pytest.fixture(params=GENERIC.values(), ids=GENERIC)
def one(request):
    """Return one generic kernel after the other."""
    return request.param


@pytest.fixture(scope='module')
def robot():
    """Return a robot with every kind of joint."""
    return FAMILIES['permuted'].robot


def package_kernels():
    """Return {name: kernel} of every kernel of the package that needs no ROS."""
    found = {}
    with_ros = tuple(
        f'robodyn_ros.{room}' for room in ('ros', 'nodes', 'cli', 'demonstration', 'testing')
    )
    for module in pkgutil.walk_packages(robodyn_ros.__path__, 'robodyn_ros.'):
        if not module.name.startswith(with_ros):
            for value in vars(importlib.import_module(module.name)).values():
                if isinstance(value, Kernel):
                    found[value.name] = value
    return found


def test_generic_kernels_are_all_listed():
    """ALL holds every kernel of the module, so that warm_up passes none over."""
    defined = {value for value in vars(generic).values() if isinstance(value, Kernel)}
    assert defined == set(generic.ALL) and len(generic.ALL) == len(defined)


@pytest.mark.slow
def test_every_kernel_of_the_package_compiles_to_one_signature():
    """The one that its annotations state; compiling goes no further."""
    kernels = package_kernels()
    assert set(generic.ALL) < set(kernels.values())
    warm_up(kernels.values())
    for name, item in kernels.items():
        assert item.compiled.signatures == [item.signature], name
        assert not item.compiled._can_compile, name


def test_call_leaves_one_signature(one, robot):
    """Running a kernel compiles nothing more."""
    for seed in range(2):
        one(*arguments(robot, one, seed=seed).values())
    assert one.compiled.signatures == [one.signature]


def spoiled(array):
    """Return arrays that look like the given one, but of another type or layout."""
    if array.dtype.names:
        yield array.view(np.float64)
        yield np.zeros(array.shape, [('omega', float, 3)])
    else:
        yield array.astype(np.float32 if array.dtype == np.float64 else np.int32)
        yield array.astype(complex)
        yield array.astype(object)
    yield np.repeat(array, 2, axis=-1)[..., ::2]
    yield array[..., None]
    yield array.tolist()
    yield None
    if array.ndim == 2:
        yield np.asfortranarray(array)
        yield array.ravel()


def test_other_types_and_layouts_are_a_type_error(one, robot):
    """Every array argument in turn: float32, complex, strided, Fortran, lists."""
    good = arguments(robot, one)
    for name, value in good.items():
        if isinstance(value, np.ndarray):
            for wrong in spoiled(value):
                with pytest.raises(TypeError):
                    one(*(good | {name: wrong}).values())
    assert one.compiled.signatures == [one.signature]


def test_read_only_memory_cannot_be_written(one, robot):
    """A frozen array in the place of one that the kernel may write is a TypeError."""
    good = arguments(robot, one)
    for name, value in good.items():
        if isinstance(value, np.ndarray) and value.flags.writeable:
            frozen = value.copy()
            frozen.flags.writeable = False
            with pytest.raises(TypeError):
                one(*(good | {name: frozen}).values())


def test_wrong_number_of_arguments_is_a_type_error(one, robot):
    """One too few, one too many."""
    good = [*arguments(robot, one).values()]
    for wrong in (good[:-1], [*good, good[-1]]):
        with pytest.raises(TypeError):
            one(*wrong)


def test_every_argument_needs_a_type():
    """A bare argument is a KernelError that names it, when the module is read."""

    def bare(x: Vector, y, z: float):
        return x[0]

    with pytest.raises(KernelError, match='bare: got no type for argument y, z; expected'):
        kernel(bare)


def test_what_does_not_compile_is_named():
    """A KernelError with the kernel's name, with its cause inside."""

    @kernel
    def hopeless(x: Vector):
        return x.no_such_thing

    with pytest.raises(KernelError, match='hopeless does not compile: TypingError'):
        warm_up([hopeless])


def test_warm_up_reports_progress_and_compiles():
    """progress(name, done, all) before each kernel and once at the end."""
    told = []
    warm_up(generic.ALL[:3], lambda *news: told.append(news))
    assert told == [*((item.name, k, 3) for k, item in enumerate(generic.ALL[:3])), ('', 3, 3)]
    assert all(item.is_compiled for item in generic.ALL[:3])


@kernel
def sees_finite(x: Vector) -> Boolean:
    """Whether every entry is finite."""
    for value in x:
        if not np.isfinite(value):
            return False
    return True


@kernel
def is_inside(lower: Scalar, value: Scalar, upper: Scalar) -> Boolean:
    """Whether lower <= value <= upper, written as guards are, so that a NaN fails."""
    return not (not (lower <= value <= upper))


@kernel
def quotient(x: Vector, i: Integer, j: Integer):
    """x[i] / x[j]."""
    return x[i] / x[j]


def test_fast_arithmetic_still_sees_nan_and_infinity():
    """fastmath without nnan and ninf: isfinite and comparisons mean what they say."""
    assert sees_finite(np.ones(9)) is True
    for bad in (np.nan, np.inf, -np.inf):
        for place in range(9):
            x = np.ones(9)
            x[place] = bad
            assert sees_finite(x) is False
    assert is_inside(-1.0, 0.5, 1.0) is True
    assert is_inside(-1.0, np.nan, 1.0) is False
    assert is_inside(np.nan, 0.5, 1.0) is False


def test_division_by_zero_is_infinite_and_no_exception():
    """error_model numpy: 1/0 = inf and 0/0 = nan, for the guards to see."""
    x = np.array((1.0, 0.0))
    assert quotient(x, 0, 1) == np.inf
    assert np.isnan(quotient(x, 1, 1))


POISONED = (
    'q',
    'qd',
    'qdd',
    'tau',
    'b',
    'diagonal',
    'f_ext',
    'wrench',
    'frame',
    'compliance',
    'constants',
    'gravity',
    'J',
    'damping',
)
#: Positions are of no meaning to them for a robot without quaternions and waves of friction.
OF_RATES = (generic.position_rates, generic.make_unit, generic.friction_torque)


def test_nan_in_means_nan_out(one, robot):
    """A NaN in any input shows in what is written or in the status: guards rely on it."""
    outputs = {
        name: np.zeros_like(array) for name, array in results(one, arguments(robot, one)).items()
    }
    results_only = outputs.keys() - {'work', 'vectors'}
    for name in POISONED:
        called = arguments(robot, one)
        if name not in called or name in outputs or (name == 'q' and one in OF_RATES):
            continue
        if name == 'constants' and one is generic.expand_joints:
            continue  # only positions of dependent joints need them
        bad = np.full_like(called[name], np.nan) if name != 'damping' else np.nan
        if name in ('constants', 'gravity', 'frame'):
            bad.flags.writeable = False
        for array in outputs.values():
            array.fill(0.0)
        status = one(*(called | outputs | {name: bad}).values())
        shown = any(np.isnan(outputs[result]).any() for result in results_only)
        assert shown or (status and one is not generic.task_inertia), f'{name} is not noticed'
