# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Derivatives by independent coordinates: E^T by_q_tree E, and further terms in loops.

They are those of tau = E^T tau_tree(theta, theta', theta''). There theta' = E qd and theta'' =
E qdd + f(qd, qd), and f has the second derivatives of theta. In loops E depends on q. Their
kernels allocate memory, since the derivatives of large robots are large.
"""

import numpy as np

from robodyn_ros.algorithms.constraints.expansion import (
    all_square,
    body_of,
    expand,
    expand_acceleration,
    expand_positions,
    expansion,
    project,
    project_both,
    project_columns,
    reduced,
)
from robodyn_ros.algorithms.constraints.forward_dynamics import forward_dynamics
from robodyn_ros.algorithms.constraints.loop_derivatives import (
    mixed_third_derivative,
    second_derivatives,
)
from robodyn_ros.algorithms.constraints.loops import has_loops
from robodyn_ros.algorithms.core import crba, rnea
from robodyn_ros.algorithms.core.composite import factorise, inverse_of_factors
from robodyn_ros.algorithms.core.matrices import negative_products
from robodyn_ros.algorithms.derivatives import inverse_dynamics_derivatives as of_inverse_dynamics
from robodyn_ros.algorithms.derivatives import mass_matrix_derivative as of_mass_matrix
from robodyn_ros.model.layout import COUNT, FIRST
from robodyn_ros.spatial.primitive import primitive, separate
from robodyn_ros.spatial.types import Constant, Matrix, Stack, Table, Topology, Vector, Work


@primitive
def inverse_dynamics_derivatives(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    f_ext: Matrix,
    by_q: Matrix,
    by_qd: Matrix,
    by_qdd: Matrix,
):
    """Compute dtau/dq along unit velocities, dtau/dqd and dtau/dqdd = M.

    `by_q` (nv, nv), written: derivative by the positions, along unit velocities; a row for each
      torque.
    `by_qd` (nv, nv), written: derivative by the velocities; a row for each torque.
    `by_qdd` (nv, nv), written: derivative by the accelerations, which is the mass matrix.
    """
    everything = expand_positions(topology, constants, work, q)
    rates = expand(topology, work, 0, qd)
    accelerations = expand_acceleration(topology, constants, work, 1, qd, qdd)
    n = rates.shape[0]
    of_q, of_qd, of_qdd = all_square(topology, work), np.empty((n, n)), np.empty((n, n))
    of_inverse_dynamics.inverse_dynamics_derivatives(
        topology,
        constants,
        gravity,
        work,
        everything,
        rates,
        accelerations,
        f_ext,
        of_q,
        of_qd,
        of_qdd,
    )
    project_both(topology, work, of_q, by_q)
    project_both(topology, work, of_qd, by_qd)
    project_both(topology, work, of_qdd, by_qdd)
    if has_loops(topology):
        tau_tree = np.empty(n)
        rnea.inverse_dynamics(
            topology, constants, gravity, work, everything, rates, accelerations, f_ext, tau_tree
        )
        add_terms_of_loops(
            topology, constants, work, qd, qdd, tau_tree, of_qd, of_qdd, by_q, by_qd
        )


@separate
def add_terms_of_loops(
    topology: Topology,
    constants: Table,
    work: Work,
    qd: Vector,
    qdd: Vector,
    tau_tree: Vector,
    of_qd: Matrix,
    of_qdd: Matrix,
    by_q: Matrix,
    by_qd: Matrix,
):
    """Add the terms of dE/dq.

    `tau_tree` (n,): torques of all joints [N m or N].
    `of_qd`, `of_qdd` (n, n): derivatives over the tree.
    `by_q`, `by_qd` (nv, nv): derivatives to which the terms are added.
    """
    n, nv = tau_tree.shape[0], qd.shape[0]
    second, mixed = second_derivatives(topology, constants, work), np.zeros(n)
    torque, projected = np.zeros(n), np.zeros(nv)
    for k in range(nv):
        mixed_third_derivative(topology, constants, work, qd, k, mixed)
        velocities = np.zeros(n)
        for m in range(nv):
            for i in range(n):
                velocities[i] += second[m, k, i] * qd[m]
                mixed[i] += second[m, k, i] * qdd[m]
                by_q[m, k] += second[m, k, i] * tau_tree[i]
        for i in range(n):
            torque[i] = 0.0
            for j in range(n):
                torque[i] += of_qd[i, j] * velocities[j] + of_qdd[i, j] * mixed[j]
        project(topology, work, torque, projected)
        for m in range(nv):
            by_q[m, k] += projected[m]
        for i in range(n):
            torque[i] = 0.0
            for j in range(n):
                torque[i] += 2.0 * of_qdd[i, j] * velocities[j]
        project(topology, work, torque, projected)
        for m in range(nv):
            by_qd[m, k] += projected[m]


@separate
def add_rate_of_projection(
    topology: Topology, constants: Table, work: Work, M_tree: Matrix, by_q: Stack
):
    """Add dE^T/dq_k M_tree E and its transpose for every k.

    `M_tree` (n, n): mass matrix of the tree.
    `by_q` (nv, nv, nv): derivative of the mass matrix, to which they are added at [:, :, k].
    """
    n, nv = M_tree.shape[0], by_q.shape[0]
    second, product = second_derivatives(topology, constants, work), np.zeros((n, nv))
    project_columns(topology, work, M_tree, product)
    for k in range(nv):
        for i in range(nv):
            for j in range(nv):
                for m in range(n):
                    by_q[i, j, k] += second[i, k, m] * product[m, j]
                    by_q[j, i, k] += second[i, k, m] * product[m, j]


@primitive
def forward_dynamics_derivatives(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    q: Vector,
    qd: Vector,
    tau: Vector,
    f_ext: Matrix,
    diagonal: Vector,
    bias: Vector,
    wide: Matrix,
    by_q: Matrix,
    by_qd: Matrix,
    by_tau: Matrix,
):
    """Compute dqdd/dq along unit velocities, dqdd/dqd and dqdd/dtau = M^-1.

    `wide`: working memory, at least of the shape of `matrices.wide`.
    `by_q`, `by_qd`, `by_tau` (nv, nv), written: derivatives, a row for each acceleration.
    """
    status = forward_dynamics(
        topology, constants, gravity, work, q, qd, tau, f_ext, diagonal, bias
    )
    factors = np.empty(by_tau.shape)
    inverse_dynamics_derivatives(
        topology, constants, gravity, work, q, qd, bias, f_ext, by_q, by_qd, factors
    )
    if status == 0:
        status = body_of(topology, factorise(reduced(topology), diagonal, factors, bias))
    inverse_of_factors(reduced(topology), factors, by_tau)
    negative_products(by_tau, by_q, by_qd, wide)
    return status


@primitive
def mass_matrix_derivative(
    topology: Topology, constants: Table, work: Work, q: Vector, zero: Vector, by_q: Stack
):
    """Compute dM/dq along unit velocities.

    `by_q` (nv, nv, nv), written: dM_ij/dq_k at [i, j, k].
    """
    everything = expand_positions(topology, constants, work, q)
    n, nv = topology.shape[0] - 1, zero.shape[0]
    by_all, square = np.empty((n, n, n)), np.empty((nv, nv))
    of_mass_matrix.mass_matrix_derivative(
        topology, constants, work, everything, np.zeros(n), by_all
    )
    by_q[:] = 0.0
    for k in range(1, n + 1):
        slab = all_square(topology, work)
        for i in range(n):
            for j in range(n):
                slab[i, j] = by_all[i, j, k - 1]
        project_both(topology, work, slab, square)
        for m in range(topology[k, COUNT]):
            place = topology[k, FIRST] + m
            share = expansion(topology, work)[k - 1, m]
            for i in range(nv):
                for j in range(nv):
                    by_q[i, j, place] += share * square[i, j]
    if has_loops(topology):
        M_tree = all_square(topology, work)
        crba.mass_matrix(topology, constants, work, everything, M_tree)
        add_rate_of_projection(topology, constants, work, M_tree, by_q)
