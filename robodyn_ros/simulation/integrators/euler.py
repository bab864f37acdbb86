# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""One substep of the equations of motion by semi-implicit Euler, with friction and stops."""

from robodyn_ros.algorithms.core.aba import forward_dynamics
from robodyn_ros.algorithms.core.manifold import integrate
from robodyn_ros.simulation.dry_friction import (
    friction_holds,
    friction_level,
    next_velocity,
    presume_friction,
    presume_none,
    slides_on,
)
from robodyn_ros.simulation.joint_impulses import resolve
from robodyn_ros.simulation.joint_table import (
    BRAKE,
    BRAKED,
    DAMPING,
    DIAGONAL,
    GAIN,
    LEVEL,
    NEXT,
    OLD_Q,
    PRESCRIBED,
    QDD,
    SLIDING,
    STUCK,
    TORQUE,
)
from robodyn_ros.simulation.servo import begin_to_follow, engage, saturates, take_back
from robodyn_ros.simulation.stops import clip, crosses_stop
from robodyn_ros.spatial.primitive import separate, unfused
from robodyn_ros.spatial.types import Constant, Integer, Matrix, Scalar, Table, Topology, Vector


@unfused
def accelerate(
    topology, constants, gravity, joints, scratch, work, effort, f_ext, h, ahead, stribeck, q, qd
):
    """Solve (M + ahead D) qdd = tau - D qd - F - C qd - g + J^T f_ext into work[QDD].

    D is the viscous friction, at the end of the substep for ahead = h and at its start for
    ahead = 0. F is the dry friction of the joints that are presumed to slide (dry_friction). A
    joint that is presumed to stick keeps its velocity. A braked one comes to rest within h under
    any load, a kinematic one reaches its velocity. D has the share of the drives that follow a
    set-point, see servo.py. Writes work[LEVEL]. Returns 0, or the body whose pivot is singular.
    """
    n = qd.shape[0]
    for k in range(n):
        rate, brake = qd[k], BRAKE * joints[k, BRAKED]
        viscous = joints[k, DAMPING] + work[GAIN, k]
        work[LEVEL, k] = friction_level(joints, stribeck, q, rate, k)
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
def semi_implicit_euler(
    topology, constants, gravity, joints, scratch, work, effort, f_ext, h, stribeck, q, qd
):
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


@separate
def euler(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    joints: Matrix,
    scratch: Matrix,
    work: Matrix,
    effort: Vector,
    f_ext: Matrix,
    h: Scalar,
    stribeck: Scalar,
    q: Vector,
    qd: Vector,
) -> Integer:
    """One Euler step, whose drives follow their set-points at its end, within their efforts.

    If the effort of a drive exceeds its limit, the step is repeated with the limit in its place.
    If the law needs less than the limit, the step is repeated with the law. This happens at most
    twice a joint. work[OLD_Q] holds q. Returns 0, or the body whose pivot is singular.
    """
    follows = begin_to_follow(joints, work, qd)
    for _ in range(2 * qd.shape[0] + 1):
        engage(joints, work, h, q, effort)
        status = semi_implicit_euler(
            topology, constants, gravity, joints, scratch, work, effort, f_ext, h, stribeck, q, qd
        )
        if status != 0 or not follows or not saturates(joints, work, q, qd, effort):
            break
        take_back(work, q, qd)
    return status
