# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Configurations with quaternions: integration along a velocity, and difference.

A spherical joint rotates by the exponential of its angular velocity, in child axes. Every other
coordinate adds up. See doc/robots/joints.md.
"""

from robodyn_ros.model.layout import BALL_X, BALL_Y, BALL_Z, KIND, Q, V
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.quaternion import conjugate, exponential, logarithm, product, unit
from robodyn_ros.spatial.types import Scalar, Topology, Vector


@primitive
def load_quaternion(q, k):
    """Return the quaternion in entries k to k+3 of q."""
    return q[k], q[k + 1], q[k + 2], q[k + 3]


@recursion
def integrate(topology: Topology, q: Vector, qd: Vector, dt: Scalar, moved: Vector):
    """moved = q + dt qd along the motion at constant qd: p' = p exp(dt omega) for a quaternion p.

    Jain 2011, section 3.6.3: quasi-velocities of a spherical joint.

    Parameters
    ----------
    q : (nq,)
    qd : (nv,)
    dt : float
        Time [s].
    moved : (nq,)
        Written, with quaternions of length one; may be q.
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
    """rates = dq/dt: of a quaternion p it is p (omega, 0) / 2.

    Parameters
    ----------
    rates : (nq,)
        Written.
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
    """Normalise every quaternion."""
    for i in range(1, topology.shape[0]):
        if topology[i, KIND] == BALL_X:
            k = topology[i, Q]
            q[k], q[k + 1], q[k + 2], q[k + 3] = unit(load_quaternion(q, k))


@recursion
def difference(topology: Topology, start: Vector, end: Vector, motion: Vector):
    """Compute the velocity between two configurations in unit time, by the shorter rotation.

    Parameters
    ----------
    start, end : (nq,)
    motion : (nv,)
        Written: integrate(start, motion, 1) is end.
    """
    for i in range(1, topology.shape[0]):
        kind, k, j = topology[i, KIND], topology[i, Q], topology[i, V]
        if kind == BALL_X:
            motion[j], motion[j + 1], motion[j + 2] = logarithm(
                product(conjugate(load_quaternion(start, k)), load_quaternion(end, k))
            )
        elif kind != BALL_Y and kind != BALL_Z:
            motion[j] = end[k] - start[k]
