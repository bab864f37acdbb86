# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Task inertia near singular postures: exact where the end effector can move, smoothly zero where
it cannot.

Near a singular posture J M^-1 J^T has a small eigenvalue. Along its direction the effective mass
of the end effector, and the torque that would move it, grow without bound. Beyond a chosen mass
the share of that direction falls smoothly to zero. The result is a function of the matrix, not of
its eigenvectors, with two continuous derivatives. So no torque jumps, even where eigenvalues cross
or a direction is lost and found.
"""

from robodyn_ros.algorithms.task_space.task_inertia import diagonalise
from robodyn_ros.spatial.primitive import primitive


@primitive
def kept_share(x):
    """w(x) = x^2 (6 - 8 x + 3 x^2) below 1, else 1: from 0 to 1, with w' = 0 at 0, w' = w'' = 0 at
    1, so that w(x)/x, too, has two continuous derivatives.
    """
    return 1.0 if x >= 1.0 else x * x * (6.0 - 8.0 * x + 3.0 * x * x)


@primitive
def yielding_inertia(compliance, weights, heaviest, work, vectors, inertia, shares):
    """F = S w(heaviest S A S) (S A S)^-1 S with A = J M^-1 J^T, S = diag(weights); F A F <= F.

    Where every eigenvalue of S A S is at least 1 / heaviest, F = (S A S)^-1 as seen through S:
    Lambda of the axes whose weight is not zero. Along an eigenvector of a smaller one F is at most
    1.4 heaviest, and 0 in the limit. Costs one Jacobi diagonalisation.

    compliance : (6, 6) A [1/kg, 1/(kg m), 1/(kg m^2)]; weights : (6,) [-, m]; heaviest [kg].
    work, vectors, inertia (6, 6) and shares (6,), w of every eigenvector, are written.
    """
    m = compliance.shape[0]
    for i in range(m):
        for j in range(m):
            work[i, j] = weights[i] * weights[j] * compliance[i, j]
            inertia[i, j] = 0.0
    diagonalise(work, vectors)
    for k in range(m):
        value = 0.0 if work[k, k] < 0.0 else work[k, k]
        x = heaviest * value
        shares[k] = kept_share(x)
        mass = 1.0 / value if x >= 1.0 else heaviest * x * (6.0 - 8.0 * x + 3.0 * x * x)
        for i in range(m):
            for j in range(m):
                inertia[i, j] += mass * weights[i] * vectors[i, k] * weights[j] * vectors[j, k]
