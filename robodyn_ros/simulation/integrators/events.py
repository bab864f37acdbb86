# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Run an integrator between changes of friction, and the Euler scheme across them."""

from robodyn_ros.simulation.integrators.dormand_prince import GROWTH, dormand_prince
from robodyn_ros.simulation.integrators.energy_balance import (
    balance_energy,
    is_damped,
    is_lost,
    is_pushed,
    total_energy,
)
from robodyn_ros.simulation.integrators.euler import euler
from robodyn_ros.simulation.integrators.momentum_balance import (
    is_free_flyer,
    keep_momentum,
    store_momentum,
)
from robodyn_ros.simulation.integrators.names import (
    COARSE,
    DOP853,
    ENERGY_RK4,
    ENERGY_ROSENBROCK,
    EVENT,
    ROSENBROCK,
    TOO_LONG,
)
from robodyn_ros.simulation.integrators.rosenbrock import rosenbrock
from robodyn_ros.simulation.integrators.runge_kutta import needs_no_euler, runge_kutta
from robodyn_ros.simulation.joint_table import (
    ERROR,
    LOCKED,
    LOWER,
    OLD_Q,
    OLD_QD,
    UPPER,
    WORK_DONE,
)
from robodyn_ros.simulation.servo import feeds_back
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

TICKS = 1024  # number of the smallest pieces of a substep
EVENT_TICKS = 16  # of the smallest piece before a change of friction


@unfused
def copy_vector(source, target):
    """Copy source to target.

    `source`, `target`: vectors; only the entries of source are copied.
    """
    for k in range(source.shape[0]):
        target[k] = source[k]


@unfused
def is_at_stop(joints, q):
    """Return whether any joint is at its stop or beyond."""
    for k in range(joints.shape[0]):
        x = position(joints, q, k)
        if x <= joints[k, LOWER] or x >= joints[k, UPPER]:
            return True
    return False


@unfused
def advance_by(
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
    method,
    q,
    qd,
):
    """Advance the state by h with one integrator.

    `method`: number of the integrator; see METHODS.
    Returns status of the integrator.
    """
    if method == ROSENBROCK or method == ENERGY_ROSENBROCK:
        return rosenbrock(
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
    if method == DOP853:
        return dormand_prince(
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
    return runge_kutta(
        topology, constants, gravity, joints, work, joint_work, effort, f_ext, h, stribeck, q, qd
    )


@unfused
def is_balanced(joints, f_ext, method):
    """Return whether the integrator balances the energy: it must know all work.

    ENERGY_ROSENBROCK does not know the work of drives that follow by feedback, which it damps.

    `method`: number of the integrator.
    """
    if method == ENERGY_ROSENBROCK:
        for k in range(joints.shape[0]):
            if feeds_back(joints, k):
                return False
    elif method != ENERGY_RK4:
        return False
    return not is_pushed(f_ext)


@separate
def with_events(
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
    method: Integer,
    q: Vector,
    qd: Vector,
) -> Integer:
    """Advance the state by h with one integrator, and with Euler at events.

    Where friction changes, the piece of the substep is halved. Euler handles a piece of
    EVENT_TICKS, and one that meets a stop. So a change of friction costs an error of order
    (h EVENT_TICKS / TICKS)^2. With a joint at rest on a stop Euler takes the whole substep.
    ENERGY_ROSENBROCK and ENERGY_RK4 balance the energy of every other piece, and the momentum of a
    free flyer. With an external wrench they do not. A piece that is too long for that is COARSE.
    So is one of too large an error of DOP853, or one that leaves the range of numbers. It is
    halved, to one tick at least.

    `method`: number of the integrator; see METHODS.
    Returns 0, or the body whose pivot is singular. TOO_LONG if even one tick does not keep the
      energy.
    """
    balanced = is_balanced(joints, f_ext, method)
    flies = balanced and is_free_flyer(topology, gravity, joints, effort)
    done, ticks = 0, TICKS
    old_q, old_qd = joint_work[OLD_Q], joint_work[OLD_QD][: qd.shape[0]]
    while done < TICKS:
        copy_vector(q, old_q)
        copy_vector(qd, old_qd)
        piece = h if ticks == TICKS else ticks * (h / TICKS)
        before, kinetic = 0.0, 0.0
        if balanced:
            before = total_energy(topology, constants, gravity, work, q, qd)
            kinetic = work[0].speed[0]
        if flies:
            store_momentum(topology, constants, gravity, work, joint_work, f_ext, q, qd)
        status = advance_by(
            topology,
            constants,
            gravity,
            joints,
            work,
            joint_work,
            effort,
            f_ext,
            piece,
            stribeck,
            method,
            q,
            qd,
        )
        is_singular = status > 0
        if is_singular and (ticks == 1 or not (balanced or method == DOP853)):
            return status
        is_smooth = (status == 0 or status == COARSE) and needs_no_euler(joints, joint_work, q)
        if is_smooth and balanced:
            locked, drift = 0.0, joint_work[LOCKED][: qd.shape[0]]
            if flies:
                locked = keep_momentum(
                    topology, constants, gravity, work, joint_work, f_ext, q, qd
                )
            else:
                for k in range(qd.shape[0]):
                    drift[k] = 0.0
            is_short = balance_energy(
                topology,
                constants,
                gravity,
                work,
                before + joint_work[WORK_DONE, 0],
                locked,
                drift,
                q,
                qd,
            )
            if not is_short and not is_damped(joints, piece, kinetic, old_qd):
                status = COARSE
                expected = before + joint_work[WORK_DONE, 0]
                if ticks == 1 and is_lost(work, expected, kinetic):
                    return TOO_LONG
        is_coarse = is_singular or (is_smooth and status == COARSE and ticks > 1)
        if is_coarse or not is_smooth:
            copy_vector(old_q, q)
            copy_vector(old_qd, qd)
            is_sudden = status == EVENT and ticks > EVENT_TICKS and not is_at_stop(joints, q)
            if is_coarse or is_sudden:
                ticks = ticks // 2
                continue
            status = euler(
                topology,
                constants,
                gravity,
                joints,
                work,
                joint_work,
                effort,
                f_ext,
                piece,
                stribeck,
                q,
                qd,
            )
            if status != 0:
                return status
        done = done + ticks
        if method != DOP853 or GROWTH * joint_work[ERROR, 0] <= 1.0:
            ticks = 2 * ticks
        ticks = min(ticks, TICKS - done)
    return 0
