# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Compiled guards. Every comparison is written so that NaN fails it: `not (low <= x <= high)`."""

import math

from robodyn_ros.compile import kernel
from robodyn_ros.control.supervisor.control_settings import EFFORT, LOWER, RATE, SPEED, UPPER
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Flags, Matrix, Scalar, Vector

#: Measurements beyond these are implausible, and refused like NaN.
LARGEST_POSITION = 1e5  # [rad or m]
LARGEST_VELOCITY = 1e4  # [rad/s or m/s]

#: Largest plausible velocity of a joint without a velocity limit.
FASTEST = 20.0  # [rad/s or m/s]

#: Results of `judge` for states that are accepted nevertheless.
JUMPED, TOO_FAST = -1, -2

#: Bits that `limit_torque` returns.
POSITION_GUARDED, RATE_LIMITED, EFFORT_LIMITED = 1, 2, 4


@kernel
def first_not_finite(x: Vector):
    """Return the index of the first entry that is NaN or infinite, or -1."""
    for i in range(x.shape[0]):
        if not math.isfinite(x[i]):
            return i
    return -1


@primitive
def first_implausible(state):
    """Return the first joint with an implausible position or velocity, or -1. state : (2, nv)."""
    for i in range(state.shape[1]):
        if not (
            -LARGEST_POSITION <= state[0, i] <= LARGEST_POSITION
            and -LARGEST_VELOCITY <= state[1, i] <= LARGEST_VELOCITY
        ):
            return i
    return -1


@primitive
def first_jump(state, previous, guards, elapsed, allowance):
    """Return the first joint that moved farther than its velocity limit allows, or -1.

    state, previous : (2, nv); guards : (5, nv) see control_settings.py in this folder;
    elapsed [s]; allowance [rad or m].
    """
    for i in range(state.shape[1]):
        reach = min(guards[SPEED, i], FASTEST) * max(elapsed, 0.0) + allowance
        if not (-reach <= state[0, i] - previous[0, i] <= reach):
            return i
    return -1


@primitive
def first_overspeed(state, guards, factor):
    """Return the first joint faster than `factor` times its velocity limit, or -1.

    state : (2, nv); guards : (5, nv) see control/supervisor/control_settings.py.
    """
    for i in range(state.shape[1]):
        if not abs(state[1, i]) <= factor * guards[SPEED, i]:
            return i
    return -1


@kernel
def judge(
    state: Matrix,
    previous: Matrix,
    guards: Matrix,
    elapsed: Scalar,
    allowance: Scalar,
    overspeed: Scalar,
):
    """Return 1 + i if the state of joint i is implausible, JUMPED, TOO_FAST, or else 0.

    All checks are in one kernel, since a call costs more than the comparisons.
    """
    joint = first_implausible(state)
    if joint >= 0:
        return 1 + joint
    if first_jump(state, previous, guards, elapsed, allowance) >= 0:
        return JUMPED
    return TOO_FAST if first_overspeed(state, guards, overspeed) >= 0 else 0


@kernel
def add_terms(terms: Matrix, commanded: Flags, total: Vector):
    """Clear disabled terms, sum the others; return the first joint that is not finite, or -1.

    terms : (6, nv); commanded : (6,); total : (nv,), written.
    """
    worst = -1
    for i in range(total.shape[0]):
        total[i] = 0.0
        for k in range(terms.shape[0]):
            if commanded[k]:
                total[i] += terms[k, i]
            else:
                terms[k, i] = 0.0
        if worst < 0 and not math.isfinite(total[i]):
            worst = i
    return worst


@kernel
def limit_torque(
    wanted: Vector,
    state: Matrix,
    guards: Matrix,
    dt: Scalar,
    torque: Vector,
    position_guarded: Flags,
    rate_limited: Flags,
    effort_limited: Flags,
):
    """Move the last published torque towards the wanted one within the limits.

    First, beyond a position limit torque acts only inwards, and above the velocity limit never in
    the direction of motion. Then the change is at most rate * dt. Then the effort limit applies; a
    lowered limit is approached at that rate. The result is finite for any input.

    wanted : (nv,) [N m or N]; state : (2, nv) position, velocity; guards : (5, nv); dt >= 0 [s].
    torque : (nv,) [N m or N] last published on entry, to be published on return.
    position_guarded, rate_limited, effort_limited : (nv,), written.

    Returns which of the three limits acted on any joint, as bits.
    """
    hit = 0
    for i in range(torque.shape[0]):
        asked, q, qd, last = wanted[i], state[0, i], state[1, i], torque[i]
        lowest, highest = -math.inf, math.inf
        if not (q <= guards[UPPER, i] and qd <= guards[SPEED, i]):
            highest = 0.0
        if not (q >= guards[LOWER, i] and qd >= -guards[SPEED, i]):
            lowest = 0.0
        inward = min(max(asked, lowest), highest)
        if not math.isfinite(inward):
            inward = 0.0
        step = guards[RATE, i] * dt
        if not (step >= 0.0):  # an infinite rate times dt = 0
            step = 0.0
        near = inward
        if not (near - last <= step):
            near = last + step
        if not (near - last >= -step):
            near = last - step
        largest = guards[EFFORT, i]
        if not (largest >= 0.0):
            largest = 0.0
        allowed = largest
        if math.isfinite(last):  # a lowered limit is approached at the rate
            allowed = max(largest, abs(last) - step)
        torque[i] = min(max(near, -allowed), allowed)
        position_guarded[i] = inward != asked
        rate_limited[i] = torque[i] != min(max(inward, -largest), largest)
        effort_limited[i] = torque[i] != near
        hit |= (
            POSITION_GUARDED * position_guarded[i]
            | RATE_LIMITED * rate_limited[i]
            | EFFORT_LIMITED * effort_limited[i]
        )
    return hit


KERNELS = (first_not_finite, judge, add_terms, limit_torque)
