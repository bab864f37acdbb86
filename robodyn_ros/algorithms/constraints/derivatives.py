# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Derivatives over independent coordinates, for constant E: by_q = E^T by_q_tree E.

Their kernels allocate memory, since the derivatives of large robots are large.
"""

import numpy as np

from robodyn_ros.algorithms.constraints.expansion import (
    all_square,
    body_of,
    expand,
    expand_acceleration,
    expand_positions,
    expansion,
    project_both,
    reduced,
)
from robodyn_ros.algorithms.constraints.forward_dynamics import forward_dynamics
from robodyn_ros.algorithms.core.composite import factorise, inverse_of_factors
from robodyn_ros.algorithms.core.matrices import negative_products
from robodyn_ros.algorithms.derivatives import inverse_dynamics_derivatives as of_inverse_dynamics
from robodyn_ros.algorithms.derivatives import mass_matrix_derivative as of_mass_matrix
from robodyn_ros.model.layout import COUNT, FIRST
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Constant, Matrix, Stack, Table, Topology, Vector


@primitive
def inverse_dynamics_derivatives(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    scratch: Matrix,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    f_ext: Matrix,
    by_q: Matrix,
    by_qd: Matrix,
    by_qdd: Matrix,
):
    """dtau/dq, dtau/dqd and dtau/dqdd = M, each (nv, nv), written."""
    everything = expand_positions(topology, constants, scratch, q)
    rates = expand(topology, scratch, 0, qd)
    accelerations = expand_acceleration(topology, constants, scratch, 1, qd, qdd)
    n = rates.shape[0]
    of_q, of_qd, of_qdd = all_square(topology, scratch), np.empty((n, n)), np.empty((n, n))
    of_inverse_dynamics.inverse_dynamics_derivatives(
        topology,
        constants,
        gravity,
        scratch,
        everything,
        rates,
        accelerations,
        f_ext,
        of_q,
        of_qd,
        of_qdd,
    )
    project_both(topology, scratch, of_q, by_q)
    project_both(topology, scratch, of_qd, by_qd)
    project_both(topology, scratch, of_qdd, by_qdd)


@primitive
def forward_dynamics_derivatives(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    scratch: Matrix,
    q: Vector,
    qd: Vector,
    tau: Vector,
    f_ext: Matrix,
    diagonal: Vector,
    bias: Vector,
    M: Matrix,
    wide: Matrix,
    by_q: Matrix,
    by_qd: Matrix,
    by_tau: Matrix,
):
    """dqdd/dq, dqdd/dqd and dqdd/dtau = M^-1; arguments and status as of the tree's."""
    status = forward_dynamics(
        topology, constants, gravity, scratch, q, qd, tau, f_ext, diagonal, bias
    )
    inverse_dynamics_derivatives(
        topology, constants, gravity, scratch, q, qd, bias, f_ext, by_q, by_qd, M
    )
    if status == 0:
        status = body_of(topology, factorise(reduced(topology), diagonal, M, bias))
    inverse_of_factors(reduced(topology), M, by_tau)
    negative_products(by_tau, by_q, by_qd, wide)
    return status


@primitive
def mass_matrix_derivative(
    topology: Topology, constants: Table, scratch: Matrix, q: Vector, zero: Vector, by_q: Stack
):
    """dM_ij / dq_k at [i, j, k]; (nv, nv, nv), written."""
    everything = expand_positions(topology, constants, scratch, q)
    n, nv = topology.shape[0] - 1, zero.shape[0]
    by_all, square = np.empty((n, n, n)), np.empty((nv, nv))
    of_mass_matrix.mass_matrix_derivative(
        topology, constants, scratch, everything, np.zeros(n), by_all
    )
    by_q[:] = 0.0
    for k in range(1, n + 1):
        slab = all_square(topology, scratch)
        for i in range(n):
            for j in range(n):
                slab[i, j] = by_all[i, j, k - 1]
        project_both(topology, scratch, slab, square)
        for m in range(topology[k, COUNT]):
            place = topology[k, FIRST] + m
            share = expansion(topology, scratch)[k - 1, m]
            for i in range(nv):
                for j in range(nv):
                    by_q[i, j, place] += share * square[i, j]
