# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Iterative Newton-Euler in modified DH frames, and the forms it is brought to: Craig, chapter 6.

    outward  w_(i+1)  = R w_i + thd Z,  wd_(i+1) = R wd_i + R w_i x thd Z + thdd Z    (6.45, 6.46)
             vd_(i+1) = R (wd_i x P + w_i x (w_i x P) + vd_i)
                        [sliding: + 2 w_(i+1) x dd Z + ddd Z]                         (6.47, 6.35)
             vd_C = wd x P_C + w x (w x P_C) + vd                                     (6.48)
             F = m vd_C,  N = I wd + w x I w                                          (6.49, 6.50)
    inward   f_i = R f_(i+1) + F_i                                                    (6.51)
             n_i = N_i + R n_(i+1) + P_Ci x F_i + P_(i+1) x R f_(i+1)                 (6.52)
             tau_i = n_i . Z  or  f_i . Z                                             (6.53, 6.44)

    tau = M(q) qdd + V(q, qd) + G(q)                            state space           (6.59)
        = M(q) qdd + B(q) [qd qd] + C(q) [qd^2] + G(q)          configuration space   (6.63)
    F   = Mx(q) xdd + Vx(q, qd) + Gx(q),  tau = J^T F           Cartesian             (6.91)

Frame i is fixed to link i at its near end, Z along joint i; base acceleration -g. Any tree.

Corrections to the notes: (6.10) and (6.12) carry terms too many. At a sliding joint the rate thd
is zero, not w. In section 6.7 the second components of vd_C1 and F1 hold g c1. There vd_C2 takes
wd_2 and the centre of mass of link 2. (2, 1) of J lacks + l2. (6.105) prints M for Mx. B of two
links is 2 x 1.
"""

import numpy as np

from robodyn_ros.errors import SingularityError
from robodyn_ros.formulations.arm import cross, links_of, model_of, states
from robodyn_ros.formulations.serial_chain import Z
from robodyn_ros.formulations.turney.strobing import NO_GRAVITY, quadratic_coefficients
from robodyn_ros.formulations.turney.strobing import mass_matrix as strobed_mass_matrix


def point_acceleration(vd_B, R, Q, v_Q, vd_Q, w, wd):
    """Acceleration (3,) of a point Q that moves in a moving frame B, in the axes of A (6.10).

    vd_B + R vd_Q + 2 w x R v_Q + wd x R Q + w x (w x R Q). Q, v_Q, vd_Q (3,) in B; R (3, 3) from B
    to A; w, wd (3,) of B and vd_B (3,) of its origin in A.
    """
    arm = R @ Q
    return vd_B + R @ vd_Q + 2.0 * cross(w, R @ v_Q) + cross(wd, arm) + cross(w, cross(w, arm))


def angular_acceleration(wd_B, w_B, R, w_C, wd_C):
    """wd (3,) in A of a frame C that turns with w_C, wd_C in B, and B in A (6.15)."""
    return wd_B + R @ wd_C + cross(w_B, R @ w_C)


def outward(robot, q, qd, qdd):
    """{joint: (R, P, P_C, F, N)}: placement in the parent, com, inertia force and moment."""
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
    """tau (n,) [N m or N] by (6.45) to (6.53), in O(n)."""
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
    """(M (n, n), V (n,), G (n,)) with tau = M qdd + V + G (6.59)."""
    q, qd = states(robot, q, qd)
    rest = np.zeros(len(q))
    return (
        mass_matrix(robot, q),
        inverse_dynamics(robot.with_gravity(NO_GRAVITY), q, qd, rest),
        inverse_dynamics(robot, q, rest, rest),
    )


def mass_matrix(robot, q):
    """M (n, n), column by column out of the iteration."""
    return strobed_mass_matrix(robot, q, inverse_dynamics)


def pairs(n):
    """Return the order of [qd qd]: (0, 1), (0, 2), ..., (n-2, n-1)."""
    return [(j, k) for j in range(n) for k in range(j + 1, n)]


def products(qd):
    """([qd qd] (n (n - 1)/2,), [qd^2] (n,)) (6.64, 6.65)."""
    return np.array([qd[j] * qd[k] for j, k in pairs(len(qd))]), np.square(qd)


def configuration_space(robot, q):
    """(M, B, C, G), functions of q only: B (n, n (n - 1)/2), C (n, n) (6.63)."""
    (q,) = states(robot, q)
    M, _, G = state_space(robot, q, np.zeros(len(q)))
    light, rest = robot.with_gravity(NO_GRAVITY), np.zeros(len(q))
    B, C = _products_of(lambda qd: inverse_dynamics(light, q, qd, rest), len(q))
    return M, B, C, G


def _products_of(V, n):
    """(B, C) of a function V(qd) = B [qd qd] + C [qd^2]."""
    c = quadratic_coefficients(V, n)
    return (
        np.array([2.0 * c[:, j, k] for j, k in pairs(n)]).T.reshape(len(c), -1),
        np.array([c[:, j, j] for j in range(n)]).T,
    )


def cartesian_form(M, V, G, J, Jdot_qd):
    """(Mx, Vx, Gx) with F = Mx xdd + Vx + Gx (6.96 to 6.99).

    Mx = J^-T M J^-1, Vx = J^-T (V - M J^-1 Jdot qd), Gx = J^-T G. J (n, n) and Jdot qd (n,) are in
    one frame. If xd are components in a moving frame, Jdot is the rate of those components. Vx is
    then not that of fixed axes turned over. SingularityError where J has no inverse.
    """
    inverse = _inverse(J)
    return (inverse.T @ M @ inverse, inverse.T @ (V - M @ inverse @ Jdot_qd), inverse.T @ G)


def cartesian(robot, q, qd, frame, axes):
    """(Mx, Vx, Gx) of a Robot at a frame's origin, in base axes.

    axes : n of 0 .. 5 for x y z rx ry rz, as many as there are joints.
    """
    J, drift = robot.jacobian(q, frame)[axes], robot.jacobian_bias(q, qd, frame)[axes]
    return cartesian_form(*state_space(robot, q, qd), J, drift)


def cartesian_configuration_space(robot, q, frame, axes):
    """(J^T Mx, Bx, Cx, G), functions of q only, with

    tau = J^T Mx xdd + Bx [qd qd] + Cx [qd^2] + G (6.104, 6.105).
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
    if np.shape(J) != (len(J),) * 2 or np.linalg.cond(J) > 1e12:
        raise SingularityError(
            f'the Jacobian {np.shape(J)} has no inverse here; expected as many '
            'task axes as joints, and a posture away from singularities'
        )
    return np.linalg.inv(J)
