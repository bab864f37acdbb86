# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of operators by a coordinate: Jain, section 18.3.

    dg/dtheta_i = d(dg/dt)/d(thd_i)  of any g(theta)                                     (18.26)

A rate is linear in thd. So the sensitivity to theta_i is the rate at the unit velocity e_i. Then
Delta is H'(i) at the body of i and zero elsewhere, H_=i in the book. V^w is H^w'(i) at this body
and at all its descendants, H^w_<=i (18.31). Every function of this folder that takes thd takes
e_i.

    [phi]_i(k, j) = phi(k, i) [bar(H'(i)) phi(i, j) - phi(i, j) tilde(H^w'(i))]   j <= i < k
                  = tilde(H^w'(i)) phi(k, j) - phi(k, j) tilde(H^w'(i))      j <= k <= i (18.33c)

All other blocks are zero. Here j < i says that j is a descendant of i. The velocities of a ball
joint are no rates of coordinates. For these, the results are derivatives in the direction of the
velocity.

Corrections to the print: (18.31b) is of V_S^w. (18.33c) has bar(H'(i)) in its first term, and
j <= i, not k >= i, in its second.
"""

import numpy as np

from robodyn_ros.formulations.jain.sensitivities.fixed_axes import moving_operators
from robodyn_ros.formulations.jain.sensitivities.operator_rates import operator_rates
from robodyn_ros.formulations.jain.spatial_algebra import angular, bar, tilde


def unit_velocity(tree, i):
    """Return e_i: thd_i = 1, all other velocities zero.

    `tree` (Tree): bodies at one configuration.
    `i`: number of the freedom.
    """
    unit = np.zeros(tree.N)
    unit[i] = 1.0
    return unit


def map_gradients(tree, k):
    """Return dH'(k)/dtheta_i of each freedom i of hinge k, as body k sees it.

    `tree` (Tree): bodies at one configuration.
    `k`: the body.
    """
    hinge, theta = tree.bodies[k].hinge, tree.theta[k]
    return [hinge.map_rate(theta, unit) for unit in np.eye(hinge.nv)]


def operator_sensitivities(tree, i):
    """Return the derivatives of the operators by theta_i, in fixed axes ((18.33) to (18.36)).

    `tree` (Tree): bodies at one configuration.
    `i`: number of the freedom.
    """
    return operator_rates(moving_operators(tree, unit_velocity(tree, i)))


def phi_sensitivity(ops, i):
    """Return [phi]_i block by block (18.33c).

    `ops` (SpatialOperators): operators in fixed axes.
    `i`: number of the freedom.
    """
    tree, phi = ops.tree, ops.phi.array
    found, rows, b = np.zeros_like(phi), tree.rows, tree.owners[i]
    h = tree.H[b][i - tree.slices[b].start]
    turn = tilde(angular(h))
    carrying = list(tree.path(b))[1:]
    for j in range(b + 1):
        path = list(tree.path(j))
        if b not in path:
            continue
        for k in path[: path.index(b) + 1]:
            block = phi[rows[k], rows[j]]
            found[rows[k], rows[j]] = turn @ block - block @ turn
        block = phi[rows[b], rows[j]]
        seen = bar(h) @ block - block @ turn
        for k in carrying:
            found[rows[k], rows[j]] = phi[rows[k], rows[b]] @ seen
    return ops.phi.same(found)
