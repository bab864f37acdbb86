# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Algebra of spatial vectors: Jain, chapter 1.

    z = [x; y] angular part first      tilde(z) = [[S(x), 0], [S(y), S(x)]]              (1.23)
    bar(z) = -tilde(z)'                hat(z)   = [[S(x), S(y)], [S(y), 0]]              (1.25)
    phi(x, y) = [[R, S(l) R], [0, R]]  with l = l(x, y) from x to y                    (1.29, 1.31)
    V(y) = phi'(x, y) V(x)             f(x) = phi(x, y) f(y)                           (1.33, 1.47)

S is the cross-product matrix, a prime the transpose (a star in the book). R turns coordinates of
frame y into those of frame x. Without R, both points use the same axes.

Corrections to the print: bar(z) is -tilde(z)', not -hat(z)' (1.26). Of (1.36a), bar(X^v) Y^w = 0
and tilde(X^v) Y^v = 0 hold, but tilde(X^v) Y^w = 0 does not.
"""

import numpy as np

from robodyn_ros.formulations.posture import cross, skew

ONE, NONE = np.eye(3), np.zeros((3, 3))


def blocks(a, b, c, d):
    """Return [[a, b], [c, d]]; np.block takes several times as long.

    `a`, `b`, `c`, `d` (3, 3): the blocks.
    """
    upper, lower = np.concatenate((a, b), axis=1), np.concatenate((c, d), axis=1)
    return np.concatenate((upper, lower))


def transform(R, l):  # noqa: E741  the letter of the book
    """Return T(F, G) = [[R, l], [0, 1]] (1.1 to 1.3).

    `R` (3, 3): axes of G in those of F.
    `l` (3,): origin of G in the axes of F [m].
    """
    return np.block([[R, np.reshape(l, (3, 1))], [np.zeros((1, 3)), np.ones((1, 1))]])


def inverse_transform(T):
    """Return T(G, F) = [[R', -R' l], [0, 1]] without a matrix inverse (1.5).

    `T` (4, 4): T(F, G).
    """
    R, l = T[:3, :3], T[:3, 3]  # noqa: E741
    return transform(R.T, -R.T @ l)


def tilde(z):
    """Return the cross product with motions: tilde(z) z2 = [x x x2; y x x2 + x x y2] (1.23).

    `z` (6,): spatial vector [x; y], angular part first.
    """
    x, y = skew(z[:3]), skew(z[3:])
    return blocks(x, NONE, y, x)


def bar(z):
    """Return the cross product of a motion with forces, -tilde(z)' (1.26, corrected).

    `z` (6,): spatial vector [x; y], angular part first.
    """
    return -tilde(z).T


def hat(z):
    """Return the skew matrix hat(z), for which tilde(A)' B = hat(B) A (1.25, 1.27).

    `z` (6,): spatial vector [x; y], angular part first.
    """
    x, y = skew(z[:3]), skew(z[3:])
    return blocks(x, y, y, NONE)


def angular(X):
    """Return the angular part of a spatial vector, X^w = [x; 0] (1.21).

    `X` (6,): spatial vector [x; y], angular part first.
    """
    return np.concatenate((X[:3], np.zeros(3)))


def linear(X):
    """Return the linear part of a spatial vector, X^v = [0; y] (1.21).

    `X` (6,): spatial vector [x; y], angular part first.
    """
    return np.concatenate((np.zeros(3), X[3:]))


def phi(l, R=ONE):  # noqa: E741
    """Return the rigid-body transformation phi(x, y) (1.29, 1.31).

    phi(x, x) = 1, phi(x, y) phi(y, z) = phi(x, z), phi^-1(x, y) = phi(y, x) (Lem 1.1).

    `l` (3,): from x to y, in the axes of x [m].
    `R` (3, 3): axes of y in those of x; the same axes by default.
    """
    return blocks(R, skew(l) @ R, NONE, R)


def phi_inverse(phi_xy):
    """Return phi(y, x) = [[R', -R' S(l)], [0, R']] without a matrix inverse (1.32).

    `phi_xy` (6, 6): phi(x, y).
    """
    return blocks(phi_xy[:3, :3].T, phi_xy[:3, 3:].T, NONE, phi_xy[3:, 3:].T)


def phi_rate_inertial(V_x, V_y):
    """Return d phi(x, y)/dt = bar(V^v(y)) - bar(V^v(x)), all in fixed axes (1.37).

    `V_x` (6,): spatial velocity of x [rad/s, m/s].
    `V_y` (6,): spatial velocity of y [rad/s, m/s].
    """
    return bar(linear(V_y)) - bar(linear(V_x))


def phi_transpose_rate(phi_xy, V):
    """Return d phi'(x, y)/dt = -tilde(V) phi'(x, y), in the axes of each frame (1.42).

    The book writes it with the velocity of x relative to y, which is the negative of V.

    `phi_xy` (6, 6): phi(x, y).
    `V` (6,): velocity of frame y relative to frame x, at y in the axes of y.
    """
    return -tilde(V) @ phi_xy.T


def rate_in(rate, X, V):
    """Return dX/dt as seen from F, given the rate as seen from G (1.28).

    d_F X/dt = d_G X/dt + tilde(V^w) X. Of each half alone it is (1.6): xdot + omega x x.

    `rate` (6,): dX/dt as seen from G.
    `X` (6,): spatial vector [x; y], angular part first.
    `V` (6,): velocity of G relative to F.
    """
    return rate + tilde(angular(V)) @ X


def rotation_rate(R, omega):
    """Return Rdot = S(omega) R (1.8).

    `R` (3, 3): axes of G in those of F.
    `omega` (3,): angular velocity of G relative to F, in the axes of F [rad/s].
    """
    return skew(omega) @ R


def point_velocity(v, omega, l):  # noqa: E741
    """Return v(y) = v(x) + omega x l of two points on a body (1.16).

    `v` (3,): velocity of x [m/s].
    `omega` (3,): angular velocity [rad/s].
    `l` (3,): from x to y [m].
    """
    return v + cross(omega, l)


def point_acceleration(a, alpha, omega, l):  # noqa: E741
    """Return a(y) = a(x) + alpha x l + omega x (omega x l), inertial derivatives (1.18).

    `a` (3,): acceleration of x [m/s2].
    `alpha` (3,): angular acceleration [rad/s2].
    `omega` (3,): angular velocity [rad/s].
    `l` (3,): from x to y [m].
    """
    return a + cross(alpha, l) + cross(omega, cross(omega, l))


def moving_point_acceleration(a, omega, speed, rate):
    """Return a(P) = a(y) + rate + 2 omega x speed of a particle moving on a body (1.19).

    `a` (3,): acceleration of the point y of the body where the particle is [m/s2].
    `omega` (3,): angular velocity [rad/s].
    `speed` (3,): velocity of the particle as the body sees it [m/s].
    `rate` (3,): acceleration of the particle as the body sees it [m/s2].
    """
    return a + rate + 2.0 * cross(omega, speed)
