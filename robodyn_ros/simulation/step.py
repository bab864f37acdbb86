# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""One compiled step of the plant: drives, substeps, and the containment of blow-ups."""

from robodyn_ros.algorithms.core.gravity import gravity_torque
from robodyn_ros.compile import kernel
from robodyn_ros.simulation.events import keep, runge_kutta_with_events
from robodyn_ros.simulation.integrators import SEMI_IMPLICIT_EULER, euler
from robodyn_ros.simulation.joint_table import (
    ASSISTED,
    BRAKED,
    EFFORT,
    OLD_Q,
    START_Q,
    START_QD,
    STRENGTH,
)
from robodyn_ros.simulation.stops import position
from robodyn_ros.spatial.primitive import unfused
from robodyn_ros.spatial.types import Constant, Integer, Matrix, Scalar, Table, Topology, Vector

LARGEST_EFFORT = 1e9  # [N m or N] no motor gives that: a slip of the commander
LARGEST_POSITION = 1e6  # [rad or m]


@unfused
def drive(topology, constants, gravity, joints, scratch, command, q, effort):
    """effort = strength clamp(command, or the weight where the drive carries it), 0 at a brake."""
    assisted = False
    for k in range(effort.shape[0]):
        assisted = assisted or joints[k, ASSISTED] > 0.0
    if assisted:
        gravity_torque(topology, constants, gravity, scratch, q, effort)
    for k in range(effort.shape[0]):
        wanted, limit = effort[k] if joints[k, ASSISTED] > 0.0 else command[k], joints[k, EFFORT]
        given = joints[k, STRENGTH] * min(max(wanted, -limit), limit)
        effort[k] = 0.0 if joints[k, BRAKED] > 0.0 else given


@unfused
def first_absurd(joints, largest_speed, q, qd):
    """First joint whose state is not finite or beyond all reason, or -1."""
    for k in range(qd.shape[0]):
        x = position(joints, q, k)
        if not (abs(x) <= LARGEST_POSITION and abs(qd[k]) <= largest_speed):
            return k
    return -1


@unfused
def advance(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    joints: Matrix,
    scratch: Matrix,
    work: Matrix,
    command: Vector,
    f_ext: Matrix,
    dt: Scalar,
    substeps: Integer,
    method: Integer,
    stribeck: Scalar,
    largest_speed: Scalar,
    q: Vector,
    qd: Vector,
    effort: Vector,
):
    """Advance q, qd by dt under a constant command, in `substeps` equal substeps.

    A substep that fails leaves the state before it, bit for bit, and ends the step.

    joints : (nv, WIDTH) and work : (work_rows(nv), nq), see joint_table; command : (nv,) [N m or
    N]; f_ext : (nb, 6) [N m, N]; dt [s]; method : see METHODS; stribeck [rad/s or m/s]
    at which static friction has fallen half-way to Coulomb's; q : (nq,) and qd : (nv,), updated;
    effort : (nv,) [N m or N], written.

    Returns 0, body i > 0 with a singular pivot, or -1 - k for joint k whose state left all reason.
    """
    drive(topology, constants, gravity, joints, scratch, command, q, effort)
    h = dt / substeps
    old_q, old_qd = work[START_Q], work[START_QD][: qd.shape[0]]
    for _ in range(substeps):
        keep(q, old_q)
        keep(qd, old_qd)
        if method != SEMI_IMPLICIT_EULER:
            status = runge_kutta_with_events(
                topology,
                constants,
                gravity,
                joints,
                scratch,
                work,
                effort,
                f_ext,
                h,
                stribeck,
                method,
                q,
                qd,
            )
        else:
            keep(q, work[OLD_Q])
            status = euler(
                topology,
                constants,
                gravity,
                joints,
                scratch,
                work,
                effort,
                f_ext,
                h,
                stribeck,
                q,
                qd,
            )
        if status == 0:
            status = -1 - first_absurd(joints, largest_speed, q, qd)
        if status != 0:
            keep(old_q, q)
            keep(old_qd, qd)
            return status
    return 0


step = kernel(advance)
