# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""One substep of the equations of motion, by the Euler or a Runge-Kutta scheme."""

from robodyn_ros.algorithms.core.aba import forward_dynamics
from robodyn_ros.algorithms.core.manifold import integrate, make_unit, position_rates
from robodyn_ros.simulation.friction import (
    friction_holds,
    friction_level,
    next_velocity,
    presume_friction,
    presume_none,
    slides_on,
)
from robodyn_ros.simulation.impulses import resolve
from robodyn_ros.simulation.joint_table import (
    BRAKE,
    BRAKED,
    DAMPING,
    DIAGONAL,
    GAIN,
    LEVEL,
    LOWER,
    MEAN_QDD,
    MEAN_RATE,
    NEXT,
    OLD_Q,
    OLD_QD,
    PRESCRIBED,
    QDD,
    RATE,
    SLIDING,
    STUCK,
    TORQUE,
    UPPER,
    WORK_DONE,
)
from robodyn_ros.simulation.servo import begin_to_follow, engage, follow, saturates, take_back
from robodyn_ros.simulation.stops import clip, crosses_stop, position
from robodyn_ros.spatial.primitive import unfused

SEMI_IMPLICIT_EULER, RK4, ENERGY_MIDPOINT, ENERGY_RK4 = range(4)
EVENT = -1  # a presumed state of friction ended within the substep


@unfused
def accelerate(
    topology, constants, gravity, joints, scratch, work, effort, f_ext, h, ahead, stribeck, q, qd
):
    """Solve (M + ahead D) qdd = tau - D qd - F - C qd - g + J^T f_ext into work[QDD].

    D is the viscous friction, at the end of the substep for ahead = h and at its start for
    ahead = 0. F is the dry friction of the joints that are presumed to slide, see friction.py. A
    joint that is presumed to stick keeps its velocity. A braked one comes to rest within h under
    any load, a kinematic one reaches its velocity. D has the share of the drives that follow a
    set-point, see servo.py. Writes work[LEVEL]. Returns 0, or the body whose pivot is singular.
    """
    n = qd.shape[0]
    for k in range(n):
        rate, brake = qd[k], BRAKE * joints[k, BRAKED]
        viscous = joints[k, DAMPING] + work[GAIN, k]
        work[LEVEL, k] = friction_level(joints, stribeck, rate, k)
        friction = work[SLIDING, k] * work[LEVEL, k]
        work[TORQUE, k] = effort[k] - friction - (viscous + brake / h) * rate
        if work[PRESCRIBED, k] != 0.0:
            work[TORQUE, k] = work[TORQUE, k] + brake / h * work[PRESCRIBED, k]
        work[DIAGONAL, k] = ahead * viscous + brake + BRAKE * work[STUCK, k]
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


@unfused
def move(topology, constants, gravity, joints, scratch, work, effort, f_ext, h, stribeck, q, qd):
    """qd' = qd + h qdd + A p, q' = q + h qd', with the impulses p of friction and stops; order 1.

    A spherical joint turns by the exponential of its angular velocity. Viscous friction at qd'
    dissipates the power qd'^T D qd' >= 0 for any step size. If every joint keeps sliding or
    sticking, one O(n) pass includes the impulses of friction. Returns 0, or the body whose pivot
    is singular.
    """
    n = qd.shape[0]
    rubs = presume_friction(joints, work, qd)
    status = accelerate(
        topology, constants, gravity, joints, scratch, work, effort, f_ext, h, h, stribeck, q, qd
    )
    if status != 0:
        return status
    next_velocity(joints, work, h, qd)
    kept = friction_holds(topology, constants, gravity, scratch, work, q, qd, f_ext) and slides_on(
        work, work[NEXT][:n]
    )
    if not kept or crosses_stop(joints, h, q, work[NEXT][:n]):
        if rubs:
            presume_none(work, n)
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
                h,
                stribeck,
                q,
                qd,
            )
            next_velocity(joints, work, h, qd)
        if status == 0:
            status = resolve(topology, constants, joints, scratch, work, h, q, work[NEXT][:n])
    for k in range(n):
        qd[k] = work[NEXT, k]
    integrate(topology, q, qd, h, q)
    clip(joints, work[OLD_Q], q)
    return status


@unfused
def euler(topology, constants, gravity, joints, scratch, work, effort, f_ext, h, stribeck, q, qd):
    """One Euler step, whose drives follow their set-points at its end, within their efforts.

    If the effort of a drive exceeds its limit, the step is repeated with the limit in its place.
    If the law needs less than the limit, the step is repeated with the law. This happens at most
    twice a joint. work[OLD_Q] holds q. Returns 0, or the body whose pivot is singular.
    """
    follows = begin_to_follow(joints, work, qd)
    for _ in range(2 * qd.shape[0] + 1):
        engage(joints, work, h, q, effort)
        status = move(
            topology, constants, gravity, joints, scratch, work, effort, f_ext, h, stribeck, q, qd
        )
        if status != 0 or not follows or not saturates(joints, work, q, qd, effort):
            break
        take_back(work, q, qd)
    return status


@unfused
def power(joints, work, effort, qd):
    """Return the power of motors and friction in the joints [W]."""
    total = 0.0
    for k in range(qd.shape[0]):
        friction = work[SLIDING, k] * work[LEVEL, k] + joints[k, DAMPING] * qd[k]
        total = total + (effort[k] - friction) * qd[k]
    return total


@unfused
def runge_kutta(
    topology, constants, gravity, joints, scratch, work, effort, f_ext, h, stribeck, method, q, qd
):
    """Advance (q, qd) by a Runge-Kutta scheme between events of friction, without stops.

    The scheme is the classical one of order 4, or the explicit midpoint rule of order 2.

    The four numbers of a quaternion are integrated separately, which keeps the order, and
    normalised at the end. The schemes are stable while h D / M < 2.8, or < 2. work[WORK_DONE, 0]
    is the integral of the power [J], of the same order. Returns 0, the body whose pivot is
    singular, or EVENT if a joint began to slide, stopped or reversed.
    """
    stages = 2 if method == ENERGY_MIDPOINT else 4
    work[WORK_DONE, 0] = 0.0
    presume_friction(joints, work, qd)
    for k in range(q.shape[0]):
        work[GAIN, k] = 0.0
        work[MEAN_RATE, k] = 0.0
        work[MEAN_QDD, k] = 0.0
    for stage in range(stages):
        follow(joints, work, q, qd, effort)
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
            stribeck,
            q,
            qd,
        )
        if status != 0:
            return status
        if not slides_on(work, qd):
            return EVENT
        if not friction_holds(topology, constants, gravity, scratch, work, q, qd, f_ext):
            return EVENT
        weight = h / 3.0 if stage == 1 or stage == 2 else h / 6.0
        if stages == 2:
            weight = h if stage == 1 else 0.0
        work[WORK_DONE, 0] = work[WORK_DONE, 0] + weight * power(joints, work, effort, qd)
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
    return 0 if slides_on(work, qd) else EVENT


@unfused
def smooth(joints, work, q):
    """Whether Runge-Kutta saw all there was: no joint beyond a stop, none that a brake arrests or
    that is moved kinematically.
    """
    for k in range(joints.shape[0]):
        x = position(joints, q, k)
        if x < joints[k, LOWER] or x > joints[k, UPPER]:
            return False
        if joints[k, BRAKED] > 0.0 and work[OLD_QD, k] != 0.0:
            return False
        if work[PRESCRIBED, k] != 0.0:
            return False
    return True
