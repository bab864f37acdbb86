# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Chapter 19 of Jain: flat mass matrices, motion in diagonal velocities, and damping by them."""

import numpy as np
import pytest

from robodyn_ros.formulations import simulate
from robodyn_ros.formulations.angeles import kane
from robodyn_ros.formulations.complex_step import gradient
from robodyn_ros.formulations.jain import composite_bodies, forward_dynamics, hinges
from robodyn_ros.formulations.jain.articulated_bodies import articulated
from robodyn_ros.formulations.jain.body_tree import Body
from robodyn_ros.formulations.jain.coordinates import Coordinates
from robodyn_ros.formulations.jain.diagonalised import (
    coordinate_maps,
    curvature,
    decoupled_control,
    diagonal_motion,
)
from robodyn_ros.formulations.jain.inverse_dynamics import gravity_torque
from robodyn_ros.formulations.jain.single_body import spatial_inertia
from support.compare import agree
from support.robots.jain_trees import ROBOTS, any_tree, configuration, unlike

MASS, LENGTH, TURNING = 1.7, 0.6, 0.05
X, Y, Z = np.eye(3)


def point(place, inertia=0.0):
    """Spatial inertia of a point mass, or of a small ball, at a place of its body."""
    J = MASS * (place @ place * np.eye(3) - np.outer(place, place)) + inertia * np.eye(3)
    return spatial_inertia(MASS, place, J)


def carried(hinge, M, carrier=hinges.pin()):
    """Coordinates of a mass on a hinge, which a massless pin about z carries, or another hinge."""
    still = np.eye(3), np.zeros(3)
    first = Body('a', None, *still, carrier, np.zeros((6, 6)), (0,), (0,), np.zeros(1))
    last = Body('b', 'a', *still, hinge, M, (1,), (1,), np.zeros(1))
    return Coordinates([first, last], np.array([0.3, 0.8]))


POLAR = carried(hinges.prismatic(X), point(0.0 * X))
BALL = carried(hinges.prismatic(X), point(0.0 * X, TURNING))
SLIDES = carried(hinges.prismatic(X), point(0.0 * X), hinges.prismatic(Y + X))
SPHERE = carried(hinges.pin(Y), point(LENGTH * X))
AT = np.array([0.1, 0.2])


def test_mass_on_a_plane_is_flat_on_a_sphere_it_is_not():
    """(19.10): R_0101 = K det M, of a sphere with K = 1/(m l^2); a mass that turns, K < 0."""
    assert curvature.is_flat(POLAR, AT)
    assert curvature.is_flat(SLIDES, AT)
    assert not curvature.is_flat(BALL, AT)
    assert not curvature.is_flat(SPHERE, AT)
    R = curvature.riemann_symbols(SPHERE, AT)
    gauss = 1.0 / (MASS * LENGTH**2)
    agree(R[0, 1, 0, 1], gauss * np.linalg.det(SPHERE.mass_matrix(AT)))
    # M = diag(m, f^2), f^2 = J + m r^2: K = -f''/(m f).
    f = np.sqrt(TURNING + MASS * (0.8 + AT[0]) ** 2)
    found = curvature.riemann_symbols(BALL, AT)[0, 1, 0, 1]
    agree(found / np.linalg.det(BALL.mass_matrix(AT)), -TURNING / f**4)


def test_second_derivatives_of_a_mass_matrix():
    """Exact to rounding, against differences of complex steps, good to the square of 1e-4."""
    robot, q = ROBOTS['sliding_chain'], np.linspace(0.2, 1.2, 6)

    def M(x):
        return kane.mass_matrix(robot, x)

    found = curvature.second_derivatives(M, q)
    difference = [(gradient(M, q + h) - gradient(M, q - h)) / 2e-4 for h in 1e-4 * np.eye(6)]
    agree(found, np.stack(difference, axis=-1), tolerance=1e-6)
    agree(found, found.swapaxes(2, 3))


def test_symmetries_of_the_curvature():
    """R_hijk = -R_ihjk = R_jkhi, R_hijk + R_hjki + R_hkij = 0; a robot is hardly ever flat."""
    robot, q = ROBOTS['sliding_chain'], np.linspace(0.2, 1.2, 6)
    R = curvature.riemann_symbols(robot, q)
    size = np.abs(R).max()
    agree(R, -R.transpose(1, 0, 2, 3), size)
    agree(R, R.transpose(2, 3, 0, 1), size)
    agree(R + R.transpose(0, 2, 3, 1) + R.transpose(0, 3, 1, 2), 0.0 * R, size)
    assert not curvature.is_flat(robot, q)


def test_flat_mass_matrix_has_coordinates_without_coriolis_forces():
    """Lemma 19.1: place(theta) is such a g; m' is its gradient and d^2 g/dt^2 = l T."""

    def place(x):
        q = POLAR.q + x[::-1]  # tips first
        return np.sqrt(MASS) * q[1] * np.array([np.cos(q[0]), np.sin(q[0])])

    m = gradient(place, AT).T
    agree(m @ m.T, POLAR.mass_matrix(AT))
    thd, T = np.array([0.7, -1.1]), np.array([2.0, -3.0])
    thdd = forward_dynamics.dense(POLAR.tree(AT), thd, T, gravity=False)
    turning = curvature.second_derivatives(place, AT) @ thd @ thd
    agree(m.T @ thdd + turning, np.linalg.solve(m, T))


def test_count_of_independent_symbols_of_lemma_19_2():
    """N^2 (N^2 - 1)/12, and not N (N + 1)/2: the rank of (19.10) in second derivatives of M."""
    for N, independent in ((2, 1), (3, 6), (4, 20)):
        rng = np.random.default_rng(N)
        drawn = []
        for _ in range(40):
            slopes = rng.normal(size=(N, N, N, N))
            slopes = slopes + slopes.swapaxes(0, 1)
            drawn.append(curvature.second_order_terms(slopes + slopes.swapaxes(2, 3)).ravel())
        assert np.linalg.matrix_rank(np.array(drawn)) == independent
    assert N * (N + 1) // 2 != independent


def torque(t, tree, thd):
    """Some torque that depends on time and rates."""
    return np.sin(3.0 * t + np.arange(tree.N)) - 0.1 * thd


def energy(tree, thd):
    return 0.5 * thd @ composite_bodies.mass_matrix(tree) @ thd


@pytest.mark.parametrize('normalised', [False, True])
@pytest.mark.parametrize('name', ['sliding_chain', 'mixed chain', 'free base'])
def test_energy_stays_to_the_order_of_the_rule(name, normalised):
    """Without forces. Four stages: half the step leaves a sixteenth, or less, of the error."""
    tree, thd, _, _ = any_tree(name)
    before = energy(tree, thd)

    def error(steps):
        end, rates = diagonal_motion.motion(
            tree,
            thd,
            lambda t, tree, thd: np.zeros(tree.N),
            0.04 / steps,
            steps,
            gravity=False,
            normalised=normalised,
        )
        unlike(rates, thd)
        return abs(energy(end, rates) / before - 1.0)

    coarse, fine = error(5), error(10)
    assert 1e-14 < coarse < 1e-8
    assert fine < coarse / 12.0


@pytest.mark.parametrize('name', ['sliding_chain', 'mixed_rotors'])
def test_motion_is_the_same_in_all_velocities(name):
    """By xi, by eta, and by thd with the package's forward dynamics, weight included."""
    tree, thd, _, _ = any_tree(name)
    ends = [
        diagonal_motion.motion(tree, thd, torque, 1e-3, 5, normalised=each)
        for each in (False, True)
    ]
    for end, rates in ends:
        agree(configuration(end), configuration(ends[0][0]), tolerance=1e-10)
        agree(rates, ends[0][1], tolerance=1e-10)


def test_motion_is_that_of_the_package():
    tree, thd, _, _ = any_tree('sliding_chain')
    robot = ROBOTS['sliding_chain']
    end, rates = diagonal_motion.motion(tree, thd, torque, 1e-3, 5)

    def acceleration(t, q, qd):
        tau = tree.to_ours(torque(t, tree, tree.to_jain(qd)))
        return robot.forward_dynamics(q, qd, tau)

    q, qd = simulate.turney(acceleration, configuration(tree), tree.to_ours(thd), 1e-3, 5)
    agree(configuration(end), q, tolerance=1e-10)
    agree(tree.to_ours(rates), qd, tolerance=1e-10)


def eta_of(tree, thd):
    art = articulated(tree)
    moving = coordinate_maps.velocities_of_rates(tree, art, thd)
    return coordinate_maps.normalised(tree, art, moving.xi)


def damped(tree, thd, c, decoupled):
    """(start, end) of eta over 0.2 s under the law, which also carries the weight."""

    def law(t, tree, thd):
        art = articulated(tree)
        moving = coordinate_maps.velocities_of_rates(tree, art, thd)
        T = decoupled_control.damping_torque(tree, art, moving, c, decoupled)
        return T + gravity_torque(tree)

    end, rates = diagonal_motion.motion(tree, thd, law, 5e-3, 40)
    return eta_of(tree, thd), eta_of(end, rates)


def test_damping_takes_energy_at_its_rate(system):
    """Lemma 19.10: the power is -eta' c eta, with C(theta, eta) or without."""
    tree, thd, _, _ = system
    art = articulated(tree)
    moving = coordinate_maps.velocities_of_rates(tree, art, thd)
    c = np.linspace(0.5, 3.0, tree.N)
    eta = coordinate_maps.normalised(tree, art, moving.xi)
    laws = [decoupled_control.damping_torque(tree, art, moving, c, each) for each in (False, True)]
    for T in laws:
        agree(thd @ T, -eta @ (c * eta), np.abs(T).max() * np.abs(thd).max())
    M = composite_bodies.mass_matrix(tree)
    agree(decoupled_control.damping_torque(tree, art, moving, 2.0), -2.0 * M @ thd)
    if tree.N > 1:
        unlike(*laws)


@pytest.mark.parametrize('name', ['sliding_chain', 'free base'])
def test_every_diagonal_velocity_decays_by_itself(name):
    """With C(theta, eta): eta_i(t) = eta_i(0) exp(-c_i t), to what the rule of integration leaves.

    Without it, |eta| alone decays so, for one c for all.
    """
    tree, thd, _, _ = any_tree(name)
    c = np.linspace(0.5, 3.0, tree.N)
    start, end = damped(tree, thd, c, decoupled=True)
    agree(end, np.exp(-0.2 * c) * start, tolerance=1e-8)
    start, end = damped(tree, thd, 1.5, decoupled=False)
    agree(np.linalg.norm(end), np.exp(-0.3) * np.linalg.norm(start), tolerance=1e-8)
    unlike(end, np.exp(-0.3) * start)
