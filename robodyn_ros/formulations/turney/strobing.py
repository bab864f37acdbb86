# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""M and C by repeated inverse dynamics ("strobing"): Turney, Mudge and Lee, sections 3 and 7.

    column j of M = NE(q, 0, e_j)                  without gravity
    C^i_jj = NE_i(q, e_j, 0)                       without gravity
    C^i_jk = (NE_i(q, e_j + e_k, 0) - NE_i(q, e_j, 0) - NE_i(q, e_k, 0)) / 2
    thdd = M^-1 (tau - NE(q, thd, 0))

For column j only the links from j on move. By symmetry only the torques from j on are needed.
`lower_half` leaves out the rest, so M takes about n (n + 1)/2 links in place of n^2 (section 7).
`forward_dynamics` takes it. `mass_matrix` and `coriolis_coefficients` strobe any inverse dynamics,
a function of (robot, q, qd, qdd) such as `Robot.inverse_dynamics`, with n and n (n + 1)/2 calls.

The report does not mention the subtraction in C^i_jk.
"""

import numpy as np

from robodyn_ros.formulations.posture import cross, states
from robodyn_ros.formulations.serial_chain import Z, links_at
from robodyn_ros.formulations.turney.modified_newton_euler import inverse_dynamics as modified

NO_GRAVITY = (0.0, 0.0, 0.0)


def quadratic_coefficients(f, n):
    """Return c of a quadratic form, f(x)_i = sum c_ijk x_j x_k, by n (n + 1)/2 calls.

    `f` (callable): `f(x)` returns the forms (m,) of x (n,).
    `n`: number of variables.
    """
    unit = np.eye(n)
    square = [f(unit[j]) for j in range(n)]
    c = np.empty((len(square[0]), n, n), np.asarray(square[0]).dtype)
    for j in range(n):
        c[:, j, j] = square[j]
        for k in range(j):
            c[:, j, k] = c[:, k, j] = 0.5 * (f(unit[j] + unit[k]) - square[j] - square[k])
    return c


def mass_matrix(robot, q, inverse_dynamics=modified):
    """Return M(q) by one inverse dynamics per column.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `inverse_dynamics` (callable): `inverse_dynamics(robot, q, qd, qdd)` returns the torques (nv,).
    """
    (q,) = states(robot, q)
    weightless, rest = robot.with_gravity(NO_GRAVITY), np.zeros(len(q))
    return np.stack(
        [inverse_dynamics(weightless, q, rest, unit) for unit in np.eye(len(q))], axis=1
    )


def lower_half(robot, q):
    """Return M(q) of a serial robot: column j by links and torques from j on.

    The outward recursion at rest starts at link j, and the inward one ends there. A revolute joint
    has al_j = R z and a_j = al_j x r_j, a prismatic one a_j = R z.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    Raises ModelError: if the robot branches.
    """
    (q,) = states(robot, q)
    links = links_at(robot, q)
    rbar, n = -links.delta, links.n
    r = np.array([a + Q.T[:, 2] * b for a, Q, b in zip(links.a, links.Q, links.b)])
    M = np.empty((n, n), r.dtype)
    for j in range(n):
        forces, moments = [], []
        al = links.Q[j].T @ Z if links.revolute[j] else np.zeros(3)
        a = cross(al, r[j]) if links.revolute[j] else links.Q[j].T @ Z
        for i in range(j, n):
            if i > j:
                al = links.Q[i].T @ al
                a = links.Q[i].T @ a + cross(al, r[i])
            forces.append(links.m[i] * (a + cross(al, rbar[i])))
            moments.append(links.I[i] @ al)
        f, moment = np.zeros(3), np.zeros(3)
        for i in reversed(range(j, n)):
            own = forces[i - j]
            moment = moments[i - j] + cross(r[i] + rbar[i], own) + cross(r[i], f) + moment
            f = own + f
            M[i, j] = M[j, i] = links.Q[i, 2] @ (moment if links.revolute[i] else f)
            if i > j:
                f, moment = links.Q[i] @ f, links.Q[i] @ moment
    M = M + np.diag(links.rotor)
    ordered = np.empty_like(M)
    ordered[np.ix_(links.order, links.order)] = M
    return ordered


def coriolis_coefficients(robot, q, inverse_dynamics=modified):
    """Return C^i_jk, the Christoffel symbols [jk, i], symmetric in j and k.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `inverse_dynamics` (callable): `inverse_dynamics(robot, q, qd, qdd)` returns the torques (nv,).
    """
    (q,) = states(robot, q)
    weightless, rest = robot.with_gravity(NO_GRAVITY), np.zeros(len(q))
    return quadratic_coefficients(lambda qd: inverse_dynamics(weightless, q, qd, rest), len(q))


def eliminate(M, b):
    """Return x with M x = b by elimination without pivoting, as M is positive definite.

    `M` (n, n): symmetric, positive definite matrix.
    `b` (n,): right side.
    """
    rows = np.column_stack((M, b))
    for k in range(len(b)):
        for i in range(k + 1, len(b)):
            rows[i] -= rows[i, k] / rows[k, k] * rows[k]
    x = np.zeros(len(b), rows.dtype)
    for k in reversed(range(len(b))):
        x[k] = (rows[k, -1] - rows[k, k + 1 : -1] @ x[k + 1 :]) / rows[k, k]
    return x


def forward_dynamics(robot, q, qd, tau):
    """Return thdd of a serial robot: bias, half of M by strobing, then elimination (section 7).

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `tau` ((nv,) array_like): joint torques [N m, N].
    Raises ModelError: if the robot branches.
    """
    q, qd, tau = states(robot, q, qd, tau)
    bias = modified(robot, q, qd, np.zeros(len(q)))
    return eliminate(lower_half(robot, q), tau - bias)
