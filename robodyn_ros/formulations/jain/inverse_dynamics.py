# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics of a tree: Jain, chapter 5, and section 9.2 for trees.

    V(k)     = phi'(up, k) V(up) + H'(k) beta(k)                                 (Alg 5.2, 9.1)
    alpha(k) = phi'(up, k) alpha(up) + H'(k) betadot(k) + a(k)
    f(k)     = sum phi(k, j) f(j) + M(k) (alpha(k) + g) + b(k) - f_ext(k),    T(k) = H(k) f(k)
    a(k) = tilde(V(k)) Delta_V(k) + (dH'/dt) beta(k),    b(k) = bar(V(k)) M(k) V(k)

O(n). alpha is the rate of V as the body itself sees it (5.2). a(k) is the Coriolis acceleration
with dH'/dt as seen from the body. (5.11) takes it from the parent, and needs - bar(Delta_V)
Delta_V besides. g is minus the acceleration of free fall. Other choices of frame: conventions.py.

Correction to the print: before (5.38) the text adds the torque of the external forces, J' f_ext.
By (5.36) it is subtracted.
"""

import numpy as np

from robodyn_ros.formulations.jain.operators.sweeps import forward_diagonal, gather, scatter
from robodyn_ros.formulations.jain.spatial_algebra import bar, tilde
from robodyn_ros.formulations.jain.tree_kinematics import velocities


def coriolis_accelerations(tree, V, thd):
    """a(k) (n, 6) [rad/s2, m/s2] of velocities V (n, 6), thd (N,) (5.11, 5.15 to 5.17)."""
    Delta = tree.hinge_velocity(thd)
    return np.array([tilde(v) @ delta for v, delta in zip(V, Delta)]) + tree.hinge_drift(thd)


def gyroscopic_forces(tree, V):
    """b(k) = bar(V) M V (n, 6) (2.28)."""
    return np.array([bar(v) @ M @ v for v, M in zip(V, tree.M)])


def gravity_accelerations(tree):
    """phi' E' g (n, 6): g at every body, in its axes (5.41)."""
    return scatter(tree, base_acceleration(tree), tree.phi)


def base_acceleration(tree):
    """E' g (n, 6): the term of a(k) from a pseudo-acceleration g of the inertial frame (5.39).

    It is zero but for base bodies, all of them where there are several.
    """
    lift = np.zeros((tree.n, 6), tree.R.dtype)
    for k in tree.children[tree.n]:
        lift[k] = tree.phi[k].T @ tree.g
    return lift


def hinge_components(tree, f):
    """H f (N,): T(k) = H(k) f(k) (5.5)."""
    return np.concatenate([H @ each for H, each in zip(tree.H, f)])


def newton_euler(tree, thd, thdd, f_ext=None, gravity=True):
    """Algorithm 5.2 (9.1 for trees), with (5.43): (T (N,), f (n, 6), alpha (n, 6)).

    thd, thdd (N,) in the order of the tree. f_ext (n, 6) : force on each body at its origin, in
    its axes (kinematics.pick_off of forces on nodes). f : on each body by its parent, at its
    origin, in its axes. alpha is without gravity. T has the inertia of the drives.
    """
    V = velocities(tree, thd)
    a, b = coriolis_accelerations(tree, V, thd), gyroscopic_forces(tree, V)
    alpha = scatter(tree, tree.hinge_velocity(thdd) + a, tree.phi)
    felt = alpha + gravity_accelerations(tree) if gravity else alpha
    own = np.array([M @ x for M, x in zip(tree.M, felt)]) + b
    f = gather(tree, own if f_ext is None else own - f_ext, tree.phi)
    return hinge_components(tree, f) + tree.rotor * thdd, f, alpha


def bias(tree, thd, f_ext=None, gravity=True):
    """C(theta, thd) (N,): the torques without acceleration (5.25, 5.37)."""
    return newton_euler(tree, thd, np.zeros(tree.N), f_ext, gravity)[0]


def gravity_torque(tree):
    """H phi M Ebar' g (N,), one gather (Ex 5.4)."""
    weight = np.array([M @ g for M, g in zip(tree.M, gravity_accelerations(tree))])
    return hinge_components(tree, gather(tree, weight, tree.phi))


def mass_matrix_by_columns(tree):
    """Return the mass matrix (N, N): column j is T for thdd = e_j, at rest, no gravity (5.3.2)."""
    rest = np.zeros(tree.N)
    return np.stack(
        [newton_euler(tree, rest, unit, gravity=False)[0] for unit in np.eye(tree.N)], axis=1
    )


def composite_body(tree, thd, thdd, f_ext=None, gravity=True):
    """Algorithm 5.3: (T (N,), f (n, 6)) by f = R alpha + y (5.44 to 5.46).

    y(k) = sum phi(k, j) y^+(j) + b(k), y^+ = y + R (H' thdd + a): y depends on what happens
    outboard only.
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
