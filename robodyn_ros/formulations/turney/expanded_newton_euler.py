# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Newton-Euler in closed sums, to prove it equal to Lagrange: Turney, Mudge and Lee, section 4.

    w_i  = sum_j z_j thd_j                                                               (4.1)
    al_i = sum_j z_j thdd_j + sum_j sum_(k<j) (z_k x z_j) thd_j thd_k                    (4.2)
    a_i  = sum_j (dp/dth_j) thdd_j + sum_j sum_k (d2p/dth_j dth_k) thd_j thd_k - g    (4.5 to 4.9)
    dp/dth_j = z_j x (p - o_j),   d2p/dth_j dth_k = z_v x (z_u x (p - o_u))     u = max, v = min
    tau_i = sum_q z_i . [I_q al_q + w_q x I_q w_q + (c_q - o_i) x m_q a_q]       (4.10 to 4.19)

p = c_q, the centre of mass. All is in base axes, where the report turns each sum into frame i. The
coefficients of thdd_j, of thd_j thd_k, and the rest are D_ij, D_ijk and D_i of (2.11), link by
link. Any tree. At a prismatic joint dp/dth_j = z_j, without rotation. O(n^4), for reading.

Correction to the print: (4.11) has lost the mass of J.
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.formulations.posture import arm_at, cross, states


class Sums(NamedTuple):
    """Coefficients of every link q, zero where a joint does not move it; symmetric in j, k.

    `turning`: coefficients of thd_j in w, and of thdd_j in al, at [q, j].
    `spinning`: coefficients of thd_j thd_k in al, at [q, j, k].
    `first`: first derivatives of the centre of mass, at [q, j].
    `second`: second derivatives of the centre of mass, at [q, j, k].
    """

    turning: np.ndarray
    spinning: np.ndarray
    first: np.ndarray
    second: np.ndarray


def sums(arm):
    """Return the coefficients of the motion of every link (4.1, 4.2, 4.9).

    `arm` (Arm): the robot at one posture.
    """
    n, kind = arm.n, arm.o.dtype
    turning, first = np.zeros((2, n, n, 3), kind)
    spinning, second = np.zeros((2, n, n, n, 3), kind)
    for q in range(n):
        path = list(arm.path(q))  # tip to base
        for at, u in enumerate(path):
            turning[q, u] = arm.turns[u]
            first[q, u] = arm.slides[u] + cross(arm.turns[u], arm.c[q] - arm.o[u])
            for v in path[at:]:
                # (z_k x z_j) belongs to the pair j, k, so each order of the two gets half
                spin = 0.5 * cross(arm.turns[v], arm.turns[u])
                spinning[q, u, v] = spinning[q, v, u] = spin
                second[q, u, v] = second[q, v, u] = cross(arm.turns[v], first[q, u])
    return Sums(turning, spinning, first, second)


def motion(robot, q, qd, qdd):
    """Return the motion of every link, in base axes.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `qdd` ((nv,) array_like): joint accelerations [rad/s2, m/s2].
    Returns `w` (n, 3): angular velocities [rad/s].
    Returns `al` (n, 3): angular accelerations [rad/s2].
    Returns `a` (n, 3): accelerations of the centres of mass, minus g [m/s2].
    """
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
    """Return D_ij, D_ijk and D_i link by link, without the inertia of rotors.

    They equal those of `lagrange_4x4.coefficients`.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    Returns `D_ij` (n, n, n): at [q, i, j].
    Returns `D_ijk` (n, n, n, n): at [q, i, j, k].
    Returns `D_i` (n, n): at [q, i].
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
    """Return the torques of any tree from the closed sums.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `qdd` ((nv,) array_like): joint accelerations [rad/s2, m/s2].
    """
    q, qd, qdd = states(robot, q, qd, qdd)
    arm = arm_at(robot, q)
    found = sums(arm)
    tau = arm.rotor * qdd
    for link, (w, al, a) in enumerate(zip(*motion(robot, q, qd, qdd))):
        I = arm.I[link]  # noqa: E741
        moment = I @ al + cross(w, I @ w)
        tau = tau + found.turning[link] @ moment + found.first[link] @ (arm.m[link] * a)
    return tau
