# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Drives that follow a set-point: by their own feedback within their effort, or kinematically.

In position mode tau = w + Kp (q_d - q) - Kd qd, in velocity mode tau = w + Kv (v_d - qd). w is the
gravity torque, if the drive adds it, else 0. Runge-Kutta evaluates this law at every stage. Euler
evaluates it at the end of the step, at q + h qd' and qd'. The part in qd' adds to the viscous
friction, so no gain is too high for the step. A kinematic joint has the commanded velocity,
whatever effort it needs.
"""

from robodyn_ros.algorithms.core.rnea import inverse_dynamics
from robodyn_ros.simulation.joint_table import (
    BRAKED,
    DAMPING,
    EFFORT,
    EFFORT_MODE,
    GAIN,
    LEVEL,
    MODE,
    NEEDED,
    OLD_Q,
    OLD_QD,
    POSITION_MODE,
    QDD,
    RATE_GAIN,
    SETPOINT,
    SIDE,
    START_QD,
    STIFFNESS,
    STRENGTH,
    TOP_SPEED,
    WEIGHT,
)
from robodyn_ros.simulation.stops import fastest, position, slowest
from robodyn_ros.spatial.primitive import unfused

ROUNDING = 1e-15  # [-] relative error of position at which a kinematic joint has arrived
SLACK = 1e-12  # [-] share of the largest effort within which a drive stays saturated


@unfused
def feeds_back(joints, k):
    """Return whether the drive of a joint follows its set-point by feedback."""
    return joints[k, MODE] != EFFORT_MODE and joints[k, BRAKED] == 0.0


@unfused
def is_kinematic(joints, k):
    """Return whether a joint is moved kinematically."""
    return joints[k, MODE] != EFFORT_MODE and joints[k, BRAKED] > 0.0


@unfused
def prescribed_speed(joints, command, dt, q, k):
    """Return the velocity over a step of a joint that is moved kinematically, else 0.

    Its velocity limit and its stops bound it.

    `command` (nv,): commands, in the unit of each mode.
    """
    if not is_kinematic(joints, k):
        return 0.0
    speed = command[k]
    if joints[k, MODE] == POSITION_MODE:
        error = command[k] - position(joints, q, k)
        speed = error / dt if abs(error) > ROUNDING * abs(command[k]) else 0.0
    speed = min(max(speed, -joints[k, TOP_SPEED]), joints[k, TOP_SPEED])
    return min(max(speed, slowest(joints, dt, q, k)), fastest(joints, dt, q, k))


@unfused
def effort_at_rest(joints, joint_work, q, k):
    """Return the effort of a drive at zero velocity, without its limit."""
    if joints[k, MODE] == POSITION_MODE:
        error = joint_work[SETPOINT, k] - position(joints, q, k)
        return joint_work[WEIGHT, k] + joints[k, STIFFNESS] * error
    return joint_work[WEIGHT, k] + joints[k, RATE_GAIN] * joint_work[SETPOINT, k]


@unfused
def largest_effort(joints, k):
    """Return the largest effort of a motor, less what a fault takes."""
    return joints[k, STRENGTH] * joints[k, EFFORT] if joints[k, STRENGTH] > 0.0 else 0.0


@unfused
def write_drive_efforts(joints, joint_work, q, qd, effort):
    """Write the efforts of the drives that follow by feedback, at this state."""
    for k in range(qd.shape[0]):
        if feeds_back(joints, k):
            wanted = effort_at_rest(joints, joint_work, q, k) - joints[k, RATE_GAIN] * qd[k]
            limit = joints[k, EFFORT]
            effort[k] = joints[k, STRENGTH] * min(max(wanted, -limit), limit)


@unfused
def assume_unsaturated(joints, joint_work, qd):
    """Assume that no drive saturates, and keep the velocities in joint_work[OLD_QD].

    Returns whether any drive follows by feedback.
    """
    found = False
    for k in range(qd.shape[0]):
        found = found or feeds_back(joints, k)
        joint_work[SIDE, k] = 0.0
        joint_work[OLD_QD, k] = qd[k]
    return found


@unfused
def linearise_drives(joints, joint_work, h, q, effort):
    """Split the efforts of the drives into a constant part and a damping.

    The damping, joint_work[GAIN], acts on the velocity at the end of the step.

    `h`: time from the state to the end of the step [s].
    `effort` (nv,): constant part [N m or N], updated.
    """
    for k in range(effort.shape[0]):
        joint_work[GAIN, k] = 0.0
        if feeds_back(joints, k):
            if joint_work[SIDE, k] != 0.0:
                effort[k] = joint_work[SIDE, k] * largest_effort(joints, k)
            else:
                gain = joints[k, RATE_GAIN]
                if joints[k, MODE] == POSITION_MODE:
                    gain = gain + h * joints[k, STIFFNESS]
                effort[k] = joints[k, STRENGTH] * effort_at_rest(joints, joint_work, q, k)
                joint_work[GAIN, k] = joints[k, STRENGTH] * gain


@unfused
def correct_saturation(joints, joint_work, q, qd, effort):
    """Check the assumed saturation of the drives after a step, and correct it.

    Writes the efforts of the drives, and the corrected joint_work[SIDE] for a repetition of the
    step.

    `q`, `qd` (nq,): state at the end of the step [rad or m, rad/s or m/s].
    Returns whether any assumption was wrong.
    """
    found = False
    for k in range(qd.shape[0]):
        if feeds_back(joints, k):
            limit = largest_effort(joints, k)
            if joint_work[SIDE, k] == 0.0:
                given = effort[k] - joint_work[GAIN, k] * qd[k]
                if not abs(given) <= limit:
                    joint_work[SIDE, k] = 1.0 if given > 0.0 else -1.0
                    found = True
                effort[k] = min(max(given, -limit), limit)
            else:
                law = effort_at_rest(joints, joint_work, q, k) - joints[k, RATE_GAIN] * qd[k]
                if joint_work[SIDE, k] * joints[k, STRENGTH] * law < (1.0 - SLACK) * limit:
                    joint_work[SIDE, k] = 0.0
                    found = True
    return found


@unfused
def restore_state(joint_work, q, qd):
    """Restore the state before the step.

    `q`, `qd` (nq,): state [rad or m, rad/s or m/s], written.
    """
    for k in range(q.shape[0]):
        q[k] = joint_work[OLD_Q, k]
    for k in range(qd.shape[0]):
        qd[k] = joint_work[OLD_QD, k]


@unfused
def effort_of_kinematic_joints(
    topology, constants, gravity, joints, work, joint_work, f_ext, h, q, qd, effort
):
    """Write the efforts that kinematic joints needed in the last substep; O(n).

    They come from inverse dynamics at the end of the substep, with the mean acceleration.

    `q`, `qd` (nq,): state at the end of the substep [rad or m, rad/s or m/s].
    """
    n = qd.shape[0]
    found = False
    for k in range(n):
        found = found or is_kinematic(joints, k)
        joint_work[QDD, k] = (qd[k] - joint_work[START_QD, k]) / h
    if found:
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
            if is_kinematic(joints, k):
                friction = 0.0
                if qd[k] != 0.0:
                    friction = joint_work[LEVEL, k] if qd[k] > 0.0 else -joint_work[LEVEL, k]
                effort[k] = joint_work[NEEDED, k] + joints[k, DAMPING] * qd[k] + friction
