# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The natural orthogonal complement in the plane: Angeles, section 7.6.1, (7.107) to (7.111).

    t_i = [omega_i; cdot_i] in R^3,  M_i = diag(I_i, m_i, m_i),  I = T^T M T,  C = T^T M Tdot
    t_ij = [1; E r_ij],  E = [[0, -1], [1, 0]]

In the plane omega x I omega is zero, so that T^T W M T drops out. This C is also the matrix of the
Christoffel symbols. For robots whose revolute axes are all parallel and whose prismatic axes are
at right angles to them.

Corrections to the print: in Example 7.6.2 the gravity vector counts m2 c12 and m3 c123 twice. Its
second row has a1 where a2 belongs. dV/dq of Example 7.3.1 is right.
"""

import numpy as np

from robodyn_ros.errors import ModelError
from robodyn_ros.formulations.angeles.noc_forward_dynamics import (
    back_substitution,
    forward_substitution,
    reverse_cholesky,
)
from robodyn_ros.formulations.posture import arm_at, cross, model_of, states, velocities

E = np.array([[0.0, -1.0], [1.0, 0.0]])


def _plane(robot, arm):
    """Return (normal (3,) of the plane of motion, projection P (2, 3) onto it)."""
    turning = np.flatnonzero(arm.revolute)
    normal = arm.turns[turning[0]] if len(turning) else np.array([0.0, 0.0, 1.0])
    off = max(np.abs(cross(arm.turns, normal)).max(), np.abs(arm.slides @ normal).max())
    if off > 1e-9:
        raise ModelError(
            f'robot {model_of(robot).name!r} is not planar: a joint axis is off by '
            f'{off:.3g}; expected parallel revolute axes, prismatic ones at right angles'
        )
    x = np.eye(3)[np.argmin(np.abs(normal))]
    x = cross(normal, x) / np.linalg.norm(cross(normal, x))
    return normal, np.array([x, cross(normal, x)])


def matrices(robot, q, qd):
    """Return T, Tdot, M and the weights at one state.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    Returns `T` (3n, n): twist-shaping matrix.
    Returns `Tdot` (3n, n): its rate.
    Returns `M` (3n, 3n): diagonal manipulator mass.
    Returns `weight` (3n,): [0; m_i g] of every link, in the plane [N m, N].
    Raises ModelError: if the robot is not planar.
    """
    q, qd = states(robot, q, qd)
    arm = arm_at(robot, q)
    normal, P = _plane(robot, arm)
    _, odot, cdot = velocities(arm, qd)
    w = velocities(arm, qd)[0] @ normal
    T, Tdot = np.zeros((2, 3 * arm.n, arm.n))
    for i in range(arm.n):
        rows = slice(3 * i, 3 * i + 3)
        for j in arm.path(i):
            sense, slide = arm.turns[j] @ normal, P @ arm.slides[j]
            r, rdot = P @ (arm.c[i] - arm.o[j]), P @ (cdot[i] - odot[j])
            T[rows, j] = sense, *(sense * E @ r + slide)
            Tdot[rows, j] = 0.0, *(sense * E @ rdot + w[j] * E @ slide)
    M = np.diag(
        np.concatenate([(normal @ arm.I[i] @ normal, arm.m[i], arm.m[i]) for i in range(arm.n)])
    )
    return T, Tdot, M, np.concatenate([(0.0, *(P @ (m * arm.g))) for m in arm.m])


def mass_matrix(robot, q):
    """Return I = T^T M T, with rotor inertias added on the diagonal.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    Raises ModelError: if the robot is not planar.
    """
    T, _, M, _ = matrices(robot, q, np.zeros(len(q)))
    return T.T @ M @ T + np.diag(arm_at(robot, q).rotor)


def projected_twists(robot, q):
    """Return P = H T with I = P^T P, H_i = diag(sqrt I_i, sqrt m_i, sqrt m_i): Exercise 7.13.

    Algorithm 7.6.1 in the plane has p_ij = [N_i; n_i E r_ij]. It goes by links, with
    r_ij = r_(i-1)j + (delta_(i-1) + rho_i) in base axes. It takes n^2 + 9 n multiplications and
    n^2 + 5 n - 2 additions. In space these are 17 n^2 - 15 n and 10 n^2 - 10 n.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    """
    T, _, M, _ = matrices(robot, q, np.zeros(len(q)))
    return np.vstack((np.sqrt(np.diag(M))[:, None] * T, np.diag(np.sqrt(arm_at(robot, q).rotor))))


def forward_dynamics(robot, q, qd, tau):
    """Return qdd by I = P^T P = L^T L, as in space (noc_forward_dynamics.py).

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `tau` ((nv,) array_like): joint torques [N m, N].
    """
    q, qd, tau = states(robot, q, qd, tau)
    P = projected_twists(robot, q)
    L = reverse_cholesky(P.T @ P)
    rhs = tau - inverse_dynamics(robot, q, qd, np.zeros(len(q)))
    return forward_substitution(L, back_substitution(L.T, rhs))


def coriolis_matrix(robot, q, qd):
    """Return C = T^T M Tdot, which is also that of the Christoffel symbols.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    """
    T, Tdot, M, _ = matrices(robot, q, qd)
    return T.T @ M @ Tdot


def inverse_dynamics(robot, q, qd, qdd):
    """Return tau = I qdd + C qd - gamma, gamma = T^T w^G.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `qdd` ((nv,) array_like): joint accelerations [rad/s2, m/s2].
    """
    T, Tdot, M, weight = matrices(robot, q, qd)
    return T.T @ (M @ (T @ qdd + Tdot @ qd) - weight) + arm_at(robot, q).rotor * qdd
