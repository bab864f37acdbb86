# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Second derivatives of forward dynamics, from those of inverse dynamics at the same motion.

Inverse dynamics of qdd(q, qd, tau) is the identity on tau. Differentiated twice, by x and y, this
gives

    M d2qdd/dx dy = -(d2tau/dx dy + d2tau/dx dqdd dqdd/dy + d2tau/dy dqdd dqdd/dx),

where d2tau/dqdd dq = dM/dq, and the other second derivatives by qdd vanish. With N_k = -M^-1
dM/dq_k,

    d2qdd/dq_k dq_l   = -M^-1 d2tau/dq_k dq_l + N_k dqdd/dq_l + N_l dqdd/dq_k
    d2qdd/dq_k dqd_l  = -M^-1 d2tau/dq_k dqd_l + N_k dqdd/dqd_l
    d2qdd/dqd_k dqd_l = -M^-1 d2tau/dqd_k dqd_l
    d2qdd/dq_k dtau_l = N_k M^-1.

Singh, Russo and Wensing 2024, section VI.
"""

from robodyn_ros.algorithms.derivatives.inverse_dynamics_second_derivatives import empty
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.types import Matrix, Stack


@primitive
def negative_product(A, B, C):
    """Write -A B to C; four rows of B at a time.

    `A` (n, n): matrix.
    `B` (n, n, n): tensor, whose first index is summed.
    """
    n = A.shape[0]
    for j in range(n):
        for k in range(n):
            for l in range(n):
                C[j, k, l] = 0.0
        for i in range(0, n, 4):
            p, q, r = min(i + 1, n - 1), min(i + 2, n - 1), min(i + 3, n - 1)
            a = A[j, i]
            b = A[j, p] if i + 1 < n else 0.0
            c = A[j, q] if i + 2 < n else 0.0
            d = A[j, r] if i + 3 < n else 0.0
            for k in range(n):
                for l in range(n):
                    C[j, k, l] = (
                        C[j, k, l]
                        - a * B[i, k, l]
                        - b * B[p, k, l]
                        - c * B[q, k, l]
                        - d * B[r, k, l]
                    )


@primitive
def add_product(A, B, C):
    """Add sum_m A[j, m, k] B[m, l] to C[j, k, l]; four rows of B at a time.

    `A` (n, n, n): tensor, whose second index is summed.
    `B` (n, n): matrix.
    `C` (n, n, n): tensor to which the product is added.
    """
    n = B.shape[0]
    for j in range(n):
        for m in range(0, n, 4):
            p, q, r = min(m + 1, n - 1), min(m + 2, n - 1), min(m + 3, n - 1)
            for k in range(n):
                a = A[j, m, k]
                b = A[j, p, k] if m + 1 < n else 0.0
                c = A[j, q, k] if m + 2 < n else 0.0
                d = A[j, r, k] if m + 3 < n else 0.0
                for l in range(n):
                    C[j, k, l] = C[j, k, l] + a * B[m, l] + b * B[p, l] + c * B[q, l] + d * B[r, l]


@recursion
def forward_dynamics_second_derivatives(
    qdd_q: Matrix,
    qdd_qd: Matrix,
    qdd_tau: Matrix,
    tau_q_q: Stack,
    tau_q_qd: Stack,
    tau_qd_qd: Stack,
    M_by_q: Stack,
    negative: Stack,
    mixed: Stack,
    by_q_q: Stack,
    by_q_qd: Stack,
    by_qd_qd: Stack,
    by_q_tau: Stack,
):
    """Compute all second derivatives of forward dynamics, in O(n^4).

    `qdd_q`, `qdd_qd`, `qdd_tau` (nv, nv): first derivatives of forward dynamics.
    `tau_q_q`, `tau_q_qd`, `tau_qd_qd`, `M_by_q` (nv, nv, nv): results of
      `inverse_dynamics_second_derivatives` at the acceleration of forward dynamics.
    `by_q_q`, `by_q_qd`, `by_qd_qd`, `by_q_tau` (nv, nv, nv), written: entry [j, k, l] is the
      derivative of acceleration j by coordinates k and l.
    """
    n = qdd_q.shape[0]
    negative_product(qdd_tau, tau_q_q, by_q_q)
    negative_product(qdd_tau, tau_q_qd, by_q_qd)
    negative_product(qdd_tau, tau_qd_qd, by_qd_qd)
    negative_product(qdd_tau, M_by_q, negative)
    empty(mixed)
    empty(by_q_tau)
    add_product(negative, qdd_q, mixed)
    add_product(negative, qdd_qd, by_q_qd)
    add_product(negative, qdd_tau, by_q_tau)
    for j in range(n):
        for k in range(n):
            for l in range(n):
                by_q_q[j, k, l] = by_q_q[j, k, l] + mixed[j, k, l] + mixed[j, l, k]
