# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Equations of motion by the natural orthogonal complement: Angeles, sections 7.5 and 7.6.

    K t = 0,   t = T qd,   K T = 0                                    (7.50, 7.54, 7.55b)
    I qdd + C qd = tau + delta + gamma + J^T w                        (7.61)
    I = T^T M T,   C = T^T M Tdot + T^T W M T,   gamma = T^T w^G      (7.58, 7.59)

The twists t_i = [omega_i; cdot_i] of all links form one vector t (6n,), everything in base axes.
M = diag(I_i, m_i 1) and W = diag(skew(omega_i), 0). T maps joint velocities to twists. It is
orthogonal to the constraints K, so constraint wrenches vanish from the equations. The planar case
is in planar.py, a moving base in moving_base.py. O(n^3), for any tree.

Corrections to the print: the gravity vector of Example 7.6.2 has doubled centre-of-mass terms. In
Example 7.6.1, t21dot, t31dot, the final C qd and Idot (1, 3), (2, 3) and (3, 1) are wrong. Entry
(3, 1) of T^T M Tdot is 3/4, not 1/2. The first component of C qd is p^2 (m a^2 - I), and p^2 (m
a^2/2 - I) in print.

C is not the matrix of the Christoffel symbols for spatial arms, though C qd is the same.
"""

import numpy as np

from robodyn_ros.formulations.posture import arm_at, cross, skew, states, velocities

ONE, NONE = np.eye(3), np.zeros((3, 3))


def block(i):
    """Return the rows of link i in an array of 6n rows.

    `i`: the link.
    """
    return slice(6 * i, 6 * i + 6)


def constraint_matrix(arm):
    """Return K with K t = 0: the motions that each joint forbids its two links (7.68).

        Revolute   E_i (omega_i - omega_(i-1)) = 0                                          (7.63)
                   cdot_i + rho_i x omega_i + delta_(i-1) x omega_(i-1) - cdot_(i-1) = 0    (7.64)
        Prismatic  omega_i - omega_(i-1) = 0                                                (7.74a)
                   E_i (cdot_i - cdot_(i-1) + R'_i x omega_i) = 0                           (7.77)

    with E_i = skew(e_i) and R'_i = c_i - c_(i-1).

    `arm` (Arm): the robot at one posture.
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
    """Return T with t = T qd (7.69 to 7.73, 7.83).

        t_ij = [e_j; e_j x r_ij] of a revolute, [0; e_j] of a prismatic joint,  r_ij = O_j -> C_i

    It is zero where joint j does not move link i, so block triangular for a serial arm.

    `arm` (Arm): the robot at one posture.
    """
    T = np.zeros((6 * arm.n, arm.n), arm.o.dtype)
    for i in range(arm.n):
        for j in arm.path(i):
            r = arm.c[i] - arm.o[j]
            T[block(i), j] = np.concatenate((arm.turns[j], cross(arm.turns[j], r) + arm.slides[j]))
    return T


def twist_shaping_rate(arm, w, odot, cdot):
    """Return Tdot (7.84 to 7.86).

        [edot_j; edot_j x r_ij + e_j x rdot_ij] of a revolute, [0; edot_j] of a prismatic joint

    edot_j = omega_j x e_j and rdot_ij = cdot_i - odot_j.

    `arm` (Arm): the robot at one posture.
    `w` (n, 3): angular velocities of the links [rad/s].
    `odot` (n, 3): velocities of the joint origins [m/s].
    `cdot` (n, 3): velocities of the centres of mass [m/s].
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
    """Return M = diag(I_i, m_i 1), the manipulator mass (7.1, 7.13c).

    `arm` (Arm): the robot at one posture.
    """
    M = np.zeros((6 * arm.n, 6 * arm.n), arm.o.dtype)
    for i in range(arm.n):
        M[6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = arm.I[i]
        M[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = arm.m[i] * ONE
    return M


def angular_velocity(w):
    """Return W = diag(skew(omega_i), 0), the manipulator angular velocity (7.1, 7.13c).

    `w` (n, 3): angular velocities of the links [rad/s].
    """
    W = np.zeros((6 * len(w), 6 * len(w)), w.dtype)
    for i in range(len(w)):
        W[6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = skew(w[i])
    return W


def weight(arm):
    """Return w^G, with [0; m_i g] on every link.

    `arm` (Arm): the robot at one posture.
    """
    return np.concatenate([np.concatenate((np.zeros(3), m * arm.g)) for m in arm.m])


def mass_matrix(robot, q):
    """Return I(q) = T^T M T, with rotor inertias added on the diagonal (7.58).

    `q` ((nv,) array_like): joint coordinates [rad, m].
    """
    arm = arm_at(robot, q)
    T = twist_shaping_matrix(arm)
    return T.T @ mass(arm) @ T + np.diag(arm.rotor)


def gravity_torque(robot, q):
    """Return -gamma = -T^T w^G (7.59).

    `q` ((nv,) array_like): joint coordinates [rad, m].
    """
    arm = arm_at(robot, q)
    return -twist_shaping_matrix(arm).T @ weight(arm)


def matrices(robot, q, qd):
    """Return T, Tdot, M and W at one state.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    Returns `T` (6n, n): twist-shaping matrix.
    Returns `Tdot` (6n, n): its rate.
    Returns `M` (6n, 6n): manipulator mass.
    Returns `W` (6n, 6n): manipulator angular velocity.
    """
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
    """Return C(q, qd) = T^T M Tdot + T^T W M T; Idot - 2 C is skew (7.59; Example 7.15).

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    """
    T, Tdot, M, W = matrices(robot, q, qd)
    return T.T @ M @ Tdot + T.T @ W @ M @ T


def mass_matrix_rate(robot, q, qd):
    """Return Idot = T^T M Tdot + Tdot^T M T + T^T (W M - M W) T (Example 7.6.1b).

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    """
    T, Tdot, M, W = matrices(robot, q, qd)
    return T.T @ M @ Tdot + Tdot.T @ M @ T + T.T @ (W @ M - M @ W) @ T


def link_wrenches(robot, q, qd, qdd):
    """Return w^A + w^C = M tdot + W M t - w^G, the wrenches of the joints on the links (7.5c).

    t = T qd and tdot = T qdd + Tdot qd.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `qdd` ((nv,) array_like): joint accelerations [rad/s2, m/s2].
    Returns moment and force on each link at its centre of mass [N m, N].
    """
    T, Tdot, M, W = matrices(robot, q, qd)
    return M @ (T @ qdd + Tdot @ qd) + W @ M @ T @ qd - weight(arm_at(robot, q))


def inverse_dynamics(robot, q, qd, qdd):
    """Return tau = I qdd + C qd - gamma, in O(n^3).

    Computed as T^T (w^A + w^C), where T^T w^C = 0: constraint wrenches do no work (7.53).

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `qdd` ((nv,) array_like): joint accelerations [rad/s2, m/s2].
    """
    q, qd, qdd = states(robot, q, qd, qdd)
    arm = arm_at(robot, q)
    return twist_shaping_matrix(arm).T @ link_wrenches(robot, q, qd, qdd) + arm.rotor * qdd
