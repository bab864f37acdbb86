# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The mass matrix of flexible links: Jain, section 13.5, algorithm 13.2.

    R(k) = A_fl(k) phi(O_(k-1)^+, k-1) R^rr(k-1) phi' A_fl'(k) + M_fl(k)                   (13.56)
    X(k) = R H_fl',  M(k, k) = H_fl X(k),  X(j) = A_fl(j) phi(O_(j-1)^+, j-1) X^r(j-1)
    M(j, k) = H_fl(j) X(j)

A body passes on six-dimensional quantities, with any number of modes. O(n^2). The standard form,
(13.58), is `composite_bodies.mass_matrix` of the FlexibleTree.
"""

import numpy as np


def mass_matrix(tree):
    """Return the mass matrix of flexible links: Algorithm 13.2.

    `tree` (FlexibleTree): bodies at one configuration.
    """
    R = [np.array(M) for M in tree.M]
    matrix = np.zeros((tree.N, tree.N), tree.dtype)
    for k in range(tree.n):
        own, j = tree.slices[k], k
        X = R[k] @ tree.H[k].T
        matrix[own, own] = tree.H[k] @ X
        while (up := tree.parent[j]) < tree.n:
            X = tree.A[j] @ (tree.phi[j] @ X[-6:])
            matrix[tree.slices[up], own] = tree.H[up] @ X
            matrix[own, tree.slices[up]] = (tree.H[up] @ X).T
            j = up
        if (up := tree.parent[k]) < tree.n:
            carried = tree.A[k] @ tree.phi[k]
            R[up] = R[up] + carried @ R[k][-6:, -6:] @ carried.T
    return matrix
