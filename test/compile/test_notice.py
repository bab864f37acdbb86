# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A first call that compiles says so, and how long it took."""

import os
import re

import pytest
from numba import float64

import robodyn_ros
from robodyn_ros.compile import cache, generic, notice
from robodyn_ros.compile.kernel import kernel, warm_up
from support.processes import run_script


@pytest.fixture
def fresh(monkeypatch, tmp_path):
    """Return two kernels that no cache has, the second of which calls the first."""
    monkeypatch.setenv('ROBODYN_CACHE_DIR', str(tmp_path))
    monkeypatch.setenv('ROBODYN_BUILT_KERNELS', '')

    @kernel
    def inner(x: float64):
        return 2.0 * x

    called = inner.compiled

    @kernel
    def outer(x: float64):
        return called(x) + 1.0

    return inner, outer


def lines(capsys):
    return [line for line in capsys.readouterr().err.splitlines() if 'compiling' in line]


def test_each_kernel_is_reported_once_by_its_name(fresh, capsys, monkeypatch):
    monkeypatch.setattr(robodyn_ros, 'verbose', True)
    outer = fresh[1]
    assert outer(3.0) == 7.0
    (line,) = lines(capsys)
    assert 'outer' in line and line.startswith('robodyn_ros: compiling ')
    assert outer(3.0) == 7.0
    assert not lines(capsys)


@pytest.mark.parametrize('waited', [True, False])
def test_by_default_a_long_compilation_is_reported(fresh, capsys, monkeypatch, waited):
    """After a while, with how long it took; the clock is the test's."""
    made = []

    class Clock:
        daemon = False

        def __init__(self, delay, act):
            made.append(delay)
            self._act = act

        def start(self):
            if waited:
                self._act()

        def cancel(self):
            made.append('cancelled')

    monkeypatch.setattr(robodyn_ros, 'verbose', None)
    monkeypatch.setattr(notice.threading, 'Timer', Clock)
    fresh[1](3.0)
    told = capsys.readouterr().err.splitlines()
    assert made == [notice.DELAY, 'cancelled']
    assert len(told) == 2 * waited
    if waited:
        assert 'compiling' in told[0] and 'warmup --build' in told[0]
        assert re.fullmatch(r'robodyn_ros: .*outer is compiled, in \d+\.\d s', told[1])


def test_a_clock_that_is_late_reports_nothing(capsys):
    """The compilation ended while the timer fired."""
    report = notice._Report('late')
    report.end(1.0)
    report.begin()
    assert not capsys.readouterr().err


def test_no_notice_where_it_is_forbidden_or_shown_elsewhere(fresh, capsys, monkeypatch):
    monkeypatch.setattr(robodyn_ros, 'verbose', False)
    fresh[0](3.0)
    monkeypatch.setattr(robodyn_ros, 'verbose', True)
    capsys.readouterr()
    warm_up([fresh[1]], progress=lambda *_: None)
    assert not lines(capsys)


CALLS = """
import json
import numpy as np
import robodyn_ros
from robodyn_ros import Robot, example
robodyn_ros.verbose = True
for name in ('franka_like', 'ur_like', 'two_link'):
    robot = Robot.from_urdf(example(name))
    q, qd, qdd = np.random.default_rng(1).uniform(-1.0, 1.0, (3, robot.nv))
    hand = robot.frames[-1]
    for rows in (q, np.array([q, qd])):
        robot.inverse_dynamics(rows, qd, qdd)
        robot.forward_dynamics(rows, qd, qdd)
        robot.mass_matrix(rows)
        robot.mass_matrix_inverse(rows)
        robot.gravity_torque(rows)
        robot.bias_torque(rows, qd)
        robot.coriolis_matrix(rows, qd)
        robot.energy(rows, qd)
        robot.pose(rows, hand)
        robot.jacobian(rows, hand)
        robot.jacobian_bias(rows, qd, hand)
        robot.velocity(rows, qd, hand)
        robot.operational_space_inertia(rows, hand)
        robot.links.regressor(rows, qd, qdd)
        robot.derivatives.inverse_dynamics(rows, qd, qdd)
        robot.derivatives.forward_dynamics(rows, qd, qdd)
    robot.inverse_kinematics(robot.pose(q, hand), hand)
print(json.dumps(0))
"""


def test_nothing_is_compiled_after_the_build(tmp_path):
    """By the first calls of a new user, whose own cache is empty."""
    built = cache.built_root()
    own = cache.folder(generic.__file__).name.removesuffix(f'-uid{os.getuid()}')
    if not built or not (built / own).is_dir():
        pytest.skip('no kernels for this Python lie in the package; make setup compiles them')
    _, told = run_script(CALLS, tmp_path, ROBODYN_CACHE_DIR=tmp_path, ROBODYN_BUILT_KERNELS=built)
    assert 'compiling' not in told, told
