# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Equations of motion by the natural orthogonal complement: Angeles, sections 7.5 and 7.6.

    K t = 0,   t = T qd,   K T = 0                                    (7.50, 7.54, 7.55b)
    I qdd + C qd = tau + delta + gamma + J^T w                        (7.61)
    I = T^T M T,   C = T^T M Tdot + T^T W M T,   gamma = T^T w^G      (7.58, 7.59)

The twists t_i = [omega_i; cdot_i] of all links stand in one vector t (6n,), everything in base
axes. M = diag(I_i, m_i 1) and W = diag(skew(omega_i), 0). T maps joint rates to twists. It is
orthogonal to the constraints K, so the wrenches of constraint vanish from the equations. In the
planar case see planar.py; on a moving base see moving_base.py. O(n^3), of any tree.

Corrections to the print: the gravity vector of Example 7.6.2 has doubled centre-of-mass terms. In
Example 7.6.1, t21dot, t31dot and the final C qd are wrong. So are Idot (1, 3), (2, 3) and (3, 1)
there. Entry (3, 1) of T^T M Tdot is 3/4, not 1/2. The first component of C qd is p^2 (m a^2 - I),
and p^2 (m a^2/2 - I) in print.

C is not the matrix of the Christoffel symbols for spatial arms, though C qd is the same.
"""

import numpy as np

from robodyn_ros.formulations.arm import arm_at, cross, skew, states, velocities

ONE, NONE = np.eye(3), np.zeros((3, 3))


def block(i):
    """Rows of link i in anything of 6n rows."""
    return slice(6 * i, 6 * i + 6)


def constraint_matrix(arm):
    """K (6n, 6n) with K t = 0: what each joint forbids its two links; rank 5n (7.68).

    Turning   E_i (omega_i - omega_(i-1)) = 0                                           (7.63)
              cdot_i + rho_i x omega_i + delta_(i-1) x omega_(i-1) - cdot_(i-1) = 0     (7.64)
    Sliding   omega_i - omega_(i-1) = 0                                                 (7.74a)
              E_i (cdot_i - cdot_(i-1) + R'_i x omega_i) = 0                            (7.77)

    with E_i = skew(e_i) and R'_i = c_i - c_(i-1). Block bidiagonal for a serial arm.
    """
    K = np.zeros((6 * arm.n, 6 * arm.n))
    for i, up in enumerate(arm.parent):
        centre = arm.c[up] if up >= 0 else np.zeros(3)
        if arm.revolute[i]:
            E = skew(arm.turns[i])
            own = np.block([[E, NONE], [skew(arm.c[i] - arm.o[i]), ONE]])
            before = np.block([[-E, NONE], [skew(arm.o[i] - centre), -ONE]])
        else:
            E = skew(arm.slides[i])
            own = np.block([[ONE, NONE], [E @ skew(arm.c[i] - centre), E]])
            before = np.block([[-ONE, NONE], [NONE, -E]])
        K[block(i), block(i)] = own
        if up >= 0:
            K[block(i), block(up)] = before
    return K


def twist_shaping_matrix(arm):
    """T (6n, n), t = T qd: t_ij = [e_j; e_j x r_ij] or, sliding, [0; e_j] (7.69 to 7.73, 7.83).

    r_ij = O_j -> C_i. Zero where joint j does not move link i, so block triangular if serial.
    """
    T = np.zeros((6 * arm.n, arm.n), arm.o.dtype)
    for i in range(arm.n):
        for j in arm.path(i):
            r = arm.c[i] - arm.o[j]
            T[block(i), j] = np.concatenate((arm.turns[j], cross(arm.turns[j], r) + arm.slides[j]))
    return T


def twist_shaping_rate(arm, w, odot, cdot):
    """Tdot (6n, n): [edot_j; edot_j x r_ij + e_j x rdot_ij], sliding [0; edot_j] (7.84 to 7.86).

    edot_j = omega_j x e_j and rdot_ij = cdot_i - odot_j, from the three results of velocities().
    """
    T = np.zeros((6 * arm.n, arm.n), w.dtype)
    for i in range(arm.n):
        for j in arm.path(i):
            r, rdot = arm.c[i] - arm.o[j], cdot[i] - odot[j]
            turning, sliding = cross(w[j], arm.turns[j]), cross(w[j], arm.slides[j])
            T[block(i), j] = np.concatenate(
                (turning, cross(turning, r) + cross(arm.turns[j], rdot) + sliding)
            )
    return T


def mass(arm):
    """M (6n, 6n) = diag(I_i, m_i 1), the manipulator mass (7.1, 7.13c)."""
    M = np.zeros((6 * arm.n, 6 * arm.n), arm.o.dtype)
    for i in range(arm.n):
        M[6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = arm.I[i]
        M[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = arm.m[i] * ONE
    return M


def angular_velocity(w):
    """W (6n, 6n) = diag(skew(omega_i), 0), the manipulator angular velocity (7.1, 7.13c)."""
    W = np.zeros((6 * len(w), 6 * len(w)), w.dtype)
    for i in range(len(w)):
        W[6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = skew(w[i])
    return W


def weight(arm):
    """w^G (6n,): [0; m_i g] on every link."""
    return np.concatenate([np.concatenate((np.zeros(3), m * arm.g)) for m in arm.m])


def mass_matrix(robot, q):
    """I(q) = T^T M T (n, n), rotor inertias added on the diagonal (7.58)."""
    arm = arm_at(robot, q)
    T = twist_shaping_matrix(arm)
    return T.T @ mass(arm) @ T + np.diag(arm.rotor)


def gravity_torque(robot, q):
    """-gamma = -T^T w^G (n,): the torque of the drives that holds the arm (7.59)."""
    arm = arm_at(robot, q)
    return -twist_shaping_matrix(arm).T @ weight(arm)


def matrices(robot, q, qd):
    """(T, Tdot, M, W) at one state: (6n, n) twice, (6n, 6n) twice."""
    q, qd = states(robot, q, qd)
    arm = arm_at(robot, q)
    w, odot, cdot = velocities(arm, qd)
    return (
        twist_shaping_matrix(arm),
        twist_shaping_rate(arm, w, odot, cdot),
        mass(arm),
        angular_velocity(w),
    )


def coriolis_matrix(robot, q, qd):
    """C(q, qd) = T^T M Tdot + T^T W M T (n, n); Idot - 2 C is skew (7.59; Example 7.15)."""
    T, Tdot, M, W = matrices(robot, q, qd)
    return T.T @ M @ Tdot + T.T @ W @ M @ T


def mass_matrix_rate(robot, q, qd):
    """Idot = T^T M Tdot + Tdot^T M T + T^T (W M - M W) T (n, n), by parts (Example 7.6.1b)."""
    T, Tdot, M, W = matrices(robot, q, qd)
    return T.T @ M @ Tdot + Tdot.T @ M @ T + T.T @ (W @ M - M @ W) @ T


def link_wrenches(robot, q, qd, qdd):
    """w^A + w^C (6n,): moment and force of the joints on each link at its centre of mass.

    M tdot + W M t - w^G, with t = T qd and tdot = T qdd + Tdot qd (7.5c).
    """
    T, Tdot, M, W = matrices(robot, q, qd)
    return M @ (T @ qdd + Tdot @ qd) + W @ M @ T @ qd - weight(arm_at(robot, q))


def inverse_dynamics(robot, q, qd, qdd):
    """tau = I qdd + C qd - gamma (n,), of any tree; in O(n^3).

    As T^T (w^A + w^C), where T^T w^C = 0: the wrenches of constraint do no work (7.53).
    """
    q, qd, qdd = states(robot, q, qd, qdd)
    arm = arm_at(robot, q)
    return twist_shaping_matrix(arm).T @ link_wrenches(robot, q, qd, qdd) + arm.rotor * qdd
