# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forward dynamics over independent coordinates, in O(n) by aggregated bodies.

(M + diag) qdd = tau - E^T tau_tree(q, E qd, dE/dt qd): projected dynamics (Jain 2011, section
11.3). Variants solve this with sparse factors of M over the reduced tree.
"""

import numpy as np

from robodyn_ros.algorithms.constraints.aggregated_bodies import (
    aggregated_inertias,
    solve_aggregated,
)
from robodyn_ros.algorithms.constraints.expansion import (
    add_rate_of_expansion,
    all_positions,
    all_square,
    body_of,
    expand,
    expand_positions,
    of_joints,
    of_velocities,
    project,
    project_both,
    reduced,
    square,
    unaccelerated,
)
from robodyn_ros.algorithms.constraints.loops import has_loops
from robodyn_ros.algorithms.constraints.mass_matrix import mass_matrix_at, mass_solve
from robodyn_ros.algorithms.core import coriolis, crba, joint_wrenches, rnea
from robodyn_ros.algorithms.core import gravity as weight
from robodyn_ros.algorithms.core.composite import factorise, solve_factorised
from robodyn_ros.algorithms.task_space import wrench_sweeps
from robodyn_ros.spatial.primitive import primitive, separate
from robodyn_ros.spatial.types import (
    Constant,
    Flags,
    Indices,
    Matrix,
    Table,
    Topology,
    Vector,
    Work,
)


@primitive
def bias_of_motion(topology, constants, gravity, work, q, qd, f_ext, tau):
    """Compute tau = C(q, qd) qd + g(q) - J^T f_ext.

    Returns positions of all joints [rad or m], a views of working memory.
    """
    everything = expand_positions(topology, constants, work, q)
    rates = expand(topology, work, 0, qd)
    accelerations = unaccelerated(topology, constants, work, 1, qd)
    tau_tree = of_joints(topology, work, 2)
    rnea.inverse_dynamics(
        topology, constants, gravity, work, everything, rates, accelerations, f_ext, tau_tree
    )
    project(topology, work, tau_tree, tau)
    return everything


@primitive
def bias_torque(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    q: Vector,
    qd: Vector,
    tau: Vector,
):
    """Compute tau = C(q, qd) qd + g(q), as `rnea.bias_torque` does.

    At qdd = 0 the dependent joints of loops still accelerate.
    """
    bias_of_motion(
        topology, constants, gravity, work, q, qd, np.zeros((topology.shape[0], 6)), tau
    )


@primitive
def forward_dynamics(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    q: Vector,
    qd: Vector,
    tau: Vector,
    f_ext: Matrix,
    diagonal: Vector,
    qdd: Vector,
):
    """Compute qdd = (M + diag(diagonal))^-1 (tau - C qd - g + J^T f_ext)."""
    rest = of_velocities(topology, work, 3)
    bias_of_motion(topology, constants, gravity, work, q, qd, f_ext, rest)
    for k in range(qdd.shape[0]):
        rest[k] = tau[k] - rest[k]
    status = aggregated_inertias(topology, constants, work, diagonal)
    solve_aggregated(topology, constants, work, rest, qdd)
    return status


@primitive
def motion_of_joints(topology, work, qdd):
    """Return positions, velocities and accelerations of all joints, after `forward_dynamics`.

    Returns views of work: positions, velocities, and accelerations E qdd + dE/dt qd.
    """
    caused, accelerations = expand(topology, work, 2, qdd), of_joints(topology, work, 1)
    for i in range(accelerations.shape[0]):
        accelerations[i] = accelerations[i] + caused[i]
    return all_positions(topology, work), of_joints(topology, work, 0), accelerations


@primitive
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
    """Compute forward dynamics by the sparse factors of the mass matrix."""
    everything = bias_of_motion(topology, constants, gravity, work, q, qd, f_ext, bias)
    mass_matrix_at(topology, constants, work, everything, F)
    status = body_of(topology, factorise(reduced(topology), diagonal, F, qdd))
    for k in range(qdd.shape[0]):
        qdd[k] = tau[k] - bias[k]
    solve_factorised(reduced(topology), F, qdd)
    return status


@primitive
def forward_dynamics_dense(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    q: Vector,
    qd: Vector,
    tau: Vector,
    f_ext: Matrix,
    diagonal: Vector,
    M: Matrix,
    bias: Vector,
    qdd: Vector,
):
    """Compute forward dynamics as `forward_dynamics_factored` does."""
    return forward_dynamics_factored(
        topology, constants, gravity, work, q, qd, tau, f_ext, diagonal, M, bias, qdd
    )


@primitive
def unloaded_forward_dynamics(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    q: Vector,
    qd: Vector,
    tau: Vector,
    diagonal: Vector,
    M: Matrix,
    bias: Vector,
    qdd: Vector,
):
    """Compute `forward_dynamics_factored` without external wrenches."""
    unloaded = np.zeros((topology.shape[0], 6))
    return forward_dynamics_factored(
        topology, constants, gravity, work, q, qd, tau, unloaded, diagonal, M, bias, qdd
    )


@primitive
def forward_dynamics_wrenches(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    carried: Indices,
    links: Table,
    q: Vector,
    qd: Vector,
    tau: Vector,
    f_ext: Matrix,
    diagonal: Vector,
    qdd: Vector,
    wrenches: Matrix,
):
    """Compute forward dynamics, and the wrench across every joint of the tree.

    `wrenches` (nb - 1, 6), written: force and moment at the origin of each link [N, N m], in base
      axes.
    """
    status = forward_dynamics(topology, constants, gravity, work, q, qd, tau, f_ext, diagonal, qdd)
    everything, rates, accelerations = motion_of_joints(topology, work, qdd)
    joint_wrenches.joint_wrenches(
        topology,
        constants,
        gravity,
        work,
        carried,
        links,
        everything,
        rates,
        accelerations,
        f_ext,
        of_joints(topology, work, 2),
        wrenches,
    )
    return status


@primitive
def acceleration_of_wrench(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    f_ext: Matrix,
    diagonal: Vector,
    qdd: Vector,
):
    """Compute qdd = (M + diag(diagonal))^-1 J^T f_ext."""
    tau = of_velocities(topology, work, 3)
    everything, tau_tree = (
        expand_positions(topology, constants, work, q),
        of_joints(topology, work, 2),
    )
    wrench_sweeps.torque_of_wrench(topology, constants, work, everything, f_ext, tau_tree)
    project(topology, work, tau_tree, tau)
    status = aggregated_inertias(topology, constants, work, diagonal)
    solve_aggregated(topology, constants, work, tau, qdd)
    return status


@primitive
def hybrid_dynamics(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    q: Vector,
    qd: Vector,
    given: Vector,
    prescribed: Flags,
    f_ext: Matrix,
    diagonal: Vector,
    tau: Vector,
    qdd: Vector,
):
    """Solve tau = (M + diag(diagonal)) qdd + C qd + g - J^T f_ext, with one of tau and qdd given.

    Rows and columns of prescribed velocities are removed from M (Jain 2011, eq. 16.4).

    `given` (nv,): accelerations of the prescribed joints, torques of the others.
    `prescribed` (nv,): whether the acceleration of a joint is given.
    """
    held, M = of_velocities(topology, work, 3), square(topology, work)
    everything = bias_of_motion(topology, constants, gravity, work, q, qd, f_ext, held)
    mass_matrix_at(topology, constants, work, everything, M)
    n = qdd.shape[0]
    for k in range(n):
        qdd[k] = given[k] if prescribed[k] else given[k] - held[k]
    for k in range(n):
        if not prescribed[k]:
            for j in range(n):
                if prescribed[j]:
                    qdd[k] = qdd[k] - M[k, j] * given[j]
    for k in range(n):
        for j in range(n):
            if prescribed[k] or prescribed[j]:
                M[k, j] = 1.0 if k == j else 0.0
        tau[k] = 0.0 if prescribed[k] else diagonal[k]
    status = body_of(
        topology, factorise(reduced(topology), tau, M, of_velocities(topology, work, 4))
    )
    solve_factorised(reduced(topology), M, qdd)
    mass_matrix_at(topology, constants, work, everything, M)
    for k in range(n):
        if prescribed[k]:
            tau[k] = held[k] + diagonal[k] * qdd[k]
            for j in range(n):
                tau[k] = tau[k] + M[k, j] * qdd[j]
        else:
            tau[k] = given[k]
    return status


@separate
def add_rate_of_embedding(
    topology: Topology, constants: Table, work: Work, everything: Vector, qd: Vector, C: Matrix
):
    """Add E^T M_tree dE/dt to C, a column at a time (Jain 2011, section 15.1).

    `C` (nv, nv): Coriolis matrix to which it is added.
    """
    M_tree = all_square(topology, work)
    crba.mass_matrix(topology, constants, work, everything, M_tree)
    unit = of_velocities(topology, work, 1)
    for k in range(C.shape[1]):
        for j in range(C.shape[1]):
            unit[j] = 1.0 if j == k else 0.0
        column = of_joints(topology, work, 2)
        for i in range(column.shape[0]):
            column[i] = 0.0
        add_rate_of_expansion(topology, constants, work, qd, unit, column)
        torque = of_joints(topology, work, 3)
        for i in range(column.shape[0]):
            torque[i] = 0.0
            for j in range(column.shape[0]):
                torque[i] += M_tree[i, j] * column[j]
        share = of_velocities(topology, work, 4)
        project(topology, work, torque, share)
        for i in range(C.shape[0]):
            C[i, k] += share[i]


@primitive
def coriolis_matrix(
    topology: Topology, constants: Table, work: Work, q: Vector, qd: Vector, C: Matrix
):
    """Compute C = E^T (C_tree E + M_tree dE/dt), for which dM/dt - 2 C is skew-symmetric.

    `C` (nv, nv), written: Coriolis matrix [N m s/rad, N s or N s/m].
    """
    everything, C_tree = (
        expand_positions(topology, constants, work, q),
        all_square(topology, work),
    )
    rates = expand(topology, work, 0, qd)
    coriolis.coriolis_matrix(topology, constants, work, everything, rates, C_tree)
    project_both(topology, work, C_tree, C)
    if has_loops(topology):
        add_rate_of_embedding(topology, constants, work, everything, qd, C)


@primitive
def hamilton_rates(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    q: Vector,
    p: Vector,
    tau: Vector,
    zero: Vector,
    qd: Vector,
    pdot: Vector,
):
    """Compute qd = M^-1 p and pdot = tau - g + C^T qd, since dM/dt = C + C^T.

    `p` (nv,): generalised momenta [kg m^2/s or kg m/s].
    `qd` (nv,), written: joint velocities [rad/s or m/s].
    `pdot` (nv,), written: rates of the momenta [N m or N].
    """
    status = mass_solve(topology, constants, work, q, zero, p, qd)
    C = square(topology, work)
    coriolis_matrix(topology, constants, work, q, qd, C)
    everything, tau_tree = all_positions(topology, work), of_joints(topology, work, 2)
    weight.gravity_torque(topology, constants, gravity, work, everything, tau_tree)
    project(topology, work, tau_tree, pdot)
    for k in range(pdot.shape[0]):
        pdot[k] = tau[k] - pdot[k]
        for j in range(qd.shape[0]):
            pdot[k] = pdot[k] + C[j, k] * qd[j]
    return status
