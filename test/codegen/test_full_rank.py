# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Lambda without eigenvalues: where it serves, where it leaves the answer to them."""

import pickle
from functools import cache

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.algorithms.task_space.cholesky_inverse import MAX_CONDITION, invert_definite
from robodyn_ros.model.sources.examples import package_file
from robodyn_ros.robot.operational_space_dynamics import FullRankInertia
from support.robots.families import FAMILIES

FIELDS = ('inertia', 'inverse', 'jacobian', 'singular_values', 'consistent_inverse')


@cache
def arm():
    """Return an arm with seven joints, generic and specialised, and its tool."""
    robot = Robot.from_urdf(package_file('config/urdf/franka_like.urdf'))
    frame = robot.frames[-1]
    return robot, robot.specialised(frames=[frame]), frame


@pytest.mark.parametrize('m', [1, 2, 3, 6])
@pytest.mark.parametrize('condition', [1.0, 1e2, 1e5, 1e7, 1e9, 1e13])
def test_inverse_of_a_definite_matrix(m, condition):
    """A A^-1 = 1 to rounding times the condition number. Refusal starts at MAX_CONDITION, or
    earlier by at most the ratio of traces to eigenvalues.
    """
    rng = np.random.default_rng(m)
    Q, _ = np.linalg.qr(rng.normal(size=(m, m)))
    values = np.geomspace(1.0, 1.0 / condition, m) if m > 1 else np.ones(1)
    A = (Q * values) @ Q.T
    A = 0.5 * (A + A.T)
    inverse = np.full((m, m), np.nan)
    status = invert_definite(A, np.full((m, m), np.nan), inverse)
    bound = values.sum() * (1.0 / values).sum()
    assert status == (bound >= MAX_CONDITION)
    if status == 0:
        assert np.abs(A @ inverse - np.eye(m)).max() <= 1e-14 * bound
        assert (inverse == inverse.T).all()


@pytest.mark.parametrize('spoil', [0.0, -1.0, np.nan])
def test_what_is_not_definite_is_refused(spoil):
    """A pivot that is zero, negative or not a number."""
    A = np.diag([1.0, 2.0, 3.0])
    A[1, 1] = spoil
    assert invert_definite(A, np.empty((3, 3)), np.empty((3, 3))) == 1


@pytest.mark.parametrize('seed', range(5))
def test_every_field_equals_that_of_the_generic_robot(seed):
    """Those that are there, and those that are computed when asked for."""
    robot, fast, frame = arm()
    q = np.random.default_rng(seed).uniform(-1.5, 1.5, 7)
    expected, got = (each.operational_space_inertia(q, frame) for each in (robot, fast))
    assert isinstance(got, FullRankInertia)
    q[:] = 0.0  # what is computed later is of the state that was asked about
    bound = 1e-13 * np.divide(*expected.singular_values[[0, -1]]) + 1e-12
    for name in FIELDS:
        mine, theirs = getattr(got, name), getattr(expected, name)
        assert np.abs(mine - theirs).max() <= bound * np.abs(theirs).max(), name
    assert (got.rank, got.axes, got.damping) == (6, expected.axes, 0.0)
    assert got.rows == expected.rows
    assert np.abs(got.null_space_projection - expected.null_space_projection).max() < 10 * bound


def test_the_identities_of_a_consistent_inverse():
    """J Jbar = 1 and Lambda Lambda^-1 = 1, whichever way the fields came about."""
    _, fast, frame = arm()
    task = fast.operational_space_inertia(np.full(7, 0.4), frame)
    assert np.abs(task.jacobian @ task.consistent_inverse - np.eye(6)).max() < 1e-11
    assert np.abs(task.inertia @ task.inverse - np.eye(6)).max() < 1e-11


def test_near_and_at_a_singular_posture_eigenvalues_decide():
    """The stretched arm: the same answer as the generic robot, rank included."""
    robot, fast, frame = arm()
    ranks = []
    for bend in (0.0, 1e-9, 1e-7, 1e-5, 1e-3, 0.1):
        q = np.full(7, bend)
        expected, got = (each.operational_space_inertia(q, frame) for each in (robot, fast))
        assert got.rank == expected.rank
        ranks.append(got.rank)
        if got.rank == 6:
            condition = np.divide(*expected.singular_values[[0, -1]])
            error = np.abs(got.inertia - expected.inertia).max()
            assert error <= 1e-14 * condition * np.abs(expected.inertia).max()
    assert ranks[0] < 6 and ranks[-1] == 6


def test_axes_and_damping_agree_with_the_generic_robot():
    """Some axes, a damping, numbers of other types: as the generic robot answers, rank and names
    included, without eigenvalues.
    """
    robot, fast, frame = arm()
    q = np.full(7, 0.3)
    for options in (
        {'axes': 'x y z'},
        {'damping': 0.1},
        {'damping': 0},
        {'damping': np.float64()},
        {'axes': [True] * 3 + [False] * 3, 'damping': 0.2},
        {'axes': 'ry x'},
    ):
        expected, got = (
            each.operational_space_inertia(q, frame, **options) for each in (robot, fast)
        )
        for name in FIELDS:
            mine, theirs = getattr(got, name), getattr(expected, name)
            assert np.abs(mine - theirs).max() <= 1e-11 * np.abs(theirs).max(), (name, options)
        assert isinstance(got, FullRankInertia)
        assert (got.rank, got.axes, got.rows, got.damping) == (
            expected.rank,
            expected.axes,
            expected.rows,
            expected.damping,
        )


def test_a_result_is_frozen_and_travels():
    """It is no less a dataclass: no assignment, no strange attribute; pickled with all fields."""
    _, fast, frame = arm()
    task = fast.operational_space_inertia(np.full(7, 0.3), frame)
    with pytest.raises(AttributeError):
        task.inertia = None
    with pytest.raises(AttributeError, match='no attribute .colour.'):
        task.colour  # noqa: B018
    again = pickle.loads(pickle.dumps(task))
    for name in FIELDS:
        assert (getattr(again, name) == getattr(task, name)).all()
    assert again.rank == 6 and 'singular_values' in repr(task)


def test_short_arms_have_the_compliance_only():
    """Fewer than six joints never give full rank: no code is written for it."""
    case = FAMILIES['one_slide']
    robot = case.robot.specialised(frames=[case.tip])
    assert ('operational_space', case.tip) in robot.kernels
    assert ('operational_space_inertia', case.tip) not in robot.kernels
    task = robot.operational_space_inertia(np.zeros(1), case.tip)
    assert task.rank == 1
    along = task.axes[int(np.abs(task.jacobian[:3, 0]).argmax())]
    assert isinstance(
        robot.operational_space_inertia(np.zeros(1), case.tip, along), FullRankInertia
    )
