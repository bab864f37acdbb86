# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The worked examples of Spong, sections 6.1 and 6.4, in closed form.

    D(q) qdd + C(q, qd) qd + g(q) = tau

Gravity acts along -y (for the Cartesian arm: against its first joint).
"""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import short_repr

G = 9.81


@dataclass(frozen=True, eq=False)
class Equations:
    """The equations of motion of an arm in one state.

    `D`: mass matrix.
    `C`: Coriolis matrix.
    `g`: gravity torques [N m, N].
    """

    D: np.ndarray
    C: np.ndarray
    g: np.ndarray

    __repr__ = short_repr

    def torque(self, qd, qdd):
        """Return D qdd + C qd + g.

        `qd` ((n,) array_like): joint velocities [rad/s, m/s].
        `qdd` ((n,) array_like): joint accelerations [rad/s2, m/s2].
        """
        return self.D @ qdd + self.C @ qd + self.g


def vertical_mass(m, gravity=G):
    """Return a mass that a force lifts, y upward: m yddot + m g = f (6.1 to 6.5).

    `m`: mass [kg].
    `gravity`: acceleration of free fall G [m/s2].
    """
    return Equations(np.array([[m]]), np.zeros((1, 1)), np.array([m * gravity]))


def cartesian(m, gravity=G):
    """Return two perpendicular prismatic joints, the first vertical (6.69 to 6.77).

    `m` (sequence of float): masses of the links [kg].
    `gravity`: acceleration of free fall G [m/s2].
    """
    return Equations(
        np.diag([m[0] + m[1], m[1]]), np.zeros((2, 2)), np.array([(m[0] + m[1]) * gravity, 0.0])
    )


def cartesian_parameters(m):
    """Return the parameters Theta of the Cartesian arm, m1 + m2 and m2 (section 6.5.3).

    `m` (sequence of float): masses of the links [kg].
    """
    return np.array([m[0] + m[1], m[1]])


def cartesian_regressor(qdd, gravity=G):
    """Return Y of the Cartesian arm, tau = Y Theta.

    `qdd` ((2,) array_like): joint accelerations [m/s2].
    `gravity`: acceleration of free fall G [m/s2].
    """
    return np.diag([qdd[0] + gravity, qdd[1]])


def planar_elbow(m, l, lc, I, q, qd, gravity=G):  # noqa: E741
    """Return two revolute links in a vertical plane (6.78 to 6.91); h = -m2 l1 lc2 sin q2.

    `m` (sequence of float): masses of the links [kg].
    `l` (sequence of float): lengths of the links [m].
    `lc` (sequence of float): distances from the joints to the centres of mass [m].
    `I` (sequence of float): inertias about the centres of mass [kg m2].
    `q` ((2,) array_like): joint coordinates [rad].
    `qd` ((2,) array_like): joint velocities [rad/s].
    `gravity`: acceleration of free fall G [m/s2].
    """
    c2 = np.cos(q[1])
    d12 = m[1] * (lc[1] ** 2 + l[0] * lc[1] * c2) + I[1]
    d11 = m[0] * lc[0] ** 2 + m[1] * (l[0] ** 2 + lc[1] ** 2 + 2 * l[0] * lc[1] * c2) + I[0] + I[1]
    h = -m[1] * l[0] * lc[1] * np.sin(q[1])
    far = m[1] * lc[1] * gravity * np.cos(q[0] + q[1])
    near = (m[0] * lc[0] + m[1] * l[0]) * gravity * np.cos(q[0])
    return Equations(
        np.array([[d11, d12], [d12, m[1] * lc[1] ** 2 + I[1]]]),
        np.array([[h * qd[1], h * (qd[0] + qd[1])], [-h * qd[0], 0.0]]),
        np.array([near + far, far]),
    )


def planar_elbow_parameters(m, l, lc, I):  # noqa: E741
    """Return the parameters Theta of the planar elbow (section 6.5.3).

    `m` (sequence of float): masses of the links [kg].
    `l` (sequence of float): lengths of the links [m].
    `lc` (sequence of float): distances from the joints to the centres of mass [m].
    `I` (sequence of float): inertias about the centres of mass [kg m2].
    """
    return np.array(
        [
            m[0] * lc[0] ** 2 + m[1] * (l[0] ** 2 + lc[1] ** 2) + I[0] + I[1],
            m[1] * l[0] * lc[1],
            m[1] * lc[1] ** 2 + I[1],
            m[0] * lc[0] + m[1] * l[0],
            m[1] * lc[1],
        ]
    )


def planar_elbow_regressor(q, qd, qdd, gravity=G):
    """Return Y of the planar elbow, tau = Y Theta (6.122).

    Some printings have a wrong square in the first row.

    `q` ((2,) array_like): joint coordinates [rad].
    `qd` ((2,) array_like): joint velocities [rad/s].
    `qdd` ((2,) array_like): joint accelerations [rad/s2].
    `gravity`: acceleration of free fall G [m/s2].
    """
    (c2, s2), (g1, g12) = (np.cos(q[1]), np.sin(q[1])), gravity * np.cos((q[0], q[0] + q[1]))
    return np.array(
        [
            [
                qdd[0],
                c2 * (2 * qdd[0] + qdd[1]) - s2 * (qd[1] ** 2 + 2 * qd[0] * qd[1]),
                qdd[1],
                g1,
                g12,
            ],
            [0.0, c2 * qdd[0] + s2 * qd[0] ** 2, qdd[0] + qdd[1], 0.0, g12],
        ]
    )


def remotely_driven(m, l, lc, I, p, pd, gravity=G):  # noqa: E741
    """Return the planar elbow with both motors on the base (6.92 to 6.99).

    With p = (q1, q1 + q2) the Coriolis terms vanish, but the centrifugal terms stay.

    `m` (sequence of float): masses of the links [kg].
    `l` (sequence of float): lengths of the links [m].
    `lc` (sequence of float): distances from the joints to the centres of mass [m].
    `I` (sequence of float): inertias about the centres of mass [kg m2].
    `p` ((2,) array_like): angles of the links from the horizontal [rad].
    `pd` ((2,) array_like): their rates [rad/s].
    `gravity`: acceleration of free fall G [m/s2].
    """
    d12 = m[1] * l[0] * lc[1] * np.cos(p[1] - p[0])
    k = m[1] * l[0] * lc[1] * np.sin(p[1] - p[0])
    return Equations(
        np.array(
            [[m[0] * lc[0] ** 2 + m[1] * l[0] ** 2 + I[0], d12], [d12, m[1] * lc[1] ** 2 + I[1]]]
        ),
        np.array([[0.0, -k * pd[1]], [k * pd[0], 0.0]]),
        gravity
        * np.array([(m[0] * lc[0] + m[1] * l[0]) * np.cos(p[0]), m[1] * lc[1] * np.cos(p[1])]),
    )


def remotely_driven_parameters(m, l, lc, I):  # noqa: E741
    """Return the parameters Theta of the remotely driven elbow, for `absolute_regressor`.

    `m` (sequence of float): masses of the links [kg].
    `l` (sequence of float): lengths of the links [m].
    `lc` (sequence of float): distances from the joints to the centres of mass [m].
    `I` (sequence of float): inertias about the centres of mass [kg m2].
    """
    return np.array(
        [
            m[0] * lc[0] ** 2 + m[1] * l[0] ** 2 + I[0],
            m[1] * l[0] * lc[1],
            m[1] * lc[1] ** 2 + I[1],
            m[0] * lc[0] + m[1] * l[0],
            m[1] * lc[1],
        ]
    )


def five_bar_parameters(m, l1, l2, lc, I):  # noqa: E741
    """Return the parameters Theta of the parallelogram, for `absolute_regressor`.

    The second is zero if the bars are decoupled (6.108).

    `m` (sequence of float): masses of the links [kg].
    `l1`: length of bars 1 and 3 [m].
    `l2`: distance between bars 1 and 3 [m].
    `lc` (sequence of float): distances from the joints to the centres of mass [m].
    `I` (sequence of float): inertias about the centres of mass [kg m2].
    """
    return np.array(
        [
            m[0] * lc[0] ** 2 + m[2] * lc[2] ** 2 + m[3] * l1**2 + I[0] + I[2],
            five_bar_coupling(m, l1, l2, lc),
            m[1] * lc[1] ** 2 + m[2] * l2**2 + m[3] * lc[3] ** 2 + I[1] + I[3],
            m[0] * lc[0] + m[2] * lc[2] + m[3] * l1,
            m[1] * lc[1] + m[2] * l2 - m[3] * lc[3],
        ]
    )


def absolute_regressor(p, pd, pdd, gravity=G):
    """Return Y of two angles from the horizontal, tau = Y Theta (6.122).

    The remotely driven elbow and the parallelogram are the same system, with different Theta.

    `p` ((2,) array_like): angles of the links from the horizontal [rad].
    `pd` ((2,) array_like): their rates [rad/s].
    `pdd` ((2,) array_like): their second derivatives [rad/s2].
    `gravity`: acceleration of free fall G [m/s2].
    """
    (g1, g2), c, s = gravity * np.cos(p), np.cos(p[1] - p[0]), np.sin(p[1] - p[0])
    return np.array(
        [
            [pdd[0], c * pdd[1] - s * pd[1] ** 2, 0.0, g1, 0.0],
            [0.0, c * pdd[0] + s * pd[0] ** 2, pdd[1], 0.0, g2],
        ]
    )


def five_bar(m, l1, l2, lc, I, q, qd, gravity=G):  # noqa: E741
    """Return the parallelogram linkage (6.100 to 6.111).

    Bars 1 and 3 are along q1, bars 2 and 4 along q2, both from the horizontal. It decouples where
    m3 l2 lc3 = m4 l1 lc4 (6.108): constant diagonal D, C = 0, and g_i depends on q_i alone.

    `m` (sequence of float): masses of the links [kg].
    `l1`: length of bars 1 and 3 [m].
    `l2`: distance between bars 1 and 3 [m].
    `lc` (sequence of float): distances from the joints to the centres of mass [m].
    `I` (sequence of float): inertias about the centres of mass [kg m2].
    `q` ((2,) array_like): joint coordinates [rad].
    `qd` ((2,) array_like): joint velocities [rad/s].
    `gravity`: acceleration of free fall G [m/s2].
    """
    k = five_bar_coupling(m, l1, l2, lc)
    cosine, sine = k * np.cos(q[1] - q[0]), k * np.sin(q[1] - q[0])
    d11 = m[0] * lc[0] ** 2 + m[2] * lc[2] ** 2 + m[3] * l1**2 + I[0] + I[2]
    d22 = m[1] * lc[1] ** 2 + m[2] * l2**2 + m[3] * lc[3] ** 2 + I[1] + I[3]
    return Equations(
        np.array([[d11, cosine], [cosine, d22]]),
        np.array([[0.0, -sine * qd[1]], [sine * qd[0], 0.0]]),
        gravity
        * np.array(
            [
                np.cos(q[0]) * (m[0] * lc[0] + m[2] * lc[2] + m[3] * l1),
                np.cos(q[1]) * (m[1] * lc[1] + m[2] * l2 - m[3] * lc[3]),
            ]
        ),
    )


def five_bar_coupling(m, l1, l2, lc):
    """Return m3 l2 lc3 - m4 l1 lc4, which is zero if the bars are decoupled (6.108).

    `m` (sequence of float): masses of the links [kg].
    `l1`: length of bars 1 and 3 [m].
    `l2`: distance between bars 1 and 3 [m].
    `lc` (sequence of float): distances from the joints to the centres of mass [m].
    """
    return m[2] * l2 * lc[2] - m[3] * l1 * lc[3]


def geared_link(
    ratio, motor_inertia, link_inertia, mass, lc, motor_damping, link_damping, q, gravity=G
):
    """Return one link behind a gear r (Example 6.1): u = r tau_m, D = r^2 Jm + Jl, C = B.

    Correction to the print: B = r^2 Bm + Bl, as the power balance requires, not r Bm + Bl.

    `ratio`: gear ratio r.
    `motor_inertia`: inertia of the motor [kg m2].
    `link_inertia`: inertia of the link [kg m2].
    `mass`: mass of the link [kg].
    `lc`: distance from the joint to the centre of mass [m].
    `motor_damping`: viscous friction Bm of the motor [N m s/rad].
    `link_damping`: viscous friction Bl of the link [N m s/rad].
    `q` ((1,) array_like): angle of the link [rad].
    `gravity`: acceleration of free fall G [m/s2].
    """
    return Equations(
        np.array([[ratio**2 * motor_inertia + link_inertia]]),
        np.array([[ratio**2 * motor_damping + link_damping]]),
        np.array([mass * gravity * lc * np.sin(q[0])]),
    )


def elastic_link(motor_inertia, link_inertia, mass, lc, stiffness, q, gravity=G):
    """Return one link on a spring (Example 6.2), tau = (0, u).

    Correction to the print: the prose of the example exchanges the names of the two angles.

    `motor_inertia`: inertia of the motor [kg m2].
    `link_inertia`: inertia of the link [kg m2].
    `mass`: mass of the link [kg].
    `lc`: distance from the joint to the centre of mass [m].
    `stiffness`: stiffness of the spring [N m/rad].
    `q` ((2,) array_like): angles of link and motor [rad].
    `gravity`: acceleration of free fall G [m/s2].
    """
    spring = stiffness * (q[0] - q[1])
    return Equations(
        np.diag([link_inertia, motor_inertia]),
        np.zeros((2, 2)),
        np.array([mass * gravity * lc * np.sin(q[0]) + spring, -spring]),
    )
