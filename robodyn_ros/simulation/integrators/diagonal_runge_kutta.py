# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""One substep in diagonal velocities eta, in which the mass matrix is 1, by Runge-Kutta.

    dq/dt = F^-1 D^-1/2 eta,    d(eta)/dt = D^-1/2 F^-T tau - C(q, eta),    M = F^T D F

Jain 2011, section 19.3 and Algorithm 19.3, whose step 5 takes an Euler step.
"""

from robodyn_ros.algorithms.variants.diagonal_velocities import (
    diagonal_rates,
    diagonal_velocities,
    joint_velocities,
)
from robodyn_ros.simulation.dry_friction import assume_friction, friction_level, keeps_sliding
from robodyn_ros.simulation.integrators.names import EVENT, UNFIT
from robodyn_ros.simulation.joint_table import (
    BRAKE,
    BRAKED,
    DAMPING,
    DIAGONAL,
    FREE,
    GAIN,
    INVERSE,
    KEPT_IMPULSE,
    LEVEL,
    MEAN_QDD,
    MEAN_RATE,
    NEXT,
    OLD_Q,
    QDD,
    RHS,
    SLIDING,
    STUCK,
    TORQUE,
)
from robodyn_ros.simulation.servo import write_drive_efforts
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
def joint_torques(joints, work, effort, stribeck, q, qd):
    """Write the efforts less friction into work[TORQUE]; see `euler.accelerate`.

    `effort` (nv,): efforts of the motors [N m or N].
    """
    for k in range(qd.shape[0]):
        work[LEVEL, k] = friction_level(joints, stribeck, q, qd[k], k)
        friction = work[SLIDING, k] * work[LEVEL, k] + joints[k, DAMPING] * qd[k]
        work[TORQUE, k] = effort[k] - friction


@separate
def diagonal_runge_kutta(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    joints: Matrix,
    scratch: Work,
    work: Matrix,
    effort: Vector,
    f_ext: Matrix,
    h: Scalar,
    stribeck: Scalar,
    q: Vector,
    qd: Vector,
) -> Integer:
    """Advance the state by the classical scheme of order 4 in (q, eta).

    A braked joint has a huge inertia.

    Returns 0, or the body whose pivot is singular. EVENT if a joint stopped or reversed, UNFIT if
      friction holds a joint.
    """
    n = qd.shape[0]
    F, D, memory = work[INVERSE : INVERSE + n], work[RHS][:n], work[KEPT_IMPULSE:]
    old_eta, eta, rates, diagonal = work[FREE][:n], work[NEXT][:n], work[QDD][:n], work[DIAGONAL]
    assume_friction(joints, work, qd)
    for k in range(n):
        if work[STUCK, k] > 0.0:
            return UNFIT
        diagonal[k] = BRAKE * joints[k, BRAKED]
        work[GAIN, k] = 0.0
        work[MEAN_RATE, k] = 0.0
        work[MEAN_QDD, k] = 0.0
    status = diagonal_velocities(topology, constants, scratch, q, qd, diagonal, F, D, old_eta)
    for stage in range(4):
        if status != 0:
            return status
        write_drive_efforts(joints, work, q, qd, effort)
        joint_torques(joints, work, effort, stribeck, q, qd)
        status = diagonal_rates(
            topology,
            constants,
            gravity,
            scratch,
            q,
            qd,
            work[TORQUE][:n],
            f_ext,
            diagonal,
            F,
            D,
            memory,
            rates,
        )
        weight = h / 3.0 if stage == 1 or stage == 2 else h / 6.0
        to_next = h if stage == 2 else 0.5 * h
        for k in range(n):
            work[MEAN_RATE, k] = work[MEAN_RATE, k] + weight * qd[k]
            work[MEAN_QDD, k] = work[MEAN_QDD, k] + weight * rates[k]
            if stage < 3:
                q[k] = work[OLD_Q, k] + to_next * qd[k]
                eta[k] = old_eta[k] + to_next * rates[k]
            else:
                q[k] = work[OLD_Q, k] + work[MEAN_RATE, k]
                eta[k] = old_eta[k] + work[MEAN_QDD, k]
        if status != 0:
            return status
        status = joint_velocities(topology, constants, scratch, q, eta, diagonal, F, D, qd)
        if not keeps_sliding(work, qd):
            return EVENT
    for k in range(n):
        if joints[k, BRAKED] > 0.0:
            qd[k] = 0.0
    return status
