# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Integration of qdd = f(t, q, qd), as the books do it.

Runge-Kutta (Turney, Mudge and Lee, section 7): y' = g(y), y = (qd, q),
    y_(k+1) = y_k + (h1 + 2 h2 + 2 h3 + h4)/6                           error of order dt^4
Euler (Craig, eq. 6.116, 6.117): both right-hand sides with the OLD rate,
    qd_(k+1) = qd_k + qdd_k dt,   q_(k+1) = q_k + qd_k dt + qdd_k dt^2/2   error of order dt

The second order of Craig's q does not help: qd, and so the whole, stays of first order.
"""

import numpy as np


def runge_kutta(f, t, y, dt):
    """One step of the classical four-point rule for y' = f(t, y), y of any shape."""
    h1 = f(t, y)
    h2 = f(t + dt / 2, y + dt / 2 * h1)
    h3 = f(t + dt / 2, y + dt / 2 * h2)
    h4 = f(t + dt, y + dt * h3)
    return y + dt / 6 * (h1 + 2 * h2 + 2 * h3 + h4)


def turney(acceleration, q, qd, dt, steps):
    """(q, qd), each (n,), after that many Runge-Kutta steps of dt [s].

    acceleration(t, q, qd) -> (n,), such as lambda t, q, qd: robot.forward_dynamics(q, qd, tau(t)).
    """

    def rate(t, y):
        return np.array([y[1], acceleration(t, y[0], y[1])])

    y = np.array([q, qd], dtype=float)
    for k in range(steps):
        y = runge_kutta(rate, k * dt, y, dt)
    return y[0], y[1]


def craig(acceleration, q, qd, dt, steps):
    """(q, qd), each (n,), after that many of Craig's Euler steps of dt [s]."""
    q, qd = np.array(q, dtype=float), np.array(qd, dtype=float)
    for k in range(steps):
        qdd = acceleration(k * dt, q, qd)
        q, qd = q + qd * dt + 0.5 * qdd * dt**2, qd + qdd * dt
    return q, qd
