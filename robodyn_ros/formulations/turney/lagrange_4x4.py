# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The Lagrange equations with 4 x 4 matrices: Uicker and Kahn; Turney, Mudge and Lee, section 2.

    tau_i = sum_j D_ij thdd_j + sum_jk D_ijk thd_j thd_k + D_i                         (2.11)
    D_ij  = sum_q Tr(T_{0,j}^q J_q (T_{0,i}^q)^T)
    D_ijk = sum_q Tr(T_{0,jk}^q J_q (T_{0,i}^q)^T)
    D_i   = - sum_q m_q g . T_{0,i}^q rbar_q

T_0^q maps homogeneous points of link q to the base. Its derivatives are products (1.5 to 1.19):
T_{0,j}^q = T_0^j Q_j T_j^q and T_{0,jk}^q = T_0^j Q_j T_j^k Q_k T_k^q with joint j nearer the
base. For a revolute joint, Q_j is skew(z) padded by zeros. For a prismatic joint, Q_j moves points
along z. J_q is the pseudo-inertia of link q (1.24 to 1.28). D_ijk is the Christoffel symbol [jk,
i].

Any tree. Organised as in the appendix it takes (81/6) n^3 + (165/2) n^2 + 5 n multiplications
(Table 1). It takes (40/3) n^3 + 58 n^2 - (64/3) n additions. As written here, it is O(n^4).

Corrections to the print: (1.27) has lost its E and its trace. (1.26) holds in principal axes only.
The potential energy is printed with a minus and subtracted again; the sign of D_i is right. In the
appendix the second derivatives take 8 n (n^2 - 1) additions. The brackets take (16/3) n
(n + 1)(n + 2) + 32 n.
"""

import numpy as np

from robodyn_ros.formulations.posture import arm_at, links_of, model_of, states
from robodyn_ros.formulations.turney.modified_newton_euler import pseudo_inertia

TURN, SLIDE = np.zeros((2, 4, 4))
TURN[:2, :2] = (0.0, -1.0), (1.0, 0.0)
SLIDE[2, 3] = 1.0


def homogeneous_inertia(link):
    """Return J = [[K + m rho rho^T, m rho], [m rho^T, m]] about the link's origin (1.28)."""
    return inertia_about(link.m, link.rho, link.I)


def inertia_about(m, rho, I):  # noqa: E741  the letter of the book
    """Return J of given inertial parameters (1.28).

    `m`: mass [kg].
    `rho` (3,): from the reference point to the centre of mass [m].
    `I` (3, 3): inertia tensor about the centre of mass [kg m2].
    """
    moment = m * rho
    return np.block([[pseudo_inertia(I) + np.outer(moment, rho), moment[:, None]], [moment, m]])


def transforms(arm):
    """Return T_0^q of every link.

    `arm` (Arm): the robot at one posture.
    """
    T = np.tile(np.eye(4, dtype=arm.o.dtype), (arm.n, 1, 1))
    T[:, :3, :3], T[:, :3, 3] = arm.Q, arm.o
    return T


def inverted(T):
    """Return T^-1 = [[R^T, -R^T p], [0, 1]].

    `T` (4, 4): homogeneous transform.
    """
    inverse = T.copy()
    inverse[:3, :3], inverse[:3, 3] = T[:3, :3].T, -T[:3, :3].T @ T[:3, 3]
    return inverse


def derivatives(arm):
    """Return the first and second derivatives of T_0^q; zero where a joint does not move link q.

    `arm` (Arm): the robot at one posture.
    Returns `first` (n, n, 4, 4): T_{0,j}^q at [q, j].
    Returns `second` (n, n, n, 4, 4): T_{0,jk}^q at [q, j, k].
    """
    T, Q = transforms(arm), [TURN if revolute else SLIDE for revolute in arm.revolute]
    # T_0^j Q_j (T_0^j)^-1: the derivative by q_j of any frame outboard of joint j
    by = [T[j] @ Q[j] @ inverted(T[j]) for j in range(arm.n)]
    first = np.zeros((arm.n,) * 2 + (4, 4), T.dtype)
    second = np.zeros((arm.n,) * 3 + (4, 4), T.dtype)
    for q in range(arm.n):
        path = list(arm.path(q))  # tip to base
        for at, k in enumerate(path):
            first[q, k] = by[k] @ T[q]
            for j in path[at:]:
                second[q, j, k] = second[q, k, j] = by[j] @ by[k] @ T[q]
    return first, second


def coefficients(robot, q):
    """Return D_ij, D_ijk and D_i link by link; the sum over q gives those of the robot.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    Returns `D_ij` (n, n, n): at [q, i, j].
    Returns `D_ijk` (n, n, n, n): at [q, i, j, k].
    Returns `D_i` (n, n): at [q, i].
    """
    model = model_of(robot)
    arm, links = arm_at(robot, q), {link.joint: link for link in links_of(robot)}
    first, second = derivatives(arm)
    J = np.array([homogeneous_inertia(links[i]) for i in range(arm.n)])
    # Tr(A J B^T) is the sum of the products of the entries of A J and B
    D_ij = np.einsum('qjac,qiac->qij', first @ J[:, None], first)
    D_ijk = np.einsum('qjkac,qiac->qijk', second @ J[:, None, None], first)
    D_i = -np.einsum('a,qiab,qb->qi', np.append(model.gravity, 0.0), first, J[:, :, 3])
    return D_ij, D_ijk, D_i


def mass_matrix(robot, q):
    """Return D_ij, with rotor inertias added on the diagonal.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    """
    return coefficients(robot, q)[0].sum(axis=0) + np.diag(arm_at(robot, q).rotor)


def coriolis_coefficients(robot, q):
    """Return D_ijk, the torque on joint i per product of velocities j and k; symmetric in j, k.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    """
    return coefficients(robot, q)[1].sum(axis=0)


def gravity_torque(robot, q):
    """Return D_i.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    """
    return coefficients(robot, q)[2].sum(axis=0)


def inverse_dynamics(robot, q, qd, qdd):
    """Return the torques of any tree.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `qdd` ((nv,) array_like): joint accelerations [rad/s2, m/s2].
    """
    q, qd, qdd = states(robot, q, qd, qdd)
    D_ij, D_ijk, D_i = (terms.sum(axis=0) for terms in coefficients(robot, q))
    return D_ij @ qdd + qd @ D_ijk @ qd + D_i + arm_at(robot, q).rotor * qdd
