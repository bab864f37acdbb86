# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Operational-space quantities over independent coordinates: J = J_tree E, and J M^-1 J^T."""

from robodyn_ros.algorithms.constraints.expansion import (
    add_rate_of_expansion,
    all_columns,
    expand,
    expand_positions,
    of_joints,
    of_velocities,
    project_columns,
    reduced,
    six_rows,
    square,
)
from robodyn_ros.algorithms.constraints.forward_dynamics import forward_dynamics, motion_of_joints
from robodyn_ros.algorithms.constraints.loops import has_loops
from robodyn_ros.algorithms.constraints.mass_matrix import factors
from robodyn_ros.algorithms.core import jacobian as jacobians
from robodyn_ros.algorithms.core import kinematics
from robodyn_ros.algorithms.core.composite import solve_factorised, solve_outer
from robodyn_ros.algorithms.task_space.cholesky_inverse import invert_definite
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import (
    Constant,
    Indices,
    Integer,
    Matrix,
    Table,
    Topology,
    Vector,
    Work,
)


@primitive
def jacobian(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    body: Integer,
    frame: Constant,
    J: Matrix,
):
    """Compute J = J_tree E of a frame."""
    everything = expand_positions(topology, constants, work, q)
    J_tree = all_columns(topology, work, 6)
    jacobians.jacobian(topology, constants, work, everything, body, frame, J_tree)
    project_columns(topology, work, J_tree, J)


@primitive
def jacobian_derivative(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    qd: Vector,
    body: Integer,
    frame: Constant,
    Jdot: Matrix,
):
    """Compute dJ/dt = dJ_tree/dt E + J_tree dE/dt of a frame along qd.

    Column k of dE/dt is the symmetric form of `add_rate_of_expansion` of qd and unit velocity k.
    The latter has the length of qd there, so that rounding is relative to it. O(n) for fixed
    ratios, O(nv n) with closed loops.

    `Jdot` (6, nv), written: rate of the Jacobian [m/s or 1/s].
    """
    everything = expand_positions(topology, constants, work, q)
    rates, of_tree = expand(topology, work, 0, qd), all_columns(topology, work, 6)
    jacobians.jacobian_derivative(
        topology, constants, work, everything, rates, body, frame, of_tree
    )
    project_columns(topology, work, of_tree, Jdot)
    size = 0.0
    for k in range(qd.shape[0]):
        size = max(size, abs(qd[k]))
    if not has_loops(topology) or size == 0.0:
        return
    jacobians.jacobian(topology, constants, work, everything, body, frame, of_tree)
    unit, column = of_velocities(topology, work, 0), of_joints(topology, work, 1)
    for k in range(qd.shape[0]):
        for j in range(unit.shape[0]):
            unit[j] = size if j == k else 0.0
        for i in range(column.shape[0]):
            column[i] = 0.0
        add_rate_of_expansion(topology, constants, work, qd, unit, column)
        for row in range(6):
            for i in range(column.shape[0]):
                Jdot[row, k] = Jdot[row, k] + of_tree[row, i] * (column[i] / size)


@primitive
def load_wrenches(topology, constants, work, q, bodies, frames, wrenches, f_ext):
    """Compute the wrenches on the bodies from wrenches at the origins of m frames.

    `wrenches` (m, 6): force and moment in base axes [N, N m].
    `f_ext` (nb, 6), written: external moment and force on each body, in its frame about its origin
      [N m, N].
    """
    everything = expand_positions(topology, constants, work, q)
    kinematics.load_wrenches(
        topology, constants, work, everything, bodies, frames, wrenches, f_ext
    )


@primitive
def operational_space(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    diagonal: Vector,
    body: Integer,
    frame: Constant,
    J: Matrix,
    compliance: Matrix,
):
    """Compute J and Lambda^-1 = J M^-1 J^T = Y D^-1 Y^T of a frame, with Y = J L^-1."""
    jacobian(topology, constants, work, q, body, frame, J)
    status = factors(topology, constants, work, q, diagonal, of_velocities(topology, work, 0))
    M, Y = square(topology, work), six_rows(topology, work)
    for row in range(6):
        for k in range(J.shape[1]):
            Y[row, k] = J[row, k]
        solve_outer(reduced(topology), M, Y[row])
    for i in range(6):
        for j in range(i + 1):
            entry = 0.0
            for k in range(J.shape[1]):
                entry = entry + Y[i, k] * M[k, k] * Y[j, k]
            compliance[i, j] = entry
            compliance[j, i] = entry
    return status


@primitive
def by_compliances(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    diagonal: Vector,
    body: Integer,
    frame: Constant,
    factor: Matrix,
    J: Matrix,
    compliance: Matrix,
    inertia: Matrix,
):
    """Compute J, J M^-1 J^T and its inverse Lambda of a frame.

    `inertia` (6, 6), written: task inertia Lambda [kg, kg m, kg m^2].
    Returns 0, or another number if a pivot is singular, or a direction is lost or almost lost.
    """
    status = operational_space(topology, constants, work, q, diagonal, body, frame, J, compliance)
    lost = invert_definite(compliance, factor, inertia)
    return status if status != 0 else lost


@primitive
def coupled_compliance(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    diagonal: Vector,
    bodies: Indices,
    frames: Table,
    J: Matrix,
    compliance: Matrix,
):
    """Compute J and J M^-1 J^T of m frames.

    `J` (6 m, nv), written: Jacobians, six rows for each frame.
    """
    for k in range(bodies.shape[0]):
        rows = J[6 * k : 6 * k + 6]
        jacobian(topology, constants, work, q, bodies[k], frames[k], rows)
    x = of_velocities(topology, work, 0)
    status = factors(topology, constants, work, q, diagonal, x)
    for i in range(J.shape[0]):
        for k in range(J.shape[1]):
            x[k] = J[i, k]
        solve_factorised(reduced(topology), square(topology, work), x)
        for j in range(i + 1):
            entry = 0.0
            for k in range(J.shape[1]):
                entry = entry + J[j, k] * x[k]
            compliance[i, j] = entry
            compliance[j, i] = entry
    return status


@primitive
def task_solve(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    diagonal: Vector,
    J: Matrix,
    X: Matrix,
):
    """Compute X = J M^-1, row by row.

    `X` (m, nv), written: J M^-1.
    """
    x = of_velocities(topology, work, 0)
    status = factors(topology, constants, work, q, diagonal, x)
    for row in range(J.shape[0]):
        for k in range(J.shape[1]):
            X[row, k] = J[row, k]
        solve_factorised(reduced(topology), square(topology, work), X[row])
    return status


@primitive
def task_acceleration(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    q: Vector,
    qd: Vector,
    tau: Vector,
    f_ext: Matrix,
    diagonal: Vector,
    bodies: Indices,
    frames: Table,
    qdd: Vector,
    acceleration: Vector,
):
    """Compute J qdd + dJ/dt qd of m frames, with qdd by forward dynamics.

    `acceleration` (6 m,), written: linear and angular acceleration of each frame [m/s^2, rad/s^2],
      in base axes.
    """
    status = forward_dynamics(topology, constants, gravity, work, q, qd, tau, f_ext, diagonal, qdd)
    everything, rates, accelerations = motion_of_joints(topology, work, qdd)
    for k in range(bodies.shape[0]):
        jacobians.jacobian_bias(
            topology,
            constants,
            work,
            everything,
            rates,
            bodies[k],
            frames[k],
            accelerations,
            acceleration[6 * k : 6 * k + 6],
        )
    return status
