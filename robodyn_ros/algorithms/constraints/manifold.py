# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Configurations of independent coordinates: integration, difference, and friction."""

from robodyn_ros.algorithms.constraints.loops import has_loops
from robodyn_ros.algorithms.core.friction import joint_friction
from robodyn_ros.algorithms.core.manifold import load_quaternion
from robodyn_ros.model.layout import (
    AT,
    BALL_X,
    BALL_Y,
    BALL_Z,
    COORDINATE,
    COUNT,
    DOF,
    FIRST,
    KIND,
    RATIO,
    SHIFT,
)
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.quaternion import conjugate, exponential, logarithm, product, unit
from robodyn_ros.spatial.types import Scalar, Table, Topology, Vector


@primitive
def adds_up(topology, i):
    """Return whether a body has an independent coordinate whose rate is its velocity."""
    return topology[i, DOF] > 0 and topology[i, KIND] != BALL_Y and topology[i, KIND] != BALL_Z


@primitive
def integrate(topology: Topology, q: Vector, qd: Vector, dt: Scalar, moved: Vector):
    """Compute the positions after a time at constant velocity, as `core.manifold.integrate` does.

    `dt`: time [s].
    `moved` (nq,), written: positions, with quaternions of length one. May be q.
    """
    for i in range(1, topology.shape[0]):
        k, j = topology[i, AT], topology[i, FIRST]
        if topology[i, KIND] == BALL_X:
            turned = exponential((dt * qd[j], dt * qd[j + 1], dt * qd[j + 2]))
            (moved[k], moved[k + 1], moved[k + 2], moved[k + 3]) = unit(
                product(load_quaternion(q, k), turned)
            )
        elif adds_up(topology, i):
            moved[k] = q[k] + dt * qd[j]


@primitive
def position_rates(topology: Topology, q: Vector, qd: Vector, rates: Vector):
    """Compute dq/dt, as `core.manifold.position_rates` does.

    `rates` (nq,), written: rates of the positions [rad/s or m/s].
    """
    for i in range(1, topology.shape[0]):
        k, j = topology[i, AT], topology[i, FIRST]
        if topology[i, KIND] == BALL_X:
            omega = (0.5 * qd[j], 0.5 * qd[j + 1], 0.5 * qd[j + 2], 0.0)
            (rates[k], rates[k + 1], rates[k + 2], rates[k + 3]) = product(
                load_quaternion(q, k), omega
            )
        elif adds_up(topology, i):
            rates[k] = qd[j]


@primitive
def make_unit(topology: Topology, q: Vector):
    """Normalise every quaternion, in place."""
    for i in range(1, topology.shape[0]):
        if topology[i, KIND] == BALL_X:
            k = topology[i, AT]
            q[k], q[k + 1], q[k + 2], q[k + 3] = unit(load_quaternion(q, k))


@primitive
def difference(topology: Topology, start: Vector, end: Vector, motion: Vector):
    """Compute the velocity that leads from one configuration to another in unit time.

    See core.manifold.difference.

    `motion` (nv,), written: velocity, for which integrate(start, motion, 1) is end.
    """
    for i in range(1, topology.shape[0]):
        k, j = topology[i, AT], topology[i, FIRST]
        if topology[i, KIND] == BALL_X:
            motion[j], motion[j + 1], motion[j + 2] = logarithm(
                product(conjugate(load_quaternion(start, k)), load_quaternion(end, k))
            )
        elif adds_up(topology, i):
            motion[j] = end[k] - start[k]


@primitive
def friction_torque(topology: Topology, constants: Table, q: Vector, qd: Vector, tau: Vector):
    """Project the friction of all joints to the independent ones.

    Dependent joints of loops are left out, because their ratios depend on the posture. So are
    coupled joints, whose friction cannot be assigned to a single joint.

    `tau` (nv,), written: friction [N m or N].
    """
    for k in range(tau.shape[0]):
        tau[k] = 0.0
    for i in range(1, topology.shape[0]):
        if has_loops(topology) and topology[i, COORDINATE] >= topology[0, FIRST]:
            continue
        if topology[i, COUNT] > 1:
            continue
        k, ratio = topology[i, FIRST], constants[i, RATIO]
        position = ratio * q[topology[i, AT]] + constants[i, SHIFT]
        tau[k] = tau[k] + ratio * joint_friction(constants, i, position, ratio * qd[k])
