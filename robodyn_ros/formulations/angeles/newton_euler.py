# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics by recursion in the axes of the links: Angeles, Algorithms 7.4.1 and 7.4.2.

    outward  omega_i = Q_i^T (omega_(i-1) + qd_i e_i)
             cddot_i = Q_i^T (cddot_(i-1) + omegadot_(i-1) x delta_(i-1) + omega_(i-1) x u_(i-1))
                       + omegadot_i x rho_i + omega_i x v_i,    u = omega x delta, v = omega x rho
    inward   f_i = m_i cddot_i + Q_(i+1) f_(i+1)
             n_i = I_i omegadot_i + omega_i x I_i omega_i + rho_i x f_i + Q_(i+1) n_(i+1)
                   + delta_i x Q_(i+1) f_(i+1)
             tau_i = e_i . Q_i n_i  (turning)   or   e_i . Q_i f_i  (sliding)

Equations 7.25 to 7.44; weight by the base acceleration cddot_0 = -g (7.44). Serial chains, O(n):
137 n - 22 multiplications and 110 n - 14 additions with all joints turning (Tables 7.1, 7.2). Row
{c_i} is missing from the printed Table 7.1.

Corrections to the print, for sliding joints: e_i must be turned into F_(i+1) before it is added to
vectors there. The lever from C_i to the next origin is delta_i + b_(i+1) e_(i+1), not delta_i.
Taken literally, the arm of Example 7.11 gets torques 0.3 and 0.56 in place of 7.28 and -10.95.
"""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.formulations.arm import cross, states
from robodyn_ros.formulations.serial_chain import Z, links_at


@dataclass(frozen=True, eq=False)
class Motion:
    """Of every link, (n, 3) each, in its own F_(i+1): its turning, and its centre of mass."""

    w: np.ndarray
    wd: np.ndarray
    c: np.ndarray
    cdot: np.ndarray
    cdd: np.ndarray


def outward(links, qd, qdd):
    """Algorithm 7.4.1: the Motion of all links. qd, qdd (n,) from base to tip.

    82 multiplications and 66 additions a turning joint, 70 and 53 a sliding one. cddot includes
    the base acceleration -g.
    """
    w, wd, c, cdot = np.zeros((4, 3))
    cdd, delta = -links.g, np.zeros(3)
    rows = []
    for i in range(links.n):
        QT, rho = links.Q[i].T, links.rho[i]
        if links.revolute[i]:
            u = cross(w, delta)
            cdd = QT @ (cdd + cross(wd, delta) + cross(w, u))
            wd = QT @ (wd + cross(w, qd[i] * Z) + qdd[i] * Z)
            w = QT @ (w + qd[i] * Z)
            v = cross(w, rho)
            c = QT @ (c + delta) + rho
            cdot = QT @ (cdot + u) + v
            cdd = cdd + cross(wd, rho) + cross(w, v)
        else:
            w, wd, e = QT @ w, QT @ wd, QT @ Z
            u = QT @ (delta + links.b[i] * Z) + rho
            v = cross(w, u)
            c = QT @ c + u
            cdot = QT @ cdot + v + qd[i] * e
            cdd = QT @ cdd + cross(wd, u) + cross(w, v + 2.0 * qd[i] * e) + qdd[i] * e
        delta = links.delta[i]
        rows.append((w, wd, c, cdot, cdd))
    return Motion(*(np.array(column) for column in zip(*rows)))


def euler_moment(I, w, wd):  # noqa: E741
    """I omegadot + omega x I omega (3,) [N m] about the centre of mass (7.5a)."""
    return I @ wd + cross(w, I @ w)


def inward(links, motion, force, moment, moment_of=euler_moment):
    """Algorithm 7.4.2: (n_i, f_i, tau_i), (n, 3), (n, 3) and (n,), base to tip.

    The wrench (n_i, f_i) is that on link i by link i-1, at O_i in F_(i+1); tau without rotors.
    force [N], moment [N m] : on the last link by its surroundings, at its centre of mass, in its
    own axes (7.38a). Equation 7.61 puts the same wrench at the operation point.
    """
    n, f = np.empty((links.n, 3), motion.cdd.dtype), np.empty((links.n, 3), motion.cdd.dtype)
    tau = np.empty(links.n, motion.cdd.dtype)
    phi, beyond, lever = -force, -moment, np.zeros(3)
    for i in reversed(range(links.n)):
        own = moment_of(links.I[i], motion.w[i], motion.wd[i])
        f[i] = links.m[i] * motion.cdd[i] + phi
        n[i] = own + cross(links.rho[i], f[i]) + beyond + cross(lever, phi)
        phi, beyond = links.Q[i] @ f[i], links.Q[i] @ n[i]
        tau[i] = beyond[2] if links.revolute[i] else phi[2]
        lever = links.delta[i - 1] + links.b[i] * Z
    return n, f, tau


def joint_wrenches(robot, q, qd, qdd, tip_wrench=None):
    """What every joint carries: (n, 6) moment then force on link i by link i-1, in base axes.

    At O_i, the origin of the joint in the robot's description, which slides with a sliding link.
    Along e_i stands the torque (or the force) of the drive. The other five components are the load
    of the bearing (7.53). Weight is carried too, rotors are not. tip_wrench (6,) : force [N],
    moment [N m] on the last link at its centre of mass, in base axes. ModelError if the robot
    branches, ShapeError.
    """
    links, n, f, _ = _wrenches(robot, q, qd, qdd, tip_wrench)
    R = links.base_axes()
    return links.joint_order(
        np.array([np.concatenate((R[i] @ n[i], R[i] @ f[i])) for i in range(links.n)])
    )


def inverse_dynamics(robot, q, qd, qdd, tip_wrench=None):
    """tau (n,) [N m or N] of a serial robot by Algorithms 7.4.1 and 7.4.2; in O(n).

    q, qd, qdd (n,). tip_wrench as in joint_wrenches. ModelError if the robot branches, ShapeError.
    """
    links, _, _, tau = _wrenches(robot, q, qd, qdd, tip_wrench)
    return links.joint_order(tau) + links.joint_order(links.rotor) * qdd


def _wrenches(robot, q, qd, qdd, tip_wrench):
    q, qd, qdd = states(robot, q, qd, qdd)
    links = links_at(robot, q)
    tip = np.zeros(6) if tip_wrench is None else np.asarray(tip_wrench, dtype=float)
    to_tip = links.base_axes()[-1].T
    motion = outward(links, qd[links.order], qdd[links.order])
    return links, *inward(links, motion, to_tip @ tip[:3], to_tip @ tip[3:])
