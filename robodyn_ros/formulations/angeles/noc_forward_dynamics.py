# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forward dynamics by the orthogonal complement: Angeles, section 7.6, Algorithms 7.6.1, 7.6.2.

    I = P^T P,  P = H T,  M = H^T H,  H_i = diag(N_i, n_i 1),  I_i = N_i^T N_i,  n_i = sqrt(m_i)
    I = L^T L,  L^T x = tau + delta - taubar,  L qdd = x                      (7.92 to 7.105)

taubar = C qd - gamma - J^T w is the inverse dynamics at zero acceleration (7.104). A second method
does not form I, whose condition number is the square of that of P. It orthogonalises P for the
minimum-norm y of P^T y = rhs, then for the least squares of P qdd = y (7.106). Serial chains,
O(n^3).

L is LOWER triangular and the right factor, unlike the usual L L^T. Operation counts:

                          multiplications        additions
    P                     17 n^2 - 15 n          10 n^2 - 10 n
    I                     3 n^2 + 3 n            5 (n^2 + n)/2
    L                     n^3/6 + n^2/2 + n/3    n^3/6 + n^2/2 + n/3
    triangular systems    n^2                    n^2 - n
    taubar                137 n - 22             110 n - 14

Corrections to the print: these add up to 1540 multiplications and 1137 additions at n = 6. The
text says 1596/1263 (section 7.6). Its formula (7.117) gives 1414/1032, and (7.118) prints
1450/1068. With prismatic joints, e_i is turned into F_(i+1) and b_i e_i joins delta_(i-1), as in
Algorithm 7.4.1.
"""

import numpy as np

from robodyn_ros.formulations.angeles.newton_euler import inverse_dynamics
from robodyn_ros.formulations.posture import cross, states
from robodyn_ros.formulations.serial_chain import Z, links_at


def inertia_factor(inertia):
    """Return N with N^T N = I, also for rods and points, where Cholesky's factor does not exist.

    `inertia` (3, 3): inertia tensor [kg m2].
    """
    moments, axes = np.linalg.eigh(inertia)
    return np.sqrt(np.maximum(moments, 0.0))[:, None] * axes.T


def projected_twists(links):
    """Return P of a serial chain: Algorithm 7.6.1 (7.99, 7.100).

        p_ij = [N_i e_j; n_i e_j x r_ij] of a revolute, [0; n_i e_j] of a prismatic joint

    For each column j, e_j and r_ij = O_j -> C_i are carried from link to link, base to tip.

    `links` (Links): a serial chain at one posture.
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
    """Return the lower triangular L with L^T L = A, from the last row up.

    It takes n^3/6 + ... multiplications and additions.

    `A` (n, n): symmetric, positive definite matrix.
    Raises LinAlgError: if A is not positive definite.
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
    """Return x with L x = b.

    `L` (n, n): lower triangular matrix.
    `b` (n,): right side.
    """
    x = np.zeros(len(b), b.dtype)
    for i in range(len(b)):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return x


def back_substitution(U, b):
    """Return x with U x = b.

    `U` (n, n): upper triangular matrix.
    `b` (n,): right side.
    """
    return forward_substitution(U[::-1, ::-1], b[::-1])[::-1]


def factor(robot, q):
    """Return P with its columns in the order of q, and a row sqrt(rotor) for each drive.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    """
    links = links_at(robot, q)
    P = np.empty((6 * links.n, links.n), links.Q.dtype)
    P[:, links.order] = projected_twists(links)
    return np.vstack((P, np.diag(np.sqrt(links.joint_order(links.rotor)))))


def mass_matrix(robot, q):
    """Return I = P^T P: Algorithm 7.6.2 (7.97, 7.101).

    `q` ((nv,) array_like): joint coordinates [rad, m].
    """
    P = factor(robot, q)
    return P.T @ P


def forward_dynamics(robot, q, qd, tau, tip_wrench=None):
    """Return qdd by Algorithms 7.6.1 and 7.6.2 and reverse Cholesky (7.105).

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `tau` ((nv,) array_like): joint torques [N m, N].
    `tip_wrench` ((6,) array_like): force [N] and moment [N m] on the last link at its centre of
      mass, in base axes.
    Raises ModelError: if the robot branches.
    Raises ShapeError: if a state has another shape.
    """
    rhs = _right_side(robot, q, qd, tau, tip_wrench)
    L = reverse_cholesky(mass_matrix(robot, q))
    return forward_substitution(L, back_substitution(L.T, rhs))


def orthogonalised(P):
    """Return the upper triangular R of P = Q R, by Householder reflections (Appendix B).

    Reflection k turns the rest of column k onto its first entry. Q, the product of all of them, is
    not needed.

    `P` (m, n): matrix of full column rank.
    """
    A, n = P.copy(), P.shape[1]
    for k in range(n):
        v = A[k:, k].copy()
        length = np.sqrt(v @ v)
        v[0] = v[0] + (length if v[0] > 0.0 else -length)  # away from zero, so nothing cancels
        A[k:, k:] = A[k:, k:] - np.outer(v, (v @ A[k:, k:]) * (2.0 / (v @ v)))
    return np.triu(A[:n])


def forward_dynamics_orthogonal(robot, q, qd, tau, tip_wrench=None):
    """Return qdd by orthogonalisation of P = Q R, without forming I (7.106).

    The minimum-norm y of P^T y = rhs is Q R^-T rhs. The least squares of P qdd = y is R^-1 Q^T y.
    Together they are R^-1 R^-T rhs.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `tau` ((nv,) array_like): joint torques [N m, N].
    `tip_wrench` ((6,) array_like): force [N] and moment [N m] on the last link at its centre of
      mass, in base axes.
    Raises ModelError: if the robot branches.
    Raises ShapeError: if a state has another shape.
    """
    R = orthogonalised(factor(robot, q))
    y = forward_substitution(R.T, _right_side(robot, q, qd, tau, tip_wrench))
    return back_substitution(R, y)


def _right_side(robot, q, qd, tau, tip_wrench):
    """Return tau - taubar, where taubar is the inverse dynamics at zero acceleration."""
    q, qd, tau = states(robot, q, qd, tau)
    return tau - inverse_dynamics(robot, q, qd, np.zeros(len(q)), tip_wrench)
