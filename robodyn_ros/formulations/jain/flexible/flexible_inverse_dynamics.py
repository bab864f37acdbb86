# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics of flexible links: Jain, section 13.4, algorithm 13.1.

    alpha^f(k) = etaddot                                                                   (13.55)
    alpha^r(k) = phi'(O_k^+, k) A_fl'(k+1) alpha_fl(k+1) + H_B' thddot - Pi_B etaddot + a^r(k)
    f_fl(k) = A_fl(k) phi(O_(k-1)^+, k-1) f^r(k-1) + M_fl alpha_fl + b_fl + K vartheta
    T(k) = [f^f - Pi_B' f^r; H_B f^r]

Motors drive hinges only, so T^f = 0 in a free motion. Motors cannot produce accelerations that
need another T^f. So this is not a control law by itself. O(n).
"""

import numpy as np

from robodyn_ros.formulations.jain.flexible.flexible_tree import (
    bias_forces,
    coriolis_accelerations,
    velocities,
)


def inverse_dynamics(tree, rate, acceleration, gravity=True):
    """Return the generalised forces of a motion: Algorithm 13.1.

    `tree` (FlexibleTree): bodies at one configuration.
    `rate` (N,): velocities varthetadot, in the order of the tree.
    `acceleration` (N,): accelerations varthetaddot, in the order of the tree.
    `gravity`: whether gravity acts.
    Returns `T` (N,): generalised forces of modes and hinges, in the order of the tree.
    Returns `f_fl` (list of (n_md + 6,) ndarray): force on each body.
    Returns `alpha_fl` (list of (n_md + 6,) ndarray): acceleration of each body; with gravity,
      minus that of free fall.
    """
    V = velocities(tree, rate)
    a = coriolis_accelerations(tree, V, rate)
    alpha = [None] * tree.n
    for k in reversed(range(tree.n)):
        up = tree.parent[k]
        above = alpha[up] if up < tree.n else tree.g if gravity else np.zeros(6)
        eta2, theta2 = tree.parts(acceleration, k)
        rigid = tree.phi[k].T @ (tree.A[k].T @ above) + a[k]
        rigid = rigid + tree.H_B[k].T @ theta2 - tree.Pi_B[k] @ eta2
        alpha[k] = np.concatenate((eta2, rigid))
    f = bias_forces(tree, V, rate)
    T = np.zeros(tree.N, tree.dtype)
    for k, up in enumerate(tree.parent):
        n = tree.modes[k]
        f[k] = f[k] + tree.M[k] @ alpha[k]
        f_r = f[k][n:]
        T[tree.slices[k]] = np.concatenate((f[k][:n] - tree.Pi_B[k].T @ f_r, tree.H_B[k] @ f_r))
        if up < tree.n:
            f[up] = f[up] + tree.A[k] @ (tree.phi[k] @ f_r)
    return T, f, alpha
