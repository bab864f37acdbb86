# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Semi-implicit Euler: one substep with friction, stops and drives."""

from robodyn_ros.algorithms.core.aba import forward_dynamics
from robodyn_ros.algorithms.core.manifold import integrate
from robodyn_ros.simulation.dry_friction import (
    assume_friction,
    assume_frictionless,
    friction_holds,
    friction_level,
    keeps_sliding,
    next_velocity,
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
from robodyn_ros.simulation.servo import (
    assume_unsaturated,
    correct_saturation,
    linearise_drives,
    restore_state,
)
from robodyn_ros.simulation.stops import clip, crosses_stop
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
def accelerate(
    topology,
    constants,
    gravity,
    joints,
    work,
    joint_work,
    effort,
    f_ext,
    h,
    ahead,
    stribeck,
    q,
    qd,
):
    """Solve (M + ahead D) qdd = tau - D qd - F - C qd - g + J^T f_ext into joint_work[QDD].

    D is the viscous friction and the damping of drives, see servo.py. It acts at the end of the
    substep for ahead = h, and at its start for ahead = 0. F is the dry friction of the joints that
    are assumed to slide. A joint that is assumed to stick keeps its velocity. A braked joint comes
    to rest within h under any load. A kinematic joint reaches its velocity. Writes
    joint_work[LEVEL].

    `ahead`: time from the state to the point where D acts [s].
    """
    n = qd.shape[0]
    for k in range(n):
        rate, brake = qd[k], BRAKE * joints[k, BRAKED]
        viscous = joints[k, DAMPING] + joint_work[GAIN, k]
        joint_work[LEVEL, k] = friction_level(joints, stribeck, q, rate, k)
        friction = joint_work[SLIDING, k] * joint_work[LEVEL, k]
        joint_work[TORQUE, k] = effort[k] - friction - (viscous + brake / h) * rate
        if joint_work[PRESCRIBED, k] != 0.0:
            joint_work[TORQUE, k] = joint_work[TORQUE, k] + brake / h * joint_work[PRESCRIBED, k]
        joint_work[DIAGONAL, k] = ahead * viscous + brake + BRAKE * joint_work[STUCK, k]
    return forward_dynamics(
        topology,
        constants,
        gravity,
        work,
        q,
        qd,
        joint_work[TORQUE][:n],
        f_ext,
        joint_work[DIAGONAL][:n],
        joint_work[QDD][:n],
    )


@unfused
def semi_implicit_euler(
    topology, constants, gravity, joints, work, joint_work, effort, f_ext, h, stribeck, q, qd
):
    """Compute qd' = qd + h qdd + A p, q' = q + h qd', of order 1.

    The p are impulses of friction and stops. A spherical joint turns by the exponential of its
    angular velocity. Viscous friction at qd' dissipates the power qd'^T D qd' >= 0 for any step
    size. If every joint keeps sliding or sticking, one O(n) pass includes the impulses of
    friction.
    """
    n = qd.shape[0]
    has_friction = assume_friction(joints, joint_work, qd)
    status = accelerate(
        topology,
        constants,
        gravity,
        joints,
        work,
        joint_work,
        effort,
        f_ext,
        h,
        h,
        stribeck,
        q,
        qd,
    )
    if status != 0:
        return status
    next_velocity(joints, joint_work, h, qd)
    assumed_well = friction_holds(
        topology, constants, gravity, work, joint_work, q, qd, f_ext
    ) and keeps_sliding(joint_work, joint_work[NEXT][:n])
    if not assumed_well or crosses_stop(joints, h, q, joint_work[NEXT][:n]):
        if has_friction:
            assume_frictionless(joint_work, n)
            status = accelerate(
                topology,
                constants,
                gravity,
                joints,
                work,
                joint_work,
                effort,
                f_ext,
                h,
                h,
                stribeck,
                q,
                qd,
            )
            next_velocity(joints, joint_work, h, qd)
        if status == 0:
            status = resolve(
                topology, constants, joints, work, joint_work, h, q, joint_work[NEXT][:n]
            )
    for k in range(n):
        qd[k] = joint_work[NEXT, k]
    integrate(topology, q, qd, h, q)
    clip(joints, joint_work[OLD_Q], q)
    return status


@separate
def euler(
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
    """Take one Euler step, with the drives at the end of the step and within their limits.

    If the effort of a drive exceeds its limit, the step is repeated with the limit. If the drive
    needs less than the limit, the step is repeated with its law. This happens at most twice for
    each joint. joint_work[OLD_Q] must hold q.
    """
    follows = assume_unsaturated(joints, joint_work, qd)
    for _ in range(2 * qd.shape[0] + 1):
        linearise_drives(joints, joint_work, h, q, effort)
        status = semi_implicit_euler(
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
        if status != 0 or not follows or not correct_saturation(joints, joint_work, q, qd, effort):
            break
        restore_state(joint_work, q, qd)
    return status
