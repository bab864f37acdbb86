# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rates of the innovations factors M = L D L^T along a motion, in O(n depth)."""

from robodyn_ros.algorithms.core.articulated import articulated_inertias
from robodyn_ros.algorithms.core.articulated_body_rates import articulated_rates, relative_velocity
from robodyn_ros.algorithms.core.joint_transform import (
    along_joint,
    joint_transforms,
    wrench_on_parent,
)
from robodyn_ros.algorithms.mass_matrix.mass_matrix_factors import gain
from robodyn_ros.model.layout import PARENT, V
from robodyn_ros.spatial.primitive import recursion
from robodyn_ros.spatial.types import Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import add, cross, load


@recursion
def mass_factor_rates(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    qd: Vector,
    diagonal: Vector,
    F_rate: Matrix,
    D_rate: Vector,
):
    """Compute dF/dt and dD/dt of M + diag(diagonal) = F^T D F, in O(n depth).

    Row j of F contains H(i) X(i) with X(parent) = phi X, and X = G(j) at the start. Its rate is
    dX/dt + bar(Delta) X, carried likewise. At a unit velocity these are derivatives by one
    coordinate. Jain 2011, Algorithm 18.1 and eq. (18.61), with F = L^T.

    `F_rate` (nv, nv), written: rate of the unit triangular factor of the mass matrix.
    `D_rate` (nv,), written: rates of the joint inertias of the articulated bodies.
    """
    joint_transforms(topology, constants, work, q)
    status = articulated_inertias(topology, constants, work, diagonal)
    articulated_rates(topology, constants, work, qd)
    for row in range(F_rate.shape[0]):
        for column in range(F_rate.shape[1]):
            F_rate[row, column] = 0.0
    for j in range(1, topology.shape[0]):
        row, i = topology[j, V], j
        D_rate[row] = work[j].residual
        n, f = gain(work, j, 1.0)
        _, v = relative_velocity(topology, constants, qd, j)
        n_rate = add(load(work[j].carried), cross(v, f))
        f_rate = load(work[j].carried, 3)
        while topology[i, PARENT] > 0:
            n, f = wrench_on_parent(work, i, n, f)
            n_rate, f_rate = wrench_on_parent(work, i, n_rate, f_rate)
            i = topology[i, PARENT]
            F_rate[row, topology[i, V]] = along_joint(topology, constants, i, n_rate, f_rate)
            w, v = relative_velocity(topology, constants, qd, i)
            n_rate = add(n_rate, add(cross(w, n), cross(v, f)))
            f_rate = add(f_rate, cross(w, f))
    return status
