# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Compiled guards. Every comparison is written so that NaN fails it: `not (low <= x <= high)`."""

import math

from robodyn_ros.compile import kernel
from robodyn_ros.control.laws.law import FEEDBACK, GRAVITY
from robodyn_ros.control.supervisor.control_settings import EFFORT, LOWER, RATE, SPEED, TURN, UPPER
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Flags, Integer, Matrix, Scalar, Vector

#: Measurements beyond these are implausible, and refused like NaN.
LARGEST_POSITION = 1e5  # [rad or m]
LARGEST_VELOCITY = 1e4  # [rad/s or m/s]

#: Largest plausible velocity of a joint without a velocity limit.
FASTEST = 20.0  # [rad/s or m/s]

#: Results of `judge` for states that may still be accepted.
JUMPED, TOO_FAST = -1, -2

#: A sensor that repeats its reading is stuck if its joint moves. The reading says so, by this
#: distance and this share of the velocity limit; encoders are finer. Or the effort changed while a
#: reference moved, by this share of its limit beyond the friction of the model. At rest any sensor
#: may repeat itself.
STUCK_TRAVEL, STUCK_SPEED, STUCK_EFFORT = 0.005, 0.01, 0.5  # [rad or m, -, -]

#: Result of `first_behind` for a reference that is not finite.
NOT_FINITE = -2

#: Bits that `limit_torque` returns.
POSITION_GUARDED, RATE_LIMITED, EFFORT_LIMITED = 1, 2, 4


@primitive
def first_implausible(state):
    """Return the first joint with an implausible position or velocity, -1 if there is none.

    `state` (2, nv): positions and velocities [rad or m, rad/s or m/s].
    """
    for i in range(state.shape[1]):
        if not (
            -LARGEST_POSITION <= state[0, i] <= LARGEST_POSITION
            and -LARGEST_VELOCITY <= state[1, i] <= LARGEST_VELOCITY
        ):
            return i
    return -1


@primitive
def unwind(state, previous, guards):
    """Count the turns of joints that turn without end, as many encoders do not.

    `state`, `previous` (2, nv): positions and velocities [rad or m, rad/s or m/s]. The positions
      of the first are shifted by whole turns to those next to the previous ones.
    `guards` (6, nv): limits; see `Settings`.
    """
    for i in range(state.shape[1]):
        turn = guards[TURN, i]
        if turn > 0.0:
            state[0, i] += turn * math.floor((previous[0, i] - state[0, i]) / turn + 0.5)


@primitive
def first_jump(state, previous, guards, elapsed, allowance):
    """Return the first joint that moved too far for its velocity limit, -1 if there is none.

    `state`, `previous` (2, nv): positions and velocities [rad or m, rad/s or m/s].
    `guards` (6, nv): limits; see `Settings`.
    `elapsed`: time between both states [s].
    `allowance`: motion that is allowed in addition [rad or m].
    """
    for i in range(state.shape[1]):
        reach = min(guards[SPEED, i], FASTEST) * max(elapsed, 0.0) + allowance
        if not (-reach <= state[0, i] - previous[0, i] <= reach):
            return i
    return -1


@primitive
def first_overspeed(state, guards, factor):
    """Return the first joint faster than `factor` times its velocity limit, -1 if there is none.

    `state` (2, nv): positions and velocities [rad or m, rad/s or m/s].
    `guards` (6, nv): limits; see `Settings`.
    `factor`: factor on the velocity limits [-].
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
    """Check a joint state, and count the turns of joints that turn without end.

    All checks are in one kernel, since a call costs more than the comparisons.

    `state`, `previous`: this state and the previous one [rad or m, rad/s or m/s]. The first is
      shifted by whole turns; see `unwind`.
    `elapsed`: time between both states [s].
    `allowance`: motion beyond the velocity limit that is no jump [rad or m].
    `overspeed`: factor on the velocity limits [-].
    Returns 1 + i if the state of joint i is implausible, else JUMPED, TOO_FAST or 0.
    """
    joint = first_implausible(state)
    if joint >= 0:
        return 1 + joint
    unwind(state, previous, guards)
    if first_jump(state, previous, guards, elapsed, allowance) >= 0:
        return JUMPED
    return TOO_FAST if first_overspeed(state, guards, overspeed) >= 0 else 0


@kernel
def first_stuck(
    state: Matrix,
    repeated: Matrix,
    command: Vector,
    earlier: Vector,
    since: Vector,
    friction: Vector,
    guards: Matrix,
    time: Scalar,
    timeout: Scalar,
    share: Scalar,
    last: Integer,
):
    """Return the first joint that repeats its reading although it moves, -1 if there is none.

    `state`: positions and velocities [rad or m, rad/s or m/s].
    `repeated`: the readings up to now, NaN before the first one; updated.
    `command`: the last published torque [N m or N].
    `earlier`: that of the time when the reading of each joint was new [N m or N]; updated.
    `since`: this time [s]; updated.
    `friction`: dry friction of the model [N m or N].
    `time`: time of receipt of the state [s].
    `timeout`: time for which a reading may be repeated [s].
    `share`: share of the effort limit by which the torque may change meanwhile [-].
    `last`: the last result; a joint stays stuck until its reading changes.
    """
    stuck = -1
    for i in range(command.shape[0]):
        speed = abs(state[1, i])
        if state[0, i] != repeated[0, i] or state[1, i] != repeated[1, i]:
            repeated[0, i], repeated[1, i] = state[0, i], state[1, i]
            since[i], earlier[i] = time, command[i]
        elif stuck < 0 and time - since[i] > timeout:
            moves = speed * (time - since[i]) > STUCK_TRAVEL and speed > STUCK_SPEED * min(
                guards[SPEED, i], FASTEST
            )
            change = abs(command[i] - earlier[i])
            if moves or change > share * guards[EFFORT, i] + friction[i] or i == last:
                stuck = i
    return stuck


@kernel
def first_behind(reference: Matrix, q: Vector, tolerance: Vector):
    """Return the joint that is farthest from its reference, by its tolerance.

    `reference`: reference of position, velocity, acceleration and effort.
    `tolerance`: largest errors [rad or m]; inf for joints that follow no reference.
    Returns the joint; -1 if all are within their tolerances, NOT_FINITE for a reference that is
      not.
    """
    for i in range(q.shape[0]):
        for k in range(reference.shape[0]):
            if not math.isfinite(reference[k, i]):
                return NOT_FINITE
    behind, most = -1, 1.0
    for i in range(q.shape[0]):
        share = abs(reference[0, i] - q[i]) / tolerance[i]
        if share > most:
            behind, most = i, share
    return behind


@kernel
def add_terms(terms: Matrix, commanded: Flags, total: Vector):
    """Sum the commanded torque terms, and clear the others.

    `terms`: torque terms [N m or N], updated.
    `commanded`: terms to sum.
    `total`: their sum [N m or N], written.
    Returns first joint whose sum is not finite, -1 if there is none.
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
def brake(terms: Matrix, commanded: Flags, qd: Vector, guards: Matrix, rate: Scalar):
    """Turn the negative momentum into the torque of a stop, -rate M qd, within the effort limits.

    Each torque that opposes the motion of its joint is limited to the room that the weight leaves.
    A torque that drives its joint on, since it slows another one down, gets the smallest of the
    remaining shares. So the power stays negative.

    `terms`: terms of `laws.braking`; the negative momentum is overwritten by the torque [N m or
      N].
    `commanded`: terms that will be summed.
    `qd`: velocity [rad/s or m/s].
    `rate`: 1 / time constant [1/s].
    """
    smallest = 1.0
    for i in range(qd.shape[0]):
        weight = terms[GRAVITY, i] if commanded[GRAVITY] else 0.0
        wanted = rate * terms[FEEDBACK, i]
        if not math.isfinite(terms[FEEDBACK, i]):
            wanted = 0.0
        room = max(guards[EFFORT, i] + (weight if wanted < 0.0 else -weight), 0.0)
        if abs(wanted) > room:
            smallest = min(smallest, room / abs(wanted))
        terms[FEEDBACK, i] = min(max(wanted, -room), room) if wanted * qd[i] <= 0.0 else wanted
    for i in range(qd.shape[0]):
        if terms[FEEDBACK, i] * qd[i] > 0.0:
            terms[FEEDBACK, i] *= smallest


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
    """Move the last published torque towards the wanted one, within the limits.

    First, a torque beyond a position limit acts only inwards. Above the velocity limit it never
    acts in the direction of motion. Then the change is at most rate * dt. Last comes the effort
    limit; a lowered limit is approached at the rate. The result is finite for any input.

    `wanted`: wanted torque [N m or N].
    `state`: positions and velocities [rad or m, rad/s or m/s].
    `dt`: time since the last torque [s], not negative.
    `torque`: last published torque [N m or N]; overwritten by the one to publish.
    `position_guarded`, `rate_limited`, `effort_limited`: joints where the limit acted, written.
    Returns limits that acted on any joint, as bits.
    """
    acted = 0
    for i in range(torque.shape[0]):
        asked, q, qd, last = wanted[i], state[0, i], state[1, i], torque[i]
        lowest, highest = -math.inf, math.inf
        if not (q <= guards[UPPER, i] and qd <= guards[SPEED, i]):
            highest = 0.0
        if not (q >= guards[LOWER, i] and qd >= -guards[SPEED, i]):
            lowest = 0.0
        guarded = min(max(asked, lowest), highest)
        if not math.isfinite(guarded):
            guarded = 0.0
        step = guards[RATE, i] * dt
        if not (step >= 0.0):  # an infinite rate times dt = 0
            step = 0.0
        stepped = guarded
        if not (stepped - last <= step):
            stepped = last + step
        if not (stepped - last >= -step):
            stepped = last - step
        largest = guards[EFFORT, i]
        if not (largest >= 0.0):
            largest = 0.0
        allowed = largest
        if math.isfinite(last):  # a lowered limit is approached at the rate
            allowed = max(largest, abs(last) - step)
        torque[i] = min(max(stepped, -allowed), allowed)
        position_guarded[i] = guarded != asked
        rate_limited[i] = torque[i] != min(max(guarded, -largest), largest)
        effort_limited[i] = torque[i] != stepped
        acted |= (
            POSITION_GUARDED * position_guarded[i]
            | RATE_LIMITED * rate_limited[i]
            | EFFORT_LIMITED * effort_limited[i]
        )
    return acted


KERNELS = (judge, first_stuck, first_behind, add_terms, brake, limit_torque)
