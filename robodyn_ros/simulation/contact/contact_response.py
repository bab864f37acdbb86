# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Velocities after the impulses of contacts, and of the friction and stops of joints."""

from robodyn_ros.algorithms.contact.cone import IMMOVABLE
from robodyn_ros.algorithms.contact.contact_rows import align, along_row
from robodyn_ros.algorithms.contact.contact_tables import (
    AT_HIGH,
    AT_LOW,
    BOUND,
    CASE,
    CONTACT,
    ELASTIC,
    FORCE,
    FRICTION,
    GAP,
    HIGH,
    JOINT,
    KIND,
    LOW,
    OBSTACLE,
    RESTITUTION,
    ROW,
    SHIFT,
    SLIDES,
    SLIDES_BACK,
    STICKS,
)
from robodyn_ros.algorithms.contact.impulses import IMPULSES, KEPT, contact_impulses
from robodyn_ros.algorithms.core.manifold import integrate
from robodyn_ros.algorithms.mass_matrix.mass_matrix_inverse import mass_matrix_inverse_in_place
from robodyn_ros.simulation.contact.closure_rows import keep_closed, lead_velocities
from robodyn_ros.simulation.contact.joint_blocks import write_joint_block
from robodyn_ros.simulation.contact.led_joints import (
    damp_led_joints,
    settle_led_joints,
    write_led_joints,
)
from robodyn_ros.simulation.contact.responses import write_responses
from robodyn_ros.simulation.joint_table import (
    BRAKE,
    BRAKED,
    DAMPING,
    DIAGONAL,
    GAIN,
    INVERSE,
    KEPT_NEXT,
    LEVEL,
    NEXT,
    PRESCRIBED,
)
from robodyn_ros.simulation.stops import fastest, slowest
from robodyn_ros.spatial.primitive import unfused

TOUCH = 1e-9  # [m] a smaller gap counts as closed
INSTANT = 1e-9  # [s] duration of an impact, for gaps and for friction and stops of joints
SHARE = 0.5  # [-] share of a penetration that one substep corrects
RECOVERY = 0.5  # [m/s] highest speed of this correction
RECOVERY_SWEEPS = 8  # Gauss-Seidel sweeps of it


@unfused
def write_joints(joints, joint_work, contact, h, q):
    """Write the blocks of the joints that have friction or stops.

    Returns number of blocks.
    """
    b, n = 0, joints.shape[0]
    for k in range(n):
        bound, low, high = (
            h * joint_work[LEVEL, k],
            slowest(joints, h, q, k),
            fastest(joints, h, q, k),
        )
        if joints[k, BRAKED] > 0.0 or (bound == 0.0 and low < -1e300 and high > 1e300):
            continue
        for j in range(n):
            contact.responses[k, j] = joint_work[INVERSE + k, j]
        b = write_joint_block(contact, b, k, low, high, bound)
    return b


@unfused
def write_contacts(joint_work, contact, count, b, h, rebounds, v):
    """Write the blocks of contacts behind those of the joints.

    A contact between a braked arm and the world is left out, since no impulse moves it.

    `b`: number of blocks of the joints.
    `rebounds`: whether elastic contacts separate with their restitution; else they are left out.
    Returns number of all blocks.
    """
    first = contact.rows.shape[1]
    for c in range(count):
        row, is_elastic = first + 3 * c, contact.contacts[c, ELASTIC] > 0.0
        if is_elastic and not rebounds:
            continue
        align(contact.contacts, c, contact.rows, row, v)
        if write_responses(joint_work, contact.rows, contact.responses, row) <= IMMOVABLE:
            continue
        write_responses(joint_work, contact.rows, contact.responses, row + 1)
        write_responses(joint_work, contact.rows, contact.responses, row + 2)
        obstacle, gap = int(contact.contacts[c, OBSTACLE]), contact.contacts[c, GAP]
        low = -gap / h if gap > TOUCH else 0.0
        if is_elastic:
            low = -contact.obstacles[obstacle, RESTITUTION] * along_row(contact.rows, row, v)
        contact.blocks[b, KIND] = CONTACT
        contact.blocks[b, ROW] = row
        contact.blocks[b, LOW] = low
        contact.blocks[b, BOUND] = contact.obstacles[obstacle, FRICTION]
        b += 1
    return b


@unfused
def settle_joints(joints, joint_work, contact, b, v):
    """Remove rounding from the velocities of joints that stick, are at a stop or braked."""
    for k in range(b):
        case, joint = contact.blocks[k, CASE], int(contact.blocks[k, ROW])
        if contact.blocks[k, KIND] != JOINT or joint >= v.shape[0]:
            continue
        if case == STICKS:
            v[joint] = 0.0
        elif case == AT_LOW:
            v[joint] = contact.blocks[k, LOW]
        elif case == AT_HIGH:
            v[joint] = contact.blocks[k, HIGH]
        elif case == SLIDES:
            v[joint] = max(v[joint], 0.0)
        elif case == SLIDES_BACK:
            v[joint] = min(v[joint], 0.0)
    for k in range(v.shape[0]):
        if joints[k, BRAKED] > 0.0:
            v[k] = joint_work[PRESCRIBED, k]


@unfused
def solve(contact, blocks, v):
    """Find the impulses of the blocks, and add their effect to the velocities."""
    contact_impulses(
        contact.blocks,
        blocks,
        contact.rows,
        contact.responses,
        contact.vectors,
        contact.system,
        contact.table,
        v,
    )


@unfused
def apply_impulses(topology, constants, joints, work, joint_work, h, contact, count, q):
    """Apply the impulses of a substep to joint_work[NEXT]; O((1 + c) n^2) for c contacts.

    Returns number of blocks, or -1 - i for a body i whose pivot is singular.
    """
    n = joints.shape[0]
    v = joint_work[NEXT][:n]
    for k in range(n):
        viscous = joints[k, DAMPING] + joint_work[GAIN, k]
        joint_work[DIAGONAL, k] = h * viscous + BRAKE * joints[k, BRAKED]
    status = mass_matrix_inverse_in_place(
        topology, constants, work, q, joint_work[DIAGONAL], joint_work[INVERSE:]
    )
    if status != 0:
        return -1 - status
    damp_led_joints(joint_work, contact, h, v)
    keep_closed(joint_work, contact.closing)
    lead_velocities(contact.closing, 1.0, v)
    b = write_joints(joints, joint_work, contact, h, q)
    b = write_led_joints(joint_work, contact, b, h)
    b = write_contacts(joint_work, contact, count, b, h, False, v)
    solve(contact, b, v)
    settle_led_joints(contact, b, v)
    settle_joints(joints, joint_work, contact, b, v)
    first = n
    for c in range(count):
        for k in range(3):
            impulse = contact.vectors[IMPULSES, first + 3 * c + k]
            contact.contacts[c, FORCE + k] = impulse / h
    return b


@unfused
def energy_gain(contact, blocks, before, v):
    """Return the kinetic energy that the impulses p have added: p (u- + u+) / 2.

    `before`, `v` (nv,): velocities before and after the impulses [rad/s or m/s].
    """
    total = 0.0
    for b in range(blocks):
        row = int(contact.blocks[b, ROW])
        for k in range(row, row + (1 if contact.blocks[b, KIND] == JOINT else 3)):
            mean = along_row(contact.rows, k, before) + along_row(contact.rows, k, v)
            total = total + 0.5 * contact.vectors[IMPULSES, k] * mean
    return total


@unfused
def rebound(topology, constants, joints, work, joint_work, contact, count, q, qd):
    """Apply an elastic impact: u+ = -e u- along the normals of the elastic contacts.

    This is Newton's law, with the friction of impulses. With several contacts it may add energy
    (Kane and Levinson 1985). In that case the result is a mean of the elastic and the inelastic
    impact that adds none.
    """
    n = qd.shape[0]
    v, elastic = joint_work[NEXT][:n], joint_work[KEPT_NEXT][:n]
    for k in range(n):
        v[k] = qd[k]
        joint_work[LEVEL, k] = 0.0
        joint_work[DIAGONAL, k] = BRAKE * joints[k, BRAKED]
    status = mass_matrix_inverse_in_place(
        topology, constants, work, q, joint_work[DIAGONAL], joint_work[INVERSE:]
    )
    if status != 0:
        return status
    keep_closed(joint_work, contact.closing)
    b = write_joints(joints, joint_work, contact, INSTANT, q)
    b = write_led_joints(joint_work, contact, b, INSTANT)
    b = write_contacts(joint_work, contact, count, b, INSTANT, True, v)
    solve(contact, b, v)
    gain = energy_gain(contact, b, qd, v)
    if gain > 0.0:
        for k in range(n):
            elastic[k] = v[k]
            v[k] = qd[k]
        for k in range(b):
            if contact.blocks[k, KIND] == CONTACT:
                contact.blocks[k, LOW] = min(contact.blocks[k, LOW], 0.0)
        solve(contact, b, v)
        lost = energy_gain(contact, b, qd, v)
        share = lost / (lost - gain) if lost < 0.0 else 0.0
        for k in range(n):
            v[k] = v[k] + share * (elastic[k] - v[k])
    for k in range(n):
        qd[k] = v[k]
    return 0


@unfused
def correct_penetrations(topology, contact, blocks, h, q):
    """Correct penetrations, which rounding and the rotation of normals leave.

    It is a displacement without velocity, so it adds no kinetic energy.

    `topology`: array of the model; see `model.layout`.
    `q` (nq,): positions [rad or m], updated.
    """
    n, deep = contact.rows.shape[1], False
    delta = contact.vectors[KEPT][:n]
    for k in range(n):
        delta[k] = 0.0
    for b in range(blocks):
        contact.blocks[b, SHIFT] = 0.0
        if contact.blocks[b, KIND] == CONTACT:
            c = (int(contact.blocks[b, ROW]) - n) // 3
            deep = deep or contact.contacts[c, GAP] < -TOUCH
    if not deep:
        return
    for _ in range(RECOVERY_SWEEPS):
        for b in range(blocks):
            row = int(contact.blocks[b, ROW])
            if contact.blocks[b, KIND] == CONTACT:
                gap = contact.contacts[(row - n) // 3, GAP]
                wanted = min(-SHARE * gap, RECOVERY * h) if gap < -TOUCH else min(-gap, 0.0)
                stiff = along_row(contact.rows, row, contact.responses[row])
                old = contact.blocks[b, SHIFT]
                new = max(old + (wanted - along_row(contact.rows, row, delta)) / stiff, 0.0)
                contact.blocks[b, SHIFT] = new
                for k in range(n):
                    delta[k] = delta[k] + contact.responses[row, k] * (new - old)
    integrate(topology, q, delta, 1.0, q)
