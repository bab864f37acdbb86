# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Algebra of spatial vectors: Jain, chapter 1.

    z = [x; y] angular part first      tilde(z) = [[S(x), 0], [S(y), S(x)]]              (1.23)
    bar(z) = -tilde(z)'                hat(z)   = [[S(x), S(y)], [S(y), 0]]              (1.25)
    phi(x, y) = [[R, S(l) R], [0, R]]  with l = l(x, y) from x to y                    (1.29, 1.31)
    V(y) = phi'(x, y) V(x)             f(x) = phi(x, y) f(y)                           (1.33, 1.47)

S is the cross-product matrix, a prime the transpose (a star in the book). R turns coordinates of
frame y into those of frame x; left out, both points use the same axes.

Corrections to the print: bar(z) is -tilde(z)', not -hat(z)' (1.26). Of (1.36a), bar(X^v) Y^w = 0
and tilde(X^v) Y^v = 0 hold, tilde(X^v) Y^w = 0 does not.
"""

import numpy as np

from robodyn_ros.formulations.arm import cross, skew

ONE, NONE = np.eye(3), np.zeros((3, 3))


def transform(R, l):  # noqa: E741  the letter of the book
    """T(F, G) = [[R, l], [0, 1]] (4, 4): coordinates of G into those of F (1.1 to 1.3)."""
    return np.block([[R, np.reshape(l, (3, 1))], [np.zeros((1, 3)), np.ones((1, 1))]])


def inverse_transform(T):
    """T(G, F) = T(F, G)^-1 = [[R', -R' l], [0, 1]] (4, 4), without an inverse (1.5)."""
    R, l = T[:3, :3], T[:3, 3]  # noqa: E741
    return transform(R.T, -R.T @ l)


def tilde(z):
    """Cross product of motions (6, 6): tilde(z) z2 = [x x x2; y x x2 + x x y2] (1.23)."""
    x, y = skew(z[:3]), skew(z[3:])
    return np.block([[x, NONE], [y, x]])


def bar(z):
    """Cross product of a motion with forces (6, 6): -tilde(z)' (1.26, corrected)."""
    return -tilde(z).T


def hat(z):
    """hat(z) (6, 6), skew, for which tilde(A)' B = hat(B) A (1.25, 1.27)."""
    x, y = skew(z[:3]), skew(z[3:])
    return np.block([[x, y], [y, NONE]])


def angular(X):
    """X^w: the angular part alone, [x; 0] (1.21)."""
    return np.concatenate((X[:3], np.zeros(3)))


def linear(X):
    """X^v: the linear part alone, [0; y] (1.21)."""
    return np.concatenate((np.zeros(3), X[3:]))


def phi(l, R=ONE):  # noqa: E741
    """phi(x, y) (6, 6) of l = l(x, y) (3,) [m] in axes of x (1.29, 1.31).

    phi(x, x) = 1, phi(x, y) phi(y, z) = phi(x, z), phi^-1(x, y) = phi(y, x) (Lem 1.1).
    """
    return np.block([[R, skew(l) @ R], [NONE, R]])


def phi_inverse(phi_xy):
    """phi(y, x) (6, 6) from phi(x, y): [[R', -R' S(l)], [0, R']], without an inverse (1.32)."""
    return np.block([[phi_xy[:3, :3].T, phi_xy[:3, 3:].T], [NONE, phi_xy[3:, 3:].T]])


def phi_rate_inertial(V_x, V_y):
    """d phi(x, y)/dt = bar(V^v(y)) - bar(V^v(x)) (6, 6), all in fixed axes (1.37)."""
    return bar(linear(V_y)) - bar(linear(V_x))


def phi_transpose_rate(phi_xy, V):
    """d phi'(x, y)/dt = -tilde(V) phi'(x, y) (6, 6) in axes of each frame (1.42).

    V (6,) : velocity of frame y relative to frame x, at y, in axes of y. The book writes it as
    tilde of the velocity of x relative to y, which is its negative.
    """
    return -tilde(V) @ phi_xy.T


def rate_in(rate, X, V):
    """dX/dt as seen from F (6,), from dX/dt as seen from G and V(F, G) of G in F (1.28).

    d_F X/dt = d_G X/dt + tilde(V^w) X; of the upper or lower half, (1.6): xdot + omega x x.
    """
    return rate + tilde(angular(V)) @ X


def rotation_rate(R, omega):
    """Rdot = S(omega) R (3, 3), omega of G in F, in axes of F (1.8)."""
    return skew(omega) @ R


def point_velocity(v, omega, l):  # noqa: E741
    """v(y) = v(x) + omega x l (3,) [m/s] (1.16)."""
    return v + cross(omega, l)


def point_acceleration(a, alpha, omega, l):  # noqa: E741
    """a(y) = a(x) + alpha x l + omega x (omega x l) (3,) [m/s2], of the inertial frame (1.18)."""
    return a + cross(alpha, l) + cross(omega, cross(omega, l))


def moving_point_acceleration(a, omega, speed, rate):
    """a(P) = a(y) + rate + 2 omega x speed (3,): of a particle that moves on the body (1.19).

    a (3,) : of the point y of the body it is at. speed, rate (3,) : its velocity and acceleration
    as the body sees them.
    """
    return a + rate + 2.0 * cross(omega, speed)
