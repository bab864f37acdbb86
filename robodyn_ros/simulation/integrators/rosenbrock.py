# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""One substep by ROS2, a linearly implicit Runge-Kutta scheme of two stages, for stiff joints.

    (1 - g h A) k1 = F(y),    (1 - g h A) k2 = F(y + h k1) - 2 k1,    y' = y + (3 k1 + k2) h / 2

It has order 2 for any matrix A. For g = 1 - 1 / sqrt(2) it is L-stable: as h grows it damps the
motions in A to zero. Source: Verwer, Spee, Blom and Hundsdorfer 1999, SIAM J. Sci. Comput. 20, eq.
(2.2). Here A has the springs K and dampers B of joints and drives alone:

    A = [[0, 1], [-M^-1 K, -M^-1 B]]

So a stage is one articulated-body recursion, with g h B + (g h)^2 K on the diagonal of M.
"""

from robodyn_ros.algorithms.core.manifold import integrate
from robodyn_ros.simulation.dry_friction import assume_friction, keeps_sliding
from robodyn_ros.simulation.integrators.names import EVENT
from robodyn_ros.simulation.integrators.runge_kutta import power
from robodyn_ros.simulation.integrators.stage import accelerate_between_events
from robodyn_ros.simulation.joint_table import (
    BRAKED,
    DAMPING,
    FREE,
    GAIN,
    LEVEL,
    MEAN_QDD,
    MEAN_RATE,
    MODE,
    OLD_Q,
    OLD_QD,
    POSITION_MODE,
    QDD,
    RATE,
    RHS,
    SIDE,
    START_LEVEL,
    STIFFNESS,
    STRENGTH,
    STUCK,
    WORK_DONE,
)
from robodyn_ros.simulation.servo import (
    SLACK,
    feeds_back,
    largest_effort,
    linearise_drives,
    restore_state,
)
from robodyn_ros.spatial.primitive import separate, unfused
from robodyn_ros.spatial.types import (
    Constant,
    Integer,
    Matrix,
    Scalar,
    Table,
    Topology,
    Vector,
    Work,
)

GAMMA = 0.29289321881345254  # 1 - 1 / sqrt(2)


@unfused
def spring_of(joints, joint_work, k):
    """Return the stiffness of the drive of a joint, 0 if it saturates."""
    if feeds_back(joints, k) and joints[k, MODE] == POSITION_MODE and joint_work[SIDE, k] == 0.0:
        return joints[k, STRENGTH] * joints[k, STIFFNESS]
    return 0.0


@unfused
def clamp_efforts(joints, joint_work, effort):
    """Clamp the mean efforts of drives, joint_work[FREE], and find those beyond their limit.

    Writes the sign of their limit into joint_work[SIDE] for a repetition of the step.

    `effort` (nv,): clamped efforts [N m or N], written where a drive follows by feedback.
    Returns whether a drive exceeded its limit.
    """
    found = False
    for k in range(effort.shape[0]):
        if feeds_back(joints, k):
            limit = largest_effort(joints, k)
            if joint_work[SIDE, k] == 0.0 and abs(joint_work[FREE, k]) > (1.0 + SLACK) * limit:
                joint_work[SIDE, k] = 1.0 if joint_work[FREE, k] > 0.0 else -1.0
                found = True
            effort[k] = min(max(joint_work[FREE, k], -limit), limit)
    return found


@separate
def rosenbrock(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    joints: Matrix,
    work: Work,
    joint_work: Matrix,
    effort: Vector,
    f_ext: Matrix,
    h: Scalar,
    stribeck: Scalar,
    q: Vector,
    qd: Vector,
) -> Integer:
    """Advance the state by ROS2, without events of friction and stops.

    If a drive exceeds its limit, the step is repeated with this limit, at most once for each
    drive.

    Returns 0, or the body whose pivot is singular. EVENT if a joint began to slide, stopped or
      reversed.
    """
    status = 0
    for k in range(qd.shape[0]):
        joint_work[SIDE, k] = 0.0
    for _ in range(qd.shape[0] + 1):
        status = two_stages(
            topology,
            constants,
            gravity,
            joints,
            work,
            joint_work,
            effort,
            f_ext,
            h,
            stribeck,
            q,
            qd,
        )
        if status != 0 or not clamp_efforts(joints, joint_work, effort):
            break
        restore_state(joint_work, q, qd)
    return status


@unfused
def two_stages(
    topology, constants, gravity, joints, work, joint_work, effort, f_ext, h, stribeck, q, qd
):
    """Advance the state by both stages of ROS2.

    With W = g h B + (g h)^2 K a stage solves

        (M + W) w = tau - g h K qd + 2 W (rate of qd) + 2 g h K (rate of q),  the rates of k1,

    for the rate w - 2 k1 of qd; k1 = 0 in the first stage. Writes the mean efforts of drives that
    follow by feedback into joint_work[FREE]. Writes the work of all other efforts and of friction
    into joint_work[WORK_DONE, 0] [J].

    Returns status, as of `rosenbrock`.
    """
    n, ahead = qd.shape[0], GAMMA * h
    pushed = joint_work[RHS][:n]
    assume_friction(joints, joint_work, qd)
    for k in range(n):
        joint_work[MEAN_RATE, k] = 0.0
        joint_work[MEAN_QDD, k] = 0.0
        joint_work[FREE, k] = 0.0
    for stage in range(2):
        linearise_drives(joints, joint_work, ahead, q, effort)
        for k in range(n):
            spring, damper = (
                spring_of(joints, joint_work, k),
                joints[k, DAMPING] + joint_work[GAIN, k],
            )
            before = damper * joint_work[MEAN_QDD, k] + spring * joint_work[MEAN_RATE, k]
            pushed[k] = effort[k] + 2.0 * ahead * before
        status = accelerate_between_events(
            topology,
            constants,
            gravity,
            joints,
            work,
            joint_work,
            pushed,
            f_ext,
            h,
            ahead,
            stribeck,
            q,
            qd,
        )
        if status != 0:
            return status
        for k in range(n):
            at_end = joint_work[GAIN, k] * (qd[k] + ahead * joint_work[QDD, k])
            damped = 2.0 * ahead * joints[k, DAMPING] * joint_work[MEAN_QDD, k]
            joint_work[FREE, k] = joint_work[FREE, k] + 0.5 * (pushed[k] - damped - at_end)
            slope = joint_work[QDD, k] - 2.0 * joint_work[MEAN_QDD, k]
            rate = qd[k] - 2.0 * joint_work[MEAN_RATE, k] + ahead * slope
            if joints[k, BRAKED] > 0.0 or joint_work[STUCK, k] > 0.0:  # no rounding may move it
                slope, rate = 0.0, 0.0
            if stage == 0:
                joint_work[MEAN_QDD, k] = slope
                joint_work[MEAN_RATE, k] = rate
                joint_work[RATE, k] = rate
                joint_work[START_LEVEL, k] = joint_work[LEVEL, k]
                qd[k] = joint_work[OLD_QD, k] + h * slope
            else:
                # friction at one end alone would give the work to order 1 only
                joint_work[LEVEL, k] = 0.5 * (joint_work[START_LEVEL, k] + joint_work[LEVEL, k])
                joint_work[RATE, k] = 1.5 * joint_work[MEAN_RATE, k] + 0.5 * rate
                qd[k] = joint_work[OLD_QD, k] + h * (1.5 * joint_work[MEAN_QDD, k] + 0.5 * slope)
        integrate(topology, joint_work[OLD_Q], joint_work[RATE], h, q)
    joint_work[WORK_DONE, 0] = h * power(joints, joint_work, effort, joint_work[RATE][:n])
    return 0 if keeps_sliding(joint_work, qd) else EVENT
