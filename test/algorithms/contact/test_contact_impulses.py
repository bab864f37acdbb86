# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Impulses of contact against enumeration, Lemke's pivoting, and the laws they stand for."""

import numpy as np
import pytest

from robodyn_ros.algorithms.contact import cone, contact_tables, impulses, linear_solve
from robodyn_ros.formulations.jain.constraints.complementarity import enumerate_active
from robodyn_ros.formulations.jain.constraints.unilateral import frictional


def problem(rng, n, contacts, joints=0, mu=0.5):
    """Return blocks, rows, M and free velocity of random contacts and joints."""
    blocks = np.zeros((joints + contacts, contact_tables.BLOCK_COLUMNS))
    rows = np.zeros((joints + 3 * contacts, n))
    for b in range(joints):
        rows[b, b] = 1.0
        blocks[b, [contact_tables.KIND, contact_tables.ROW]] = contact_tables.JOINT, b
        blocks[b, [contact_tables.LOW, contact_tables.HIGH, contact_tables.BOUND]] = -0.5, 0.5, 0.1
    for b in range(joints, len(blocks)):
        first = joints + 3 * (b - joints)
        rows[first : first + 3] = rng.normal(size=(3, n))
        blocks[b, [contact_tables.KIND, contact_tables.ROW]] = contact_tables.CONTACT, first
        blocks[b, [contact_tables.LOW, contact_tables.BOUND]] = -rng.uniform(0.0, 0.2), mu
    root = rng.normal(size=(n, n))
    approach = np.linalg.pinv(rows[joints::3]) @ rng.uniform(0.2, 2.0, contacts)
    return blocks, rows, root @ root.T + 0.5 * np.eye(n), 0.5 * rng.normal(size=n) - approach


def solved(blocks, rows, M, free):
    """Return velocity, impulses and whether the solution is exact."""
    r, n = rows.shape
    v, vectors = free.copy(), np.zeros((impulses.VECTORS, max(r, n)))
    exact = impulses.contact_impulses(
        blocks,
        len(blocks),
        rows,
        np.ascontiguousarray(np.linalg.solve(M, rows.T).T),
        vectors,
        np.zeros((r, 2 * n + r + 4)),
        np.zeros((100, 209)),
        v,
    )
    return v, vectors[impulses.IMPULSES, :r], exact


@pytest.mark.parametrize('seed', range(10))
def test_frictionless_contacts_are_the_enumerated_solution(seed):
    """The oracle tries all sets of active contacts, and finds exactly one."""
    rng = np.random.default_rng(seed)
    blocks, rows, M, free = problem(rng, 6, 4, mu=0.0)
    v, p, exact = solved(blocks, rows, M, free)
    F = rows[0::3] @ np.linalg.solve(M, rows[0::3].T)
    (expected,) = enumerate_active(F, rows[0::3] @ free - blocks[:, contact_tables.LOW])
    assert exact and p[0::3] == pytest.approx(expected, abs=1e-11)
    assert np.all(p[1::3] == 0.0) and np.all(p[2::3] == 0.0)
    assert M @ (v - free) == pytest.approx(rows.T @ p, abs=1e-11)


@pytest.mark.parametrize('seed', range(15))
def test_friction_solves_the_complementarity_problem_of_the_pyramid(seed):
    """Lemke solves the same problem, with a multiplier for each of eight edges."""
    rng = np.random.default_rng(seed)
    blocks, rows, M, free = problem(rng, 7, 3, mu=0.4)
    blocks[:, contact_tables.LOW] = 0.0
    v, p, exact = solved(blocks, rows, M, free)
    edges = np.array([cone.ALONG, cone.ACROSS]).T
    tangents = np.array([edges @ rows[k + 1 : k + 3] for k in (0, 3, 6)])
    expected, normals, _ = frictional(
        lambda x: np.linalg.solve(M, x),
        free,
        np.zeros(7),
        rows[0::3],
        tangents,
        np.full(3, 0.4),
        1.0,
    )
    assert exact and v == pytest.approx(expected, abs=1e-9)
    assert p[0::3] == pytest.approx(normals, abs=1e-9)
    assert np.any(p[0::3] > 0.0)


@pytest.mark.parametrize('seed', range(30))
def test_joints_and_contacts_obey_their_laws_together(seed):
    """Signs, complementarity, the cone, maximal dissipation; and no energy is gained."""
    rng = np.random.default_rng(seed)
    joints, n = 3, 8
    blocks, rows, M, free = problem(rng, n, 4, joints, mu=0.6)
    v, p, exact = solved(blocks, rows, M, free)
    assert exact and M @ (v - free) == pytest.approx(rows.T @ p, abs=1e-9)
    for b, block in enumerate(blocks):
        r, low = int(block[contact_tables.ROW]), block[contact_tables.LOW]
        if block[contact_tables.KIND] == contact_tables.JOINT:
            u, bound = v[b], block[contact_tables.BOUND]
            assert low - 1e-9 <= u <= block[contact_tables.HIGH] + 1e-9
            if low + 1e-9 < u < block[contact_tables.HIGH] - 1e-9:
                assert abs(p[r]) <= bound + 1e-9
                assert abs(u) < 1e-9 or p[r] == pytest.approx(-np.sign(u) * bound, abs=1e-9)
            continue
        normal, x, y = rows[r : r + 3] @ v
        assert p[r] >= -1e-9 and normal >= low - 1e-9
        assert abs(p[r] * (normal - low)) < 1e-9
        most = 0.6 * p[r]
        assert cone.size_of(p[r + 1], p[r + 2]) <= most + 1e-9
        work = max(cone.against(x, y, edge) for edge in range(cone.EDGES))
        assert -(x * p[r + 1] + y * p[r + 2]) == pytest.approx(most * work, abs=1e-8)
    assert v @ M @ v <= free @ M @ free + 1e-12


def test_four_corners_of_a_box_share_its_weight():
    """Twelve directions of six degrees of freedom: the impulses are not unique, the motion is."""
    half, m = 0.1, 2.0
    M = np.diag([m, m, m, 0.02, 0.02, 0.03])
    blocks, rows = np.zeros((4, contact_tables.BLOCK_COLUMNS)), np.zeros((12, 6))
    for b, (x, y) in enumerate([(-1, -1), (-1, 1), (1, -1), (1, 1)]):
        lever = np.array([x * half, y * half, -half])
        blocks[b, [contact_tables.KIND, contact_tables.ROW, contact_tables.BOUND]] = (
            contact_tables.CONTACT,
            3 * b,
            0.5,
        )
        for k, direction in enumerate(np.eye(3)[[2, 0, 1]]):
            rows[3 * b + k] = *direction, *np.cross(lever, direction)
    free = np.array([2e-3, 1e-3, -9.81e-3, 0.0, 0.0, 0.01])
    v, p, exact = solved(blocks, rows, M, free)
    assert exact and np.abs(v).max() < 1e-15
    assert p[0::3].sum() == pytest.approx(m * 9.81e-3, rel=1e-9)
    assert p[0::3].min() > 0.1 * p[0::3].max()


def test_linear_equations_with_a_zero_on_the_diagonal():
    """Rows are exchanged; without that the first pivot would be zero."""
    rng = np.random.default_rng(3)
    A, x = rng.normal(size=(5, 5)), rng.normal(size=5)
    A[0, 0] = 0.0
    system = np.zeros((5, 9))
    system[:, 2:7], system[:, 8] = A, A @ x
    assert linear_solve.factorise(system, 2, 5, 7)
    linear_solve.solve(system, 2, 5, 7, 8)
    assert system[:, 8] == pytest.approx(x, rel=1e-12)
    assert not linear_solve.factorise(np.zeros((5, 9)), 2, 5, 7)
