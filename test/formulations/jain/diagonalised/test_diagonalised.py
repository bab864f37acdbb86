# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Chapter 19 of Jain: velocities that diagonalise, against Cholesky factors."""

import numpy as np
import pytest

from robodyn_ros.errors import ModelError
from robodyn_ros.formulations.jain import composite_bodies, forward_dynamics, inverse_dynamics
from robodyn_ros.formulations.jain import quasi_velocities as quasi
from robodyn_ros.formulations.jain.articulated_bodies import articulated, residual_forces
from robodyn_ros.formulations.jain.diagonalised import (
    coordinate_maps,
    innovations_factors,
    normalised_coriolis,
    two_sweep_dynamics,
    unnormalised_coriolis,
)
from robodyn_ros.formulations.jain.sensitivities.articulated_rates import hinge_rates
from support.compare import agree
from support.robots.families import FAMILIES
from support.robots.jain_trees import (
    ROBOTS,
    SOLVED,
    any_tree,
    configuration,
    forces,
    moved,
    robot_tree,
    unlike,
)

STEP = 1e-30j
#: Trees whose hinges have one freedom: pins and slides in chains and trees, with motors too.
SIMPLE = ('skew_chain', 'sliding_chain', 'sliding_tree', 'massless_branches', 'rotors', 'permuted')


def factor_of(tree):
    """m (N, N), lower triangular: Cholesky's factor of the mass matrix, complex ones too."""
    return quasi.upper_factor(composite_bodies.mass_matrix(tree)).T


def slope(f, tree, thd):
    """df/dt of a function of a Tree that moves at thd, by complex step."""
    return np.imag(f(moved(tree, thd, STEP))) / STEP.imag


def put(tree, thd):
    """(Articulated, Velocities) of a tree at thd."""
    art = articulated(tree)
    return art, coordinate_maps.velocities_of_rates(tree, art, thd)


@pytest.fixture(params=SIMPLE)
def simple(request):
    """A tree on hinges of one freedom, and (thd, thdd, T)."""
    return robot_tree(request.param)


def test_factor_is_that_of_cholesky(system):
    """(19.20), (19.21): tips first, m is lower triangular, so there is only one, and it is smooth.

    By tables 19.1 and 19.2, both ways.
    """
    tree, thd, _, T = system
    art, moving = put(tree, thd)
    m = np.linalg.cholesky(composite_bodies.mass_matrix(tree))
    eta = coordinate_maps.normalised(tree, art, moving.xi)
    zeta = coordinate_maps.forces_of_torques(tree, art, T)
    agree(eta, m.T @ thd, tolerance=SOLVED)
    agree(zeta, np.linalg.solve(m, T), tolerance=SOLVED)
    agree(coordinate_maps.torques_of_forces(tree, art, zeta), T, tolerance=SOLVED)
    xi = coordinate_maps.unnormalised(tree, art, eta)
    back = coordinate_maps.velocities_of_xi(tree, art, xi)
    agree(back.thd, thd, tolerance=SOLVED)
    agree(back.V, moving.V, tolerance=SOLVED)
    unlike(moving.xi, thd)


@pytest.mark.parametrize('name', ['skew_chain', 'sliding_tree', 'rotors'])
def test_diagonal_equations_of_motion_of_pinocchio(name):
    """(19.14) with the masses, weights and accelerations of Pinocchio."""
    tree, thd, _, T = robot_tree(name)
    art, moving = put(tree, thd)
    referee, q, qd = FAMILIES[name].pinocchio, configuration(tree), tree.to_ours(thd)
    m = np.linalg.cholesky(referee.mass_matrix(q)[np.ix_(tree.dofs, tree.dofs)])
    thdd = referee.forward_dynamics(q, qd, tree.to_ours(T))[tree.dofs]
    zeta = np.linalg.solve(m, T - referee.gravity_torque(q)[tree.dofs])
    etadot = m.T @ thdd + slope(factor_of, tree, thd).T @ thd
    C = normalised_coriolis.coriolis_vector(tree, art, moving)
    agree(etadot + C, zeta, np.abs(etadot).max(), SOLVED)
    unlike(etadot, zeta)


def test_axes_of_single_freedoms_stand_still_on_both_sides(simple):
    tree, thd, _, _ = simple
    for W in hinge_rates(tree, thd):
        agree(W, np.zeros((6, W.shape[1])), np.abs(thd).max())
    tree, thd, _, _ = any_tree('mixed tree')
    W = hinge_rates(tree, thd)
    axes = [body.hinge.name for body in tree.bodies]
    assert np.abs(W[axes.index('spherical')]).max() > 0.1


def test_diagonal_equations_of_motion(system):
    """(19.14), (19.38), (19.40): rates of eta and xi along the motion of dense dynamics.

    With forces on all bodies and weight, which the book leaves out.
    """
    tree, thd, _, T = system
    art, moving = put(tree, thd)
    push = forces(tree)
    thdd = forward_dynamics.dense(tree, thd, T, push)
    later = moved(tree, thd, STEP)
    art_later, ahead = put(later, thd + STEP * thdd)
    xi_rate = np.imag(ahead.xi) / STEP.imag
    found = two_sweep_dynamics.xi_rates(tree, art, moving, T, push)
    agree(found, xi_rate, tolerance=SOLVED)
    # At rest C is the weight, less the forces on the bodies.
    still = inverse_dynamics.bias(tree, 0.0 * thd, push)
    _, _, epsilon = residual_forces(tree, art, T - still)
    C = unnormalised_coriolis.coriolis_vector(tree, art, moving)
    inertia = coordinate_maps.by_hinges(tree, xi_rate, art.D, np.matmul)
    agree(inertia + C, epsilon, np.abs(inertia).max(), SOLVED)
    eta_rate = np.imag(coordinate_maps.normalised(later, art_later, ahead.xi)) / STEP.imag
    zeta = coordinate_maps.forces_of_torques(tree, art, T - still)
    C = normalised_coriolis.coriolis_vector_of_any_hinge(tree, art, moving)
    agree(eta_rate + C, zeta, np.abs(eta_rate).max(), SOLVED)
    if tree.N > 1:
        unlike(eta_rate, zeta)


def test_two_sweeps_give_the_motion_of_the_package(named):
    """Algorithm 19.3 against Robot.forward_dynamics."""
    robot, tree, thd, _, T = named
    art, moving = put(tree, thd)
    thdd = tree.to_jain(
        robot.forward_dynamics(configuration(tree), tree.to_ours(thd), tree.to_ours(T))
    )
    _, ahead = put(moved(tree, thd, STEP), thd + STEP * thdd)
    found = two_sweep_dynamics.xi_rates(tree, art, moving, T)
    agree(found, np.imag(ahead.xi) / STEP.imag, tolerance=SOLVED)


def test_coriolis_vector_by_four_routes(simple):
    """Algorithm 19.1 = (19.29) = by way of algorithm 19.2 = section 4.2 by complex step."""
    tree, thd, _, _ = simple
    art, moving = put(tree, thd)
    C = normalised_coriolis.coriolis_vector(tree, art, moving)
    agree(normalised_coriolis.coriolis_vector_of_any_hinge(tree, art, moving), C)
    agree(innovations_factors.coriolis_vector(tree, thd), C)
    m = factor_of(tree)
    by_lemma_3 = np.linalg.solve(m, inverse_dynamics.bias(tree, thd, gravity=False))
    agree(by_lemma_3 - slope(factor_of, tree, thd).T @ thd, C, tolerance=SOLVED)


@pytest.mark.parametrize('name', ['skew_chain', 'sliding_chain'])
def test_coriolis_vector_is_that_of_quasi_velocities(name):
    """(4.52) with the A = m' that diagonalises."""
    tree, thd, _, _ = robot_tree(name)
    art, moving = put(tree, thd)
    C = quasi.diagonal_coriolis_torque(ROBOTS[name], configuration(tree), tree.to_ours(thd))
    agree(normalised_coriolis.coriolis_vector(tree, art, moving), C, tolerance=SOLVED)


def test_normalised_coriolis_forces_do_no_work(system):
    """(19.18), (19.19), Ex 19.2; those of thd and of xi do work."""
    tree, thd, _, T = system
    art, moving = put(tree, thd)
    eta = coordinate_maps.normalised(tree, art, moving.xi)
    C = normalised_coriolis.coriolis_vector_of_any_hinge(tree, art, moving)
    agree(eta @ C, 0.0, np.abs(C).max() * np.abs(eta).max())
    agree(eta @ coordinate_maps.forces_of_torques(tree, art, T), thd @ T, np.abs(T).max(), SOLVED)
    if tree.N > 1:
        other = unnormalised_coriolis.coriolis_vector(tree, art, moving)
        assert abs(moving.xi @ other) > 1e-6 * np.abs(other).max()


def test_kinetic_energy_needs_no_masses(system):
    """(19.5), (19.37): eta' eta / 2 = xi' D xi / 2 = thd' M thd / 2."""
    tree, thd, _, _ = system
    art, moving = put(tree, thd)
    eta = coordinate_maps.normalised(tree, art, moving.xi)
    energy = 0.5 * thd @ composite_bodies.mass_matrix(tree) @ thd
    agree(0.5 * eta @ eta, energy)
    agree(unnormalised_coriolis.kinetic_energy(tree, moving.xi), energy)


def test_rates_and_sensitivities_of_the_factors(simple):
    """(19.24), (19.25), (19.33) to (19.35) against Cholesky's factor by complex step."""
    tree, thd, _, _ = simple
    m = factor_of(tree)
    agree(innovations_factors.factor(tree), m, tolerance=SOLVED)
    agree(innovations_factors.inverse_factor(tree) @ m, np.eye(tree.N), tolerance=SOLVED)
    for speed in (thd, np.eye(tree.N)[1]):
        rate = slope(factor_of, tree, speed)
        agree(innovations_factors.factor_rate(tree, speed), rate, np.abs(m).max(), SOLVED)
        inverse_rate = slope(lambda each: np.linalg.inv(factor_of(each)), tree, speed)
        found = innovations_factors.inverse_factor_rate(tree, speed)
        agree(found, inverse_rate, np.abs(np.linalg.inv(m)).max(), SOLVED)
        agree(innovations_factors.root_rate(tree, speed), np.diag(rate), np.abs(m).max(), SOLVED)


def test_sections_19_2_to_19_4_are_for_hinges_of_one_freedom():
    tree, thd, _, _ = any_tree('free base')
    art, moving = put(tree, thd)
    with pytest.raises(ModelError, match='expected at most one'):
        normalised_coriolis.coriolis_vector(tree, art, moving)
    with pytest.raises(ModelError, match="body 'body0' on a hinge of 6 freedoms"):
        innovations_factors.factor(tree)
