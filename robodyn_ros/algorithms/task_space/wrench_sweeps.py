# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Torques and accelerations due to wrenches on the bodies."""

from robodyn_ros.algorithms.core.articulated import articulated_inertias
from robodyn_ros.algorithms.core.joint_transform import along_joint, carry_wrench, joint_transforms
from robodyn_ros.algorithms.mass_matrix.mass_matrix_solve import solve_loaded
from robodyn_ros.model.layout import PARENT, V
from robodyn_ros.spatial.primitive import recursion
from robodyn_ros.spatial.types import Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import load, scale, store


@recursion
def torque_of_wrench(
    topology: Topology, constants: Table, work: Work, q: Vector, f_ext: Matrix, tau: Vector
):
    """Compute tau = J^T f = H phi B f of wrenches on any bodies, in O(n).

    `f_ext` (nb, 6): moment and force on each body, in its frame, about its origin [N m, N].
    """
    joint_transforms(topology, constants, work, q)
    for i in range(1, topology.shape[0]):
        store(work[i].moment, load(f_ext[i]))
        store(work[i].force, load(f_ext[i], 3))
    for i in range(topology.shape[0] - 1, 0, -1):
        parent = topology[i, PARENT]
        n, f = load(work[i].moment), load(work[i].force)
        tau[topology[i, V]] = along_joint(topology, constants, i, n, f)
        if parent > 0:
            carry_wrench(work, i, parent, n, f)


@recursion
def acceleration_of_wrench(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    f_ext: Matrix,
    diagonal: Vector,
    qdd: Vector,
):
    """Compute qdd = (M + diag(diagonal))^-1 J^T f, in O(n), without J and M.

    Jain 2011, Algorithm 7.3, for wrenches on the bodies; (7.43) and (7.44) have the opposite sign.

    `diagonal` (nv,): added to the mass matrix [kg m^2 or kg].
    """
    joint_transforms(topology, constants, work, q)
    status = articulated_inertias(topology, constants, work, diagonal)
    for i in range(1, topology.shape[0]):
        work[i].residual = 0.0
        store(work[i].moment, scale(-1.0, load(f_ext[i])))
        store(work[i].force, scale(-1.0, load(f_ext[i], 3)))
    solve_loaded(topology, constants, work, qdd)
    return status
