# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Newton-Euler with weight as a force and moments as f x r: Spong, section 6.6.

    outward  w_i = R^T w_(i-1) + b_i qd_i,     al_i = R^T al_(i-1) + b_i qdd_i + w_i x b_i qd_i
             a_c,i = R^T a_e,(i-1) + al_i x r_i,ci + w_i x (w_i x r_i,ci)
             a_e,i likewise to the end of the link, with r_i,(i+1)               (6.150, 6.160)
    inward   f_i = R f_(i+1) + m_i a_c,i - m_i g_i                               (6.146)
             tau_i = R tau_(i+1) - f_i x r_i,ci + (R f_(i+1)) x r_(i+1),ci
                     + I_i al_i + w_i x (I_i w_i)                                (6.147)

b_i is the axis of joint i in frame i, at the far end of link i. r_i,ci runs from the joint to the
centre of mass, r_(i+1),ci from the next joint to it. Serial chains, O(n). g_i costs 3 additions
per link more than a base that accelerates. The section treats revolute joints. The travel of a
prismatic joint is part of r_i,ci and r_i,(i+1). It adds R^T (z bdd + 2 w x z bd) to both
accelerations.
"""

import numpy as np

from robodyn_ros.formulations.posture import cross, states
from robodyn_ros.formulations.serial_chain import Z, links_at
from robodyn_ros.formulations.turney.luh_walker_paul import turning


def inverse_dynamics(robot, q, qd, qdd):
    """Return the torques of a serial robot.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `qdd` ((nv,) array_like): joint accelerations [rad/s2, m/s2].
    Raises ModelError: if the robot branches.
    Raises ShapeError: if a state has another shape.
    """
    q, qd, qdd = states(robot, q, qd, qdd)
    links = links_at(robot, q)
    w, al, to_end, slide = map(np.array, turning(links, qd[links.order], qdd[links.order]))
    to_com = to_end - links.delta
    a_c, g = _accelerations(links, w, al, to_com, to_end, slide)
    f, moment, tau = np.zeros(3), np.zeros(3), np.empty(links.n, w.dtype)
    for i in reversed(range(links.n)):
        I, next_force = links.I[i], f  # noqa: E741
        f = next_force + links.m[i] * (a_c[i] - g[i])
        moment = (
            moment
            - cross(f, to_com[i])
            + cross(next_force, -links.delta[i])
            + I @ al[i]
            + cross(w[i], I @ w[i])
        )
        b = links.Q[i].T @ Z
        tau[i] = b @ (moment if links.revolute[i] else f)
        f, moment = links.Q[i] @ f, links.Q[i] @ moment
    return links.joint_order(tau) + links.joint_order(links.rotor) * qdd


def _accelerations(links, w, al, to_com, to_end, slide):
    """Return (accelerations of the centres of mass, gravity), (n, 3) each, in frame i."""
    a_e, g, rows = np.zeros(3), links.g, []
    for i in range(links.n):
        joint, g = links.Q[i].T @ a_e + slide[i], links.Q[i].T @ g

        def at(r):
            return joint + cross(al[i], r) + cross(w[i], cross(w[i], r))

        rows.append((at(to_com[i]), g))
        a_e = at(to_end[i])
    return tuple(np.array(column) for column in zip(*rows))
