# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Dry friction of the joints: its level, and which joints slide or stick."""

from numpy import cos, exp, sin

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
    """Return the effort of dry friction, f = fc(q) + (fs - fc) c(v).

    fc(q) = fc + a cos(w q) + b sin(w q), for gears that are not round (Craig, section 6.8).

    c(v) = 1 / (1 + (v / vs)^2), the Stribeck curve of Hess and Soom 1990, in Armstrong-Helouvry,
    Dupont and Canudas de Wit 1994, eq. (4). With an exponent e it is exp(-(|v| / vs)^e).
    stribeck : vs of the settings [rad/s or m/s], to be scaled by SLOWNESS; rate : v of joint k
    [rad/s or m/s].
    """
    ratio = abs(rate) / (stribeck * joints[k, SLOWNESS])
    more = joints[k, STATIC] - joints[k, FRICTION]
    if joints[k, EXPONENT] > 0.0:
        more = more * exp(-ratio * ratio if joints[k, EXPONENT] > 1.0 else -ratio)
    else:
        more = more / (1.0 + ratio * ratio)
    kinetic = joints[k, FRICTION]
    if joints[k, WAVENUMBER] > 0.0:
        angle = joints[k, WAVENUMBER] * position(joints, q, k)
        kinetic = kinetic + joints[k, COSINE] * cos(angle) + joints[k, SINE] * sin(angle)
    return kinetic + more


@unfused
def presume_friction(joints, work, qd):
    """Presume that moving joints slide and joints at rest stick.

    Return whether any has friction.

    Writes SLIDING and STUCK. A brake is stronger than friction.
    """
    found = False
    for k in range(qd.shape[0]):
        rubs = joints[k, STATIC] > 0.0 and joints[k, BRAKED] == 0.0
        found = found or rubs
        work[SLIDING, k] = 0.0
        work[STUCK, k] = 0.0
        if rubs and qd[k] == 0.0:
            work[STUCK, k] = 1.0
        elif rubs:
            work[SLIDING, k] = 1.0 if qd[k] > 0.0 else -1.0
    return found


@unfused
def presume_none(work, n):
    """Presume that no joint has friction."""
    for k in range(n):
        work[SLIDING, k] = 0.0
        work[STUCK, k] = 0.0


@unfused
def friction_holds(topology, constants, gravity, scratch, work, q, qd, f_ext):
    """Return whether friction at its limit suffices for every joint that is presumed to stick.

    The required effort is work[TORQUE] less inverse dynamics. The acceleration of such a joint is
    set to zero. O(n), only if a joint sticks.
    """
    n = qd.shape[0]
    sticks = False
    for k in range(n):
        if work[STUCK, k] > 0.0:
            sticks = True
            work[QDD, k] = 0.0
    if sticks:
        inverse_dynamics(
            topology, constants, gravity, scratch, q, qd, work[QDD][:n], f_ext, work[NEEDED][:n]
        )
        for k in range(n):
            held_by = work[NEEDED, k] - work[TORQUE, k]
            if work[STUCK, k] > 0.0 and not abs(held_by) <= work[LEVEL, k]:
                return False
    return True


@unfused
def slides_on(work, velocity):
    """Return whether no joint that is presumed to slide has reversed."""
    for k in range(velocity.shape[0]):
        if not work[SLIDING, k] * velocity[k] >= 0.0:
            return False
    return True


@unfused
def next_velocity(joints, work, h, qd):
    """work[NEXT] = qd + h qdd; 0 where friction holds the joint, as prescribed at a brake."""
    for k in range(qd.shape[0]):
        if joints[k, BRAKED] > 0.0:
            work[NEXT, k] = work[PRESCRIBED, k]
        else:
            work[NEXT, k] = 0.0 if work[STUCK, k] > 0.0 else qd[k] + h * work[QDD, k]
