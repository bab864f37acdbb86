# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Section 11.5 of Jain: contacts that only push, against the enumeration of all active sets."""

import numpy as np
import pytest

from robodyn_ros.formulations.jain import composite_bodies, inverse_dynamics
from robodyn_ros.formulations.jain.constraints import (
    augmented,
    complementarity,
    direct,
    loop_constraints,
    unilateral,
)
from support.compare import agree
from support.robots.jain_loops import at_state
from support.robots.jain_trees import any_tree

pytestmark = pytest.mark.sensitive


def touching(seed, n_c=4, name='mixed tree'):
    """(solve, force, G, acceleration, M) of contacts along random gradients, at rest in them."""
    tree, thd, _, T = any_tree(name)
    M = composite_bodies.mass_matrix(tree)
    rng = np.random.default_rng(seed)
    G, right = rng.normal(size=(n_c, tree.N)), 3.0 * rng.normal(size=n_c)
    force = T - inverse_dynamics.bias(tree, thd)
    return np.linalg.inv(M).__matmul__, force, G, right, M


@pytest.mark.parametrize('seed', range(12))
def test_contact_forces_are_the_one_solution(seed):
    """(11.48), (11.49): exactly one set of contacts fits, and Lemke's pivoting finds it."""
    solve, force, G, right, M = touching(seed)
    F, f = unilateral.problem(solve, force, G, right)
    solutions = complementarity.enumerate_active(F, f)
    assert len(solutions) == 1
    found = unilateral.forward_dynamics(solve, force, G, right)
    agree(found.multipliers, solutions[0], max(1.0, np.abs(solutions[0]).max()), 1e-9)
    assert complementarity.is_solution(F, f, found.multipliers)
    agree(found.gap_acceleration, G @ found.thdd - right, np.abs(f).max(), 1e-9)
    active = np.flatnonzero(found.multipliers > 0.0)
    thdd, multipliers = direct.forward_dynamics(M, force, G[active], right[active])
    agree(found.thdd, thdd, tolerance=1e-9)
    agree(found.multipliers[active], multipliers, np.abs(f).max(), 1e-9)
    again = unilateral.forward_dynamics(solve, force, G, right, active)
    agree(again.thdd, thdd, tolerance=1e-9)
    assert not again.solved


def test_sets_of_contacts_that_no_longer_fit_are_solved_anew():
    """11.5.2: if a contact presumed active would pull, the problem is solved anew."""
    for seed in range(12):
        solve, force, G, right, _ = touching(seed)
        expected = unilateral.forward_dynamics(solve, force, G, right)
        resting = np.flatnonzero(expected.multipliers == 0.0)
        if len(resting):
            found = unilateral.forward_dynamics(solve, force, G, right, resting[:1])
            assert found.solved
            agree(found.thdd, expected.thdd, tolerance=1e-9)


def test_bilateral_loops_stay_out_of_the_problem():
    """Contacts on a closed chain: Y_C for M^-1, loops and contacts in one KKT system."""
    system, tree, thd, T = at_state('four-bar, terminal cut')
    M = composite_bodies.mass_matrix(tree)
    pfaffian = loop_constraints.pfaffian(tree, thd, system.loops)
    force = T - inverse_dynamics.bias(tree, thd)
    Y = augmented.constrained_map(M, pfaffian.G)
    forced, _ = direct.forward_dynamics(M, np.zeros(tree.N), pfaffian.G, pfaffian.acceleration)
    rng = np.random.default_rng(3)
    contacts, right = rng.normal(size=(3, tree.N)), rng.normal(size=3)
    found = unilateral.forward_dynamics(Y.__matmul__, force, contacts, right - contacts @ forced)
    active = np.flatnonzero(found.multipliers > 0.0)
    thdd, _ = direct.forward_dynamics(
        M,
        force,
        np.vstack((pfaffian.G, contacts[active])),
        np.concatenate((pfaffian.acceleration, right[active])),
    )
    agree(found.thdd + forced, thdd, tolerance=1e-9)


def test_right_side_of_11_47_is_an_acceleration_of_the_hinges():
    """Printed d'' = M^-1 (T - C + G' lambda), of N rows where the gaps are n_c."""
    solve, force, G, right, _ = touching(1)
    found = unilateral.forward_dynamics(solve, force, G, right)
    printed = solve(force + G.T @ found.multipliers)
    agree(printed, found.thdd)
    assert printed.shape != found.gap_acceleration.shape
    F, f = unilateral.problem(solve, force, G, right)
    agree(f + F @ found.multipliers, G @ printed - right, np.abs(f).max(), 1e-9)  # (11.48)


def test_ball_on_a_table_lifts_off_or_stays():
    """(11.46): pulled up by more than its weight it separates, else it rests."""
    mass = 2.0

    def ball(force):
        return unilateral.forward_dynamics(
            lambda x: x / mass, np.array([force - mass * 9.81]), np.eye(1), np.zeros(1)
        )

    resting, flying = ball(12.0), ball(25.0)
    agree(resting.multipliers, np.array([mass * 9.81 - 12.0]))
    agree(resting.thdd, np.zeros(1), 1.0)
    agree(flying.thdd, np.array([25.0 / mass - 9.81]))
    assert flying.multipliers[0] == 0.0


def test_table_on_four_legs_has_dependent_contacts():
    """F loses rank, (11.48): forces are one of many, the acceleration is the one there is."""
    legs = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    G = np.column_stack((np.ones(4), legs[:, 1], -legs[:, 0]))  # height and two tilts
    M = np.diag([10.0, 2.0, 3.0])
    force = np.array([-98.1, 4.0, -7.0])
    F, _ = unilateral.problem(np.linalg.inv(M).__matmul__, force, G, np.zeros(4))
    assert np.linalg.matrix_rank(F) == 3
    found = unilateral.forward_dynamics(np.linalg.inv(M).__matmul__, force, G, np.zeros(4))
    agree(found.thdd, np.zeros(3), 1.0, 1e-9)
    agree(G.T @ found.multipliers, -force, tolerance=1e-9)


def test_problems_without_solution_are_refused():
    with pytest.raises(ValueError, match='end on a ray'):
        complementarity.lemke(np.array([[-1.0]]), np.array([-1.0]))


@pytest.mark.parametrize('seed', range(8))
def test_lemke_and_enumeration_agree_on_random_problems(seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(7, 7))
    F, f = (
        root @ root.T + 0.1 * np.eye(7) + np.triu(root, 1) - np.triu(root, 1).T,
        rng.normal(size=7),
    )
    (expected,) = complementarity.enumerate_active(F, f)
    agree(complementarity.lemke(F, f), expected, max(1.0, np.abs(expected).max()), 1e-9)


def block_on_floor(pull, mu, speed=0.0, step=1e-3):
    """A block of 2 kg on the floor, pulled along x: (velocity after a step, impulses)."""
    tangents = np.array([[[0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]]], float)
    return unilateral.frictional(
        lambda x: x / 2.0,
        np.array([0.0, speed, 0.0]),
        np.array([-2.0 * 9.81, pull, 0.0]),
        np.array([[1.0, 0.0, 0.0]]),
        tangents,
        np.array([mu]),
        step,
    )


def test_friction_holds_up_to_its_cone_and_slips_beyond():
    """On a pyramid: stick below mu m g, m a = F - mu m g beyond, and against the motion."""
    weight, step = 2.0 * 9.81, 1e-3
    thd, normal, edges = block_on_floor(0.5 * 0.4 * weight, 0.4)
    agree(thd, np.zeros(3), 1.0)
    agree(normal, np.array([weight * step]), tolerance=1e-9)
    agree(edges[0, 1] - edges[0, 0], 0.5 * 0.4 * weight * step, tolerance=1e-9)
    thd, _, edges = block_on_floor(2.0 * 0.4 * weight, 0.4)
    agree(thd, np.array([0.0, 0.4 * 9.81 * step, 0.0]), tolerance=1e-9)
    agree(edges.sum(), 0.4 * weight * step, tolerance=1e-9)
    thd, *_ = block_on_floor(0.0, 0.4, speed=1.0)
    agree(thd, np.array([0.0, 1.0 - 0.4 * 9.81 * step, 0.0]), tolerance=1e-9)


def test_friction_never_adds_energy():
    """Random contacts of a tree: what the impulses do to the velocities they find is a loss."""
    tree, thd, _, _ = any_tree('mixed tree')
    M = composite_bodies.mass_matrix(tree)
    solve, rng = np.linalg.inv(M).__matmul__, np.random.default_rng(5)
    for _ in range(100):
        normals, across = rng.normal(size=(3, tree.N)), rng.normal(size=(3, 2, tree.N))
        tangents = np.concatenate((across, -across), axis=1)
        after, normal, edges = unilateral.frictional(
            solve, thd, np.zeros(tree.N), normals, tangents, np.full(3, 0.6), 0.0
        )
        assert after @ M @ after <= thd @ M @ thd * (1.0 + 1e-9)
        assert (normals @ after >= -1e-8).all() and (normal >= 0.0).all()
        assert (edges.sum(axis=1) <= 0.6 * normal + 1e-8).all()
