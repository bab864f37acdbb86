# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forward dynamics of a free-flyer with a tip as its base: Jain, algorithm 17.2.

    alpha(1) = -[S(1) + M(1)]^-1 [z_d(1) + b(1)]                            (17.11 at the tip)
    thdd(k) = nu_d - G_d' alpha(k)                                                       (17.8)
    alpha^+(k) = alpha(k) - H' thdd(k) + a_d(k),  a_d(k) = -a(k)
    alpha(up) = phi^-1'(k, up) alpha^+(k)

The sweep runs from the tip to the base, O(n) for a chain. In a tree, which the book leaves out,
bodies off that path take the regular outward sweep.

Corrections to the print: epsilon_d takes z_d^+. The sweep starts at the first body, whose
acceleration is not zero.
"""

import numpy as np

from robodyn_ros.formulations.jain.articulated_bodies import articulated
from robodyn_ros.formulations.jain.free_flying.base_invariant import residuals
from robodyn_ros.formulations.jain.inverse_dynamics import (
    coriolis_accelerations,
    gravity_accelerations,
    gyroscopic_forces,
)
from robodyn_ros.formulations.jain.spatial_algebra import phi_inverse
from robodyn_ros.formulations.jain.tree_kinematics import velocities


def forward_dynamics(tree, thd, T, f_ext=None, gravity=True):
    """Return the accelerations by algorithm 17.2, starting from body 0, a tip.

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    `T` (N,): hinge torques; of a base body its wrench, in its axes [N m, N].
    `f_ext` (n, 6): external force on each body, at its origin in its axes [N m, N].
    `gravity`: whether gravity acts.
    Returns `thdd` (N,): hinge accelerations [rad/s2, m/s2].
    Returns `alpha` (n, 6): acceleration of each body, without gravity [rad/s2, m/s2].
    Raises ModelError: if a base body does not have six freedoms, or body 0 is on another base.
    """
    V = velocities(tree, thd)
    a, b = coriolis_accelerations(tree, V, thd), gyroscopic_forces(tree, V)
    b = b if f_ext is None else b - f_ext
    art = articulated(tree)
    at = residuals(tree, art, a, b, T)
    felt = np.zeros((tree.n, 6))
    felt[0] = -np.linalg.solve(at.dual.S[0] + tree.M[0], at.z_dual[0] + b[0])
    return _sweep_outward(tree, art, at, a, T, felt, gravity)


def _sweep_outward(tree, art, at, a, T, felt, gravity):
    """Return (thdd, alpha) from felt[0], the acceleration that body 0 feels."""
    thdd, path = np.zeros(tree.N), list(tree.path(0))
    for k in path:
        up, H, s = tree.parent[k], tree.H[k], tree.slices[k]
        if up < tree.n:
            nu = np.linalg.solve(at.dual.D[k], at.epsilon_dual[s])
            thdd[s] = nu - at.dual.G[k].T @ felt[k]
            felt[up] = phi_inverse(tree.phi[k]).T @ (felt[k] - H.T @ thdd[s] - a[k])
        else:
            g = tree.phi[k].T @ tree.g if gravity else 0.0
            thdd[s] = np.linalg.solve(H.T, felt[k] - a[k] - g)
    for k in reversed(range(tree.n)):
        if k not in path:
            H, s, plus = tree.H[k], tree.slices[k], tree.phi[k].T @ felt[tree.parent[k]]
            epsilon = T[s] - H @ at.z[k]
            thdd[s] = np.linalg.solve(art.D[k], epsilon) - art.G[k].T @ plus
            felt[k] = plus + H.T @ thdd[s] + a[k]
    return thdd, felt - (gravity_accelerations(tree) if gravity else 0.0)
