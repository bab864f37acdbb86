# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The derivative of the mass matrix by a coordinate: Jain, sections 18.4.1 and 18.4.2.

    M_i = X + X',  X = H phi [tilde(H^w_=i) + E bar(H^v_=i)] phi M phi' H'                (18.36)
        = a(i) bar(H'(i)) W(i)   of a hinge with constant map, in the axes of body k of i
    a(l) = H(l) phi(l, k)  of the strict ancestors l of k
    W(j) = phi(k, j) R(j) H'(j)  of k and its descendants,  R(k) phi'(j, k) H'(j)  of its ancestors

Only (18.36) is in the book. The rank of X is six at most. It has columns of the ancestors and
descendants of k alone. O(N^2) for any Tree from its composite bodies. Every other entry of M_i is
exactly zero.
"""

import numpy as np

from robodyn_ros.formulations.jain.sensitivities.operator_sensitivities import map_gradients
from robodyn_ros.formulations.jain.spatial_algebra import bar


def mass_matrix_sensitivity(tree, R, i):
    """Return M_i, the derivative of the mass matrix by theta_i (18.36).

    `tree` (Tree): bodies at one configuration.
    `R` (n, 6, 6): composite inertias of the tree.
    `i`: number of the freedom.
    """
    k = tree.owners[i]
    at = tree.slices[k]
    inboard, W = np.zeros((tree.N, 6), tree.dtype), np.zeros((6, tree.N), tree.dtype)
    back = np.eye(6)
    for j in tree.path(k):
        row = tree.H[j] @ back
        inboard[tree.slices[j]], W[:, tree.slices[j]] = row, R[k] @ row.T
        back = tree.phi[j] @ back
    carried, outboard = {k: np.eye(6)}, [*tree.children[k]]
    while outboard:
        j = outboard.pop()
        carried[j] = carried[tree.parent[j]] @ tree.phi[j]
        W[:, tree.slices[j]] = carried[j] @ R[j] @ tree.H[j].T
        outboard += tree.children[j]
    inboard[at] = 0.0
    X = inboard @ bar(tree.H[k][i - at.start]) @ W
    X[at] += map_gradients(tree, k)[i - at.start].T @ W
    return X + X.T
