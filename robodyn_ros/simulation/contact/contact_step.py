# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""One compiled step of a plant whose bodies touch obstacles.

Far from all obstacles it is the step without contact, bit for bit. A substep in which something
touches is an Euler step, whatever the integrator, since velocities jump. So is one in which a
dependent joint of a loop has dry friction, or meets a stop. With closures over all joints, most
substeps are those of closed_runge_kutta.py.
"""

import inspect

from robodyn_ros.algorithms.contact.contact_tables import GAP
from robodyn_ros.algorithms.contact.impulses import START, contact_impulses
from robodyn_ros.algorithms.core.manifold import integrate
from robodyn_ros.compile.kernel import Kernel, separate_kernel
from robodyn_ros.simulation.contact.approach import REST_SPEED, SOON, approach, until_impact
from robodyn_ros.simulation.contact.arrays import Contact
from robodyn_ros.simulation.contact.closed_runge_kutta import closed_runge_kutta, is_explicit
from robodyn_ros.simulation.contact.closure_projection import project, projection
from robodyn_ros.simulation.contact.closure_rows import (
    is_closed,
    is_open,
    lead_closures,
    write_closures,
)
from robodyn_ros.simulation.contact.contact_response import (
    TOUCH,
    apply_impulses,
    correct_penetrations,
    rebound,
)
from robodyn_ros.simulation.contact.led_joints import (
    add_led_damping,
    clear_led_efforts,
    correct_led_stops,
    crosses_led_stop,
    find_led_joints,
    has_any,
    rubs,
    write_led_efforts,
)
from robodyn_ros.simulation.dry_friction import assume_frictionless, next_velocity
from robodyn_ros.simulation.integrators.euler import accelerate, euler
from robodyn_ros.simulation.integrators.events import copy_vector, with_events
from robodyn_ros.simulation.integrators.names import SEMI_IMPLICIT_EULER
from robodyn_ros.simulation.integrators.runge_kutta import needs_no_euler
from robodyn_ros.simulation.joint_table import (
    DAMPING,
    NEXT,
    OLD_Q,
    OLD_QD,
    START_Q,
    START_QD,
    STATIC,
)
from robodyn_ros.simulation.servo import (
    assume_unsaturated,
    correct_saturation,
    effort_of_kinematic_joints,
    linearise_drives,
    restore_state,
)
from robodyn_ros.simulation.step import contain_blow_up, drive
from robodyn_ros.simulation.stops import clip
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

EVENTS = 16  # impacts and the motions between them in a substep; later impacts are inelastic


@unfused
def move_in_contact(
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
    count,
    q,
    qd,
):
    """Compute qd' = qd + h qdd + A p, q' = q + h qd', with all impulses p.

    They are those of friction, stops and contacts.
    """
    n = qd.shape[0]
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
    if status != 0:
        return status
    next_velocity(joints, joint_work, h, qd)
    lead_closures(topology, constants, work, contact.closing, h, q, qd)
    find_led_joints(topology, constants, work, contact, stribeck, q, qd)
    blocks = apply_impulses(topology, constants, joints, work, joint_work, h, contact, count, q)
    if blocks < 0:
        return -1 - blocks
    copy_vector(joint_work[NEXT][:n], qd)
    write_led_efforts(contact, h, qd)
    integrate(topology, q, qd, h, q)
    correct_penetrations(topology, contact, blocks, h, q)
    correct_led_stops(topology, constants, work, contact, q)
    clip(joints, joint_work[OLD_Q], q)
    if is_closed(contact.closing):
        return project(topology, constants, joints, work, joint_work, contact, blocks, q, qd)
    return 0


@unfused
def step_without_impact(
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
    count,
    q,
    qd,
):
    """Take one Euler step without elastic impacts, with the contacts that `approach` found.

    Dependent joints rub and stop, too.

    Drives follow their set-points as in `integrators.euler`.
    """
    copy_vector(q, joint_work[OLD_Q])
    clear_led_efforts(contact)
    if count == 0 and not rubs(contact) and not is_closed(contact.closing):
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
        if status != 0 or not crosses_led_stop(topology, constants, work, contact, q):
            return status
        restore_state(joint_work, q, qd)
    follows, status = assume_unsaturated(joints, joint_work, qd), 0
    for _ in range(2 * qd.shape[0] + 1):
        linearise_drives(joints, joint_work, h, q, effort)
        status = move_in_contact(
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
            count,
            q,
            qd,
        )
        if status != 0 or not follows or not correct_saturation(joints, joint_work, q, qd, effort):
            break
        restore_state(joint_work, q, qd)
    return status


@separate
def euler_in_contact(
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
    contact: Contact,
    q: Vector,
    qd: Vector,
) -> Integer:
    """Take one Euler step, divided at elastic impacts."""
    left = h
    for k in range(EVENTS):
        count = approach(topology, constants, work, contact, left, q, qd)
        wait = until_impact(contact, count, left, qd, k + 1 < EVENTS)
        if wait < left and wait <= SOON * h:
            find_led_joints(topology, constants, work, contact, stribeck, q, qd)
            write_closures(topology, constants, work, contact.closing, q)
            status = rebound(topology, constants, joints, work, joint_work, contact, count, q, qd)
        else:
            status = step_without_impact(
                topology,
                constants,
                gravity,
                joints,
                work,
                joint_work,
                effort,
                f_ext,
                wait,
                stribeck,
                contact,
                count,
                q,
                qd,
            )
            left = left - wait
        if status != 0 or left <= 0.0:
            return status
    return 0


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
