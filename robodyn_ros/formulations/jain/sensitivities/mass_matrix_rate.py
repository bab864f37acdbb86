# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The time derivative of the mass matrix by composite bodies: Jain, section 18.2.3.

    dR(k)/dt = sum phi(k, j) [dR(j)/dt + bar(Delta(j)) R(j) - R(j) tilde(Delta(j))] phi'(k, j)
    M(l, k) = H(l) X(l),  X(k) = R(k) H'(k),  X(up) = phi(up, j) X(j)                 (Alg 9.3)
    dX(k)/dt = dR(k)/dt H'(k) + R(k) dH'(k)/dt
    dX(up)/dt = phi(up, j) [bar(Delta(j)) X(j) + dX(j)/dt]

The derivative of Algorithm 9.3, which the book mentions after (18.23) without writing it. For any
Tree in the axes of its bodies, O(sum of depths), at most O(n^2). dR/dt is as body k sees it.
(18.23) itself is in `operator_rates`.
"""

import numpy as np

from robodyn_ros.formulations.jain.composite_bodies import composite_inertias
from robodyn_ros.formulations.jain.spatial_algebra import bar


def mass_matrix_rate(tree, thd):
    """Return dM/dt. The inertia of drives is constant.

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    """
    R, Delta = composite_inertias(tree), [bar(each) for each in tree.hinge_velocity(thd)]
    maps = tree.hinge_map_rates(thd)
    R_rate = np.zeros((tree.n, 6, 6), np.result_type(tree.dtype, thd))
    found = np.zeros((tree.N, tree.N), R_rate.dtype)
    for k in range(tree.n):
        own, H = tree.slices[k], tree.H[k]
        X, X_rate = R[k] @ H.T, R_rate[k] @ H.T + R[k] @ maps[k]
        for j in tree.path(k):
            block = tree.H[j] @ X_rate + maps[j].T @ X
            found[tree.slices[j], own], found[own, tree.slices[j]] = block, block.T
            X, X_rate = tree.phi[j] @ X, tree.phi[j] @ (Delta[j] @ X + X_rate)
        if tree.parent[k] < tree.n:
            turned = Delta[k] @ R[k]
            carried = R_rate[k] + turned + turned.T
            R_rate[tree.parent[k]] += tree.phi[k] @ carried @ tree.phi[k].T
    return found
