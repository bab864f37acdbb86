# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of forward dynamics from motions due to unit torques, in O(n^2).

A unit torque at joint k of a robot at rest accelerates its joints by row k of N = M^-1. So body j
accelerates by A, the sum of N_ki S_i over the joints i that carry it. Let H be the sum of
N_ki (I_i S_i, 2 B_i^T S_i) over the joints i that joint j carries. The derivatives of torques are
products of numbers of two joints, see `inverse_dynamics_derivatives`. So row k of their products
with N has at joint j

    N dtau/dq = A . (I psi'' + 2 B psi' + S x* F) + H . (psi'', psi')
    N dtau/dqd = A . (I (psi' + S') + 2 B S) + H . (psi' + S', S)

with I, B and F of the composite body j. N, A and H take three sweeps over the bodies for each
torque. The first two are those of Jain 2011, Algorithm 10.4, in the frame of section 5.4. The
matrices of torques are never formed.
"""

from robodyn_ros.algorithms.core.joint_transform import first_of_joint
from robodyn_ros.algorithms.core.working_memory import TILE
from robodyn_ros.algorithms.derivatives.inverse_dynamics_derivatives import power
from robodyn_ros.algorithms.derivatives.tiles import body_by_body
from robodyn_ros.model.layout import BALL_X, KIND, PARENT, V
from robodyn_ros.spatial.primitive import emitted, primitive
from robodyn_ros.spatial.row_products import padded
from robodyn_ros.spatial.vec3 import accumulate, add, dot, load, scale, store, sub

#: Columns of working memory, which has a row for each body.
FORCE = 0  # 6, force beyond the joint, as articulated bodies have it
ACCELERATION = 0  # 6, A, in its place
BEYOND = 6  # 9, H
TORQUE = 15  # what is left of the torque for the joint
JOINT = 15  # acceleration of the joint, in its place
BY_Q, BY_QD = 16, 17  # derivatives
COLUMNS = 18
#: Torques at a time in machine code; each column has a number for each of them.
TOGETHER = 2 * TILE


def memory(n):
    """Return the shape of the working memory for n joints.

    `n`: number of joints.
    """
    return padded(n), max(COLUMNS * TOGETHER, 2 * padded(n))


@primitive
def torque_at_joint(topology, rows, k, spare):
    """Compute the torques that a unit torque at joint k leaves for all joints, tip to base."""
    for i in range(topology.shape[0] - 1):
        for column in range(FORCE, TORQUE):
            spare[i, column] = 0.0
    for i in range(topology.shape[0] - 1, 0, -1):
        parent = topology[i, PARENT]
        n, f = load(spare[i - 1], FORCE), load(spare[i - 1], FORCE + 3)
        torque = -power(rows[i].axis, n, f)
        if i == k:
            torque = torque - 1.0  # all signs are negative, as those of both products
        spare[i - 1, TORQUE] = torque
        if parent > 0:
            g_n, g_f = load(rows[i].gain), load(rows[i].gain, 3)
            accumulate(spare[parent - 1], add(n, scale(torque, g_n)), FORCE)
            accumulate(spare[parent - 1], add(f, scale(torque, g_f)), FORCE + 3)


@primitive
def accelerate_bodies(topology, rows, spare):
    """Compute accelerations of joints and bodies, and their share of the derivatives.

    Needs `torque_at_joint`.
    """
    for i in range(1, topology.shape[0]):
        parent = topology[i, PARENT]
        alpha, a = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if parent > 0:
            alpha = load(spare[parent - 1], ACCELERATION)
            a = load(spare[parent - 1], ACCELERATION + 3)
        joint = rows[i].d_inverse * spare[i - 1, TORQUE] - power(rows[i].gain, alpha, a)
        spare[i - 1, JOINT] = joint
        alpha = add(alpha, scale(joint, load(rows[i].axis)))
        a = add(a, scale(joint, load(rows[i].axis, 3)))
        store(spare[i - 1], alpha, ACCELERATION)
        store(spare[i - 1], a, ACCELERATION + 3)
        spare[i - 1, BY_Q] = power(rows[i].beyond, alpha, a)
        spare[i - 1, BY_QD] = power(rows[i].by_velocity, alpha, a)


@primitive
def add_joints_beyond(topology, rows, spare):
    """Add the share of the joints that each joint carries. Needs `accelerate_bodies`."""
    for i in range(topology.shape[0] - 1, 0, -1):
        parent, joint = topology[i, PARENT], spare[i - 1, JOINT]
        n, f = load(spare[i - 1], BEYOND), load(spare[i - 1], BEYOND + 3)
        turning = load(spare[i - 1], BEYOND + 6)
        spare[i - 1, BY_Q] = spare[i - 1, BY_Q] + (
            power(rows[i].carried_rate, n, f) + dot(load(rows[i].carried), turning)
        )
        spare[i - 1, BY_QD] = spare[i - 1, BY_QD] + (
            power(rows[i].both_rates, n, f) + dot(load(rows[i].axis), turning)
        )
        if parent > 0:
            row = rows[i]
            n = add(n, scale(joint, load(row.joint_momentum)))
            f = add(f, scale(joint, load(row.joint_momentum, 3)))
            turning = add(turning, scale(joint, load(row.joint_coriolis)))
            accumulate(spare[parent - 1], n, BEYOND)
            accumulate(spare[parent - 1], f, BEYOND + 3)
            accumulate(spare[parent - 1], turning, BEYOND + 6)


@emitted
def products_by_unit_torques(topology, work, spare, by_q, by_qd, by_tau):
    """Compute -M^-1 dtau/dq, -M^-1 dtau/dqd and M^-1, but for `within_joints`.

    Needs `articulated_world_frame.eliminate_joints` and `wrenches_by_position`.

    `by_q`, `by_qd`, `by_tau` (nv, nv), written: derivatives, a row for each acceleration.
    """
    rows = body_by_body(topology, work)
    for k in range(1, topology.shape[0]):
        row = topology[k, V]
        torque_at_joint(topology, rows, k, spare)
        accelerate_bodies(topology, rows, spare)
        add_joints_beyond(topology, rows, spare)
        for i in range(1, topology.shape[0]):
            column = topology[i, V]
            by_q[row, column], by_qd[row, column] = spare[i - 1, BY_Q], spare[i - 1, BY_QD]
            if i >= k:
                by_tau[row, column] = -spare[i - 1, JOINT]
                by_tau[column, row] = -spare[i - 1, JOINT]


@primitive
def within_joints(topology, rows, by_q, by_tau):
    """Correct -M^-1 dtau/dq for pairs of axes of one joint, which a spherical one has.

    An axis of the joint does not move relative to the others. So the term S_j x* F_j is left out.

    `by_q` (nv, nv): derivative by the positions, changed in place.
    `by_tau` (nv, nv): inverse of the mass matrix.
    """
    for i in range(1, topology.shape[0]):
        if topology[i, KIND] <= BALL_X:
            continue
        n = sub(load(rows[i].beyond), load(rows[i].by_position))
        f = sub(load(rows[i].beyond, 3), load(rows[i].by_position, 3))
        for j in range(first_of_joint(topology, i), i):
            torque = power(rows[j].axis, n, f)
            column, other = topology[i, V], topology[j, V]
            for row in range(by_q.shape[0]):
                by_q[row, column] = by_q[row, column] + by_tau[row, other] * torque
