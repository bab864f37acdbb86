# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of forward dynamics, by articulated bodies and motions due to unit torques.

The inverse of the mass matrix is one of them. But accelerations from it would have errors of about
cond(M) roundings, and the derivatives by position even larger ones. Those of articulated bodies
have a few roundings.
"""

from robodyn_ros.algorithms.derivatives.articulated_world_frame import (
    accelerate_joints,
    add_inertia_force,
    eliminate_joints,
    start_articulated,
)
from robodyn_ros.algorithms.derivatives.inverse_dynamics_derivatives import (
    acceleration_of_carrier,
    motions_in_world_frame,
    sum_tip_to_base,
    velocity_of_carrier,
    wrenches_by_position,
    wrenches_by_velocity,
)
from robodyn_ros.algorithms.derivatives.tiles import (
    body_by_body,
    last_tile,
    numbers_in_tiles,
    tile_by_tile,
    wrenches_in_tiles,
)
from robodyn_ros.algorithms.derivatives.unit_torques import products_by_unit_torques, within_joints
from robodyn_ros.algorithms.variants.inverse_dynamics_fixed import force_about_base
from robodyn_ros.model.layout import V
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector, Work


@primitive
def body_of_joint(topology, number):
    """Return the row of the body with a joint; 0 for no joint.

    `number`: number of the joint counted from one, or 0.
    """
    found = 0
    for i in range(1, topology.shape[0]):
        if topology[i, V] == number - 1:
            found = i
    return found


@recursion
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
    """Compute the derivatives of forward dynamics by q, qd and tau, in O(n^2).

    dqdd/dq = -M^-1 dtau/dq, dqdd/dqd = -M^-1 dtau/dqd and dqdd/dtau = M^-1, since inverse dynamics
    of qdd is the identity on tau (Carpentier and Mansard 2018). Derivatives by q are along unit
    velocities.

    `wide`: working memory, of the shape of `unit_torques.memory`.
    `by_q`, `by_qd`, `by_tau` (nv, nv), written: derivatives, a row for each acceleration.
    """
    bodies, tiles = body_by_body(topology, work), tile_by_tile(topology, work)
    motions_in_world_frame(topology, constants, gravity, bodies, q, qd, diagonal)
    numbers = numbers_in_tiles(topology, constants, work)
    wrenches = wrenches_in_tiles(topology, f_ext, work)
    for i in range(1, last_tile(topology) + 1):
        force_about_base(numbers, tiles, i, wrenches)
        start_articulated(tiles, i)
    status = eliminate_joints(topology, constants, bodies, tau)
    accelerate_joints(topology, bodies, bias)
    for i in range(1, last_tile(topology) + 1):
        add_inertia_force(tiles, i)
    for i in range(1, topology.shape[0]):
        velocity_of_carrier(topology, bodies, i)
        acceleration_of_carrier(topology, gravity, bodies, i)
    sum_tip_to_base(topology, bodies)
    for i in range(1, last_tile(topology) + 1):
        wrenches_by_velocity(tiles, i)
        wrenches_by_position(tiles, i)
    products_by_unit_torques(topology, work, wide, by_q, by_qd, by_tau)
    within_joints(topology, bodies, by_q, by_tau)
    return status
