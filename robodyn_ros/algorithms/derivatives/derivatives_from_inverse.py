# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of forward dynamics without articulated bodies, the shorter code for one robot.

The inverse of the mass matrix is one of the results. So the accelerations follow from it and from
the torque without acceleration. They enter only the derivative by position. Its accelerations and
wrenches are linear in them, and are corrected afterwards. The accelerations have errors of about
cond(M) roundings. That does no harm to an arm, but a chain of 30 joints loses one to two digits.
"""

from robodyn_ros.algorithms.core.coriolis import composite_inertia_times
from robodyn_ros.algorithms.core.matrices import negative_products
from robodyn_ros.algorithms.derivatives.forward_dynamics_derivatives import body_of_joint
from robodyn_ros.algorithms.derivatives.inverse_dynamics_derivatives import (
    acceleration_of_carrier,
    add_rotors,
    by_position,
    by_velocity,
    motions_in_world_frame,
    power,
    sum_tip_to_base,
    velocity_of_carrier,
    within_joints,
    wrenches_by_position,
    wrenches_by_velocity,
)
from robodyn_ros.algorithms.derivatives.tiles import (
    last_tile,
    numbers_in_tiles,
    tile_by_tile,
    wrenches_in_tiles,
)
from robodyn_ros.algorithms.mass_matrix.symmetric_inverse import factorise_rows, inverse_of_rows
from robodyn_ros.algorithms.variants.inverse_dynamics_fixed import force_about_base
from robodyn_ros.model.layout import PARENT, V
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import accumulate, add, load, scale, store


@primitive
def accelerations_of_torques(topology, work, tau, inverse, spare, qdd):
    """Compute qdd = M^-1 (tau - bias). Needs the wrenches of the motion without acceleration.

    `inverse` (nv, nv): inverse of the mass matrix [1/(kg m^2), 1/(kg m) or 1/kg].
    `spare` (m, p): working memory with p >= nv.
    """
    for i in range(1, topology.shape[0]):
        k = topology[i, V]
        bias = power(work[i].axis, load(work[i].moment), load(work[i].force))
        spare[0, k] = tau[k] - bias
    for row in range(qdd.shape[0]):
        entry = 0.0
        for k in range(qdd.shape[0]):
            entry = entry + inverse[row, k] * spare[0, k]
        qdd[row] = entry


@primitive
def add_accelerations(topology, work, qdd):
    """Add joint accelerations to the motion of all bodies and to wrenches of composite bodies.

    Body i accelerates by S qdd of all joints up to its own. The composite body i needs the
    composite inertia times that, and I_k S_k qdd_k for every joint k that it carries. Needs
    `wrenches_by_velocity`.
    """
    for i in range(1, topology.shape[0]):
        parent, x = topology[i, PARENT], qdd[topology[i, V]]
        for k in (0, 3):
            change = scale(x, load(work[i].axis, k))
            if parent > 0:
                change = add(load(work[parent].change, k), change)
            store(work[i].change, change, k)
            store(work[i].below, (0.0, 0.0, 0.0), k)
        accumulate(work[i].alpha, load(work[i].change))
        accumulate(work[i].accel, load(work[i].change, 3))
    for i in range(topology.shape[0] - 1, 0, -1):
        parent, x = topology[i, PARENT], qdd[topology[i, V]]
        if parent > 0:
            n, f = load(work[i].joint_momentum), load(work[i].joint_momentum, 3)
            below, push = load(work[i].below), load(work[i].below, 3)
            accumulate(work[parent].below, add(below, scale(x, n)))
            accumulate(work[parent].below, add(push, scale(x, f)), 3)
    tiles = tile_by_tile(topology, work)
    for i in range(1, last_tile(topology) + 1):
        n, f = composite_inertia_times(tiles, i, load(tiles[i].change), load(tiles[i].change, 3))
        accumulate(tiles[i].moment, add(n, load(tiles[i].below)))
        accumulate(tiles[i].force, add(f, load(tiles[i].below, 3)))


def derivatives_from_inverse(
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
    factors: Matrix,
    wide: Matrix,
    by_q: Matrix,
    by_qd: Matrix,
    by_tau: Matrix,
):
    """Compute the derivatives of forward dynamics by q, qd and tau, in O(n^3).

    dqdd/dq = -M^-1 dtau/dq, dqdd/dqd = -M^-1 dtau/dqd and dqdd/dtau = M^-1, since inverse dynamics
    of qdd is the identity on tau (Carpentier and Mansard 2018). Derivatives by q are along unit
    velocities.

    `f_ext`: moment and force on each body, in its frame about its origin, moving with it [N m, N].
    `diagonal`: zeros.
    `wide`: working memory, at least of the shape of `matrices.wide`.
    `by_q`, `by_qd`, `by_tau`: written: derivatives, a row for each acceleration.
    Returns 0, or the body whose pivot is singular.
    """
    tiles = tile_by_tile(topology, work)
    motions_in_world_frame(topology, constants, gravity, work, q, qd, diagonal)
    numbers = numbers_in_tiles(topology, constants, work)
    wrenches = wrenches_in_tiles(topology, f_ext, work)
    for i in range(1, last_tile(topology) + 1):
        force_about_base(numbers, tiles, i, wrenches)
    sum_tip_to_base(topology, work)
    for i in range(1, topology.shape[0]):
        velocity_of_carrier(topology, work, i)
    for i in range(1, last_tile(topology) + 1):
        wrenches_by_velocity(tiles, i)
    by_velocity(topology, work, by_qd, factors)
    add_rotors(topology, constants, factors)
    status = body_of_joint(topology, factorise_rows(factors, bias))
    inverse_of_rows(factors, wide, by_tau)
    accelerations_of_torques(topology, work, tau, by_tau, wide, bias)
    add_accelerations(topology, work, bias)
    for i in range(1, topology.shape[0]):
        acceleration_of_carrier(topology, gravity, work, i)
    for i in range(1, last_tile(topology) + 1):
        wrenches_by_position(tiles, i)
    by_position(topology, work, by_q)
    within_joints(topology, work, by_q)
    negative_products(by_tau, by_q, by_qd, wide)
    return status
