"""Lagrange's equations in other velocities, and those that diagonalise: Jain, section 4.2.

    C(theta, thd) = Mdot thd - 1/2 grad (thd' M thd) = [M_D - 1/2 M_D'] thd         (4.27, 4.32)
    M_D = grad (M thd),    Mdot thd - 2 C = (M_D' - M_D) thd                        (4.29, 4.33)
    beta = A(theta) thd,   gamma = Adot - grad (A thd),   gamma thd = 0             (4.46, 4.48)
    d/dt dL/dbeta - A^-T dL/dtheta + A^-T gamma' dL/dbeta = A^-T T                        (4.44)
    M = A' A:  betadot + A^-T gamma' beta = A^-T T,   beta' A^-T gamma' beta = 0          (4.52)

Robots, states in their order; derivatives by complex step, O(n^4). Christoffel symbols and
Hamilton's form (4.35 to 4.43) are in christoffel.py and hamiltonian.py.

Correction to the print: (4.52), and the solution of exercise 4.11, have a minus before
A^-T gamma' beta; (4.44) and the motion itself say plus. In exercise 4.11 (2) read M = A' A.
"""

import numpy as np

from robodyn_ros.formulations.arm import states
from robodyn_ros.formulations.complex_step import along, gradient
from robodyn_ros.formulations.euler_lagrange import kinetic_energy, momentum, potential_energy
from robodyn_ros.formulations.jain.articulated import articulated
from robodyn_ros.formulations.jain.forward_dynamics import innovations_factor
from robodyn_ros.formulations.jain.tree import tree_at
from robodyn_ros.formulations.kane import mass_matrix


def coriolis_torque(robot, q, qd):
    """C (nv,) = Mdot qd - 1/2 d(qd' M qd)/dq, without gravity (4.27)."""
    q, qd = states(robot, q, qd)
    rate = along(lambda x: momentum(robot, x, qd), q, qd)
    return rate - gradient(lambda x: kinetic_energy(robot, x, qd), q)


def momentum_gradient(robot, q, u):
    """M_D(q, u) (nv, nv): the gradient of M(q) u by q (4.29, 4.41)."""
    q, u = states(robot, q, u)
    return gradient(lambda x: momentum(robot, x, u), q)


def coriolis_torque_of_gradient(robot, q, qd):
    """C (nv,) = [M_D - 1/2 M_D'] qd (4.32)."""
    M_D = momentum_gradient(robot, q, qd)
    return (M_D - 0.5 * M_D.T) @ qd


def gamma(A, q, qd):
    """gamma (nv, nv) = Adot - grad(A qd) of A(q), a function that takes complex q (4.46)."""
    return along(A, q, qd) - gradient(lambda x: A(x) @ qd, q)


def transformed_mass_matrix(robot, A, q):
    """A^-T M A^-1 (nv, nv): the mass matrix of beta = A qd (4.50)."""
    inverse = np.linalg.inv(A(q))
    return inverse.T @ mass_matrix(robot, q) @ inverse


def quasi_torque(robot, A, q, qd, qdd):
    """The left side of (4.44) (nv,), which is A^-T tau: A(q) a function, gravity in L.

    A^-T M qd is dL/dbeta; its rate is along the motion, dL/dtheta is at constant beta.
    """
    q, qd, qdd = states(robot, q, qd, qdd)
    beta = A(q) @ qd

    def impulse(x, rate):
        return np.linalg.solve(A(x).T, momentum(robot, x, rate))
    rate = along(lambda x: impulse(x, qd), q, qd) + impulse(q, qdd)

    def lagrangian(x):
        return (kinetic_energy(robot, x, np.linalg.solve(A(x), beta))
                - potential_energy(robot, x))
    return rate + np.linalg.solve(A(q).T, gamma(A, q, qd).T @ impulse(q, qd)
                                  - gradient(lagrangian, q))


def diagonalising(robot, q):
    """A (nv, nv) with M = A' A: D^1/2 [1 + H phi K]', as every tree of single freedoms has it.

    Rows in the order of Jain, columns in that of the robot.
    """
    tree = tree_at(robot, q)
    art = articulated(tree)
    D = np.concatenate([np.diag(block) for block in art.D])
    return np.sqrt(D)[:, None] * (innovations_factor(tree, art).T @ tree.permutation().T)


def diagonal_coriolis_torque(robot, q, qd):
    """C_q (nv,) = A^-T gamma' beta of the diagonalising A: betadot + C_q = A^-T tau (4.52)."""
    q, qd = states(robot, q, qd)

    def A(x):
        return diagonalising(robot, x)
    return np.linalg.solve(A(q).T, gamma(A, q, qd).T @ A(q) @ qd)
