# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""One compiled step of a plant whose bodies touch obstacles.

Far from all obstacles it is the step without contact, bit for bit. A substep in which something
touches is an Euler step, whatever the integrator, since velocities jump. The same holds where a
dependent joint of a loop has dry friction, or meets a stop. With closures over all joints, most
substeps are those of closed_runge_kutta.py.
"""

import inspect

from robodyn_ros.algorithms.contact.contact_tables import GAP
from robodyn_ros.algorithms.contact.impulses import START, contact_impulses
from robodyn_ros.compile.kernel import Kernel, separate_kernel
from robodyn_ros.simulation.contact.approach import REST_SPEED, approach
from robodyn_ros.simulation.contact.arrays import Contact
from robodyn_ros.simulation.contact.closed_runge_kutta import closed_runge_kutta, is_explicit
from robodyn_ros.simulation.contact.closure_projection import projection
from robodyn_ros.simulation.contact.closure_rows import is_closed, is_open
from robodyn_ros.simulation.contact.contact_response import TOUCH
from robodyn_ros.simulation.contact.euler_in_contact import euler_in_contact
from robodyn_ros.simulation.contact.led_joints import (
    add_led_damping,
    clear_led_efforts,
    crosses_led_stop,
    find_led_joints,
    has_any,
)
from robodyn_ros.simulation.integrators.events import copy_vector, with_events
from robodyn_ros.simulation.integrators.names import SEMI_IMPLICIT_EULER
from robodyn_ros.simulation.integrators.runge_kutta import needs_no_euler
from robodyn_ros.simulation.joint_table import DAMPING, OLD_Q, OLD_QD, START_Q, START_QD, STATIC
from robodyn_ros.simulation.servo import assume_unsaturated, effort_of_kinematic_joints
from robodyn_ros.simulation.step import contain_blow_up, drive
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
def is_clear(contact, count, h):
    """Return whether no contact is closed, nor closed by a slow approach within a substep."""
    for k in range(count):
        if contact.contacts[k, GAP] <= TOUCH + REST_SPEED * h:
            return False
    return True


@unfused
def runge_kutta_in_contact(
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
    contact,
    q,
    qd,
):
    """Take one Runge-Kutta step if nothing touches before and after it, else an Euler step.

    A dependent joint with dry friction, or at a stop, counts as touching. Its viscous friction is
    that at the beginning of the step. If a drive follows by feedback, it touches, too. With
    closures over all joints the step is that of `closed_runge_kutta`, if this serves.

    `method`: number of the integrator.
    `q`, `qd` (nq,): state, equal to joint_work[START_Q] and joint_work[START_QD]; updated.
    """
    count = approach(topology, constants, work, contact, h, q, qd)
    damps, n, closed = has_any(contact, DAMPING), qd.shape[0], is_closed(contact.closing)
    is_smooth = not (
        has_any(contact, STATIC)
        or (closed and not is_explicit(joints, method))
        or (damps and assume_unsaturated(joints, joint_work, qd))
    )
    if closed and is_smooth and is_clear(contact, count, h):
        copy_vector(q, joint_work[OLD_Q])
        copy_vector(qd, joint_work[OLD_QD])
        status = closed_runge_kutta(
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
            contact,
            q,
            qd,
        )
        if status != 0:
            return status
        is_free = count == 0 or is_clear(
            contact, approach(topology, constants, work, contact, h, q, qd), h
        )
        if is_free and needs_no_euler(joints, joint_work, q) and not is_open(contact.closing):
            return 0
        copy_vector(joint_work[START_Q], q)
        copy_vector(joint_work[START_QD][: qd.shape[0]], qd)
    elif is_smooth and is_clear(contact, count, h):
        given = contact.vectors[START][:n]
        copy_vector(effort, given)
        clear_led_efforts(contact)
        if damps:
            find_led_joints(topology, constants, work, contact, stribeck, q, qd)
            add_led_damping(contact, qd, effort)
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
        if damps:
            copy_vector(given, effort)
        if status != 0:
            return status
        is_free = count == 0 or is_clear(
            contact, approach(topology, constants, work, contact, h, q, qd), h
        )
        if is_free and not crosses_led_stop(topology, constants, work, contact, q):
            return 0
        copy_vector(joint_work[START_Q], q)
        copy_vector(joint_work[START_QD][: qd.shape[0]], qd)
    return euler_in_contact(
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
        contact,
        q,
        qd,
    )


@separate
def by_euler_in_contact(
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
    contact: Contact,
) -> Integer:
    """Advance q, qd by dt with contacts, otherwise as `step.by_euler` does.

    Returns status, as of `step.by_euler`.
    """
    drive(topology, constants, gravity, joints, work, joint_work, command, dt, q, effort)
    h = dt / substeps
    for _ in range(substeps):
        copy_vector(q, joint_work[START_Q])
        copy_vector(qd, joint_work[START_QD])
        status = euler_in_contact(
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
            contact,
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
def by_runge_kutta_in_contact(
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
    contact: Contact,
) -> Integer:
    """Advance q, qd by dt with contacts, otherwise as `step.by_runge_kutta` does.

    Returns status, as of `step.by_euler`.
    """
    drive(topology, constants, gravity, joints, work, joint_work, command, dt, q, effort)
    h = dt / substeps
    for _ in range(substeps):
        copy_vector(q, joint_work[START_Q])
        copy_vector(qd, joint_work[START_QD])
        status = runge_kutta_in_contact(
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
            contact,
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


step = Kernel(inspect.unwrap(by_euler_in_contact), nogil=True)
step_by_runge_kutta = Kernel(inspect.unwrap(by_runge_kutta_in_contact), nogil=True)
#: Kernels that steps in contact call, besides those of step.called_of.
CALLED = (
    projection,
    *(
        separate_kernel(function, fastmath=False)
        for function in (contact_impulses, euler_in_contact, closed_runge_kutta)
    ),
)


def step_of(method):
    """Return the kernel that takes the steps of a method in contact.

    `method`: number of the integrator; see METHODS.
    """
    return step if method == SEMI_IMPLICIT_EULER else step_by_runge_kutta
