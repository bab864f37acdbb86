# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""One Euler substep with contacts: motions between impacts, and the impacts."""

from robodyn_ros.algorithms.core.manifold import integrate
from robodyn_ros.simulation.contact.approach import SOON, approach, until_impact
from robodyn_ros.simulation.contact.arrays import Contact
from robodyn_ros.simulation.contact.closure_projection import project
from robodyn_ros.simulation.contact.closure_rows import is_closed, lead_closures, write_closures
from robodyn_ros.simulation.contact.contact_response import (
    apply_impulses,
    correct_penetrations,
    rebound,
)
from robodyn_ros.simulation.contact.led_joints import (
    clear_led_efforts,
    correct_led_stops,
    crosses_led_stop,
    find_led_joints,
    rubs,
    write_led_efforts,
)
from robodyn_ros.simulation.dry_friction import assume_frictionless, next_velocity
from robodyn_ros.simulation.integrators.euler import accelerate, euler
from robodyn_ros.simulation.integrators.events import copy_vector
from robodyn_ros.simulation.joint_table import NEXT, OLD_Q
from robodyn_ros.simulation.servo import (
    assume_unsaturated,
    correct_saturation,
    linearise_drives,
    restore_state,
)
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
