# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Operational-space quantities over independent coordinates: J = J_tree E, and J M^-1 J^T."""

from robodyn_ros.algorithms.constraints.expansion import (
    all_columns,
    expand,
    expand_acceleration,
    expand_positions,
    of_velocities,
    project_columns,
    reduced,
    six_rows,
    square,
)
from robodyn_ros.algorithms.constraints.forward_dynamics import forward_dynamics
from robodyn_ros.algorithms.constraints.mass_matrix import factors
from robodyn_ros.algorithms.core import jacobian as jacobians
from robodyn_ros.algorithms.core import kinematics
from robodyn_ros.algorithms.core.composite import solve_factorised, solve_outer
from robodyn_ros.algorithms.task_space.cholesky_inverse import invert_definite
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Constant, Indices, Integer, Matrix, Table, Topology, Vector


@primitive
def jacobian(
    topology: Topology,
    constants: Table,
    scratch: Matrix,
    q: Vector,
    body: Integer,
    frame: Constant,
    J: Matrix,
):
    """J = J_tree E of a frame, in base axes, linear first; (6, nv), written."""
    everything = expand_positions(topology, constants, scratch, q)
    J_tree = all_columns(topology, scratch, 6)
    jacobians.jacobian(topology, constants, scratch, everything, body, frame, J_tree)
    project_columns(topology, scratch, J_tree, J)


@primitive
def load_wrenches(topology, constants, scratch, q, bodies, frames, wrenches, f_ext):
    """f_ext (nb, 6) of wrenches (m, 6) on m frames, as kinematics.load_wrenches."""
    everything = expand_positions(topology, constants, scratch, q)
    kinematics.load_wrenches(
        topology, constants, scratch, everything, bodies, frames, wrenches, f_ext
    )


@primitive
def operational_space(
    topology: Topology,
    constants: Table,
    scratch: Matrix,
    q: Vector,
    diagonal: Vector,
    body: Integer,
    frame: Constant,
    J: Matrix,
    compliance: Matrix,
):
    """J and Lambda^-1 = J M^-1 J^T = Y D^-1 Y^T of a frame, with Y = J L^-1.

    Arguments as those of operational_space_inertia.operational_space. Returns the pivot status.
    """
    jacobian(topology, constants, scratch, q, body, frame, J)
    status = factors(
        topology, constants, scratch, q, diagonal, of_velocities(topology, scratch, 0)
    )
    M, Y = square(topology, scratch), six_rows(topology, scratch)
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
    scratch: Matrix,
    q: Vector,
    diagonal: Vector,
    body: Integer,
    frame: Constant,
    factor: Matrix,
    J: Matrix,
    compliance: Matrix,
    inertia: Matrix,
):
    """J, J M^-1 J^T and its inverse Lambda; arguments as of cholesky_inverse.by_compliances."""
    status = operational_space(
        topology, constants, scratch, q, diagonal, body, frame, J, compliance
    )
    lost = invert_definite(compliance, factor, inertia)
    return status if status != 0 else lost


@primitive
def coupled_compliance(
    topology: Topology,
    constants: Table,
    scratch: Matrix,
    q: Vector,
    diagonal: Vector,
    bodies: Indices,
    frames: Table,
    J: Matrix,
    compliance: Matrix,
):
    """J (6 m, nv) and J M^-1 J^T of m frames. Returns the pivot status."""
    for k in range(bodies.shape[0]):
        rows = J[6 * k : 6 * k + 6]
        jacobian(topology, constants, scratch, q, bodies[k], frames[k], rows)
    x = of_velocities(topology, scratch, 0)
    status = factors(topology, constants, scratch, q, diagonal, x)
    for i in range(J.shape[0]):
        for k in range(J.shape[1]):
            x[k] = J[i, k]
        solve_factorised(reduced(topology), square(topology, scratch), x)
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
    scratch: Matrix,
    q: Vector,
    diagonal: Vector,
    J: Matrix,
    X: Matrix,
):
    """X = J M^-1, row by row.

    Parameters
    ----------
    J, X : (m, nv)

    Returns
    -------
    int
        The pivot status.
    """
    x = of_velocities(topology, scratch, 0)
    status = factors(topology, constants, scratch, q, diagonal, x)
    for row in range(J.shape[0]):
        for k in range(J.shape[1]):
            X[row, k] = J[row, k]
        solve_factorised(reduced(topology), square(topology, scratch), X[row])
    return status


@primitive
def task_acceleration(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    scratch: Matrix,
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
    """J qdd + Jdot qd of several frames, qdd by forward dynamics.

    Arguments as of `task_acceleration.task_acceleration`. Returns the pivot status.
    """
    status = forward_dynamics(
        topology, constants, gravity, scratch, q, qd, tau, f_ext, diagonal, qdd
    )
    everything = expand_positions(topology, constants, scratch, q)
    rates = expand(topology, scratch, 0, qd)
    accelerations = expand_acceleration(topology, constants, scratch, 1, qd, qdd)
    for k in range(bodies.shape[0]):
        jacobians.jacobian_bias(
            topology,
            constants,
            scratch,
            everything,
            rates,
            bodies[k],
            frames[k],
            accelerations,
            acceleration[6 * k : 6 * k + 6],
        )
    return status
