# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Lagrange's equations in quasi-velocities, also diagonalising ones: Jain, section 4.2.

    C(theta, thd) = Mdot thd - 1/2 grad (thd' M thd) = [M_D - 1/2 M_D'] thd         (4.27, 4.32)
    M_D = grad (M thd),    Mdot thd - 2 C = (M_D' - M_D) thd                        (4.29, 4.33)
    beta = A(theta) thd,   gamma = Adot - grad (A thd),   gamma thd = 0             (4.46, 4.48)
    d/dt dL/dbeta - A^-T dL/dtheta + A^-T gamma' dL/dbeta = A^-T T                        (4.44)
    M = A' A:  betadot + A^-T gamma' beta = A^-T T,   beta' A^-T gamma' beta = 0          (4.52)

For a Robot of revolute and prismatic joints, with states in its order, or for Coordinates of any
tree. Derivatives by complex step, O(n^4). Christoffel symbols and Hamilton's form (4.35 to 4.43)
are in christoffel.py and hamiltonian.py.

Correction to the print: (4.52), and the solution of exercise 4.11, have a minus before A^-T gamma'
beta. By (4.44) and by simulation it is a plus. In exercise 4.11 (2) read M = A' A.
"""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.formulations.angeles import euler_lagrange, kane
from robodyn_ros.formulations.complex_step import along, gradient
from robodyn_ros.formulations.jain.articulated_bodies import articulated
from robodyn_ros.formulations.jain.body_tree import tree_at
from robodyn_ros.formulations.jain.coordinates import Coordinates
from robodyn_ros.formulations.jain.forward_dynamics import innovations_factor
from robodyn_ros.formulations.posture import states


@dataclass(frozen=True)
class RobotCoordinates:
    """The energies of a robot as functions of its own coordinates, from motions of links."""

    robot: object

    def mass_matrix(self, q):
        """Return the mass matrix, as Coordinates.mass_matrix.

        `q` ((nv,) array_like): coordinates [rad, m].
        """
        return kane.mass_matrix(self.robot, q)

    def momentum(self, q, qd):
        """Return the generalised momentum, as Coordinates.momentum.

        `q` ((nv,) array_like): coordinates [rad, m].
        `qd` ((nv,) array_like): their rates [rad/s, m/s].
        """
        return euler_lagrange.momentum(self.robot, q, qd)

    def kinetic_energy(self, q, qd):
        """Return the kinetic energy, as Coordinates.kinetic_energy.

        `q` ((nv,) array_like): coordinates [rad, m].
        `qd` ((nv,) array_like): their rates [rad/s, m/s].
        """
        return euler_lagrange.kinetic_energy(self.robot, q, qd)

    def potential_energy(self, q):
        """Return the potential energy, as Coordinates.potential_energy.

        `q` ((nv,) array_like): coordinates [rad, m].
        """
        return euler_lagrange.potential_energy(self.robot, q)


def energies_of(system, *rates):
    """Return the energies of a system, and rates as arrays.

    `*rates` (array_like): coordinates and rates.
    Returns coordinates or RobotCoordinates, then an ndarray for each of the rates.
    """
    if isinstance(system, Coordinates):
        return system, *map(np.asarray, rates)
    return RobotCoordinates(system), *states(system, *rates)


def coriolis_torque(system, q, qd):
    """Return C = Mdot qd - 1/2 d(qd' M qd)/dq, without gravity (4.27).

    `q` ((nv,) array_like): coordinates [rad, m].
    `qd` ((nv,) array_like): their rates [rad/s, m/s].
    """
    energies, q, qd = energies_of(system, q, qd)
    rate = along(lambda x: energies.momentum(x, qd), q, qd)
    return rate - gradient(lambda x: energies.kinetic_energy(x, qd), q)


def momentum_gradient(system, q, u):
    """Return M_D(q, u), the gradient of M(q) u by q (4.29, 4.41).

    `q` ((nv,) array_like): coordinates [rad, m].
    `u` ((nv,) array_like): constant vector.
    """
    energies, q, u = energies_of(system, q, u)
    return gradient(lambda x: energies.momentum(x, u), q)


def coriolis_torque_of_gradient(system, q, qd):
    """Return C = [M_D - 1/2 M_D'] qd (4.32).

    `q` ((nv,) array_like): coordinates [rad, m].
    `qd` ((nv,) array_like): their rates [rad/s, m/s].
    """
    M_D = momentum_gradient(system, q, qd)
    return (M_D - 0.5 * M_D.T) @ qd


def gamma(A, q, qd):
    """Return gamma = Adot - grad(A qd) (4.46).

    `A` (callable): `A(q)` returns the map (nv, nv) from qd to beta, also of complex q.
    `q` ((nv,) array_like): coordinates [rad, m].
    `qd` ((nv,) array_like): their rates [rad/s, m/s].
    """
    return along(A, q, qd) - gradient(lambda x: A(x) @ qd, q)


def transformed_mass_matrix(system, A, q):
    """Return the mass matrix of beta = A qd, A^-T M A^-1 (4.50).

    `A` (callable): `A(q)` returns the map (nv, nv) from qd to beta, also of complex q.
    `q` ((nv,) array_like): coordinates [rad, m].
    """
    energies, q = energies_of(system, q)
    inverse = np.linalg.inv(A(q))
    return inverse.T @ energies.mass_matrix(q) @ inverse


def quasi_torque(system, A, q, qd, qdd):
    """Return the left side of (4.44), which equals A^-T tau.

    Gravity is part of L. A^-T M qd is dL/dbeta. Its rate is taken along the motion, dL/dtheta at
    constant beta.

    `A` (callable): `A(q)` returns the map (nv, nv) from qd to beta, also of complex q.
    `q` ((nv,) array_like): coordinates [rad, m].
    `qd` ((nv,) array_like): their rates [rad/s, m/s].
    `qdd` ((nv,) array_like): their second derivatives [rad/s2, m/s2].
    """
    energies, q, qd, qdd = energies_of(system, q, qd, qdd)
    beta = A(q) @ qd

    def impulse(x, rate):
        return np.linalg.solve(A(x).T, energies.momentum(x, rate))

    rate = along(lambda x: impulse(x, qd), q, qd) + impulse(q, qdd)

    def lagrangian(x):
        return energies.kinetic_energy(x, np.linalg.solve(A(x), beta)) - energies.potential_energy(
            x
        )

    return rate + np.linalg.solve(
        A(q).T, gamma(A, q, qd).T @ impulse(q, qd) - gradient(lagrangian, q)
    )


def diagonalising(system, q):
    """Return A with M = A' A: D^1/2 [1 + H phi K]', which exists for every tree (Ex 4.11).

    D^1/2 is the upper factor of each block of D.

    `q` ((nv,) array_like): coordinates [rad, m].
    Returns A. Its rows are in the order of Jain, its columns in that of the system.
    """
    if isinstance(system, Coordinates):
        tree, columns = system.tree(q), system.velocity_map(q)
    else:
        tree = tree_at(system, q)
        columns = tree.permutation().T
    art = articulated(tree)
    A = innovations_factor(tree, art).T @ columns
    for s, D in zip(tree.slices, art.D):
        A[s] = upper_factor(D) @ A[s]
    return A


def diagonal_coriolis_torque(system, q, qd):
    """Return C_q = A^-T gamma' beta of the diagonalising A, with betadot + C_q = A^-T tau (4.52).

    `q` ((nv,) array_like): coordinates [rad, m].
    `qd` ((nv,) array_like): their rates [rad/s, m/s].
    """
    _, q, qd = energies_of(system, q, qd)

    def A(x):
        return diagonalising(system, x)

    return np.linalg.solve(A(q).T, gamma(A, q, qd).T @ A(q) @ qd)


def upper_factor(D):
    """Return U with U' U = D, also for complex D, which numpy would take for Hermitian.

    `D` (r, r): symmetric matrix.
    """
    U = np.zeros_like(D)
    for i in range(len(D)):
        U[i, i] = np.sqrt(D[i, i] - U[:i, i] @ U[:i, i])
        U[i, i + 1 :] = (D[i, i + 1 :] - U[:i, i] @ U[:i, i + 1 :]) / U[i, i]
    return U
