# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The worked examples of Spong, sections 6.1 and 6.4, in closed form.

    D(q) qdd + C(q, qd) qd + g(q) = tau

Lengths l [m], distances of centres of mass lc [m], masses m [kg]. Inertias I [kg m2] are about the
centres of mass. Gravity G [m/s2] pulls along -y (the Cartesian arm: against its first joint).
"""

from dataclasses import dataclass

import numpy as np

G = 9.81


@dataclass(frozen=True, eq=False)
class Equations:
    """D (n, n), C (n, n) and g (n,) of one arm in one state."""

    D: np.ndarray
    C: np.ndarray
    g: np.ndarray

    def torque(self, qd, qdd):
        """D qdd + C qd + g, (n,)."""
        return self.D @ qdd + self.C @ qd + self.g


def vertical_mass(m, gravity=G):
    """Return a mass m that a force lifts, y upward (6.1 to 6.5): m yddot + m g = f."""
    return Equations(np.array([[m]]), np.zeros((1, 1)), np.array([m * gravity]))


def cartesian(m, gravity=G):
    """Return two perpendicular slides, the first vertical (6.69 to 6.77); no Coriolis terms."""
    return Equations(
        np.diag([m[0] + m[1], m[1]]), np.zeros((2, 2)), np.array([(m[0] + m[1]) * gravity, 0.0])
    )


def cartesian_parameters(m):
    """Theta (2,) of the Cartesian arm: m1 + m2, m2 (section 6.5.3)."""
    return np.array([m[0] + m[1], m[1]])


def cartesian_regressor(qdd, gravity=G):
    """Y (2, 2) of the Cartesian arm, tau = Y Theta."""
    return np.diag([qdd[0] + gravity, qdd[1]])


def planar_elbow(m, l, lc, I, q, qd, gravity=G):  # noqa: E741
    """Return two turning links in a vertical plane (6.78 to 6.91); h = -m2 l1 lc2 sin q2."""
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
    """Theta (5,) of the planar elbow (section 6.5.3)."""
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
    """Y (2, 5) with tau = Y Theta (6.122). Some printings have a wrong square in the first row."""
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
    """Return the elbow with both motors on the base (6.92 to 6.99); p1, p2 : from the horizontal.

    With p = (q1, q1 + q2) the Coriolis terms vanish and the centrifugal ones stay.
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
    """Theta (5,) of the remotely driven elbow, for absolute_regressor."""
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
    """Theta (5,) of the parallelogram, for absolute_regressor; the second may be zero (6.108)."""
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
    """Y (2, 5), tau = Y Theta, of two angles from the horizontal (6.122).

    The remotely driven elbow and the parallelogram are the same system, with other Theta.
    """
    (g1, g2), c, s = gravity * np.cos(p), np.cos(p[1] - p[0]), np.sin(p[1] - p[0])
    return np.array(
        [
            [pdd[0], c * pdd[1] - s * pd[1] ** 2, 0.0, g1, 0.0],
            [0.0, c * pdd[0] + s * pd[0] ** 2, pdd[1], 0.0, g2],
        ]
    )


def five_bar(m, l1, l2, lc, I, q, qd, gravity=G):  # noqa: E741
    """Return the parallelogram (6.100 to 6.111); bars 1, 3 along q1 and 2, 4 along q2, both
    absolute.

    m, lc, I (4,); l1 of bars 1 and 3, l2 the side they are apart by. It decouples where
    m3 l2 lc3 = m4 l1 lc4 (6.108): constant diagonal D, C = 0, and g_i of q_i alone.
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
    """m3 l2 lc3 - m4 l1 lc4 [kg m2]: zero if the bars are decoupled (6.108)."""
    return m[2] * l2 * lc[2] - m[3] * l1 * lc[3]


def geared_link(
    ratio, motor_inertia, link_inertia, mass, lc, motor_damping, link_damping, q, gravity=G
):
    """One link behind a gear r (Example 6.1): u = r tau_m; I = r^2 Jm + Jl in D, B in C.

    Correction to the print: B = r^2 Bm + Bl, as the power balance asks, not r Bm + Bl.
    """
    return Equations(
        np.array([[ratio**2 * motor_inertia + link_inertia]]),
        np.array([[ratio**2 * motor_damping + link_damping]]),
        np.array([mass * gravity * lc * np.sin(q[0])]),
    )


def elastic_link(motor_inertia, link_inertia, mass, lc, stiffness, q, gravity=G):
    """One link on a spring (Example 6.2): q = (angle of the link, of the motor), tau = (0, u).

    Correction to the print: the example names the two angles the other way round in its prose.
    """
    spring = stiffness * (q[0] - q[1])
    return Equations(
        np.diag([link_inertia, motor_inertia]),
        np.zeros((2, 2)),
        np.array([mass * gravity * lc * np.sin(q[0]) + spring, -spring]),
    )
