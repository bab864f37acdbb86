# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""One compiled step of the plant: drives, substeps, and the containment of blow-ups.

Euler steps are a kernel of their own, all other schemes share one.
"""

import inspect

from robodyn_ros.algorithms.core.gravity import gravity_torque
from robodyn_ros.compile import kernel
from robodyn_ros.compile.kernel import separate_kernel
from robodyn_ros.simulation.integrators.dormand_prince import dormand_prince
from robodyn_ros.simulation.integrators.euler import euler
from robodyn_ros.simulation.integrators.events import copy_vector, with_events
from robodyn_ros.simulation.integrators.names import (
    DOP853,
    ENERGY_RK4,
    ENERGY_ROSENBROCK,
    RK4,
    ROSENBROCK,
    SEMI_IMPLICIT_EULER,
    TOO_LONG,
)
from robodyn_ros.simulation.integrators.rosenbrock import rosenbrock
from robodyn_ros.simulation.integrators.runge_kutta import runge_kutta
from robodyn_ros.simulation.joint_impulses import settle
from robodyn_ros.simulation.joint_table import (
    ASSISTED,
    BRAKED,
    EFFORT,
    OLD_Q,
    PRESCRIBED,
    SETPOINT,
    START_Q,
    START_QD,
    STRENGTH,
    WEIGHT,
)
from robodyn_ros.simulation.servo import effort_of_kinematic_joints, prescribed_speed
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

LARGEST_EFFORT = 1e9  # [N m or N] no motor gives more: a larger command is a mistake
LARGEST_POSITION = 1e6  # [rad or m] beyond it a state counts as a blow-up
BEYOND_REACH = -(10**9)  # status of a step after which the loops do not close
DEAD_CENTRE = BEYOND_REACH - 1  # status of a step after which a dead centre is close ahead
SWIFT = 3.0  # [-] ratio of rates of dependent to independent joints that may precede one


@unfused
def drive(topology, constants, gravity, joints, work, joint_work, command, dt, q, effort):
    """Compute the efforts of motors: effort = strength clamp(command), 0 at a brake.

    Where the drive adds the gravity torque, this takes the place of the command. The work array
    gets the inputs of drives in position and velocity mode.

    `command` (nv,): commands, in the unit of each mode.
    `effort` (nv,): efforts [N m or N], written.
    """
    assisted = False
    for k in range(effort.shape[0]):
        assisted = assisted or joints[k, ASSISTED] > 0.0
    if assisted:
        gravity_torque(topology, constants, gravity, work, q, effort)
    for k in range(effort.shape[0]):
        wanted, limit = effort[k] if joints[k, ASSISTED] > 0.0 else command[k], joints[k, EFFORT]
        given = joints[k, STRENGTH] * min(max(wanted, -limit), limit)
        joint_work[WEIGHT, k] = effort[k] if joints[k, ASSISTED] > 0.0 else 0.0
        joint_work[SETPOINT, k] = command[k]
        joint_work[PRESCRIBED, k] = prescribed_speed(joints, command, dt, q, k)
        effort[k] = 0.0 if joints[k, BRAKED] > 0.0 else given


@unfused
def first_invalid_joint(joints, largest_speed, q, qd):
    """Return the first joint whose state is not finite or too large, -1 if there is none.

    `largest_speed`: largest velocity [rad/s or m/s].
    """
    for k in range(qd.shape[0]):
        x = position(joints, q, k)
        if not (abs(x) <= LARGEST_POSITION and abs(qd[k]) <= largest_speed):
            return k
    return -1


@unfused
def contain_blow_up(joints, joint_work, largest_speed, status, q, qd):
    """Return the status of a substep; if it failed, restore the state before it, bit for bit.

    `largest_speed`: largest velocity [rad/s or m/s].
    `status`: status of the integrator.
    """
    if status == 0 or status == TOO_LONG:
        joint = first_invalid_joint(joints, largest_speed, q, qd)
        if joint >= 0:
            status = -1 - joint
    if status != 0:
        copy_vector(joint_work[START_Q], q)
        copy_vector(joint_work[START_QD][: qd.shape[0]], qd)
    return status


@separate
def by_euler(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    joints: Matrix,
    work: Work,
    joint_work: Matrix,
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
) -> Integer:
    """Advance q, qd by dt under a constant command, in `substeps` equal Euler steps.

    A substep that fails ends the step.

    `joints` (nv, WIDTH): joint table; see `joint_table`.
    `work`: memory of the recursions, overwritten; see `working_memory.allocate`.
    `joint_work` (work_rows(nv), nq): memory of the joint table, overwritten; see `joint_table`.
    `command` (nv,): commands, in the unit of each joint's mode.
    `f_ext` (nb, 6): external wrenches on the bodies [N m, N].
    `substeps`: number of substeps.
    `method`: number of the integrator, see METHODS; not used here.
    `stribeck`: velocity at which static friction has fallen half-way to Coulomb friction [rad/s or
      m/s].
    `largest_speed`: velocity beyond which a state counts as a blow-up [rad/s or m/s].
    `effort` (nv,): efforts of the motors [N m or N], written.
    Returns 0, or body i > 0 with a singular pivot, or -1 - k if joint k blew up. TOO_LONG if
      the step keeps no balance of energy.
    """
    drive(topology, constants, gravity, joints, work, joint_work, command, dt, q, effort)
    h = dt / substeps
    for _ in range(substeps):
        copy_vector(q, joint_work[START_Q])
        copy_vector(q, joint_work[OLD_Q])
        copy_vector(qd, joint_work[START_QD])
        status = euler(
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
        status = contain_blow_up(joints, joint_work, largest_speed, status, q, qd)
        if status != 0:
            return status
    effort_of_kinematic_joints(
        topology, constants, gravity, joints, work, joint_work, f_ext, h, q, qd, effort
    )
    return 0


@separate
def by_runge_kutta(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    joints: Matrix,
    work: Work,
    joint_work: Matrix,
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
) -> Integer:
    """Advance q, qd by dt under a constant command, in `substeps` equal Runge-Kutta steps.

    `method`: number of the integrator, any but SEMI_IMPLICIT_EULER.
    Returns status, as of `by_euler`.
    """
    drive(topology, constants, gravity, joints, work, joint_work, command, dt, q, effort)
    h = dt / substeps
    for _ in range(substeps):
        copy_vector(q, joint_work[START_Q])
        copy_vector(qd, joint_work[START_QD])
        status = with_events(
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
        )
        status = contain_blow_up(joints, joint_work, largest_speed, status, q, qd)
        if status != 0:
            return status
    effort_of_kinematic_joints(
        topology, constants, gravity, joints, work, joint_work, f_ext, h, q, qd, effort
    )
    return 0


step = kernel(inspect.unwrap(by_euler))
step_by_runge_kutta = kernel(inspect.unwrap(by_runge_kutta))
_EULER, _WITH_EVENTS, _SETTLE = (
    separate_kernel(function, fastmath=False) for function in (euler, with_events, settle)
)
_SCHEMES = {
    method: separate_kernel(function, fastmath=False)
    for function, methods in (
        (rosenbrock, (ROSENBROCK, ENERGY_ROSENBROCK)),
        (runge_kutta, (RK4, ENERGY_RK4)),
        (dormand_prince, (DOP853,)),
    )
    for method in methods
}


def step_of(method):
    """Return the kernel that takes the steps of a method.

    `method`: number of the integrator; see METHODS.
    """
    return step if method == SEMI_IMPLICIT_EULER else step_by_runge_kutta


def called_of(method):
    """Return the kernels that the steps of a method call.

    `method`: number of the integrator; see METHODS.
    """
    called = (_SETTLE, _EULER)
    if method != SEMI_IMPLICIT_EULER:
        called += (_WITH_EVENTS, _SCHEMES[method])
    return called
