# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Velocities eta = D^1/2 L^T qd in which the mass matrix M = L D L^T is 1, and their rates.

The kinetic energy is eta^T eta / 2. See Jain 2011, chapter 19, and
robodyn_ros.formulations.jain.diagonalised. All joints are independent and have one degree of
freedom.
"""

from numpy import sqrt

from robodyn_ros.algorithms.core.rnea import inverse_dynamics
from robodyn_ros.algorithms.mass_matrix.mass_matrix_factors import mass_factors
from robodyn_ros.algorithms.variants.damping_torques import damping_torques
from robodyn_ros.model.layout import PARENT, V
from robodyn_ros.spatial.primitive import separate, unfused
from robodyn_ros.spatial.types import Constant, Integer, Matrix, Table, Topology, Vector, Work


@unfused
def sum_over_carriers(topology, F, rates, i):
    """Return the sum of F rates over the joints that carry body i; other entries of F are zero.

    `F` (nv, nv): unit triangular factor F = L^T.
    `rates` (nv,): joint velocities.
    """
    k, total, up = topology[i, V], 0.0, topology[i, PARENT]
    while up > 0:
        total = total + F[k, topology[up, V]] * rates[topology[up, V]]
        up = topology[up, PARENT]
    return total


@separate
def diagonal_velocities(
    topology: Topology,
    constants: Table,
    scratch: Work,
    q: Vector,
    qd: Vector,
    diagonal: Vector,
    F: Matrix,
    D: Vector,
    eta: Vector,
) -> Integer:
    """Compute eta = D^1/2 F qd, with M + diag(diagonal) = F^T D F, in O(n depth).

    Jain 2011, Table 19.1.

    `F` (nv, nv), written: unit triangular factor F = L^T.
    `eta` (nv,), written: velocities eta [J^0.5].
    """
    status = mass_factors(topology, constants, scratch, q, diagonal, F, D)
    for i in range(1, topology.shape[0]):
        k = topology[i, V]
        eta[k] = sqrt(D[k]) * (qd[k] + sum_over_carriers(topology, F, qd, i))
    return status


@separate
def joint_velocities(
    topology: Topology,
    constants: Table,
    scratch: Work,
    q: Vector,
    eta: Vector,
    diagonal: Vector,
    F: Matrix,
    D: Vector,
    qd: Vector,
) -> Integer:
    """Compute qd = F^-1 D^-1/2 eta from base to tip, in O(n depth).

    Jain 2011, Table 19.1.

    `eta` (nv,): velocities eta [J^0.5].
    `F` (nv, nv), written: unit triangular factor F = L^T.
    `qd` (nv,), written: joint velocities [rad/s or m/s].
    """
    status = mass_factors(topology, constants, scratch, q, diagonal, F, D)
    for i in range(1, topology.shape[0]):
        k = topology[i, V]
        qd[k] = eta[k] / sqrt(D[k]) - sum_over_carriers(topology, F, qd, i)
    return status


@separate
def diagonal_rates(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    scratch: Work,
    q: Vector,
    qd: Vector,
    tau: Vector,
    f_ext: Matrix,
    diagonal: Vector,
    F: Matrix,
    D: Vector,
    memory: Matrix,
    rates: Vector,
) -> Integer:
    """Compute d(eta)/dt = D^-1/2 F^-T (tau - g + J^T f_ext) - C(q, eta), in O(n depth).

    `F` (nv, nv): factor at q, as `joint_velocities` writes it.
    `D` (nv,): joint inertias at q, as `joint_velocities` writes them.
    `memory` (m, nv): working memory of at least three rows.
    `rates` (nv,), written: d(eta)/dt.
    """
    n = D.shape[0]
    rest, bias, coriolis = memory[0][:n], memory[1][:n], memory[2][:n]
    for k in range(n):
        rest[k] = 0.0
    inverse_dynamics(topology, constants, gravity, scratch, q, rest, rest, f_ext, bias)
    status = damping_torques(topology, constants, scratch, q, qd, rest, diagonal, rates, coriolis)
    for k in range(n):
        bias[k] = tau[k] - bias[k] - coriolis[k]
    for i in range(topology.shape[0] - 1, 0, -1):
        k, up = topology[i, V], topology[i, PARENT]
        while up > 0:
            j = topology[up, V]
            bias[j] = bias[j] - F[k, j] * bias[k]
            up = topology[up, PARENT]
        rates[k] = bias[k] / sqrt(D[k])
    return status
