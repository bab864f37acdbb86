# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics of a tree: Jain, chapter 5, and section 9.2 for trees.

    V(k)     = phi'(up, k) V(up) + H'(k) beta(k)                                 (Alg 5.2, 9.1)
    alpha(k) = phi'(up, k) alpha(up) + H'(k) betadot(k) + a(k)
    f(k)     = sum phi(k, j) f(j) + M(k) (alpha(k) + g) + b(k) - f_ext(k),    T(k) = H(k) f(k)
    a(k) = tilde(V(k)) Delta_V(k) + (dH'/dt) beta(k),    b(k) = bar(V(k)) M(k) V(k)

O(n). alpha is the rate of V as the body itself sees it (5.2). a(k) is the Coriolis acceleration
with dH'/dt as seen from the body. (5.11) takes dH'/dt as seen from the parent, and so has one term
more, -bar(Delta_V) Delta_V. g is minus the acceleration of free fall. Other choices of
frame are in conventions.py.

Correction to the print: before (5.38) the text adds the torque of the external forces, J' f_ext.
By (5.36) it is subtracted.
"""

import numpy as np

from robodyn_ros.formulations.jain.operators.sweeps import forward_diagonal, gather, scatter
from robodyn_ros.formulations.jain.spatial_algebra import bar, tilde
from robodyn_ros.formulations.jain.tree_kinematics import velocities


def coriolis_accelerations(tree, V, thd):
    """Return a(k) = tilde(V) Delta_V + (dH'/dt) beta of all bodies (5.11, 5.15 to 5.17).

    `tree` (Tree): bodies at one configuration.
    `V` (n, 6): velocity of each body, in its axes [rad/s, m/s].
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    """
    Delta = tree.hinge_velocity(thd)
    return np.array([tilde(v) @ delta for v, delta in zip(V, Delta)]) + tree.hinge_drift(thd)


def gyroscopic_forces(tree, V):
    """Return b(k) = bar(V) M V of all bodies (2.28).

    `tree` (Tree): bodies at one configuration.
    `V` (n, 6): velocity of each body, in its axes [rad/s, m/s].
    """
    return np.array([bar(v) @ M @ v for v, M in zip(V, tree.M)])


def gravity_accelerations(tree):
    """Return phi' E' g: g at every body, in its axes (5.41).

    `tree` (Tree): bodies at one configuration.
    """
    return scatter(tree, base_acceleration(tree), tree.phi)


def base_acceleration(tree):
    """Return E' g, the term of a(k) due to a pseudo-acceleration g of the inertial frame (5.39).

    `tree` (Tree): bodies at one configuration.
    Returns accelerations, zero except for the bodies on the inertial frame [rad/s2, m/s2].
    """
    lift = np.zeros((tree.n, 6), tree.R.dtype)
    for k in tree.children[tree.n]:
        lift[k] = tree.phi[k].T @ tree.g
    return lift


def hinge_components(tree, f):
    """Return H f: T(k) = H(k) f(k) (5.5).

    `tree` (Tree): bodies at one configuration.
    `f` (sequence of (6,) ndarray): force on each body by its parent [N m, N].
    """
    return np.concatenate([H @ each for H, each in zip(tree.H, f)])


def newton_euler(tree, thd, thdd, f_ext=None, gravity=True):
    """Return torques, forces and accelerations of a motion: Algorithm 5.2 (9.1) with (5.43).

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    `thdd` (N,): hinge accelerations, in the order of the tree [rad/s2, m/s2].
    `f_ext` (n, 6): external force on each body, at its origin in its axes [N m, N].
      `tree_kinematics.pick_off` gives it for forces on nodes.
    `gravity`: whether gravity acts.
    Returns `T` (N,): hinge torques, with the inertia of the drives [N m, N].
    Returns `f` (n, 6): force on each body by its parent, at its origin in its axes [N m,
      N].
    Returns `alpha` (n, 6): acceleration of each body, without gravity [rad/s2, m/s2].
    """
    V = velocities(tree, thd)
    a, b = coriolis_accelerations(tree, V, thd), gyroscopic_forces(tree, V)
    alpha = scatter(tree, tree.hinge_velocity(thdd) + a, tree.phi)
    felt = alpha + gravity_accelerations(tree) if gravity else alpha
    own = np.array([M @ x for M, x in zip(tree.M, felt)]) + b
    f = gather(tree, own if f_ext is None else own - f_ext, tree.phi)
    return hinge_components(tree, f) + tree.rotor * thdd, f, alpha


def bias(tree, thd, f_ext=None, gravity=True):
    """Return C(theta, thd), the torques without acceleration (5.25, 5.37).

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    `f_ext` (n, 6): external force on each body, at its origin in its axes [N m, N].
    `gravity`: whether gravity acts.
    """
    return newton_euler(tree, thd, np.zeros(tree.N), f_ext, gravity)[0]


def gravity_torque(tree):
    """Return the gravity torques H phi M Ebar' g by one gather (Ex 5.4).

    `tree` (Tree): bodies at one configuration.
    """
    weight = np.array([M @ g for M, g in zip(tree.M, gravity_accelerations(tree))])
    return hinge_components(tree, gather(tree, weight, tree.phi))


def mass_matrix_by_columns(tree):
    """Return the mass matrix: column j is T at thdd = e_j, at rest, without gravity (5.3.2).

    `tree` (Tree): bodies at one configuration.
    """
    rest = np.zeros(tree.N)
    return np.stack(
        [newton_euler(tree, rest, unit, gravity=False)[0] for unit in np.eye(tree.N)], axis=1
    )


def composite_body(tree, thd, thdd, f_ext=None, gravity=True):
    """Return torques and forces by f = R alpha + y: Algorithm 5.3 (5.44 to 5.46).

    y(k) = sum phi(k, j) y^+(j) + b(k), y^+ = y + R (H' thdd + a). So y depends on the outboard
    bodies alone.

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    `thdd` (N,): hinge accelerations, in the order of the tree [rad/s2, m/s2].
    `f_ext` (n, 6): external force on each body, at its origin in its axes [N m, N].
    `gravity`: whether gravity acts.
    Returns `T` (N,): hinge torques, with the inertia of the drives [N m, N].
    Returns `f` (n, 6): force on each body by its parent, at its origin in its axes [N m,
      N].
    """
    V = velocities(tree, thd)
    a = coriolis_accelerations(tree, V, thd)
    own = gyroscopic_forces(tree, V)
    y = list(own if f_ext is None else own - f_ext)
    R = forward_diagonal(tree, tree.M, tree.phi, tree.phi)
    relative = tree.hinge_velocity(thdd) + a
    for k, up in enumerate(tree.parent):
        if up < tree.n:
            y[up] = y[up] + tree.phi[k] @ (y[k] + R[k] @ relative[k])
    felt = scatter(tree, relative + base_acceleration(tree) if gravity else relative, tree.phi)
    f = np.array([R[k] @ felt[k] + y[k] for k in range(tree.n)])
    return hinge_components(tree, f) + tree.rotor * thdd, f
