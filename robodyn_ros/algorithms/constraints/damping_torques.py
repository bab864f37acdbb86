# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Torques that damp a robot with dependent joints, in velocities in which its mass matrix is 1.

M = L^T D L over the independent velocities, eta = D^1/2 L qd = D^1/2 xi. With Mdot = C + C^T,

    X = L^-T Mdot L^-1 = dD/dt + Y + Y^T,   Y = D dL/dt L^-1 strictly lower
    m C(q, eta) = C qd - L^T (Y + dD/dt / 2) xi

This is Jain 2011, (19.16), with any factor of the mass matrix in place of articulated bodies.
"""

from robodyn_ros.algorithms.constraints.expansion import (
    all_parameters,
    of_velocities,
    reduced,
    square,
)
from robodyn_ros.algorithms.constraints.forward_dynamics import coriolis_matrix
from robodyn_ros.algorithms.constraints.mass_matrix import factors
from robodyn_ros.algorithms.core.composite import solve_outer
from robodyn_ros.model.layout import PARENT, V
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Table, Topology, Vector, Work


@primitive
def rate_of_mass_matrix(topology, constants, work, q, qd, product):
    """Return dM/dt = C + C^T in working memory, and compute C qd.

    `product` (nv,), written: C qd [N m or N].
    """
    nv = qd.shape[0]
    C = all_parameters(topology, work).reshape(-1)[: nv * nv].reshape(nv, nv)  # contiguous
    coriolis_matrix(topology, constants, work, q, qd, C)
    for k in range(nv):
        product[k] = 0.0
        for j in range(nv):
            product[k] = product[k] + C[k, j] * qd[j]
    for k in range(nv):
        for j in range(k + 1):
            both = C[k, j] + C[j, k]
            C[k, j] = both
            C[j, k] = both
    return C


@primitive
def damping_torques(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    qd: Vector,
    rates: Vector,
    diagonal: Vector,
    damping: Vector,
    coriolis: Vector,
):
    """Compute damping = -m rates m^T qd and coriolis = m C(q, eta), with M = m m^T, in O(n^3).

    `rates` (nv,): rates of decay [1/s].
    `damping` (nv,), written: damping torques [N m or N].
    `coriolis` (nv,), written: Coriolis torques [N m or N].
    """
    X = rate_of_mass_matrix(topology, constants, work, q, qd, coriolis)
    status = factors(topology, constants, work, q, diagonal, damping)
    tree, L = reduced(topology), square(topology, work)
    for k in range(qd.shape[0]):
        solve_outer(tree, L, X[k])
    for k in range(qd.shape[0]):
        solve_outer(tree, L, X[:, k])
        damping[k] = 0.0
    xi = of_velocities(topology, work, 1)
    for k in range(1, tree.shape[0]):
        row, i = tree[k, V], tree[k, PARENT]
        xi[row] = qd[row]
        while i > 0:
            xi[row] = xi[row] + L[row, tree[i, V]] * qd[tree[i, V]]
            i = tree[i, PARENT]
    for k in range(1, tree.shape[0]):
        row, i = tree[k, V], tree[k, PARENT]
        damped, lost = rates[row] * xi[row] / L[row, row], 0.5 * X[row, row] * xi[row]
        while i > 0:
            lost = lost + X[row, tree[i, V]] * xi[tree[i, V]]
            i = tree[i, PARENT]
        damping[row] = damping[row] - damped
        coriolis[row] = coriolis[row] - lost
        i = tree[k, PARENT]
        while i > 0:
            column = tree[i, V]
            damping[column] = damping[column] - L[row, column] * damped
            coriolis[column] = coriolis[column] - L[row, column] * lost
            i = tree[i, PARENT]
    return status
