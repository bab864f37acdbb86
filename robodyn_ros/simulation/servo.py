# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Drives that follow a set-point: by their own feedback within their effort, or kinematically.

In position mode tau = w + Kp (q_d - q) - Kd qd, in velocity mode tau = w + Kv (v_d - qd). w is the
weight if the drive carries it. Runge-Kutta takes this law at every stage. Euler takes it at the
end of the step, at q + h qd' and qd'. There the part in qd' adds to the viscous friction, so no
gain is too high for the step. A kinematic joint has its velocity, at any effort.
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

ROUNDING = 1e-15  # [-] of a position, within which a kinematic joint has arrived
SLACK = 1e-12  # [-] of the largest effort, within which a drive stays at it


@unfused
def feeds_back(joints, k):
    """Whether the drive of joint k follows its set-point by feedback."""
    return joints[k, MODE] != EFFORT_MODE and joints[k, BRAKED] == 0.0


@unfused
def is_kinematic(joints, k):
    """Whether joint k is moved kinematically."""
    return joints[k, MODE] != EFFORT_MODE and joints[k, BRAKED] > 0.0


@unfused
def prescribed_speed(joints, command, dt, q, k):
    """Velocity of joint k over a step if it is moved kinematically, or 0.

    At most its top speed, and to its stops.
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
def effort_at_rest(joints, work, q, k):
    """Effort that the drive of joint k would give if the joint stood still, without a limit."""
    if joints[k, MODE] == POSITION_MODE:
        error = work[SETPOINT, k] - position(joints, q, k)
        return work[WEIGHT, k] + joints[k, STIFFNESS] * error
    return work[WEIGHT, k] + joints[k, RATE_GAIN] * work[SETPOINT, k]


@unfused
def largest_effort(joints, k):
    """Effort that the motor of joint k still gives."""
    return joints[k, STRENGTH] * joints[k, EFFORT] if joints[k, STRENGTH] > 0.0 else 0.0


@unfused
def follow(joints, work, q, qd, effort):
    """Write the efforts of the drives that feed back, at this state."""
    for k in range(qd.shape[0]):
        if feeds_back(joints, k):
            wanted = effort_at_rest(joints, work, q, k) - joints[k, RATE_GAIN] * qd[k]
            limit = joints[k, EFFORT]
            effort[k] = joints[k, STRENGTH] * min(max(wanted, -limit), limit)


@unfused
def begin_to_follow(joints, work, qd):
    """Presume that every drive keeps below its largest effort; whether any drive feeds back."""
    found = False
    for k in range(qd.shape[0]):
        found = found or feeds_back(joints, k)
        work[SIDE, k] = 0.0
        work[OLD_QD, k] = qd[k]
    return found


@unfused
def engage(joints, work, h, q, effort):
    """Write the efforts of the drives at rest, and their dampings into work[GAIN]. A damping acts
    on the velocity at the end of the step.
    """
    for k in range(effort.shape[0]):
        work[GAIN, k] = 0.0
        if feeds_back(joints, k):
            if work[SIDE, k] != 0.0:
                effort[k] = work[SIDE, k] * largest_effort(joints, k)
            else:
                gain = joints[k, RATE_GAIN]
                if joints[k, MODE] == POSITION_MODE:
                    gain = gain + h * joints[k, STIFFNESS]
                effort[k] = joints[k, STRENGTH] * effort_at_rest(joints, work, q, k)
                work[GAIN, k] = joints[k, STRENGTH] * gain


@unfused
def saturates(joints, work, q, qd, effort):
    """Whether a drive was taken for one at its limit in the step that ended here, or not, wrongly.

    Writes the efforts that the drives gave, and work[SIDE] for the next trial.
    """
    found = False
    for k in range(qd.shape[0]):
        if feeds_back(joints, k):
            limit = largest_effort(joints, k)
            if work[SIDE, k] == 0.0:
                given = effort[k] - work[GAIN, k] * qd[k]
                if not abs(given) <= limit:
                    work[SIDE, k] = 1.0 if given > 0.0 else -1.0
                    found = True
                effort[k] = min(max(given, -limit), limit)
            else:
                law = effort_at_rest(joints, work, q, k) - joints[k, RATE_GAIN] * qd[k]
                if work[SIDE, k] * joints[k, STRENGTH] * law < (1.0 - SLACK) * limit:
                    work[SIDE, k] = 0.0
                    found = True
    return found


@unfused
def take_back(work, q, qd):
    """Return to the state before the step."""
    for k in range(q.shape[0]):
        q[k] = work[OLD_Q, k]
    for k in range(qd.shape[0]):
        qd[k] = work[OLD_QD, k]


@unfused
def effort_of_kinematic_joints(
    topology, constants, gravity, joints, scratch, work, f_ext, h, q, qd, effort
):
    """Write the efforts that the last substep h took of the kinematic joints; O(n).

    By inverse dynamics at the end of it, with the mean acceleration.
    """
    n = qd.shape[0]
    found = False
    for k in range(n):
        found = found or is_kinematic(joints, k)
        work[QDD, k] = (qd[k] - work[START_QD, k]) / h
    if found:
        inverse_dynamics(
            topology, constants, gravity, scratch, q, qd, work[QDD][:n], f_ext, work[NEEDED][:n]
        )
        for k in range(n):
            if is_kinematic(joints, k):
                rubs = 0.0
                if qd[k] != 0.0:
                    rubs = work[LEVEL, k] if qd[k] > 0.0 else -work[LEVEL, k]
                effort[k] = work[NEEDED, k] + joints[k, DAMPING] * qd[k] + rubs
