# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The operational-space inertia: what a force at a frame meets."""

from itertools import combinations

import numpy as np
import pytest

from robodyn_ros.compile import generic
from robodyn_ros.robot.operational_space_dynamics import AXES
from support.compare import agree, solve_tolerance
from support.robots.families import FAMILIES, states
from support.robots.real_robots import robot as real

FORCE = np.array((3.0, -2.0, 5.0, 0.4, -0.7, 0.3))  # [N, N m]
SUBSETS = [axes for m in range(1, 7) for axes in combinations(range(6), m)]
FREE = (
    'aligned_chain',
    'skew_chain',
    'sliding_chain',
    'tree',
    'massless_links',
    'rotors',
    'franka_like',
    'ur_like',
)


@pytest.fixture(params=FREE)
def free(request):
    """Return one robot after the other whose tip can move in all six directions."""
    case = FAMILIES.get(request.param) or real(request.param)
    q = states(case.robot)[0][0]
    assert np.linalg.matrix_rank(case.dense.jacobian(q, case.tip)) == 6
    return case


def test_operational_inertia_equals_dense_inverse(free):
    """Lambda = (J M^-1 J^T)^-1, J and M from the dense referee (Jain 10.12)."""
    for q, _, _ in states(free.robot):
        task, expected = (
            free.robot.operational_space_inertia(q, free.tip),
            free.dense.compliance(q, free.tip),
        )
        agree(task.inertia, np.linalg.inv(expected), tolerance=solve_tolerance(expected))
        agree(task.inertia @ task.inverse, np.eye(6), tolerance=solve_tolerance(expected))
        assert task.rank == 6


def test_axes_kept_have_the_inverse_of_the_sub_block(free):
    """Every one of the 63 subsets: the inverse of the sub-block, not the sub-block of Lambda."""
    q, _, _ = states(free.robot)[0]
    whole = free.robot.operational_space_inertia(q, free.tip)
    for kept in SUBSETS:
        names = tuple(AXES[axis] for axis in kept)
        task = free.robot.operational_space_inertia(q, free.tip, axes=names)
        block = whole.inverse[np.ix_(kept, kept)]
        assert task.axes == names and task.rank == len(kept)
        assert np.array_equal(task.inverse, block)
        assert np.array_equal(task.jacobian, whole.jacobian[list(kept)])
        agree(task.inertia, np.linalg.inv(block), tolerance=solve_tolerance(block))


def test_axes_may_be_named_listed_or_flagged(free):
    """Names in a string, a list of names in any order, and six booleans select the same task."""
    q, _, _ = states(free.robot)[0]
    asked = (
        'x z ry',
        ['ry', 'x', 'z'],
        (True, False, True, False, True, False),
        np.array((True, False, True, False, True, False)),
    )
    found = [free.robot.operational_space_inertia(q, free.tip, axes=axes) for axes in asked]
    for task in found:
        assert task.axes == ('x', 'z', 'ry')
        assert np.array_equal(task.inertia, found[0].inertia)
    assert free.robot.operational_space_inertia(q, free.tip, axes='rz').axes == ('rz',)


def test_damping_adds_its_square_to_the_compliance(case):
    """Lambda = (J M^-1 J^T + damping^2 1)^-1, whatever the rank."""
    for q, _, _ in states(case.robot):
        for damping in (1e-2, 0.3, 2.0):
            task = case.robot.operational_space_inertia(q, case.tip, damping=damping)
            damped = task.inverse + damping**2 * np.eye(6)
            agree(task.inertia, np.linalg.inv(damped), tolerance=solve_tolerance(damped))
            assert task.damping == damping


def test_rank_and_singular_values_are_those_of_the_compliance(case):
    """Rank of J, and the eigenvalues of J M^-1 J^T in descending order (Jain, Remark 10.1)."""
    for q, _, _ in states(case.robot):
        task = case.robot.operational_space_inertia(q, case.tip)
        assert task.rank == np.linalg.matrix_rank(case.dense.jacobian(q, case.tip), tol=1e-9)
        agree(task.singular_values, np.maximum(np.linalg.eigvalsh(task.inverse)[::-1], 0.0))
        assert np.all(np.diff(task.singular_values) <= 0.0)


def test_lost_directions_have_no_inertia(case):
    """Of a compliance without full rank, Lambda is the pseudo-inverse (Moore and Penrose)."""
    for q, _, _ in states(case.robot):
        task = case.robot.operational_space_inertia(q, case.tip)
        L, W = task.inertia, task.inverse
        values = np.linalg.eigvalsh(W)[::-1][: task.rank]
        tolerance = max(1e-12, 1e-15 * values[0] / values[-1])
        agree(W @ L @ W, W, tolerance=tolerance)
        agree(L @ W @ L, L, tolerance=tolerance)
        agree(L @ W, (L @ W).T, tolerance=tolerance)
        assert np.array_equal(L, L.T)


def test_the_consistent_inverse_inverts_the_jacobian(case):
    """Jbar = M^-1 J^T Lambda; J Jbar = 1 wherever no direction is lost (Khatib 1987)."""
    for q, _, _ in states(case.robot):
        M = case.robot.mass_matrix(q)
        whole = case.robot.operational_space_inertia(q, case.tip)
        for task in (whole, case.robot.operational_space_inertia(q, case.tip, damping=0.1)):
            agree(
                task.consistent_inverse,
                np.linalg.solve(M, task.jacobian.T) @ task.inertia,
                scale=np.abs(np.linalg.inv(M) @ task.jacobian.T).max()
                * np.abs(task.inertia).max()
                * 6.0,
                tolerance=solve_tolerance(M),
            )
        if whole.rank == 6:
            agree(
                whole.jacobian @ whole.consistent_inverse,
                np.eye(6),
                tolerance=solve_tolerance(whole.inverse),
            )


def test_a_force_meets_the_operational_inertia(case):
    """J (qdd(f) - qdd(0)) = J M^-1 J^T f, by two runs of forward dynamics."""
    for q, qd, tau in states(case.robot):
        task = case.robot.operational_space_inertia(q, case.tip)
        free = case.robot.forward_dynamics(q, qd, tau)
        pushed = case.robot.forward_dynamics(q, qd, tau, {case.tip: FORCE})
        agree(
            task.jacobian @ (pushed - free),
            task.inverse @ FORCE,
            scale=np.abs(task.jacobian).max() * (np.abs(free).sum() + np.abs(pushed).sum()),
            tolerance=solve_tolerance(case.robot.mass_matrix(q)),
        )


def test_rank_grows_by_one_a_joint_up_to_six():
    """Along a chain of skew axes the bodies can move in 1, 2, ..., 6, 6 directions (Jain 10.1)."""
    robot = FAMILIES['skew_chain'].robot
    for q, _, _ in states(robot):
        assert [
            robot.operational_space_inertia(q, name).rank for name in robot.model.body_names
        ] == [0, 1, 2, 3, 4, 5, 6, 6]


@pytest.mark.parametrize(
    'name, q, frame, rank',
    [
        ('ur_like', (0.3, -1.1, 1.2, 0.4, 0.0, 0.7), None, 5),  # wrist: axes 4 and 6 parallel
        ('ur_like', (0.3, -1.1, 0.0, 0.4, 0.9, 0.7), None, 5),  # elbow: the arm stretched out
        ('franka_like', (0.0,) * 7, None, 5),  # axes 1, 3, 5 in line, arm up
        ('franka_like', (0.3, 0.5, 0.2, -1.5, 0.1, 1.8, 0.4), None, 6),
        ('two_link', (0.3, 0.0), None, 2),  # turns and swings, no reach
        ('two_link', (0.3, 0.7), None, 2),
    ],
)
def test_rank_drops_by_the_lost_directions_at_singular_postures(name, q, frame, rank):
    """Postures whose rank is known from the geometry: one direction lost, or none."""
    case = real(name)
    task = case.robot.operational_space_inertia(q, frame or case.tip)
    assert (
        task.rank
        == rank
        == np.linalg.matrix_rank(case.dense.jacobian(np.array(q), frame or case.tip), tol=1e-9)
    )
    assert np.isfinite(task.inertia).all() and np.isfinite(task.consistent_inverse).all()
    assert np.all(task.singular_values[rank:] < 1e-12 * task.singular_values[0])


def test_stretched_elbow_loses_its_reach():
    """At q2 = 0 the tip cannot move along the arm: rank 1 of 2, and inertia across only."""
    case = real('two_link')
    task = case.robot.operational_space_inertia((0.0, 0.0), case.tip, axes='x z')
    assert task.rank == 1
    agree(task.singular_values[1], 0.0, scale=task.singular_values[0])
    agree(task.inertia[0], np.zeros(2), scale=task.inertia[1, 1])


def test_inertia_grows_without_bound_towards_the_stretched_elbow():
    """Along the arm Lambda grows as 1 / s2^2 (Craig 6.103): four times for half of s2."""
    case = real('two_link')
    tasks = [
        case.robot.operational_space_inertia((0.0, q2), case.tip, axes='x z')
        for q2 in (4e-3, 2e-3, 1e-3)
    ]
    along_arm = [task.inertia[0, 0] for task in tasks]
    assert along_arm[1] / along_arm[0] == pytest.approx(4.0, rel=1e-2)
    assert along_arm[2] / along_arm[1] == pytest.approx(4.0, rel=1e-2)


def test_base_cannot_be_moved():
    """The base link has rank 0: no inertia, no compliance, and nothing that is not finite."""
    robot = FAMILIES['skew_chain'].robot
    task = robot.operational_space_inertia(states(robot)[0][0], 'base')
    assert task.rank == 0
    assert not task.inverse.any() and not task.inertia.any() and not task.jacobian.any()


def test_every_frame_of_a_body_sees_the_same_mechanism(case):
    """Frames welded to one body have compliances that differ by the lever between them only."""
    robot = case.robot
    q, _, _ = states(robot)[0]
    for name in robot.frames:
        task = robot.operational_space_inertia(q, name)
        expected = task.jacobian @ robot.mass_matrix_inverse(q) @ task.jacobian.T
        agree(
            task.inverse,
            expected,
            scale=max(np.abs(expected).max(), 1e-300),
            tolerance=solve_tolerance(robot.mass_matrix(q)),
        )


@pytest.mark.parametrize('damping', [0.0, 0.1])
@pytest.mark.parametrize('place', [(0, 0), (2, 4), (5, 0)])
def test_nan_in_the_compliance_is_never_lost(place, damping):
    """Not on the diagonal and not off it: no plausible inertia comes out of a NaN."""
    for run in (generic.task_inertia, generic.task_inertia.python):
        compliance = np.diag((3.0, 2.0, 1.0, 0.5, 0.4, 0.3))
        compliance[place] = compliance[place[::-1]] = np.nan
        work, vectors, inertia, values = (
            np.zeros((6, 6)),
            np.zeros((6, 6)),
            np.zeros((6, 6)),
            np.zeros(6),
        )
        run(compliance, damping, work, vectors, inertia, values)
        assert np.isnan(inertia).any() and np.isnan(values).any()
