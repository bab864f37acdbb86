# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Divide and conquer: any order of assembly gives the articulated-body accelerations."""

from dataclasses import replace

import numpy as np
import pytest

from robodyn_ros.formulations.jain import divide_and_conquer as dca
from robodyn_ros.formulations.jain.body_tree import tree_at
from robodyn_ros.formulations.jain.forward_dynamics import articulated_body
from support.compare import agree
from support.robots.families import case, states
from support.robots.jain_trees import TREES, any_tree

#: What has no inertia alone cannot be a leaf.
MASSLESS = ('massless_branches', 'locked', 'mixed_massless')
ASSEMBLED = tuple(name for name in TREES if name not in MASSLESS)
#: Solves lose what the condition of the mass matrix is worth, 1e2 to 6e4 here.
SOLVED = 1e-11


@pytest.fixture(params=ASSEMBLED)
def system(request):
    """A tree, and (thd, thdd, T)."""
    return any_tree(request.param)


def test_balanced_assembly_gives_articulated_body_accelerations(system):
    """Algorithm 10.6 against Algorithm 7.2, with forces from outside, drives and free bases."""
    tree, thd, _, T = system
    f_ext = np.random.default_rng(1).normal(size=(tree.n, 6))
    for gravity in (True, False):
        expected, _, f = articulated_body(tree, thd, T, f_ext, gravity)
        found, forces = dca.forward_dynamics(tree, thd, T, None, f_ext, gravity)
        agree(found, expected, tolerance=SOLVED)
        agree(forces, f, tolerance=SOLVED)


@pytest.mark.parametrize('seed', range(3))
def test_order_of_assembly_does_not_matter(system, seed):
    """One hinge after the other in any order: from the base, from the tips, from the middle."""
    tree, thd, _, T = system
    order = np.random.default_rng(seed).permutation(tree.n)
    found, _ = dca.forward_dynamics(tree, thd, T, [order.tolist()])
    agree(found, articulated_body(tree, thd, T)[0], tolerance=SOLVED)


@pytest.mark.parametrize('n', [1, 2, 3, 4, 7, 8, 12, 15, 16, 31])
def test_parallel_depth_of_a_chain_is_the_logarithm(n):
    """ceil(log2(n + 1)) passes, of joins that do not share a subsystem."""
    robot = case(f'chain of {n} bodies', n, welds=0.0).robot
    tree = tree_at(robot, states(robot)[0][0])
    schedule = dca.passes(tree)
    assert len(schedule) == int(np.ceil(np.log2(n + 1)))
    assert sorted(k for now in schedule for k in now) == list(range(n))
    assert all(abs(i - j) > 1 for i in schedule[0] for j in schedule[0] if i != j)


def test_assembly_takes_one_pass_for_each_level_of_a_tree():
    """Every hinge once; bodies on the ground alone need one pass, a body's children one each."""
    for name in ASSEMBLED:
        tree, *_ = any_tree(name)
        schedule = dca.passes(tree)
        assert sorted(k for now in schedule for k in now) == list(range(tree.n))
        widest = max(len(children) for children in tree.children[:-1])
        assert len(schedule) >= max(
            widest, int(np.ceil(np.log2(tree.n / len(tree.children[tree.n]) + 1)))
        )
        if tree.n > 4:
            assert len(schedule) < tree.n


def test_bodies_on_the_ground_are_ready_first():
    """Nothing is between them but the inertial frame, which gives nothing on: one pass."""
    tree, *_ = any_tree('mixed forest')
    alone = replace(tree, parent=(tree.n,) * tree.n)
    assert dca.passes(alone) == (tuple(range(tree.n)),)


def hinge_of(seed, r, scale=1.0):
    """Two random subsystems of two bodies and a hinge of r freedoms between them."""
    rng = np.random.default_rng(seed)
    R, _ = np.linalg.qr(rng.normal(size=(6, 6)))

    def part(handles):
        half = rng.normal(size=(12, 12))
        return dca.Subsystem(handles, half @ half.T + np.eye(12), rng.normal(size=12))

    A, B = part(((7, 'inner'), (3, 'outer'))), part(((5, 'outer'), (3, 'inner')))
    hinge = dca.Hinge(scale * R[:, :r], rng.normal(size=6), rng.normal(size=r), np.zeros(r))
    return A, B, hinge, R[:, r:].T


@pytest.mark.parametrize('r', [1, 2, 3, 5])
def test_lemma_10_6_as_corrected(r):
    """W = P' [P S P']^-1 P, P R = 0; its bracket, with R orthonormal and the hinge's drift."""
    A, B, hinge, P = hinge_of(r, r)
    whole = dca.joined(A, B, 3, hinge)
    (A11, A12), (A21, A22) = blocks(A)
    B22, B21 = B.compliance[6:, 6:], B.compliance[6:, :6]
    S = A22 + B22
    W = P.T @ np.linalg.solve(P @ S @ P.T, P)
    across = np.vstack((A12, -B21.T))
    own = np.block([[A11, np.zeros((6, 6))], [np.zeros((6, 6)), B.compliance[:6, :6]]])
    agree(whole.compliance, own - across @ W @ across.T)
    c1, c2 = np.concatenate((A.c[:6], B.c[:6])), A.c[6:] - B.c[6:] - hinge.a
    bracket = W @ c2 - (np.eye(6) - W @ S) @ hinge.R @ hinge.T
    agree(whole.c, c1 - across @ bracket)
    # the vectors are [f_1A; f_1B]: with [f_1A; f_2B], as printed, the equation does not hold
    f = np.random.default_rng(r).normal(size=12)
    outer = np.concatenate((f[:6], -bracket - W @ (across.T @ f)))
    agree(
        A.compliance @ outer + A.c,
        np.concatenate(
            ((whole.compliance @ f + whole.c)[:6], (A21 @ f[:6] + A22 @ outer[6:] + A.c[6:]))
        ),
    )
    printed = whole.compliance @ np.concatenate((f[:6], -outer[6:])) + whole.c
    assert np.abs(printed - (whole.compliance @ f + whole.c)).max() > 1e-3


def blocks(part):
    return [[part.compliance[i : i + 6, j : j + 6] for j in (0, 6)] for i in (0, 6)]


def test_hinge_map_of_lemma_10_6_is_orthonormal():
    """(10.50) with R twice as long: T R is not its force, T R (R' R)^-1 is."""
    A, B, hinge, P = hinge_of(4, 2, scale=2.0)
    S = blocks(A)[1][1] + B.compliance[6:, 6:]
    W, f, thdd = dca.hinge_force(hinge, S, np.zeros(6))
    agree(hinge.R.T @ f, hinge.T)
    agree(S @ f, hinge.R @ thdd + hinge.a)
    right = W @ hinge.a + (np.eye(6) - W @ S) @ hinge.R @ np.linalg.solve(
        hinge.R.T @ hinge.R, hinge.T
    )
    agree(f, right)
    printed = W @ hinge.a + (np.eye(6) - W @ S) @ hinge.R @ hinge.T
    assert np.abs(hinge.R.T @ printed - hinge.T).max() > 1e-3


def test_hinge_of_10_47_drifts():
    """Without the velocity-dependent a of the hinge, as (10.47) prints it, accelerations fail."""
    tree, thd, _, T = any_tree('skew_chain')
    expected = articulated_body(tree, thd, T)[0]
    _, hinges = dca.assembled(tree, thd, T, dca.passes(tree))
    k = max(hinges, key=lambda k: np.abs(hinges[k].a).max())
    order = [*(j for j in hinges if j != k), k]  # the hinge that drifts most comes last
    (part,), _ = dca.assembled(tree, thd, T, [order])
    outer, inner, _ = part.join
    S, c, hinge = outer.compliance + inner.compliance, outer.c - inner.c, hinges[k]
    agree(dca.hinge_force(hinge, S, c)[2], expected[tree.slices[k]], tolerance=SOLVED)
    printed = dca.hinge_force(dca.Hinge(hinge.R, np.zeros(6), hinge.T, hinge.J), S, c)[2]
    assert np.abs(printed - expected[tree.slices[k]]).max() > 1e-3


def test_a_body_without_inertia_cannot_be_a_leaf():
    tree, thd, _, T = any_tree('massless_branches')
    with pytest.raises(np.linalg.LinAlgError):
        dca.forward_dynamics(tree, thd, T)
