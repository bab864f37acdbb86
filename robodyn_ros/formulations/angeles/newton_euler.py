# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics by recursion in the axes of the links: Angeles, Algorithms 7.4.1 and 7.4.2.

    outward  omega_i = Q_i^T (omega_(i-1) + qd_i e_i)
             cddot_i = Q_i^T (cddot_(i-1) + omegadot_(i-1) x delta_(i-1) + omega_(i-1) x u_(i-1))
                       + omegadot_i x rho_i + omega_i x v_i,    u = omega x delta, v = omega x rho
    inward   f_i = m_i cddot_i + Q_(i+1) f_(i+1)
             n_i = I_i omegadot_i + omega_i x I_i omega_i + rho_i x f_i + Q_(i+1) n_(i+1)
                   + delta_i x Q_(i+1) f_(i+1)
             tau_i = e_i . Q_i n_i  (revolute)   or   e_i . Q_i f_i  (prismatic)

Equations 7.25 to 7.44; weight by the base acceleration cddot_0 = -g (7.44). Serial chains, O(n).
With all joints revolute, it takes 137 n - 22 multiplications and 110 n - 14 additions (Tables 7.1,
7.2). Row {c_i} is missing from the printed Table 7.1.

Corrections to the print, for prismatic joints: e_i must be turned into F_(i+1) before it is added
to vectors there. The lever from C_i to the next origin is delta_i + b_(i+1) e_(i+1), not delta_i.
As printed, the arm of Exercise 7.11 gets torques 0.3 and 0.56 in place of 7.28 and -10.95.
"""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import short_repr
from robodyn_ros.formulations.posture import cross, states
from robodyn_ros.formulations.serial_chain import Z, links_at


@dataclass(frozen=True, eq=False)
class Motion:
    """Motion of every link, in its own F_(i+1).

    `w`: angular velocity [rad/s].
    `wd`: angular acceleration [rad/s2].
    `c`: centre of mass [m].
    `cdot`: velocity of the centre of mass [m/s].
    `cdd`: acceleration of the centre of mass [m/s2].
    """

    w: np.ndarray
    wd: np.ndarray
    c: np.ndarray
    cdot: np.ndarray
    cdd: np.ndarray

    __repr__ = short_repr


def outward(links, qd, qdd):
    """Return the motion of all links: Algorithm 7.4.1.

    82 multiplications and 66 additions per revolute joint, 70 and 53 per prismatic joint. cddot
    includes the base acceleration -g.

    `links` (Links): a serial chain at one posture.
    `qd` (n,): joint velocities from base to tip [rad/s, m/s].
    `qdd` (n,): joint accelerations from base to tip [rad/s2, m/s2].
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
    """Return I omegadot + omega x I omega about the centre of mass (7.5a).

    `I` (3, 3): inertia tensor [kg m2].
    `w` (3,): angular velocity [rad/s].
    `wd` (3,): angular acceleration [rad/s2].
    """
    return I @ wd + cross(w, I @ w)


def inward(links, motion, force, moment, moment_of=euler_moment):
    """Return joint wrenches and torques, from base to tip: Algorithm 7.4.2.

    The wrench (n_i, f_i) acts on link i by link i-1, at O_i in F_(i+1). Equation 7.61 puts the tip
    wrench at the operation point instead.

    `links` (Links): a serial chain at one posture.
    `motion` (Motion): motion of the links.
    `force` (3,): force on the last link by its surroundings, at its centre of mass in
      its own axes (7.38a) [N].
    `moment` (3,): moment likewise [N m].
    `moment_of` (callable): `moment_of(I, w, wd)` returns the moment of inertia forces (3,).
    Returns `n` (n, 3): moments n_i [N m].
    Returns `f` (n, 3): forces f_i [N].
    Returns `tau` (n,): torques without rotors [N m, N].
    """
    n, f = np.empty((links.n, 3), motion.cdd.dtype), np.empty((links.n, 3), motion.cdd.dtype)
    tau = np.empty(links.n, motion.cdd.dtype)
    next_force, next_moment, lever = -force, -moment, np.zeros(3)
    for i in reversed(range(links.n)):
        own = moment_of(links.I[i], motion.w[i], motion.wd[i])
        f[i] = links.m[i] * motion.cdd[i] + next_force
        n[i] = own + cross(links.rho[i], f[i]) + next_moment + cross(lever, next_force)
        next_force, next_moment = links.Q[i] @ f[i], links.Q[i] @ n[i]
        tau[i] = next_moment[2] if links.revolute[i] else next_force[2]
        lever = links.delta[i - 1] + links.b[i] * Z
    return n, f, tau


def joint_wrenches(robot, q, qd, qdd, tip_wrench=None):
    """Return the wrench that every joint carries.

    It acts on link i by link i-1, at O_i. This is the origin of the joint in the robot's
    description, which slides with a prismatic joint. Its component along e_i is the torque (or the
    force) of the drive. The other five components are the load of the bearing (7.53). Weight is
    included, rotors are not.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `qdd` ((nv,) array_like): joint accelerations [rad/s2, m/s2].
    `tip_wrench` ((6,) array_like): force [N] and moment [N m] on the last link at its centre of
      mass, in base axes.
    Raises ModelError: if the robot branches.
    Raises ShapeError: if a state has another shape.
    """
    links, n, f, _ = _wrenches(robot, q, qd, qdd, tip_wrench)
    R = links.base_axes()
    return links.joint_order(
        np.array([np.concatenate((R[i] @ n[i], R[i] @ f[i])) for i in range(links.n)])
    )


def inverse_dynamics(robot, q, qd, qdd, tip_wrench=None):
    """Return the torques of a serial robot by Algorithms 7.4.1 and 7.4.2, in O(n).

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `qdd` ((nv,) array_like): joint accelerations [rad/s2, m/s2].
    `tip_wrench` ((6,) array_like): force [N] and moment [N m] on the last link at its centre of
      mass, in base axes.
    Raises ModelError: if the robot branches.
    Raises ShapeError: if a state has another shape.
    """
    links, _, _, tau = _wrenches(robot, q, qd, qdd, tip_wrench)
    return links.joint_order(tau) + links.joint_order(links.rotor) * qdd


def _wrenches(robot, q, qd, qdd, tip_wrench):
    """Return (Links, n_i, f_i, torques), from base to tip."""
    q, qd, qdd = states(robot, q, qd, qdd)
    links = links_at(robot, q)
    tip = np.zeros(6) if tip_wrench is None else np.asarray(tip_wrench, dtype=float)
    to_tip = links.base_axes()[-1].T
    motion = outward(links, qd[links.order], qdd[links.order])
    return links, *inward(links, motion, to_tip @ tip[:3], to_tip @ tip[3:])
