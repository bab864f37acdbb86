# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""One substep of the equations of motion, by either of two schemes."""

from numpy import sqrt

from robodyn_ros.algorithms.core.aba import forward_dynamics
from robodyn_ros.algorithms.core.manifold import integrate, make_unit, position_rates
from robodyn_ros.simulation.joint_table import (
    BRAKE,
    BRAKED,
    DAMPING,
    DIAGONAL,
    FRICTION,
    LOWER,
    MEAN_QDD,
    MEAN_RATE,
    OLD_Q,
    OLD_QD,
    QDD,
    RATE,
    TORQUE,
    UPPER,
)
from robodyn_ros.simulation.stops import arrest, clip, crosses_stop, position
from robodyn_ros.spatial.primitive import primitive

SEMI_IMPLICIT_EULER, RK4 = 0, 1


@primitive
def accelerate(
    topology, constants, gravity, joints, scratch, work, effort, f_ext, h, ahead, sticking, q, qd
):
    """Solve (M + ahead D + h F) qdd = tau - (D + F) qd - C qd - g + J^T f_ext into work[QDD].

    D is the viscous friction; F qd the Coulomb friction f qd / sqrt(qd^2 + vs^2), F its secant.
    Coulomb friction is as stiff as f / vs, so it is taken at the end of the substep; so is viscous
    friction with ahead = h, while ahead = 0 takes it at the start. A braked joint comes to rest
    within h whatever pulls at it. Returns 0, or the body whose pivot is singular.
    """
    n = qd.shape[0]
    for k in range(n):
        rate, viscous, brake = qd[k], joints[k, DAMPING], BRAKE * joints[k, BRAKED]
        coulomb = joints[k, FRICTION] / sqrt(rate * rate + sticking * sticking)
        work[TORQUE, k] = effort[k] - (viscous + coulomb + brake / h) * rate
        work[DIAGONAL, k] = ahead * viscous + h * coulomb + brake
    return forward_dynamics(
        topology,
        constants,
        gravity,
        scratch,
        q,
        qd,
        work[TORQUE][:n],
        f_ext,
        work[DIAGONAL][:n],
        work[QDD][:n],
    )


@primitive
def euler(topology, constants, gravity, joints, scratch, work, effort, f_ext, h, sticking, q, qd):
    """qd' = qd + h qdd, q' = q + h qd', friction at qd' and stops between the two; order 1.

    A spherical hinge turns by the exponential of its angular velocity.
    Implicit friction takes the power qd'^T (D + F) qd' >= 0 out at any size of the step.
    Returns 0, or the body whose pivot is singular.
    """
    status = accelerate(
        topology, constants, gravity, joints, scratch, work, effort, f_ext, h, h, sticking, q, qd
    )
    if status != 0:
        return status
    for k in range(qd.shape[0]):
        qd[k] = 0.0 if joints[k, BRAKED] > 0.0 else qd[k] + h * work[QDD, k]
    if crosses_stop(joints, h, q, qd):
        status = arrest(topology, constants, joints, scratch, work, h, q, qd)
    integrate(topology, q, qd, h, q)
    clip(joints, work[OLD_Q], q)
    return status


@primitive
def runge_kutta(
    topology, constants, gravity, joints, scratch, work, effort, f_ext, h, sticking, q, qd
):
    """Classical Runge-Kutta on (q, qd), order 4 where nothing rubs; it knows no stops.

    Coulomb friction is linearly implicit in every stage, of order 1, and never turns a joint
    round. Quaternions run as the four numbers they are, which keeps the order, and are made
    of length one at the end. Stable while h D / M < 2.8. Returns 0, or the body whose pivot is
    singular.
    """
    for k in range(q.shape[0]):
        work[MEAN_RATE, k] = 0.0
        work[MEAN_QDD, k] = 0.0
    for stage in range(4):
        status = accelerate(
            topology,
            constants,
            gravity,
            joints,
            scratch,
            work,
            effort,
            f_ext,
            h,
            0.0,
            sticking,
            q,
            qd,
        )
        if status != 0:
            return status
        weight = h / 3.0 if stage == 1 or stage == 2 else h / 6.0
        to_next = h if stage == 2 else 0.5 * h
        position_rates(topology, q, qd, work[RATE])
        for k in range(q.shape[0]):
            rate = work[RATE, k]
            work[MEAN_RATE, k] = work[MEAN_RATE, k] + weight * rate
            q[k] = work[OLD_Q, k] + to_next * rate
        for k in range(qd.shape[0]):
            slope = work[QDD, k]
            work[MEAN_QDD, k] = work[MEAN_QDD, k] + weight * slope
            qd[k] = work[OLD_QD, k] + to_next * slope
    for k in range(q.shape[0]):
        q[k] = work[OLD_Q, k] + work[MEAN_RATE, k]
    make_unit(topology, q)
    for k in range(qd.shape[0]):
        qd[k] = 0.0 if joints[k, BRAKED] > 0.0 else work[OLD_QD, k] + work[MEAN_QDD, k]
    return 0


@primitive
def smooth(joints, work, q):
    """Whether Runge-Kutta saw all there was: no joint beyond a stop, none that a brake arrests."""
    for k in range(joints.shape[0]):
        x = position(joints, q, k)
        if x < joints[k, LOWER] or x > joints[k, UPPER]:
            return False
        if joints[k, BRAKED] > 0.0 and work[OLD_QD, k] != 0.0:
            return False
    return True
