# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A kernel is a function of its arguments: no state, no leftovers, the same bits every time."""

import inspect

import numpy as np

from robodyn_ros.compile import generic
from support.calls import OUTPUTS, arguments, results
from support.compare import agree
from support.robots.families import FAMILIES

WORKING = 'work', 'motions', 'wide'
KERNELS = {kernel.python.__name__: kernel for kernel in generic.ALL}


def bits(kernel, called):
    """Return the bytes of everything a call wrote, and what it returned."""
    status = kernel(*called.values())
    return status, {name: array.tobytes() for name, array in results(kernel, called).items()}


def test_every_kernel_is_examined():
    """The table of outputs knows every kernel there is, so that no test passes one over."""
    assert set(OUTPUTS) == set(KERNELS)


def test_every_entry_of_every_output_is_written(case):
    """Outputs that start as NaN end as numbers, and inputs stay as they are."""
    for kernel_name, kernel in KERNELS.items():
        called = arguments(case.robot, kernel)
        untouched = {
            name: np.array(value)
            for name, value in called.items()
            if name not in {*OUTPUTS[kernel_name], *WORKING}
        }
        kernel(*called.values())
        for name, array in results(kernel, called).items():
            assert np.isfinite(array).all(), f'{kernel_name}: {name} is not written:\n{array}'
        for name, before in untouched.items():
            assert np.array_equal(called[name], before), f'{kernel_name}: {name} has changed'


def test_working_memory_has_no_meaning_between_calls(case):
    """Scratch full of NaN, of ones or of zeros gives the same bits."""
    for name, kernel in KERNELS.items():
        found = [
            bits(kernel, arguments(case.robot, kernel) | dirty(case.robot, kernel, value))
            for value in (np.nan, 1.0, 0.0)
        ]
        assert found[0] == found[1] == found[2], name


def test_a_later_call_equals_the_first(case):
    """Every other kernel run in between, on other states and the same work, changes no bit."""
    robot, work = case.robot, case.robot._work

    def run(kernel, seed=0):
        return bits(kernel, arguments(robot, kernel, seed=seed) | shared(kernel, work))

    first = {kernel: run(kernel) for kernel in generic.ALL}
    for kernel in reversed(generic.ALL):
        run(kernel, seed=5)
    for kernel in generic.ALL:
        run(kernel, seed=7)
        assert run(kernel) == first[kernel], kernel.python.__name__


def test_plain_text_equals_machine_code(case):
    """Python runs the same text to the same numbers, but for the order of roundings.

    The work space of task_inertia is left out: the signs of its eigenvectors are arbitrary.
    """
    for kernel_name, kernel in KERNELS.items():
        compiled, plain = arguments(case.robot, kernel), arguments(case.robot, kernel)
        assert kernel(*compiled.values()) == kernel.python(*plain.values()), kernel_name
        compiled, plain = results(kernel, compiled), results(kernel, plain)
        for name in compiled.keys() - {'work', 'vectors'}:
            scale = max(np.abs(plain[name]).max(), 1.0)
            agree(compiled[name], plain[name], scale, what=f'{name} of {kernel_name}')


def test_two_robots_share_nothing():
    """Calls of two robots in turn give the bits that each gives alone."""
    one, other = FAMILIES['skew_chain'].robot, FAMILIES['sliding_tree'].robot
    for kernel in generic.ALL:
        alone = bits(kernel, arguments(one, kernel))
        bits(kernel, arguments(other, kernel))
        assert bits(kernel, arguments(one, kernel)) == alone


def dirty(robot, kernel, value):
    """Return working memory full of one value, where the kernel takes any."""
    called = arguments(robot, kernel)
    return {name: np.full_like(called[name], value) for name in WORKING if name in called}


def shared(kernel, work):
    """Return the robot's own work, where the kernel takes any."""
    takes = inspect.signature(kernel.python).parameters
    return {'work': work} if 'work' in takes else {}
