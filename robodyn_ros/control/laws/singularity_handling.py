# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Task inertia near singular postures: exact in free directions, smoothly zero in lost ones.

Near a singular posture J M^-1 J^T has a small eigenvalue. Along its direction the effective mass
of the end effector, and the torque to move it, grow without bound. Beyond a chosen mass the share
of that direction falls smoothly to zero. The result is a function of the matrix, not of its
eigenvectors, with two continuous derivatives. So no torque jumps, even where eigenvalues cross or
a direction is lost.
"""

from robodyn_ros.algorithms.task_space.task_inertia import diagonalise
from robodyn_ros.spatial.primitive import primitive


@primitive
def kept_share(x):
    """Return w(x) = x^2 (6 - 8 x + 3 x^2) below 1, else 1.

    It rises from 0 to 1 with w' = 0 at 0 and w' = w'' = 0 at 1. So w(x)/x also has two continuous
    derivatives.

    `x`: eigenvalue times the largest mass [-], not negative.
    """
    return 1.0 if x >= 1.0 else x * x * (6.0 - 8.0 * x + 3.0 * x * x)


@primitive
def fading_inertia(compliance, weights, heaviest, spare, vectors, inertia, shares):
    """Compute F = S w(heaviest S A S) (S A S)^-1 S, A = J M^-1 J^T, S = diag(weights).

    If every eigenvalue of S A S is at least 1 / heaviest, F is Lambda of the axes with a nonzero
    weight. Along an eigenvector of a smaller eigenvalue F is at most 1.4 heaviest, and 0 in the
    limit. F A F <= F. The cost is one Jacobi diagonalisation.

    `compliance` (6, 6): A [1/kg, 1/(kg m), 1/(kg m^2)].
    `weights` (6,): weights of the axes [-, m].
    `heaviest`: largest inertia that F follows [kg].
    `spare`, `vectors` (6, 6): working memory. Afterwards `vectors` has the eigenvectors.
    `inertia` (6, 6), written: F.
    `shares` (6,): w of every eigenvector, written.
    """
    m = compliance.shape[0]
    for i in range(m):
        for j in range(m):
            spare[i, j] = weights[i] * weights[j] * compliance[i, j]
            inertia[i, j] = 0.0
    diagonalise(spare, vectors)
    for k in range(m):
        value = 0.0 if spare[k, k] < 0.0 else spare[k, k]
        x = heaviest * value
        shares[k] = kept_share(x)
        mass = 1.0 / value if x >= 1.0 else heaviest * x * (6.0 - 8.0 * x + 3.0 * x * x)
        for i in range(m):
            for j in range(m):
                inertia[i, j] += mass * weights[i] * vectors[i, k] * weights[j] * vectors[j, k]
