# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Hybrid dynamics term by term over independent coordinates, by the factors of M_pp."""

from robodyn_ros.algorithms.constraints.expansion import body_of, of_velocities, reduced, square
from robodyn_ros.algorithms.constraints.forward_dynamics import bias_of_motion
from robodyn_ros.algorithms.constraints.mass_matrix import mass_matrix_at
from robodyn_ros.algorithms.core.composite import factorise, solve_factorised
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector, Work


@primitive
def mixed_dynamics(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    q: Vector,
    qd: Vector,
    free: Vector,
    known: Matrix,
    f_ext: Matrix,
    tau: Matrix,
    qdd: Matrix,
):
    """Compute [tau_a; qdd_p] from [qdd_a; tau_p], row by row; the first row has the bias.

    Rows and columns of joints that are not free are replaced in M by those of the identity (Jain
    2011, eq. 16.4).

    `free` (nv,): 1 for a joint whose torque is given, 0 for one whose acceleration is given.
    `known` (m, nv): given torques and accelerations, one case for each row.
    """
    held, M = of_velocities(topology, work, 3), square(topology, work)
    everything = bias_of_motion(topology, constants, gravity, work, q, qd, f_ext, held)
    mass_matrix_at(topology, constants, work, everything, M)
    n = free.shape[0]
    for row in range(known.shape[0]):
        for k in range(n):
            right = known[row, k]
            if row == 0:
                right = right - free[k] * held[k]
            for j in range(n):
                right = right - free[k] * M[k, j] * (1.0 - free[j]) * known[row, j]
            qdd[row, k] = right
    for k in range(n):
        for j in range(n):
            M[k, j] = free[k] * free[j] * M[k, j]
        M[k, k] = M[k, k] + (1.0 - free[k])
    nothing, size = of_velocities(topology, work, 4), of_velocities(topology, work, 5)
    for k in range(n):
        nothing[k] = 0.0
    status = body_of(topology, factorise(reduced(topology), nothing, M, size))
    for row in range(known.shape[0]):
        solve_factorised(reduced(topology), M, qdd[row])
    mass_matrix_at(topology, constants, work, everything, M)
    for row in range(known.shape[0]):
        for k in range(n):
            own = 0.0
            if row == 0:
                own = own + held[k]
            for j in range(n):
                own = own + M[k, j] * qdd[row, j]
            tau[row, k] = free[k] * known[row, k] + (1.0 - free[k]) * own
    return status
