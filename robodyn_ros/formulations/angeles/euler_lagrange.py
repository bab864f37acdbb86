# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Euler-Lagrange by generalised momentum: Angeles, section 7.3.2.

    p = dT/d(qd) = I qd,    pdot - dT/dq + dV/dq = phi_n                               (7.19d)
    I qdd + Idot qd - 1/2 [d(I qd)/dq]^T qd + dV/dq = dPi/d(qd) - dDelta/d(qd)         (7.11, 7.20)

from nothing but the kinetic energy T and the potential V of the links. Every derivative is by
complex step, exact to rounding. Any tree; O(n^3).

Corrections to the print: where (7.19) reads d(Idot qd)/dq, d(I qd)/dq is meant. In Example 7.3.1
the bracket of a2 a3 cos theta3 in |c3dot|^2 has factor 1. There the coefficient of thd1 thd3 in
iota_2 is -m3 a3 (a1 s23 + 2 a2 s3)/2. There too, thd3^2 in gamma_3 is thd2^2.
"""

import numpy as np

from robodyn_ros.formulations.complex_step import along, gradient
from robodyn_ros.formulations.posture import arm_at, states, velocities


def kinetic_product(arm, u, v):
    """Return the bilinear form of the kinetic energy, which is 2 T at u = v = qd.

        sum m_i cdot_i(u) . cdot_i(v) + omega_i(u) . I_i omega_i(v)

    `arm` (Arm): the robot at one posture.
    `u`, `v` (n,): joint velocities [rad/s, m/s].
    """
    (w_u, _, c_u), (w_v, _, c_v) = velocities(arm, u), velocities(arm, v)
    links = sum(
        m * (a @ b) + x @ I @ y for m, I, a, b, x, y in zip(arm.m, arm.I, c_u, c_v, w_u, w_v)
    )
    return links + arm.rotor @ (u * v)


def kinetic_energy(robot, q, qd):
    """Return T = 1/2 sum m_i |cdot_i|^2 + omega_i . I_i omega_i (7.16).

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    """
    return 0.5 * kinetic_product(arm_at(robot, q), qd, qd)


def potential_energy(robot, q):
    """Return V = -sum m_i g . c_i.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    """
    arm = arm_at(robot, q)
    return -sum(m * (arm.g @ c) for m, c in zip(arm.m, arm.c))


def momentum(robot, q, qd):
    """Return p = dT/d(qd) (7.19d).

    T is quadratic, so p_j is the product with the unit velocity j.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    """
    arm = arm_at(robot, q)
    return np.array([kinetic_product(arm, unit, qd) for unit in np.eye(arm.n)])


def mass_matrix(robot, q):
    """Return I(q) = d^2 T/d(qd)^2 (7.18).

    `q` ((nv,) array_like): joint coordinates [rad, m].
    """
    arm = arm_at(robot, q)
    return np.array([[kinetic_product(arm, u, v) for v in np.eye(arm.n)] for u in np.eye(arm.n)])


def gravity_torque(robot, q):
    """Return dV/dq.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    """
    (q,) = states(robot, q)
    return gradient(lambda x: potential_energy(robot, x), q)


def inverse_dynamics(robot, q, qd, qdd, dissipation=None):
    """Return tau = pdot - dT/dq + dV/dq + dDelta/d(qd).

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `qdd` ((nv,) array_like): joint accelerations [rad/s2, m/s2].
    `dissipation` (callable): `dissipation(qd)` returns Delta [W], also of complex velocities.
    """
    q, qd, qdd = states(robot, q, qd, qdd)
    pdot = momentum(robot, q, qdd) + along(lambda x: momentum(robot, x, qd), q, qd)
    tau = pdot - gradient(lambda x: kinetic_energy(robot, x, qd), q) + gravity_torque(robot, q)
    return tau if dissipation is None else tau + gradient(dissipation, qd)
