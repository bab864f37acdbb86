# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forward dynamics by the orthogonal complement: Angeles, section 7.6, Algorithms 7.6.1, 7.6.2.

    I = P^T P,  P = H T,  M = H^T H,  H_i = diag(N_i, n_i 1),  I_i = N_i^T N_i,  n_i = sqrt(m_i)
    I = L^T L,  L^T x = tau + delta - taubar,  L qdd = x                      (7.92 to 7.105)

taubar = C qd - gamma - J^T w is the inverse dynamics at zero acceleration (7.104). Or without
forming I, whose condition number is the square of that of P. P is orthogonalised for the
minimum-norm y of P^T y = rhs, then the least squares of P qdd = y (7.106). Serial chains, O(n^3).

L is LOWER triangular and stands on the right: the reverse of the usual L L^T.
P: 17 n^2 - 15 n multiplications and 10 n^2 - 10 n additions; I: 3 n^2 + 3 n and 5 (n^2 + n)/2;
L: n^3/6 + n^2/2 + n/3 both; triangular systems n^2 and n^2 - n; taubar 137 n - 22 and 110 n - 14.

Corrections to the print: these add up to 1540 multiplications and 1137 additions at n = 6. The
text says 1596/1263 (section 7.6). Its formula (7.117) gives 1414/1032, and (7.118) prints
1450/1068. With sliding joints, e_i is turned into F_(i+1) and b_i e_i joins delta_(i-1), as in
Algorithm 7.4.1.
"""

import numpy as np

from robodyn_ros.formulations.angeles.newton_euler import inverse_dynamics
from robodyn_ros.formulations.arm import cross, states
from robodyn_ros.formulations.serial_chain import Z, links_at


def inertia_factor(inertia):
    """N (3, 3) with N^T N = I; of rods and points too, where Cholesky's factor breaks down."""
    moments, axes = np.linalg.eigh(inertia)
    return np.sqrt(np.maximum(moments, 0.0))[:, None] * axes.T


def projected_twists(links):
    """Algorithm 7.6.1: P (6n, n), p_ij = [N_i e_j; n_i e_j x r_ij] or [0; n_i e_j] (7.99, 7.100).

    Column by column: e_j and r_ij = O_j -> C_i travel from link to link, base to tip.
    """
    n = links.n
    N, root_mass = [inertia_factor(I) for I in links.I], np.sqrt(links.m)
    P = np.zeros((6 * n, n), links.Q.dtype)
    for j in range(n):
        e, to_origin = Z, np.zeros(3)
        for i in range(j, n):
            slide = links.b[i] * Z if i > j else np.zeros(3)
            e, r = links.Q[i].T @ e, links.Q[i].T @ (to_origin + slide) + links.rho[i]
            if links.revolute[j]:
                P[6 * i : 6 * i + 3, j] = N[i] @ e
                P[6 * i + 3 : 6 * i + 6, j] = root_mass[i] * cross(e, r)
            else:
                P[6 * i + 3 : 6 * i + 6, j] = root_mass[i] * e
            to_origin = r + links.delta[i]
    return P


def reverse_cholesky(A):
    """L lower triangular with L^T L = A, A symmetric and positive definite; from the last row up.

    LinAlgError if A is not positive definite. n^3/6 + ... multiplications and additions.
    """
    n = len(A)
    L = np.zeros_like(A)
    for i in reversed(range(n)):
        pivot = A[i, i] - L[i + 1 :, i] @ L[i + 1 :, i]
        if not pivot > 0.0:
            raise np.linalg.LinAlgError(f'pivot {i} is {pivot}; expected all of them positive')
        L[i, i] = np.sqrt(pivot)
        for j in range(i):
            L[i, j] = (A[i, j] - L[i + 1 :, i] @ L[i + 1 :, j]) / L[i, i]
    return L


def forward_substitution(L, b):
    """x with L x = b, L lower triangular."""
    x = np.zeros(len(b), b.dtype)
    for i in range(len(b)):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return x


def back_substitution(U, b):
    """x with U x = b, U upper triangular."""
    return forward_substitution(U[::-1, ::-1], b[::-1])[::-1]


def factor(robot, q):
    """P of the robot with its columns in the order of q, and a row sqrt(rotor) for each drive."""
    links = links_at(robot, q)
    P = np.empty((6 * links.n, links.n), links.Q.dtype)
    P[:, links.order] = projected_twists(links)
    return np.vstack((P, np.diag(np.sqrt(links.joint_order(links.rotor)))))


def mass_matrix(robot, q):
    """Algorithm 7.6.2: I = P^T P (n, n) (7.97, 7.101)."""
    P = factor(robot, q)
    return P.T @ P


def forward_dynamics(robot, q, qd, tau, tip_wrench=None):
    """qdd (n,) by Algorithms 7.6.1 and 7.6.2 and reverse Cholesky (7.105).

    q, qd, tau (n,); tip_wrench (6,) force and moment on the last link at its centre of mass, in
    base axes. ModelError if the robot branches, ShapeError.
    """
    rhs = _driving(robot, q, qd, tau, tip_wrench)
    L = reverse_cholesky(mass_matrix(robot, q))
    return forward_substitution(L, back_substitution(L.T, rhs))


def orthogonalised(P):
    """R (n, n) upper triangular of P = Q R, by Householder reflections (Appendix B).

    Reflection k turns the rest of column k onto its first entry. Q, the product of all of them, is
    never needed.
    """
    A, n = P.copy(), P.shape[1]
    for k in range(n):
        v = A[k:, k].copy()
        length = np.sqrt(v @ v)
        v[0] = v[0] + (length if v[0] > 0.0 else -length)  # away from zero, so nothing cancels
        A[k:, k:] = A[k:, k:] - np.outer(v, (v @ A[k:, k:]) * (2.0 / (v @ v)))
    return np.triu(A[:n])


def forward_dynamics_orthogonal(robot, q, qd, tau, tip_wrench=None):
    """qdd (n,) by orthogonalisation of P = Q R, never forming I (7.106).

    The minimum-norm y of P^T y = rhs is Q R^-T rhs. The least squares of P qdd = y is R^-1 Q^T y.
    In all it is R^-1 R^-T rhs.
    """
    R = orthogonalised(factor(robot, q))
    y = forward_substitution(R.T, _driving(robot, q, qd, tau, tip_wrench))
    return back_substitution(R, y)


def _driving(robot, q, qd, tau, tip_wrench):
    """tau - taubar: taubar is one inverse dynamics at zero acceleration."""
    q, qd, tau = states(robot, q, qd, tau)
    return tau - inverse_dynamics(robot, q, qd, np.zeros(len(q)), tip_wrench)
