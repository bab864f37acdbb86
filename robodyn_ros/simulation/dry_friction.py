# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Dry friction of the joints: its level, and which joints slide or stick."""

from numpy import cos, sin

from robodyn_ros.algorithms.core.friction import stribeck_curve
from robodyn_ros.algorithms.core.rnea import inverse_dynamics
from robodyn_ros.simulation.joint_table import (
    BRAKED,
    COSINE,
    EXPONENT,
    FRICTION,
    LEVEL,
    NEEDED,
    NEXT,
    PRESCRIBED,
    QDD,
    SINE,
    SLIDING,
    SLOWNESS,
    STATIC,
    STUCK,
    TORQUE,
    WAVENUMBER,
)
from robodyn_ros.simulation.stops import position
from robodyn_ros.spatial.primitive import unfused


@unfused
def friction_level(joints, stribeck, q, rate, k):
    """Return the magnitude of the dry friction of a joint, f = fc(q) + (fs - fc) c(v).

    fc(q) = fc + a cos(w q) + b sin(w q) is for gears that are not round (Craig, section 6.8).

    c(v) is the Stribeck curve (algorithms/core/friction.py). Source of the sum:
    Armstrong-Helouvry, Dupont and Canudas de Wit 1994, eq. (4).

    `stribeck`: Stribeck velocity of the settings [rad/s or m/s]; SLOWNESS scales it to vs.
    `rate`: velocity v of the joint [rad/s or m/s].
    Returns magnitude while the joint slides, and largest magnitude at rest [N m or N].
    """
    ratio = abs(rate) / (stribeck * joints[k, SLOWNESS])
    curve = stribeck_curve(joints[k, EXPONENT], ratio, 1.0)
    kinetic = joints[k, FRICTION]
    if joints[k, WAVENUMBER] > 0.0:
        angle = joints[k, WAVENUMBER] * position(joints, q, k)
        kinetic = kinetic + joints[k, COSINE] * cos(angle) + joints[k, SINE] * sin(angle)
    return kinetic + (joints[k, STATIC] - joints[k, FRICTION]) * curve


@unfused
def assume_friction(joints, joint_work, qd):
    """Assume that moving joints slide and joints at rest stick.

    Writes SLIDING and STUCK of the work array. A braked joint has no friction: the brake holds it.

    Returns whether any joint has friction.
    """
    found = False
    for k in range(qd.shape[0]):
        has_friction = joints[k, STATIC] > 0.0 and joints[k, BRAKED] == 0.0
        found = found or has_friction
        joint_work[SLIDING, k] = 0.0
        joint_work[STUCK, k] = 0.0
        if has_friction and qd[k] == 0.0:
            joint_work[STUCK, k] = 1.0
        elif has_friction:
            joint_work[SLIDING, k] = 1.0 if qd[k] > 0.0 else -1.0
    return found


@unfused
def assume_frictionless(joint_work, n):
    """Assume that no joint has friction."""
    for k in range(n):
        joint_work[SLIDING, k] = 0.0
        joint_work[STUCK, k] = 0.0


@unfused
def friction_holds(topology, constants, gravity, work, joint_work, q, qd, f_ext):
    """Return whether friction suffices to hold every joint that is assumed to stick.

    The required effort is that of inverse dynamics less joint_work[TORQUE]. The acceleration of
    such a joint is set to zero. O(n), and free if no joint sticks.
    """
    n = qd.shape[0]
    sticks = False
    for k in range(n):
        if joint_work[STUCK, k] > 0.0:
            sticks = True
            joint_work[QDD, k] = 0.0
    if sticks:
        inverse_dynamics(
            topology,
            constants,
            gravity,
            work,
            q,
            qd,
            joint_work[QDD][:n],
            f_ext,
            joint_work[NEEDED][:n],
        )
        for k in range(n):
            required = joint_work[NEEDED, k] - joint_work[TORQUE, k]
            if joint_work[STUCK, k] > 0.0 and not abs(required) <= joint_work[LEVEL, k]:
                return False
    return True


@unfused
def keeps_sliding(joint_work, velocity):
    """Return whether every joint that is assumed to slide keeps its direction."""
    for k in range(velocity.shape[0]):
        if not joint_work[SLIDING, k] * velocity[k] >= 0.0:
            return False
    return True


@unfused
def next_velocity(joints, joint_work, h, qd):
    """Compute joint_work[NEXT] = qd + h qdd.

    The velocity is 0 where friction holds the joint, and the prescribed one at a brake.

    `qd` (nv,): velocities at its start [rad/s or m/s].
    """
    for k in range(qd.shape[0]):
        if joints[k, BRAKED] > 0.0:
            joint_work[NEXT, k] = joint_work[PRESCRIBED, k]
        else:
            joint_work[NEXT, k] = (
                0.0 if joint_work[STUCK, k] > 0.0 else qd[k] + h * joint_work[QDD, k]
            )
