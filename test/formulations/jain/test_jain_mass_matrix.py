# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sections 4.1 and 9.3 of Jain: mass matrix, composite bodies, momentum."""

import numpy as np
import pytest

from robodyn_ros.formulations.jain import (
    composite_bodies,
    conventions,
    inverse_dynamics,
    tree_kinematics,
)
from robodyn_ros.formulations.jain.body_tree import tree_of
from robodyn_ros.formulations.jain.operators.spatial_operators import SpatialOperators
from robodyn_ros.formulations.jain.single_body import components, kinetic_energy, shifted
from robodyn_ros.formulations.jain.sko import formulation
from robodyn_ros.formulations.jain.spatial_algebra import phi
from support.compare import agree
from support.robots.jain_trees import BODIES, any_tree, configuration, moved, offsets, unlike


def test_composite_bodies_give_the_mass_matrix(system):
    tree, *_ = system
    agree(composite_bodies.mass_matrix(tree), SpatialOperators(tree).mass_matrix.array)
    agree(inverse_dynamics.mass_matrix_by_columns(tree), composite_bodies.mass_matrix(tree))
    agree(composite_bodies.trace(tree), np.trace(composite_bodies.mass_matrix(tree)))


def test_mass_matrix_and_trace_are_those_of_the_package(named):
    robot, tree, *_ = named
    M = robot.mass_matrix(configuration(tree))
    agree(tree.to_ours(composite_bodies.mass_matrix(tree)), M)
    agree(composite_bodies.trace(tree), np.trace(M))


def test_unrelated_bodies_have_no_common_mass(system):
    """Blocks are zero, exactly, where neither body is above the other; else the lower has mass."""
    tree, *_ = system
    M, R = composite_bodies.mass_matrix(tree), composite_bodies.composite_inertias(tree)
    for i in range(tree.n):
        for j in range(i):  # a body is below those of larger number, if related
            block = M[tree.slices[i], tree.slices[j]]
            related = i in tree.path(j)
            assert block.any() == (related and R[j].any())
            np.testing.assert_array_equal(block, M[tree.slices[j], tree.slices[i]].T)


def test_composite_bodies_by_ten_parameters(system):
    tree, *_ = system
    agree(composite_bodies.composite_components(tree), composite_bodies.composite_inertias(tree))


def test_first_moment_of_4_23_ends_in_m_times_p():
    """Printed, the second line of (4.23) adds m(k) rho(k): a mass times a mass."""
    tree, *_ = any_tree('chain of 3')
    R = composite_bodies.composite_inertias(tree)
    m, p, _ = components(tree.M[1])
    below_m, below_p, _ = components(R[0])
    total, centre, _ = components(R[1])
    carried = below_m * (tree.l[0] + tree.R[0] @ below_p)
    agree((carried + m * p) / total, centre)
    unlike((carried + m * total) / total, centre)


@pytest.mark.parametrize('name', BODIES)
def test_mass_depends_on_what_is_outboard(name):
    """Remark 4.1 and (4.20): R(k) is a function of the bodies outboard of body k. Block (i, j) is
    a function of the path from j to i and of the bodies outboard of j. The hinge of i enters only
    by its H.
    """
    tree, *_ = any_tree(name)
    q = configuration(tree)
    M, R = composite_bodies.mass_matrix(tree), composite_bodies.composite_inertias(tree)
    for k, body in enumerate(tree.bodies):
        turned = q.copy()
        turned[list(body.coordinates)] += np.random.default_rng(k).uniform(0.3, 0.7, body.hinge.nq)
        other = tree_of(tree.bodies[::-1], turned, -tree.g[3:])
        drift = np.abs(composite_bodies.composite_inertias(other) - R).max(axis=(1, 2))
        outboard = np.array([i != k and i in tree.path(k) for i in range(tree.n)])
        assert (drift[~outboard] == 0.0).all() and (drift[outboard] > 1e-9).all()
        changed = np.abs(composite_bodies.mass_matrix(other) - M)
        own_map = (other.H[k] != tree.H[k]).any()
        for j in range(tree.n):
            for i in tree.path(j):
                block = changed[tree.slices[i], tree.slices[j]].max()
                inside = i != k and i in tree.path(k) and (k in tree.path(j) or j in tree.path(k))
                assert inside or k == i and own_map or block == 0.0
                # Of a body with all freedoms, H = 1, nothing of the change is projected out.
                if inside and tree.bodies[i].hinge.name == 'free' and i == tree.parent[k]:
                    assert block > 1e-9


def test_kinetic_energy_of_bodies_is_that_of_the_mass_matrix(system):
    tree, thd, *_ = system
    V = tree_kinematics.velocities(tree, thd)
    bodies = sum(kinetic_energy(M, v) for M, v in zip(tree.M, V))
    agree(bodies + 0.5 * tree.rotor @ thd**2, 0.5 * thd @ composite_bodies.mass_matrix(tree) @ thd)


def test_momentum_is_the_sum_over_the_bodies(system):
    tree, thd, *_ = system
    V, X = tree_kinematics.velocities(tree, thd), tree_kinematics.to_inertial(tree)
    agree(composite_bodies.momentum(tree, thd), sum(x @ M @ v for x, M, v in zip(X, tree.M, V)))
    agree(composite_bodies.system_inertia(tree), sum(shifted(M, x) for x, M in zip(X, tree.M)))
    masses, centres = zip(*(components(shifted(M, x))[:2] for x, M in zip(X, tree.M)))
    agree(
        composite_bodies.centre_of_mass(tree), np.array(masses) @ np.array(centres) / sum(masses)
    )


def test_base_moved_against_the_centroidal_velocity_stops_the_system(system):
    tree, thd, *_ = system
    V_C = composite_bodies.centroidal_velocity(tree, thd)
    V, X = tree_kinematics.velocities(tree, thd, base=-V_C), tree_kinematics.to_inertial(tree)
    left = sum(x @ M @ v for x, M, v in zip(X, tree.M, V))
    agree(left, np.zeros(6), np.abs(composite_bodies.momentum(tree, thd)).max())
    about = composite_bodies.about_centre_of_mass(tree, thd)
    C = phi(composite_bodies.centre_of_mass(tree))
    agree(C @ about, composite_bodies.momentum(tree, thd))


def test_momentum_is_that_of_the_package(named):
    robot, tree, thd, *_ = named
    mass = composite_bodies.system_inertia(tree)[5, 5]
    q, h = configuration(tree), composite_bodies.momentum(tree, thd)
    drop = tree.g[3:] @ composite_bodies.centre_of_mass(tree) * mass
    agree(robot.energy(q, tree.to_ours(thd))[1], drop, max(abs(drop), 1.0))
    # By a second route: the rate of the centre of mass carries all of the mass.
    step = 1e-6
    rate = [composite_bodies.centre_of_mass(moved(tree, thd, s)) for s in (step, -step)]
    agree(mass * (rate[0] - rate[1]) / (2 * step), h[3:], tolerance=1e-6)


def test_sum_of_4_17_runs_to_the_base():
    tree, thd, *_ = any_tree('skew_chain')
    R, Delta = composite_bodies.composite_inertias(tree), tree.hinge_velocity(thd)
    h = [x @ r @ delta for x, r, delta in zip(tree_kinematics.to_inertial(tree), R, Delta)]
    agree(sum(h), composite_bodies.momentum(tree, thd))
    unlike(sum(h[:-1]), composite_bodies.momentum(tree, thd))


@pytest.mark.parametrize('name', ['mixed chain', 'free base'])
def test_momentum_of_a_free_base(name):
    """(4.16), (4.18): R(n) V(n) and what moves relative to it, about the frame of the base."""
    tree, thd, *_ = any_tree(name)
    assert tree.bodies[-1].hinge.name == 'free' and len(tree.children[tree.n]) == 1
    R, V = composite_bodies.composite_inertias(tree), tree_kinematics.velocities(tree, thd)
    Delta = tree.hinge_velocity(thd)
    from_base = np.array(
        [
            to_base @ r @ x
            for to_base, r, x in zip(
                SpatialOperators(tree).phi.array[-6:].reshape(6, -1, 6).transpose(1, 0, 2),
                R,
                Delta,
            )
        ]
    )
    relative = from_base[:-1].sum(axis=0)
    h = R[-1] @ V[-1] + relative  # (4.16)
    agree(tree.phi[-1] @ h, composite_bodies.momentum(tree, thd))
    V_C = V[-1] + np.linalg.solve(R[-1], relative)  # (4.18)
    agree(
        np.linalg.solve(tree.phi[-1].T, V_C),
        composite_bodies.centroidal_velocity(tree, thd),
        tolerance=1e-11,
    )
    stopped = thd.copy()
    stopped[tree.slices[-1]] -= V_C
    agree(composite_bodies.momentum(tree, stopped), np.zeros(6), np.abs(h).max(), 1e-11)


def test_mass_matrix_of_algorithm_9_3_is_carried_by_its_own_weights(system):
    """Printed with phi(l, j), which is only right where the weights A are phi.

    Of body frames away from the hinges they are not.
    """
    tree, thd, *_ = system
    away = formulation.of_equations(tree, conventions.offset(tree, thd, offsets(tree)))
    M = composite_bodies.mass_matrix(tree)
    agree(composite_bodies.mass_matrix(away), M, tolerance=1e-11)
    R = composite_bodies.composite_inertias(away)
    printed = np.diag(tree.rotor)
    for k in range(tree.n):
        X = R[k] @ away.H[k].T
        printed[tree.slices[k], tree.slices[k]] += away.H[k] @ X
        for j, above in zip(tree.path(k), list(tree.path(k))[1:]):
            X = tree.phi[j] @ X
            printed[tree.slices[above], tree.slices[k]] = away.H[above] @ X
            printed[tree.slices[k], tree.slices[above]] = (away.H[above] @ X).T
    if any(up < tree.n for up in tree.parent):
        unlike(printed, M)
