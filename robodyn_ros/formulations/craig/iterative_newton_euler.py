# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Iterative Newton-Euler in modified DH frames, and the forms that follow: Craig, chapter 6.

    outward  w_(i+1)  = R w_i + thd Z,  wd_(i+1) = R wd_i + R w_i x thd Z + thdd Z    (6.45, 6.46)
             vd_(i+1) = R (wd_i x P + w_i x (w_i x P) + vd_i)
                        [prismatic: + 2 w_(i+1) x dd Z + ddd Z]                       (6.47, 6.35)
             vd_C = wd x P_C + w x (w x P_C) + vd                                     (6.48)
             F = m vd_C,  N = I wd + w x I w                                          (6.49, 6.50)
    inward   f_i = R f_(i+1) + F_i                                                    (6.51)
             n_i = N_i + R n_(i+1) + P_Ci x F_i + P_(i+1) x R f_(i+1)                 (6.52)
             tau_i = n_i . Z  or  f_i . Z                                             (6.53, 6.44)

    tau = M(q) qdd + V(q, qd) + G(q)                            state space           (6.59)
        = M(q) qdd + B(q) [qd qd] + C(q) [qd^2] + G(q)          configuration space   (6.63)
    F   = Mx(q) xdd + Vx(q, qd) + Gx(q),  tau = J^T F           Cartesian             (6.91)

Frame i is fixed to link i at its near end, Z along joint i; base acceleration -g. Any tree.

Corrections to the notes: (6.10) and (6.12) have superfluous terms. At a prismatic joint the rate
thd is zero, not w. In section 6.7 the second components of vd_C1 and F1 contain g c1. There vd_C2
takes wd_2 and the centre of mass of link 2. (2, 1) of J lacks + l2. (6.105) prints M for Mx. B of
two links is 2 x 1.
"""

import numpy as np

from robodyn_ros.errors import SingularityError
from robodyn_ros.formulations.posture import cross, links_of, model_of, states
from robodyn_ros.formulations.serial_chain import Z
from robodyn_ros.formulations.turney.strobing import NO_GRAVITY, quadratic_coefficients
from robodyn_ros.formulations.turney.strobing import mass_matrix as strobed_mass_matrix


def point_acceleration(vd_B, R, Q, v_Q, vd_Q, w, wd):
    """Return the acceleration of a point Q that moves in a moving frame B, in axes of A (6.10).

        vd_B + R vd_Q + 2 w x R v_Q + wd x R Q + w x (w x R Q)

    `vd_B` (3,): acceleration of the origin of B in A [m/s2].
    `R` (3, 3): rotation from B to A.
    `Q` (3,): position of the point in B [m].
    `v_Q` (3,): its velocity in B [m/s].
    `vd_Q` (3,): its acceleration in B [m/s2].
    `w` (3,): angular velocity of B in A [rad/s].
    `wd` (3,): angular acceleration of B in A [rad/s2].
    """
    arm = R @ Q
    return vd_B + R @ vd_Q + 2.0 * cross(w, R @ v_Q) + cross(wd, arm) + cross(w, cross(w, arm))


def angular_acceleration(wd_B, w_B, R, w_C, wd_C):
    """Return the angular acceleration in A of a frame C turning in B, which turns in A (6.15).

    `wd_B` (3,): angular acceleration of B in A [rad/s2].
    `w_B` (3,): angular velocity of B in A [rad/s].
    `R` (3, 3): rotation from B to A.
    `w_C` (3,): angular velocity of C in B [rad/s].
    `wd_C` (3,): angular acceleration of C in B [rad/s2].
    """
    return wd_B + R @ wd_C + cross(w_B, R @ w_C)


def outward(robot, q, qd, qdd):
    """Return the inertia force and moment of every link by the outward iteration.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `qdd` ((nv,) array_like): joint accelerations [rad/s2, m/s2].
    Returns (R, P, P_C, F, N) by joint: pose in the parent, centre of mass, force, moment.
    """
    moving = {-1: (np.zeros(3), np.zeros(3), -model_of(robot).gravity)}
    found = {}
    for link in links_of(robot):
        i = link.joint
        R, P = link.placement(q[i])
        w, wd, vd = moving[link.parent]
        vd = R.T @ (cross(wd, P) + cross(w, cross(w, P)) + vd)
        w, wd = R.T @ w, R.T @ wd
        if link.revolute:
            w, wd = w + qd[i] * Z, wd + cross(w, qd[i] * Z) + qdd[i] * Z
        else:
            vd = vd + 2.0 * cross(w, qd[i] * Z) + qdd[i] * Z
        vd_C = cross(wd, link.rho) + cross(w, cross(w, link.rho)) + vd
        moving[i] = w, wd, vd
        found[i] = (R, P, link.rho, link.m * vd_C, link.I @ wd + cross(w, link.I @ w))
    return found


def inverse_dynamics(robot, q, qd, qdd):
    """Return the joint torques by (6.45) to (6.53), in O(n).

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `qdd` ((nv,) array_like): joint accelerations [rad/s2, m/s2].
    """
    q, qd, qdd = states(robot, q, qd, qdd)
    found = outward(robot, q, qd, qdd)
    f, n = np.zeros((2, len(q) + 1, 3), np.result_type(q, qd, qdd, float))  # row -1 is the base
    tau = np.empty(len(q), f.dtype)
    for link in reversed(links_of(robot)):
        i, up = link.joint, link.parent
        R, P, P_C, F, N = found[i]
        f[i] += F
        n[i] += N + cross(P_C, F)
        tau[i] = (n[i] if link.revolute else f[i]) @ Z + link.rotor * qdd[i]
        f[up] += R @ f[i]
        n[up] += R @ n[i] + cross(P, R @ f[i])
    return tau


def state_space(robot, q, qd):
    """Return M, V and G with tau = M qdd + V + G (6.59).

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    Returns `M` (nv, nv): mass matrix.
    Returns `V` (nv,): centrifugal and Coriolis torques [N m, N].
    Returns `G` (nv,): gravity torques [N m, N].
    """
    q, qd = states(robot, q, qd)
    rest = np.zeros(len(q))
    return (
        mass_matrix(robot, q),
        inverse_dynamics(robot.with_gravity(NO_GRAVITY), q, qd, rest),
        inverse_dynamics(robot, q, rest, rest),
    )


def mass_matrix(robot, q):
    """Return M, column by column by the iteration.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    """
    return strobed_mass_matrix(robot, q, inverse_dynamics)


def pairs(n):
    """Return the order of [qd qd].

    `n`: number of joints.
    """
    return [(j, k) for j in range(n) for k in range(j + 1, n)]


def products(qd):
    """Return the products of velocities [qd qd] and the squares [qd^2] (6.64, 6.65).

    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    Returns `products` (n (n - 1)/2,): [qd qd].
    Returns `squares` (n,): [qd^2].
    """
    return np.array([qd[j] * qd[k] for j, k in pairs(len(qd))]), np.square(qd)


def configuration_space(robot, q):
    """Return M, B, C and G, which are functions of q only (6.63).

    `q` ((nv,) array_like): joint coordinates [rad, m].
    Returns `M` (nv, nv): mass matrix.
    Returns `B` (nv, nv (nv - 1)/2): coefficients of [qd qd].
    Returns `C` (nv, nv): coefficients of [qd^2].
    Returns `G` (nv,): gravity torques [N m, N].
    """
    (q,) = states(robot, q)
    M, _, G = state_space(robot, q, np.zeros(len(q)))
    weightless, rest = robot.with_gravity(NO_GRAVITY), np.zeros(len(q))
    B, C = _products_of(lambda qd: inverse_dynamics(weightless, q, qd, rest), len(q))
    return M, B, C, G


def _products_of(V, n):
    """Return (B, C) of a function V(qd) = B [qd qd] + C [qd^2]."""
    c = quadratic_coefficients(V, n)
    return (
        np.array([2.0 * c[:, j, k] for j, k in pairs(n)]).T.reshape(len(c), -1),
        np.array([c[:, j, j] for j in range(n)]).T,
    )


def cartesian_form(M, V, G, J, Jdot_qd):
    """Return Mx, Vx and Gx with F = Mx xdd + Vx + Gx (6.96 to 6.99).

    Mx = J^-T M J^-1, Vx = J^-T (V - M J^-1 Jdot qd), Gx = J^-T G. J and Jdot qd are in one frame.
    If xd are components in a moving frame, Jdot is the rate of those components. Vx then differs
    from that of fixed axes by more than a rotation.

    `M` (n, n): mass matrix.
    `V` (n,): centrifugal and Coriolis torques [N m, N].
    `G` (n,): gravity torques [N m, N].
    `J` (n, n): Jacobian.
    `Jdot_qd` (n,): jdot qd [m/s2, rad/s2].
    Returns `Mx` (n, n): Cartesian mass matrix.
    Returns `Vx` (n,): velocity terms [N, N m].
    Returns `Gx` (n,): gravity terms [N, N m].
    Raises SingularityError: if J has no inverse.
    """
    inverse = _inverse(J)
    return (inverse.T @ M @ inverse, inverse.T @ (V - M @ inverse @ Jdot_qd), inverse.T @ G)


def cartesian(robot, q, qd, frame, axes):
    """Return Mx, Vx and Gx at the origin of a frame, in base axes.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `frame`: name of the frame.
    `axes` (sequence of int): n of 0 .. 5 for x y z rx ry rz, as many as there are joints.
    Returns `Mx` (n, n): Cartesian mass matrix.
    Returns `Vx` (n,): velocity terms [N, N m].
    Returns `Gx` (n,): gravity terms [N, N m].
    Raises SingularityError: if the Jacobian has no inverse.
    """
    J, drift = robot.jacobian(q, frame)[axes], robot.jacobian_bias(q, qd, frame)[axes]
    return cartesian_form(*state_space(robot, q, qd), J, drift)


def cartesian_configuration_space(robot, q, frame, axes):
    """Return J^T Mx, Bx, Cx and G, which are functions of q only (6.104, 6.105).

        tau = J^T Mx xdd + Bx [qd qd] + Cx [qd^2] + G

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `frame`: name of the frame.
    `axes` (sequence of int): n of 0 .. 5 for x y z rx ry rz, as many as there are joints.
    Returns `JMx` (n, n): J^T Mx.
    Returns `Bx` (n, n (n - 1)/2): coefficients of [qd qd].
    Returns `Cx` (n, n): coefficients of [qd^2].
    Returns `G` (n,): gravity torques [N m, N].
    Raises SingularityError: if the Jacobian has no inverse.
    """
    (q,) = states(robot, q)
    M, B, C, G = configuration_space(robot, q)
    J = robot.jacobian(q, frame)[axes]
    inverse = _inverse(J)

    def drift(qd):
        return -M @ inverse @ robot.jacobian_bias(q, qd, frame)[axes]

    Bx, Cx = _products_of(drift, len(q))
    return M @ inverse, B + Bx, C + Cx, G


def _inverse(J):
    """Return the inverse of a Jacobian, or raise a SingularityError."""
    if np.shape(J) != (len(J),) * 2 or np.linalg.cond(J) > 1e12:
        raise SingularityError(
            f'the Jacobian {np.shape(J)} has no inverse here; expected as many '
            'task axes as joints, and a posture away from singularities'
        )
    return np.linalg.inv(J)
