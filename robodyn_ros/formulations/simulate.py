# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Integration of qdd = f(t, q, qd) by the methods of the books.

Runge-Kutta (Turney, Mudge and Lee, section 7), for y' = g(y), y = (qd, q):

    y_(k+1) = y_k + (h1 + 2 h2 + 2 h3 + h4)/6                           error of order dt^4

Euler (Craig, eq. 6.116, 6.117), with the OLD velocity in both:

    qd_(k+1) = qd_k + qdd_k dt,   q_(k+1) = q_k + qd_k dt + qdd_k dt^2/2   error of order dt

Craig's q alone is of second order. As qd is of first order, so is the whole.
"""

import numpy as np


def runge_kutta(f, t, y, dt):
    """Return y after one step of the classical Runge-Kutta method for y' = f(t, y).

    `f` (callable): `f(t, y)` returns the rate of y.
    `t`: time [s].
    `y` (ndarray): state, of any shape.
    `dt`: length of the step [s].
    """
    h1 = f(t, y)
    h2 = f(t + dt / 2, y + dt / 2 * h1)
    h3 = f(t + dt / 2, y + dt / 2 * h2)
    h4 = f(t + dt, y + dt * h3)
    return y + dt / 6 * (h1 + 2 * h2 + 2 * h3 + h4)


def turney(acceleration, q, qd, dt, steps):
    """Return coordinates and velocities after some Runge-Kutta steps.

    `acceleration` (callable): `acceleration(t, q, qd)` returns the accelerations (n,), for example
      `lambda t, q, qd: robot.forward_dynamics(q, qd, tau(t))`.
    `q` ((n,) array_like): coordinates at the start [rad, m].
    `qd` ((n,) array_like): velocities at the start [rad/s, m/s].
    `dt`: length of a step [s].
    `steps`: number of steps.
    Returns `q` (n,): coordinates at the end [rad, m].
    Returns `qd` (n,): velocities at the end [rad/s, m/s].
    """

    def rate(t, y):
        return np.array([y[1], acceleration(t, y[0], y[1])])

    y = np.array([q, qd], dtype=float)
    for k in range(steps):
        y = runge_kutta(rate, k * dt, y, dt)
    return y[0], y[1]


def craig(acceleration, q, qd, dt, steps):
    """Return coordinates and velocities after some of Craig's Euler steps.

    `acceleration` (callable): `acceleration(t, q, qd)` returns the accelerations (n,) [rad/s2,
      m/s2].
    `q` ((n,) array_like): coordinates at the start [rad, m].
    `qd` ((n,) array_like): velocities at the start [rad/s, m/s].
    `dt`: length of a step [s].
    `steps`: number of steps.
    Returns `q` (n,): coordinates at the end [rad, m].
    Returns `qd` (n,): velocities at the end [rad/s, m/s].
    """
    q, qd = np.array(q, dtype=float), np.array(qd, dtype=float)
    for k in range(steps):
        qdd = acceleration(k * dt, q, qd)
        q, qd = q + qd * dt + 0.5 * qdd * dt**2, qd + qdd * dt
    return q, qd
