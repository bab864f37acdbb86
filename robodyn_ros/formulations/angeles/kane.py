# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kane's equations: Angeles, section 7.3.3.

    phi + phi* = 0                                                                         (7.21)
    phi  = tau + sum Jv_i^T f_i + Jw_i^T n_i                                active forces
    phi* = - sum Jv_i^T m_i cddot_i + Jw_i^T (I_i wdot_i + w_i x I_i w_i)        inertia forces

with the partial velocities Jv_i = d(cdot_i)/d(qd) and Jw_i = d(omega_i)/d(qd). Only velocities are
differentiated, and they are linear in qd. Any tree; O(n^2) as written.

Correction to the print: the Jacobians are 3 x n (the text prints n x 3 and transposes them again).
"""

import numpy as np

from robodyn_ros.formulations.posture import accelerations, arm_at, cross, states, velocities


def partial_velocities(arm):
    """Return the maps from joint velocities to omega_i and to cdot_i.

    `arm` (Arm): the robot at one posture.
    Returns `Jw` (n, 3, n): d(omega_i)/d(qd) of each link.
    Returns `Jv` (n, 3, n): d(cdot_i)/d(qd) of each link.
    """
    unit = [velocities(arm, rate) for rate in np.eye(arm.n)]
    return (np.stack([w for w, _, _ in unit], axis=-1), np.stack([c for _, _, c in unit], axis=-1))


def mass_matrix(robot, q):
    """Return sum m_i Jv_i^T Jv_i + Jw_i^T I_i Jw_i, the coefficient of qdd in -phi*.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    """
    arm = arm_at(robot, q)
    return np.diag(arm.rotor) + sum(
        m * Jv.T @ Jv + Jw.T @ I @ Jw
        for m, I, Jw, Jv in zip(arm.m, arm.I, *partial_velocities(arm))
    )


def generalised_force(robot, q, loads):
    """Return psi = J^T w, the sum of J_v^T f + J_w^T n of forces on links (Spong, 6.31).

    psi . dq is their work in a virtual displacement dq. O(n^2).

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `loads` (sequence of tuple): (joint of the link as an index of q, point (3,) [m], force (3,)
      [N], moment (3,) [N m]) of each, in base axes.
    """
    (q,) = states(robot, q)
    arm = arm_at(robot, q)
    Jw, Jv = partial_velocities(arm)
    psi = np.zeros(arm.n, arm.o.dtype)
    for i, point, force, moment in loads:
        psi = psi + Jv[i].T @ force + Jw[i].T @ (moment + cross(point - arm.c[i], force))
    return psi


def inverse_dynamics(robot, q, qd, qdd):
    """Return the torques that balance weight and inertia forces.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `qdd` ((nv,) array_like): joint accelerations [rad/s2, m/s2].
    """
    q, qd, qdd = states(robot, q, qd, qdd)
    arm = arm_at(robot, q)
    w, _, _ = velocities(arm, qd)
    wd, cdd = accelerations(arm, qd, qdd)
    active, inertia = 0.0, -arm.rotor * qdd
    for i, (Jw, Jv) in enumerate(zip(*partial_velocities(arm))):
        I = arm.I[i]  # noqa: E741
        active = active + Jv.T @ (arm.m[i] * arm.g)
        inertia = inertia - (
            Jv.T @ (arm.m[i] * cdd[i]) + Jw.T @ (I @ wd[i] + cross(w[i], I @ w[i]))
        )
    return -(active + inertia)
