# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The modified Newton-Euler set of Turney, Mudge and Lee, section 5: one matrix A_i a link.

    A_i = w w^T - |w|^2 E + skew(al):     w x (w x b) + al x b = A_i b
    a_i = A_i r_i + R a_(i-1)
    f_i = m A_i (rbar_i + r_i) + m R a_(i-1) + R f_(i+1)                                     (5.1)
    n_i = v(A_i K_i) + (rbar_i + r_i) x m abar_i + r_i x R f_(i+1) + R n_(i+1)               (5.2)

with K_i = tr(I_i) E / 2 - I_i, the pseudo-inertia about the centre of mass. v(P) is the vector
(P_zy - P_yz, P_xz - P_zx, P_yx - P_xy), so that v(A K) = I al + w x I w. Otherwise as section 3
(luh_walker_paul.py). Serial chains, O(n): 90 n - 27 multiplications, 88 n - 24 additions (Table
4).

Corrections to the print: entry (3, 2) of A_i is wy wz + al_x. K_i is taken about the centre of
mass, not about origin i-1. The x component of the moment is (A K)_zy - (A K)_yz. The last term of
(5.2) is R n_(i+1).
"""

import numpy as np

from robodyn_ros.formulations.arm import skew
from robodyn_ros.formulations.turney.luh_walker_paul import recursion

E = np.eye(3)


def rate_matrix(w, al):
    """Return a (3, 3) with A b = w x (w x b) + al x b."""
    return np.outer(w, w) - (w @ w) * E + skew(al)


def pseudo_inertia(inertia):
    """K (3, 3) = tr(I) E / 2 - I: the integral of d d^T dm about the com."""
    return 0.5 * np.trace(inertia) * E - inertia


def axial(P):
    """v(P) (3,) = (P_zy - P_yz, P_xz - P_zx, P_yx - P_xy)."""
    return np.array([P[2, 1] - P[1, 2], P[0, 2] - P[2, 0], P[1, 0] - P[0, 1]])


def inertia_wrenches(links, w, al, r, slide):
    """(m abar, v(A K)), (n, 3) each: the wrench that moves every link, weight included."""
    a, forces, moments = -links.g, [], []
    for i in range(links.n):
        A = rate_matrix(w[i], al[i])
        before = links.Q[i].T @ a + slide[i]
        a = A @ r[i] + before
        forces.append(links.m[i] * (A @ (r[i] - links.delta[i]) + before))
        moments.append(axial(A @ pseudo_inertia(links.I[i])))
    return np.array(forces), np.array(moments)


def inverse_dynamics(robot, q, qd, qdd, sensor=None):
    """tau (n,) [N m or N] of a serial robot, in O(n); arguments as in luh_walker_paul."""
    return recursion(inertia_wrenches, robot, q, qd, qdd, sensor)
