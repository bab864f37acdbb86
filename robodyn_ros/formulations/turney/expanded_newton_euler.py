# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Newton-Euler in closed sums, the proof that it is Lagrange's: Turney, Mudge and Lee, section 4.

    w_i  = sum_j z_j thd_j                                                               (4.1)
    al_i = sum_j z_j thdd_j + sum_j sum_(k<j) (z_k x z_j) thd_j thd_k                    (4.2)
    a_i  = sum_j (dp/dth_j) thdd_j + sum_j sum_k (d2p/dth_j dth_k) thd_j thd_k - g    (4.5 to 4.9)
    dp/dth_j = z_j x (p - o_j),   d2p/dth_j dth_k = z_v x (z_u x (p - o_u))     u = max, v = min
    tau_i = sum_q z_i . [I_q al_q + w_q x I_q w_q + (c_q - o_i) x m_q a_q]       (4.10 to 4.19)

p = c_q, the centre of mass; all in base axes, where the report turns each sum into frame i. What
stands beside thdd_j, thd_j thd_k and alone are D_ij, D_ijk and D_i of (2.11), link by link. Any
tree; of a sliding joint dp/dth_j = z_j, and nothing turns. O(n^4), for reading.

Correction to the print: (4.11) has lost the mass of J.
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.formulations.arm import arm_at, cross, states


class Sums(NamedTuple):
    """Coefficients of every link q, zero where a joint does not move it.

    turning (q, j, 3) : of w and of thdd_j in al. spinning (q, j, k, 3) : of thd_j thd_k in al.
    first (q, j, 3), second (q, j, k, 3) : derivatives of the centre of mass. The last two of each
    are symmetric in j, k.
    """

    turning: np.ndarray
    spinning: np.ndarray
    first: np.ndarray
    second: np.ndarray


def sums(arm):
    """Return the Sums of an Arm (4.1, 4.2, 4.9)."""
    n, kind = arm.n, arm.o.dtype
    turning, first = np.zeros((2, n, n, 3), kind)
    spinning, second = np.zeros((2, n, n, n, 3), kind)
    for q in range(n):
        path = list(arm.path(q))  # tip to base
        for at, u in enumerate(path):
            turning[q, u] = arm.turns[u]
            first[q, u] = arm.slides[u] + cross(arm.turns[u], arm.c[q] - arm.o[u])
            for v in path[at:]:
                # (z_k x z_j) stands once for j, k: half of it for each order of the two
                spin = 0.5 * cross(arm.turns[v], arm.turns[u])
                spinning[q, u, v] = spinning[q, v, u] = spin
                second[q, u, v] = second[q, v, u] = cross(arm.turns[v], first[q, u])
    return Sums(turning, spinning, first, second)


def motion(robot, q, qd, qdd):
    """(w, al, a), (n, 3) each in base axes; a of the centres of mass, less g."""
    q, qd, qdd = states(robot, q, qd, qdd)
    arm = arm_at(robot, q)
    found = sums(arm)
    pairs = np.outer(qd, qd)
    return (
        np.einsum('qja,j->qa', found.turning, qd),
        np.einsum('qja,j->qa', found.turning, qdd)
        + np.einsum('qjka,jk->qa', found.spinning, pairs),
        np.einsum('qja,j->qa', found.first, qdd)
        + np.einsum('qjka,jk->qa', found.second, pairs)
        - arm.g,
    )


def coefficients(robot, q):
    """(D_ij, D_ijk, D_i) link by link: (q, i, j), (q, i, j, k) and (q, i), as lagrange_4x4 has.

    Without the inertia of rotors.
    """
    (q,) = states(robot, q)
    arm = arm_at(robot, q)
    turning, spinning, first, second = sums(arm)
    Iz = np.einsum('qab,qjb->qja', arm.I, turning)  # I_q z_j
    D_ij = np.einsum('qia,qja->qij', turning, Iz)
    D_ij += np.einsum('q,qia,qja->qij', arm.m, first, first)
    gyroscopic = cross(turning[:, :, None], Iz[:, None])  # z_j x I z_k
    whole = np.einsum('qab,qjkb->qjka', arm.I, spinning)
    whole += 0.5 * (gyroscopic + gyroscopic.transpose(0, 2, 1, 3))
    # z_i . ((c - o_i) x m a) = (z_i x (c - o_i)) . m a = first_i . m a
    D_ijk = np.einsum('qia,qjka->qijk', turning, whole)
    D_ijk += np.einsum('q,qia,qjka->qijk', arm.m, first, second)
    return D_ij, D_ijk, -np.einsum('q,qia,a->qi', arm.m, first, arm.g)


def inverse_dynamics(robot, q, qd, qdd):
    """tau (n,) [N m or N], of any tree, from the closed sums of motion."""
    q, qd, qdd = states(robot, q, qd, qdd)
    arm = arm_at(robot, q)
    found = sums(arm)
    tau = arm.rotor * qdd
    for link, (w, al, a) in enumerate(zip(*motion(robot, q, qd, qdd))):
        I = arm.I[link]  # noqa: E741
        moment = I @ al + cross(w, I @ w)
        tau = tau + found.turning[link] @ moment + found.first[link] @ (arm.m[link] * a)
    return tau
