# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The modified Newton-Euler set of Turney, Mudge and Lee, section 5: one matrix A_i per link.

    A_i = w w^T - |w|^2 E + skew(al):     w x (w x b) + al x b = A_i b
    a_i = A_i r_i + R a_(i-1)
    f_i = m A_i (rbar_i + r_i) + m R a_(i-1) + R f_(i+1)                                     (5.1)
    n_i = v(A_i K_i) + (rbar_i + r_i) x m abar_i + r_i x R f_(i+1) + R n_(i+1)               (5.2)

with K_i = tr(I_i) E / 2 - I_i, the pseudo-inertia about the centre of mass. v(P) is the vector
(P_zy - P_yz, P_xz - P_zx, P_yx - P_xy), so that v(A K) = I al + w x I w. The rest is as in section
3 (luh_walker_paul.py). Serial chains, O(n).

Table 4 has 90 n - 27 multiplications and 88 n - 24 additions, against 108 n - 12 and 100 n - 9 of
the set of section 3 (Table 3). Both tables use A_i. But Table 3 charges 24 multiplications for
I al + w x I w of a full tensor, and Table 4 has 6 for v(A K) of a diagonal one. With equal tensors
they differ by 6 n + 15 multiplications and 15 additions, not by 18 n + 15 and 12 n + 15.

Counted as they run here from n = 3 on, where section 3 has cross products in place of A_i:

    principal axes      86 n - 71, 72 n - 70    against    103 n - 92, 77 n - 81
    full tensors        98 n - 71, 84 n - 70    against    115 n - 94, 89 n - 84

The products of the rotations are included, 4 a link, which the tables leave out; their zeros cost
nothing. With full tensors the 90 n - 27 of the report are exceeded from n = 6 on.

Corrections to the print: entry (3, 2) of A_i is wy wz + al_x. K_i is taken about the centre of
mass, not about origin i-1. The x component of the moment is (A K)_zy - (A K)_yz. The last term of
(5.2) is R n_(i+1).
"""

import numpy as np

from robodyn_ros.formulations.task_graph import at_once
from robodyn_ros.formulations.turney.luh_walker_paul import carried, recursion

E = np.eye(3)


def rate_matrix(w, al):
    """Return A with A b = w x (w x b) + al x b.

    `w` (3,): angular velocity [rad/s].
    `al` (3,): angular acceleration [rad/s2].
    """
    xx, yy, zz = w * w
    xy, xz, yz = w[0] * w[1], w[0] * w[2], w[1] * w[2]
    return np.array(
        [
            [-(yy + zz), xy - al[2], xz + al[1]],
            [xy + al[2], -(zz + xx), yz - al[0]],
            [xz - al[1], yz + al[0], -(xx + yy)],
        ]
    )


def pseudo_inertia(inertia):
    """Return K = tr(I) E / 2 - I, the integral of d d^T dm about the centre of mass.

    `inertia` (3, 3): inertia tensor about the centre of mass [kg m2].
    """
    return 0.5 * np.trace(inertia) * E - inertia


def moment(A, K):
    """Return v(A K) = I al + w x I w, from the six entries of A K off its diagonal.

    `A` (3, 3): rate matrix [1/s2].
    `K` (3, 3): pseudo-inertia about the centre of mass [kg m2].
    """
    return np.array(
        [
            A[2] @ K[:, 1] - A[1] @ K[:, 2],
            A[0] @ K[:, 2] - A[2] @ K[:, 0],
            A[1] @ K[:, 0] - A[0] @ K[:, 1],
        ]
    )


def inertia_wrenches(links, w, al, r, slide, step=at_once):
    """Return m abar and v(A K) of every link, which move it and carry its weight.

    `links`, `w`, `al`, `r`, `slide`, `step`: as of `luh_walker_paul.inertia_wrenches`.
    Returns `forces` (n times (3,) ndarray): m abar, in frame i [N].
    Returns `moments` (n times (3,) ndarray): v(A K), in frame i [N m].
    """
    a, forces, moments = -links.g, [], []
    for i, (Q, m, inertia) in enumerate(zip(links.Q, links.m, links.I)):
        A = step('A', i + 1, rate_matrix, w[i], al[i])
        before = step('R a', i + 1, carried, Q.T, a, slide[i])
        if i + 1 < links.n:
            a = step('a', i + 1, _product_and_sum, A, r[i], before)
        force = step('m abar', i + 1, _force, m, A, r[i] - links.delta[i], before)
        forces.append(force)
        moments.append(step('moment', i + 1, moment, A, pseudo_inertia(inertia)))
    return forces, moments


def _product_and_sum(A, b, before):
    """Return A b + before."""
    return A @ b + before


def _force(m, A, b, before):
    """Return m (A b + before)."""
    return m * (A @ b + before)


def inverse_dynamics(robot, q, qd, qdd, sensor=None, step=at_once):
    """Return the torques of a serial robot, in O(n).

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `qdd` ((nv,) array_like): joint accelerations [rad/s2, m/s2].
    `sensor` (tuple): reading of a wrist sensor, see luh_walker_paul.
    `step` (callable): computes each quantity; see `task_graph`.
    Raises ModelError: if the robot branches, or the sensor is not on the last link.
    Raises ShapeError: if a state has another shape.
    """
    return recursion(inertia_wrenches, robot, q, qd, qdd, sensor, step)
