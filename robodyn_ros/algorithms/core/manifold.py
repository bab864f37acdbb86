# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Configurations with quaternions: integration along a velocity, and difference.

A spherical joint rotates by the exponential of its angular velocity, in child axes. The
positions of other joints change by velocity times time. See doc/robots/joints.md.
"""

from robodyn_ros.model.layout import BALL_X, BALL_Y, BALL_Z, KIND, Q, V
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.quaternion import conjugate, exponential, logarithm, product, unit
from robodyn_ros.spatial.types import Scalar, Topology, Vector


@primitive
def load_quaternion(q, k):
    """Return the quaternion in entries k to k+3 of q.

    `q` (nq,): joint positions.
    `k`: first of four entries.
    """
    return q[k], q[k + 1], q[k + 2], q[k + 3]


@recursion
def integrate(topology: Topology, q: Vector, qd: Vector, dt: Scalar, moved: Vector):
    """Compute the positions after a time at constant velocity.

    moved = q + dt qd; for a quaternion p it is p exp(dt omega). Velocities of a spherical joint
    are quasi-velocities (Jain 2011, remark 4.2).

    `dt`: time [s].
    `moved` (nq,), written: positions, with quaternions of length one. May be q.
    """
    for i in range(1, topology.shape[0]):
        kind, k, j = topology[i, KIND], topology[i, Q], topology[i, V]
        if kind == BALL_X:
            turned = exponential((dt * qd[j], dt * qd[j + 1], dt * qd[j + 2]))
            (moved[k], moved[k + 1], moved[k + 2], moved[k + 3]) = unit(
                product(load_quaternion(q, k), turned)
            )
        elif kind != BALL_Y and kind != BALL_Z:
            moved[k] = q[k] + dt * qd[j]


@recursion
def position_rates(topology: Topology, q: Vector, qd: Vector, rates: Vector):
    """Compute dq/dt, which for a quaternion p is p (omega, 0) / 2.

    `rates` (nq,), written: rates of the positions [rad/s or m/s].
    """
    for i in range(1, topology.shape[0]):
        kind, k, j = topology[i, KIND], topology[i, Q], topology[i, V]
        if kind == BALL_X:
            omega = (0.5 * qd[j], 0.5 * qd[j + 1], 0.5 * qd[j + 2], 0.0)
            (rates[k], rates[k + 1], rates[k + 2], rates[k + 3]) = product(
                load_quaternion(q, k), omega
            )
        elif kind != BALL_Y and kind != BALL_Z:
            rates[k] = qd[j]


@recursion
def make_unit(topology: Topology, q: Vector):
    """Normalise every quaternion, in place."""
    for i in range(1, topology.shape[0]):
        if topology[i, KIND] == BALL_X:
            k = topology[i, Q]
            q[k], q[k + 1], q[k + 2], q[k + 3] = unit(load_quaternion(q, k))


@recursion
def difference(topology: Topology, start: Vector, end: Vector, motion: Vector):
    """Compute the velocity that leads from one configuration to another in unit time.

    A spherical joint takes the shorter rotation.

    `motion` (nv,), written: velocity, for which integrate(start, motion, 1) is end.
    """
    for i in range(1, topology.shape[0]):
        kind, k, j = topology[i, KIND], topology[i, Q], topology[i, V]
        if kind == BALL_X:
            motion[j], motion[j + 1], motion[j + 2] = logarithm(
                product(conjugate(load_quaternion(start, k)), load_quaternion(end, k))
            )
        elif kind != BALL_Y and kind != BALL_Z:
            motion[j] = end[k] - start[k]
