# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Section 4.2 of Jain: Lagrange, Christoffel, Hamilton, quasi-velocities."""

import numpy as np
import pytest

from robodyn_ros.errors import ModelError
from robodyn_ros.formulations.angeles.euler_lagrange import kinetic_energy, momentum
from robodyn_ros.formulations.angeles.kane import mass_matrix
from robodyn_ros.formulations.complex_step import along, gradient
from robodyn_ros.formulations.jain import composite_bodies as composite
from robodyn_ros.formulations.jain import inverse_dynamics, tree_kinematics
from robodyn_ros.formulations.jain import quasi_velocities as quasi
from robodyn_ros.formulations.jain.coordinates import Coordinates
from robodyn_ros.formulations.spong import christoffel, hamiltonian
from support.compare import agree
from support.robots.jain_trees import ROBOTS, any_tree, configuration, robot_tree

SMALL = ('skew_chain', 'sliding_chain', 'rotors', 'permuted', 'chain of 3')
#: A solve with A or M loses what their condition is worth.
SOLVED = 1e-9


@pytest.fixture(params=SMALL)
def state(request):
    """A robot and (q, qd, qdd) in its order."""
    tree, thd, thdd, _ = robot_tree(request.param)
    q = configuration(tree)
    return ROBOTS[request.param], q, tree.to_ours(thd), tree.to_ours(thdd)


def coriolis(robot, q, qd):
    """C of the package, by Newton and Euler."""
    return robot.bias_torque(q, qd) - robot.gravity_torque(q)


def test_coriolis_torque_by_four_routes(state):
    """(5.25) = (4.27) = (4.32) = (4.39)."""
    robot, q, qd, _ = state
    C = coriolis(robot, q, qd)
    agree(quasi.coriolis_torque(robot, q, qd), C)
    agree(quasi.coriolis_torque_of_gradient(robot, q, qd), C)
    agree(np.einsum('i,ijk,j->k', qd, christoffel.symbols(robot, q), qd), C)


def test_momentum_has_the_gradient_of_lagrange(state):
    """(4.30), (4.31), (4.33), Ex 4.4: what M_D gives."""
    robot, q, qd, u = state
    M_D = quasi.momentum_gradient(robot, q, qd)
    rate = along(lambda x: mass_matrix(robot, x), q, qd)
    agree(gradient(lambda x: 2 * kinetic_energy(robot, x, qd), q), M_D.T @ qd)
    agree(quasi.momentum_gradient(robot, q, u) @ qd, rate @ u)
    C = coriolis(robot, q, qd)
    agree(rate @ qd - 2 * C, (M_D.T - M_D) @ qd, np.abs(rate @ qd).max())
    agree(qd @ (rate @ qd - 2 * C), 0.0, np.abs(C).max() * len(q))
    agree(qd @ C, 0.5 * qd @ rate @ qd, np.abs(C).max())
    assert abs(qd @ C) > 1e-6 * np.abs(C).max()  # Coriolis forces do work


def test_power_is_the_rate_of_kinetic_energy(state):
    """(4.34): d(KE)/dt = thd' T along any motion without gravity."""
    robot, q, qd, qdd = state
    still = robot.with_gravity((0.0, 0.0, 0.0))
    T = still.inverse_dynamics(q, qd, qdd)
    rate = along(lambda x: kinetic_energy(robot, x, qd), q, qd) + along(
        lambda x: kinetic_energy(robot, q, x), qd, qdd
    )
    agree(rate, qd @ T, np.abs(T).max())


def test_christoffel_symbols_give_the_coriolis_torque(state):
    """(4.35) to (4.38), in the order of the tree: tips first."""
    robot, q, qd, _ = state
    name = next(name for name, each in ROBOTS.items() if each is robot)
    tree, *_ = robot_tree(name)
    c = christoffel.symbols(robot, q)[np.ix_(tree.dofs, tree.dofs, tree.dofs)]
    C = np.einsum('jki->ijk', c)  # C[i, j, k] = C_i(j, k)
    size = np.abs(C).max()
    slope = gradient(lambda x: mass_matrix(robot, x), q)[np.ix_(tree.dofs, tree.dofs, tree.dofs)]
    agree(C, C.transpose(0, 2, 1), size)
    agree(np.einsum('iik->ik', slope), 2 * np.einsum('iik->ik', C), size)
    agree(np.einsum('kji->ijk', slope), np.einsum('jik->ijk', C) + np.einsum('kij->ijk', C), size)
    n = tree.N
    for i in range(n):
        for j in range(i, n):
            agree(C[i, j, i], 0.0, size)  # (4.38)
            for k in range(j + 1):
                agree(C[i, j, k], -C[k, j, i], size)  # (4.37)
    matrix = np.einsum('ijk,j->ik', C, tree.to_jain(qd))
    rate = along(lambda x: mass_matrix(robot, x), q, qd)[np.ix_(tree.dofs, tree.dofs)]
    agree(rate - 2 * matrix, -(rate - 2 * matrix).T, size * np.abs(qd).max())


def test_hamilton_gives_the_motion_of_lagrange(state):
    """(4.43), gravity in the Hamiltonian."""
    robot, q, qd, _ = state
    tau = np.linspace(-3.0, 4.0, robot.nv)
    agree(
        hamiltonian.forward_dynamics(robot, q, qd, tau),
        robot.forward_dynamics(q, qd, tau),
        tolerance=SOLVED,
    )


def velocities_of(robot):
    """A(q) that is no gradient, of any robot."""
    rng = np.random.default_rng(robot.nv)
    one, two = rng.normal(size=(2, robot.nv, robot.nv))
    return lambda q: 3.0 * np.eye(robot.nv) + 0.3 * one * np.sin(q + two @ q)


def test_quasi_velocities_obey_the_same_dynamics(state):
    """(4.44) to (4.50)."""
    robot, q, qd, qdd = state
    A = velocities_of(robot)
    g = quasi.gamma(A, q, qd)
    agree(g @ qd, np.zeros(robot.nv), np.abs(g).max())  # (4.48)
    tau = robot.inverse_dynamics(q, qd, qdd)
    agree(quasi.quasi_torque(robot, A, q, qd, qdd), np.linalg.solve(A(q).T, tau), tolerance=SOLVED)
    beta = A(q) @ qd
    agree(
        beta @ quasi.transformed_mass_matrix(robot, A, q) @ beta,
        2 * kinetic_energy(robot, q, qd),
        tolerance=SOLVED,
    )


def test_coriolis_forces_of_quasi_velocities_do_half_the_work_of_the_mass_matrix(state):
    """Ex 4.10: beta' (dM/dt beta - 2 C) = 0 with the mass matrix and C of beta."""
    robot, q, qd, qdd = state
    A, still = velocities_of(robot), robot.with_gravity((0.0, 0.0, 0.0))
    beta = A(q) @ qd
    beta_rate = A(q) @ qdd + along(A, q, qd) @ qd
    C = (
        quasi.quasi_torque(still, A, q, qd, qdd)
        - quasi.transformed_mass_matrix(robot, A, q) @ beta_rate
    )
    rate = along(lambda x: quasi.transformed_mass_matrix(robot, A, x), q, qd)
    agree(beta @ (rate @ beta - 2 * C), 0.0, np.abs(beta).max() * np.abs(C).max(), SOLVED)
    assert abs(beta @ C) > 1e-6 * np.abs(C).max()


def test_true_coordinates_have_no_gamma(state):
    """Ex 4.9: of eta = h(theta), A is a gradient and gamma vanishes."""
    robot, q, qd, _ = state
    mix = np.random.default_rng(1).normal(size=(robot.nv, robot.nv))
    g = quasi.gamma(lambda x: np.cos(mix @ x)[:, None] * mix, q, qd)
    agree(g, np.zeros_like(g), np.abs(mix).max())
    assert np.abs(quasi.gamma(velocities_of(robot), q, qd)).max() > 1e-2


def test_turning_of_a_rigid_body_in_quasi_velocities():
    """(4.47): J omegadot + omega x J omega = A^-T f, of three angles: A gives omega."""
    J = np.array([[0.4, 0.05, 0.02], [0.05, 0.6, -0.03], [0.02, -0.03, 0.5]])
    q, qd = np.array([0.4, -0.7, 0.9]), np.array([1.1, -0.6, 0.8])

    def A(x):  # body rates of turns about z, y, x in this order
        s2, c2, s3, c3 = np.sin(x[1]), np.cos(x[1]), np.sin(x[2]), np.cos(x[2])
        zero, one = 0 * s2, 1 + 0 * s2
        return np.array([[-s2, zero, one], [c2 * s3, c3, zero], [c2 * c3, -s3, zero]])

    omega = A(q) @ qd
    g = quasi.gamma(A, q, qd)
    # 1/2 omega' J omega does not know the angles but through omega: (4.44) is gamma' J omega.
    agree(np.linalg.solve(A(q).T, g.T @ J @ omega), np.cross(omega, J @ omega))


def test_diagonalising_velocities_have_unit_mass(state):
    """(4.52) with A of the innovations factor: unit mass, + A^-T gamma' beta, which does no work.

    The minus that is printed gives another motion.
    """
    robot, q, qd, qdd = state
    still = robot.with_gravity((0.0, 0.0, 0.0))
    M = mass_matrix(robot, q)
    A = quasi.diagonalising(robot, q)
    agree(A.T @ A, M)  # Ex 4.11 (2)
    agree(
        quasi.transformed_mass_matrix(robot, lambda x: quasi.diagonalising(robot, x), q),
        np.eye(robot.nv),
        tolerance=SOLVED,
    )
    beta_rate = A @ qdd + along(lambda x: quasi.diagonalising(robot, x), q, qd) @ qd
    zeta = np.linalg.solve(A.T, still.inverse_dynamics(q, qd, qdd))
    C = quasi.diagonal_coriolis_torque(robot, q, qd)
    size = np.abs(zeta).max() + np.abs(C).max()
    agree(beta_rate + C, zeta, size, SOLVED)
    assert np.abs(beta_rate - C - zeta).max() > 1e-3 * size
    agree((A @ qd) @ C, 0.0, size * np.abs(A @ qd).max(), SOLVED)


def test_momenta_are_rows_of_the_gradient(state):
    robot, q, qd, _ = state
    agree(momentum(robot, q, qd), mass_matrix(robot, q) @ qd)


MIXED = ('mixed tree', 'mixed forest', 'mixed chain', 'free base')


@pytest.fixture(params=MIXED)
def mixed(request):
    """Coordinates of a tree with hinges of every kind, x that is not zero, and (xd, xdd)."""
    tree, *_ = any_tree(request.param)
    coordinates = Coordinates(tree.bodies[::-1], configuration(tree), tuple(-tree.g[3:]))
    rng = np.random.default_rng(tree.N)
    return coordinates, *(rng.uniform(0.1, 0.6, (3, tree.N)) * rng.choice((-1, 1), (3, tree.N)))


def test_coordinates_of_hinges_without_them(mixed):
    """beta = A(x) xdot is how the bodies move, by differences of their poses; A(0) = 1 (4.45)."""
    coordinates, x, xd, _ = mixed
    agree(coordinates.velocity_map(0 * x), np.eye(len(x)), 1.0)
    tree, h = coordinates.tree(x), 1e-6
    V = tree_kinematics.velocities(tree, coordinates.velocity_map(x) @ xd)
    there, back = (tree_kinematics.poses(coordinates.tree(x + s * xd)) for s in (h, -h))
    for T, up, down, v in zip(tree_kinematics.poses(tree), there, back, V):
        rate = np.linalg.solve(T, (up - down) / (2 * h))
        agree([rate[2, 1], rate[0, 2], rate[1, 0], *rate[:3, 3]], v, 1.0 + np.abs(V).max(), 1e-7)
    beta = coordinates.velocity_map(x) @ xd
    agree(coordinates.kinetic_energy(x, xd), 0.5 * beta @ composite.mass_matrix(tree) @ beta)
    assert np.abs(quasi.gamma(coordinates.velocity_map, x, xd)).max() > 1e-2
    with pytest.raises(ModelError, match='got a rolling ball hinge; expected one whose'):
        Coordinates(any_tree('rolling')[0].bodies, None)


def test_quasi_velocities_of_every_hinge(mixed):
    """(4.44), (4.48), (4.50): Lagrange's equations give the torque of Newton and Euler. This
    includes the velocities of the book's hinges, balls and free bodies.
    """
    coordinates, x, xd, xdd = mixed
    A = coordinates.velocity_map
    tree, beta = coordinates.tree(x), A(x) @ xd
    beta_rate = A(x) @ xdd + along(A, x, xd) @ xd
    T, _, _ = inverse_dynamics.newton_euler(tree, beta, beta_rate)
    agree(quasi.quasi_torque(coordinates, A, x, xd, xdd), T, tolerance=1e-11)
    g = quasi.gamma(A, x, xd)
    agree(g @ xd, np.zeros(len(x)), np.abs(g).max())
    agree(
        quasi.transformed_mass_matrix(coordinates, A, x),
        composite.mass_matrix(tree),
        tolerance=1e-11,
    )


def test_coriolis_torque_of_every_hinge_by_four_routes(mixed):
    """(4.27), (4.32), (4.33), (4.39), (5.25) in coordinates of all hinges, A' the way between."""
    coordinates, x, xd, _ = mixed
    A = coordinates.velocity_map
    beta_rate = along(A, x, xd) @ xd
    still = Coordinates(coordinates.bodies, coordinates.q, (0.0, 0.0, 0.0))
    T, _, _ = inverse_dynamics.newton_euler(still.tree(x), A(x) @ xd, beta_rate, gravity=False)
    C = A(x).T @ T
    agree(quasi.coriolis_torque(coordinates, x, xd), C, tolerance=1e-11)
    agree(quasi.coriolis_torque_of_gradient(coordinates, x, xd), C, tolerance=1e-11)
    symbols = christoffel.symbols_of(coordinates.mass_matrix, x)
    agree(symbols, symbols.transpose(1, 0, 2), np.abs(symbols).max())
    agree(np.einsum('i,ijk,j->k', xd, symbols, xd), C, tolerance=1e-11)
    M_D, rate = quasi.momentum_gradient(coordinates, x, xd), along(coordinates.mass_matrix, x, xd)
    size = np.abs(rate @ xd).max() * len(x)
    agree(rate @ xd - 2 * C, (M_D.T - M_D) @ xd, size)
    agree(xd @ (rate @ xd - 2 * C), 0.0, size)
    skew = rate - 2 * np.einsum('ijk,i->kj', symbols, xd)
    agree(skew, -skew.T, np.abs(rate).max())


def test_diagonalising_velocities_of_every_hinge(mixed):
    """(4.52), Ex 4.11 where D has blocks: M = A' A, and + A^-T gamma' beta does no work."""
    coordinates, x, xd, xdd = mixed
    still = Coordinates(coordinates.bodies, coordinates.q, (0.0, 0.0, 0.0))

    def A(x):
        return quasi.diagonalising(still, x)

    agree(A(x).T @ A(x), still.mass_matrix(x))
    beta, tau = A(x) @ xd, still.mass_matrix(x) @ xdd + quasi.coriolis_torque(still, x, xd)
    C = quasi.diagonal_coriolis_torque(still, x, xd)
    beta_rate, zeta = A(x) @ xdd + along(A, x, xd) @ xd, np.linalg.solve(A(x).T, tau)
    size = np.abs(zeta).max() + np.abs(C).max()
    agree(beta_rate + C, zeta, size, SOLVED)
    assert np.abs(beta_rate - C - zeta).max() > 1e-3 * size
    agree(beta @ C, 0.0, size * np.abs(beta).max(), SOLVED)
