# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forward dynamics by the explicit innovations factor of the mass matrix, in O(n depth)."""

from robodyn_ros.algorithms.core.composite import solve_factorised
from robodyn_ros.algorithms.core.rnea import inverse_dynamics
from robodyn_ros.algorithms.mass_matrix.mass_matrix_factors import factor, joint_inertias
from robodyn_ros.model.layout import V
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector, Work


@primitive
def torque_left(topology, constants, gravity, work, q, qd, tau, f_ext, bias, qdd):
    """Compute tau - C qd - g + J^T f_ext, the torque that accelerates.

    `qdd` (nv,), written: this torque [N m or N].
    """
    for k in range(qdd.shape[0]):
        qdd[k] = 0.0
    inverse_dynamics(topology, constants, gravity, work, q, qd, qdd, f_ext, bias)
    for k in range(qdd.shape[0]):
        qdd[k] = tau[k] - bias[k]


@recursion
def forward_dynamics_factored(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    q: Vector,
    qd: Vector,
    tau: Vector,
    f_ext: Matrix,
    diagonal: Vector,
    F: Matrix,
    bias: Vector,
    qdd: Vector,
):
    """Solve L x = tau - C qd - g + J^T f_ext and L^T qdd = D^-1 x, L = 1 + H phi K, in O(n depth).

    Jain 2011, section 7.2, second option: with articulated inertias and the factor, without the
    mass matrix.
    """
    torque_left(topology, constants, gravity, work, q, qd, tau, f_ext, bias, qdd)
    status = joint_inertias(topology, constants, work, q, diagonal, bias)
    factor(topology, constants, work, F)
    for i in range(1, topology.shape[0]):
        F[topology[i, V], topology[i, V]] = work[i].d_inverse
    solve_factorised(topology, F, qdd)
    return status
