# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""One substep by the classical Runge-Kutta scheme of order 4."""

from robodyn_ros.algorithms.core.manifold import make_unit, position_rates
from robodyn_ros.simulation.dry_friction import assume_friction, keeps_sliding
from robodyn_ros.simulation.integrators.names import EVENT
from robodyn_ros.simulation.integrators.stage import accelerate_between_events
from robodyn_ros.simulation.joint_table import (
    BRAKED,
    DAMPING,
    GAIN,
    LEVEL,
    LOWER,
    MEAN_QDD,
    MEAN_RATE,
    OLD_Q,
    OLD_QD,
    PRESCRIBED,
    QDD,
    RATE,
    SLIDING,
    UPPER,
    WORK_DONE,
)
from robodyn_ros.simulation.servo import write_drive_efforts
from robodyn_ros.simulation.stops import position
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


@unfused
def power(joints, joint_work, effort, qd):
    """Return the power of motors and friction in the joints.

    `effort` (nv,): efforts of the motors [N m or N].
    """
    total = 0.0
    for k in range(qd.shape[0]):
        friction = joint_work[SLIDING, k] * joint_work[LEVEL, k] + joints[k, DAMPING] * qd[k]
        total = total + (effort[k] - friction) * qd[k]
    return total


@separate
def runge_kutta(
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
    """Advance the state by the scheme of order 4, without events of friction and stops.

    The four numbers of a quaternion are integrated separately and normalised at the end, which
    keeps the order. The scheme is stable while h D / M < 2.8. Writes the integral of the power
    into joint_work[WORK_DONE, 0] [J], of the same order.

    Returns 0, or the body whose pivot is singular. EVENT if a joint began to slide, stopped or
      reversed.
    """
    joint_work[WORK_DONE, 0] = 0.0
    assume_friction(joints, joint_work, qd)
    for k in range(q.shape[0]):
        joint_work[GAIN, k] = 0.0
        joint_work[MEAN_RATE, k] = 0.0
        joint_work[MEAN_QDD, k] = 0.0
    for stage in range(4):
        write_drive_efforts(joints, joint_work, q, qd, effort)
        status = accelerate_between_events(
            topology,
            constants,
            gravity,
            joints,
            work,
            joint_work,
            effort,
            f_ext,
            h,
            0.0,
            stribeck,
            q,
            qd,
        )
        if status != 0:
            return status
        weight = h / 3.0 if stage == 1 or stage == 2 else h / 6.0
        joint_work[WORK_DONE, 0] = joint_work[WORK_DONE, 0] + weight * power(
            joints, joint_work, effort, qd
        )
        to_next = h if stage == 2 else 0.5 * h
        position_rates(topology, q, qd, joint_work[RATE])
        for k in range(q.shape[0]):
            rate = joint_work[RATE, k]
            joint_work[MEAN_RATE, k] = joint_work[MEAN_RATE, k] + weight * rate
            q[k] = joint_work[OLD_Q, k] + to_next * rate
        for k in range(qd.shape[0]):
            slope = joint_work[QDD, k]
            joint_work[MEAN_QDD, k] = joint_work[MEAN_QDD, k] + weight * slope
            qd[k] = joint_work[OLD_QD, k] + to_next * slope
    for k in range(q.shape[0]):
        q[k] = joint_work[OLD_Q, k] + joint_work[MEAN_RATE, k]
    make_unit(topology, q)
    for k in range(qd.shape[0]):
        qd[k] = 0.0 if joints[k, BRAKED] > 0.0 else joint_work[OLD_QD, k] + joint_work[MEAN_QDD, k]
    return 0 if keeps_sliding(joint_work, qd) else EVENT


@unfused
def needs_no_euler(joints, joint_work, q):
    """Return whether a substep needs no Euler step.

    It does if a joint is beyond a stop, was braked in motion, or is moved kinematically.
    """
    for k in range(joints.shape[0]):
        x = position(joints, q, k)
        if x < joints[k, LOWER] or x > joints[k, UPPER]:
            return False
        if joints[k, BRAKED] > 0.0 and joint_work[OLD_QD, k] != 0.0:
            return False
        if joint_work[PRESCRIBED, k] != 0.0:
            return False
    return True
