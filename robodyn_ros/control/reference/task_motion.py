# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Move the reference of the end effector to its target, smoothly and within limits.

Position and orientation are each a chain of three first-order lags: a triple pole at the
bandwidth. Speed, acceleration and jerk are limited. A step of the target becomes a straight line
(a slerp) with a continuous acceleration. The reference catches up with a moving target. Flight
controllers use the same structure, one loop per limit (ArduPilot,
AC_Control::shape_pos_vel_accel).
"""

from numpy import sqrt

from robodyn_ros.control.reference.task_reference import (
    ACCELERATION,
    AHEAD,
    ARRIVED,
    FORCE,
    LEFT,
    MOMENT,
    MOVING,
    PACE,
    PLACED,
    POSITION,
    QUATERNION,
    SPIN,
    SPIN_RATE,
    TURNED,
    VELOCITY,
)
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.turning import turn_between, turn_by
from robodyn_ros.spatial.vec3 import add, dot, load, scale, store, sub

#: Share of a limit that the outer loop uses, so that the inner loop can follow.
PLANNED = 0.5
#: Largest product of bandwidth and time step; beyond 1 the chain is unstable.
COARSEST = 0.25
#: Distance [m or rad], speed [1/s] and acceleration [1/s^2] below which a motion has arrived.
NEAR, SLOW, STEADY = 1e-7, 1e-6, 1e-4


@primitive
def at_most(v, limit):
    """Scale a vector down to at most a length.

    `v`: the vector.
    `limit`: largest length.
    Returns the scaled vector.
    """
    size = sqrt(dot(v, v))
    return scale(limit / size, v) if size > limit else v


@primitive
def approach_velocity(distance, rate, braking):
    """Return the approach velocity: the slower of `rate` distance and the braking speed.

    v = rate d near zero, and v = sqrt(2 b (d - b / (2 rate^2))) from d = b / rate^2 on. There both
    have the same value and slope.

    `distance`: vector to the goal [m or rad].
    `rate`: slope near zero [1/s].
    `braking`: deceleration b [m/s^2 or rad/s^2].
    """
    d, near = sqrt(dot(distance, distance)), braking / (rate * rate)
    if not d > near:
        return scale(rate, distance)
    return scale(sqrt(2.0 * braking * (d - 0.5 * near)) / d, distance)


@primitive
def steer(distance, v_target, a_target, v, a, bandwidth, speed, acceleration, jerk, dt):
    """Return the next acceleration towards a moving target at a distance.

    `distance`, `v_target`, `a_target`: distance to the target [m or rad], its velocity and its
      acceleration.
    `v`, `a`: present velocity and acceleration.
    `bandwidth`: bandwidth of the chain of lags [1/s].
    `speed`, `acceleration`, `jerk`: limits.
    """
    approach = add(v_target, approach_velocity(distance, bandwidth / 3.0, PLANNED * acceleration))
    change = add(
        a_target, approach_velocity(sub(at_most(approach, speed), v), bandwidth, PLANNED * jerk)
    )
    rate = scale(3.0 * bandwidth, sub(at_most(change, acceleration), a))
    return add(a, scale(dt, at_most(rate, jerk)))


@primitive
def largest_speed(v, pace, speed):
    """Return the largest speed in the direction of a velocity.

    `v`: the velocity.
    `pace`: factor on v that joint velocity limits allow.
    `speed`: limit in any direction.
    """
    size = sqrt(dot(v, v))
    return speed if size < SLOW else min(speed, pace * size)


@primitive
def ramp(rows, target, row, step):
    """Move a row of the reference towards that of the target by at most a step.

    `rows`, `target` (k, 4): the tables; `rows` is written.
    `row`: number of the row.
    `step`: largest change of its length.
    Returns whether it has reached the target.
    """
    gap = sub(load(target[row]), load(rows[row]))
    store(rows[row], add(load(rows[row]), at_most(gap, step)))
    return dot(gap, gap) <= step * step


@primitive
def has_arrived(distance, v, a):
    """Return whether a motion has arrived, within tolerances.

    `distance`, `v`, `a`: distance to the target [m or rad], velocity and acceleration.
    """
    return (
        dot(distance, distance) <= NEAR * NEAR
        and dot(v, v) <= SLOW * SLOW
        and dot(a, a) <= STEADY * STEADY
    )


@primitive
def advance(rows, a, b, dt):
    """Advance a table by a time step with constant accelerations.

    `rows` (k, 4): the table, updated.
    `a`, `b`: linear acceleration and spin rate [m/s^2, rad/s^2].
    """
    v, w = load(rows[VELOCITY]), load(rows[SPIN])
    faster, spun = add(v, scale(dt, a)), add(w, scale(dt, b))
    store(rows[POSITION], add(load(rows[POSITION]), scale(0.5 * dt, add(v, faster))))
    store_quaternion(rows, turn_by(scale(0.5 * dt, add(w, spun)), quaternion(rows)))
    store(rows[VELOCITY], faster)
    store(rows[SPIN], spun)
    store(rows[ACCELERATION], a)
    store(rows[SPIN_RATE], b)


@primitive
def cubic_acceleration(distance, v, v_goal, left, dt):
    """Return the mean acceleration over dt of the cubic that covers a distance in time.

    The cubic ends with the velocity v_goal (Craig, section 7.3): a(t) = (6 d / T - 4 v - 2 v_goal)
    / T + 6 t (v + v_goal - 2 d / T) / T^2.

    `distance`, `v`, `v_goal`: distance to the goal [m or rad], present velocity and velocity at
      the goal.
    `left`, `dt`: time to the goal, and the time step [s].
    """
    chord = scale(1.0 / left, distance)
    begin = sub(scale(6.0, chord), add(scale(4.0, v), scale(2.0, v_goal)))
    change = scale(6.0, sub(add(v, v_goal), scale(2.0, chord)))
    return scale(1.0 / left, add(begin, scale(0.5 * dt / left, change)))


@primitive
def accelerate_to_goal(goal, target, dt):
    """Accelerate the target so that it reaches its goal, a pose or a velocity, in time."""
    left = goal[AHEAD, LEFT]
    v, v_goal = load(target[VELOCITY]), load(goal[VELOCITY])
    w, w_goal = load(target[SPIN]), load(goal[SPIN])
    if goal[AHEAD, PLACED] > 0.0:
        distance = sub(load(goal[POSITION]), load(target[POSITION]))
        store(target[ACCELERATION], cubic_acceleration(distance, v, v_goal, left, dt))
    elif goal[AHEAD, MOVING] > 0.0:
        store(target[ACCELERATION], scale(1.0 / left, sub(v_goal, v)))
    if goal[AHEAD, TURNED] > 0.0:
        turn = turn_between(quaternion(goal), quaternion(target))
        store(target[SPIN_RATE], cubic_acceleration(turn, w, w_goal, left, dt))
    elif goal[AHEAD, MOVING] > 0.0:
        store(target[SPIN_RATE], scale(1.0 / left, sub(w_goal, w)))


@primitive
def track_target(
    goal, target, state, bandwidth, speed, acceleration, jerk, force_step, moment_step, dt
):
    """Advance target and state of a TaskReference by a time step.

    `bandwidth`: bandwidth of the chain of lags [1/s].
    `speed`, `acceleration`, `jerk`: limits, linear and angular.
    `force_step`, `moment_step`: largest changes of the wrench in a step [N, N m].
    """
    bandwidth = min(bandwidth, COARSEST / dt)
    if goal[AHEAD, LEFT] > 0.0:
        accelerate_to_goal(goal, target, dt)
    distance = sub(load(target[POSITION]), load(state[POSITION]))
    turn = turn_between(quaternion(target), quaternion(state))
    v, w = load(state[VELOCITY]), load(state[SPIN])
    pace = state[PACE, 0]
    a = steer(
        distance,
        load(target[VELOCITY]),
        load(target[ACCELERATION]),
        v,
        load(state[ACCELERATION]),
        bandwidth,
        largest_speed(v, pace, speed[0]),
        acceleration[0],
        jerk[0],
        dt,
    )
    b = steer(
        turn,
        load(target[SPIN]),
        load(target[SPIN_RATE]),
        w,
        load(state[SPIN_RATE]),
        bandwidth,
        largest_speed(w, pace, speed[1]),
        acceleration[1],
        jerk[1],
        dt,
    )
    advance(state, a, b, dt)
    advance(target, load(target[ACCELERATION]), load(target[SPIN_RATE]), dt)
    force_reached = ramp(state, target, FORCE, force_step)
    moment_reached = ramp(state, target, MOMENT, moment_step)
    motion_arrived = has_arrived(distance, v, a) and has_arrived(turn, w, b)
    arrived = motion_arrived and force_reached and moment_reached
    state[ARRIVED, 0] = 1.0 if arrived else 0.0


@primitive
def quaternion(rows):
    """Return the orientation in a table of rows.

    `rows` (k, 4): the table.
    """
    return (rows[QUATERNION, 0], rows[QUATERNION, 1], rows[QUATERNION, 2], rows[QUATERNION, 3])


@primitive
def store_quaternion(rows, q):
    """Write the orientation into a table of rows.

    `rows` (k, 4): the table, updated.
    """
    rows[QUATERNION, 0], rows[QUATERNION, 1] = q[0], q[1]
    rows[QUATERNION, 2], rows[QUATERNION, 3] = q[2], q[3]
