# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Friction and stops of the dependent joints of closed loops.

The velocity of such a joint is e qd, with its row e of the embedding matrix E. So its dry friction
and its stops are impulses along the direction e, beside those of contacts (algorithms.contact).
Rows depend on each other: three joints of a four-bar rub, and one velocity is independent. The
velocity is unique all the same, as it minimises

    (v' - v)^T A^-1 (v' - v) / 2 + sum_k h f_k |e_k v'|   over   lower <= x + h e v' <= upper,

with the level f_k and the position x of each joint. See joint_impulses.py. Viscous friction d adds
h d e^T e to A^-1, by the formula of Sherman and Morrison.
"""

import numpy as np

from robodyn_ros.algorithms.contact.cone import IMMOVABLE
from robodyn_ros.algorithms.contact.contact_rows import along_row
from robodyn_ros.algorithms.contact.contact_tables import (
    AT_HIGH,
    AT_LOW,
    CASE,
    JOINT,
    KIND,
    ROW,
    STICKS,
)
from robodyn_ros.algorithms.contact.gauss_seidel import add_impulse
from robodyn_ros.algorithms.contact.impulses import IMPULSES, KEPT, START
from robodyn_ros.algorithms.core.expand_joints import expand_joints
from robodyn_ros.algorithms.core.manifold import integrate
from robodyn_ros.model import layout
from robodyn_ros.simulation.contact.joint_blocks import write_joint_block
from robodyn_ros.simulation.contact.responses import write_responses
from robodyn_ros.simulation.drives import write_friction
from robodyn_ros.simulation.dry_friction import friction_level
from robodyn_ros.simulation.integrators.events import copy_vector
from robodyn_ros.simulation.joint_table import AT, DAMPING, INVERSE, LOWER, STATIC, UPPER, WIDTH
from robodyn_ros.simulation.plant_settings import PlantSettings
from robodyn_ros.simulation.stops import fastest, position, slowest
from robodyn_ros.spatial.primitive import unfused

ROUNDING = 1e-12  # [-] share of the velocity without impulses that counts as rest
EXACT = 1e-13  # [rad or m] motion beyond a stop that is not corrected
CORRECTIONS = 6  # of such a motion; each leaves a share of the order of the step
NOW, BEFORE = 0, 1  # rows of the positions of all joints


def table_of(model, settings=PlantSettings(), damped=()):
    """Return a joint table of the dependent joints that have friction or stops.

    `settings` (PlantSettings): scales of friction, which do not change what joints are in the
      table.
    `damped` (sequence of str): names of joints that are in the table in any case.
    Returns `table` (m, WIDTH): as of `joint_table`; AT is the index in the positions of
      all joints.
    Returns `rows` ((m,) ndarray of int): their rows of the embedding matrix.
    """
    bodies = np.array(model.led_by_loops, dtype=np.int64)
    table = np.zeros((len(bodies), WIDTH))
    table[:, AT] = model.topology[bodies, layout.Q]
    table[:, LOWER], table[:, UPPER] = model.led_limits.lower, model.led_limits.upper
    write_friction(table, settings, lambda column: model.constants[bodies, column])
    table[:, DAMPING] = settings.damping_scale * model.constants[bodies, layout.DAMPING]
    acts = model.constants[bodies][:, [layout.DAMPING, *layout.DRY_FRICTION]].any(axis=1)
    acts |= np.isfinite(table[:, [LOWER, UPPER]]).any(axis=1)
    acts |= [model.all_joint_names[body - 1] in damped for body in bodies]
    return table[acts], bodies[acts] - 1


@unfused
def first_led_row(contact):
    """Return the row of the directions that belongs to the first dependent joint."""
    return contact.rows.shape[0] - contact.led.shape[0]


@unfused
def has_any(contact, column):
    """Return whether any dependent joint has a positive entry in a column of the joint table.

    `column`: STATIC for dry friction, DAMPING for viscous friction.
    """
    for k in range(contact.led.shape[0]):
        if contact.led[k, column] > 0.0:
            return True
    return False


@unfused
def rubs(contact):
    """Return whether any dependent joint has friction."""
    return has_any(contact, STATIC) or has_any(contact, DAMPING)


@unfused
def expand(topology, constants, work, contact, q):
    """Compute the positions of all joints, and the embedding matrix."""
    expand_joints(topology, constants, work, q, contact.positions[NOW], contact.embedding)


@unfused
def crosses_led_stop(topology, constants, work, contact, q):
    """Return whether a dependent joint is beyond a stop."""
    if contact.led.shape[0] == 0:
        return False
    expand(topology, constants, work, contact, q)
    for k in range(contact.led.shape[0]):
        x = position(contact.led, contact.positions[NOW], k)
        if x < contact.led[k, LOWER] or x > contact.led[k, UPPER]:
            return True
    return False


@unfused
def find_led_joints(topology, constants, work, contact, stribeck, q, qd):
    """Write directions and levels of friction of the dependent joints."""
    if contact.led.shape[0] == 0:
        return
    expand(topology, constants, work, contact, q)
    copy_vector(contact.positions[NOW], contact.positions[BEFORE])
    first = first_led_row(contact)
    for k in range(contact.led.shape[0]):
        copy_vector(contact.embedding[contact.led_rows[k]], contact.rows[first + k])
        rate = along_row(contact.rows, first + k, qd)
        contact.led_levels[k] = friction_level(
            contact.led, stribeck, contact.positions[NOW], rate, k
        )


@unfused
def add_led_damping(contact, qd, effort):
    """Add the viscous friction of dependent joints to efforts; call find_led_joints before.

    It is all of their efforts while none rubs or is at a stop.
    """
    first = first_led_row(contact)
    for k in range(contact.led.shape[0]):
        torque = -contact.led[k, DAMPING] * along_row(contact.rows, first + k, qd)
        contact.led_efforts[k] = torque
        add_impulse(contact.rows, first + k, torque, effort)


@unfused
def damp_led_joints(joint_work, contact, h, v):
    """Apply the viscous friction of dependent joints to A and to the velocities, in O(n^2) each.

    It acts at the end of the substep, so it dissipates for any step size.
    """
    n, first = v.shape[0], first_led_row(contact)
    for k in range(contact.led.shape[0]):
        viscous, row = h * contact.led[k, DAMPING], first + k
        if viscous > 0.0:
            compliance = write_responses(joint_work, contact.rows, contact.responses, row)
            factor = viscous / (1.0 + viscous * compliance)
            impulse = -factor * along_row(contact.rows, row, v)
            add_impulse(contact.responses, row, impulse, v)
            for i in range(n):
                share = factor * contact.responses[row, i]
                for j in range(n):
                    change = share * contact.responses[row, j]
                    joint_work[INVERSE + i, j] = joint_work[INVERSE + i, j] - change


@unfused
def write_led_joints(joint_work, contact, b, h):
    """Write the blocks of the dependent joints behind those of the independent ones.

    `b`: number of blocks of the independent joints.
    Returns number of blocks.
    """
    first = first_led_row(contact)
    for k in range(contact.led.shape[0]):
        if write_responses(joint_work, contact.rows, contact.responses, first + k) <= IMMOVABLE:
            continue
        low = slowest(contact.led, h, contact.positions[NOW], k)
        high = fastest(contact.led, h, contact.positions[NOW], k)
        b = write_joint_block(contact, b, first + k, low, high, h * contact.led_levels[k])
    return b


@unfused
def settle_led_joints(contact, b, v):
    """Remove rounding from velocities that dependent joints bring to rest."""
    rests, largest, first = False, 0.0, first_led_row(contact)
    for k in range(b):
        case = contact.blocks[k, CASE]
        is_led = contact.blocks[k, KIND] == JOINT and contact.blocks[k, ROW] >= first
        rests = rests or (is_led and (case == STICKS or case == AT_LOW or case == AT_HIGH))
    for k in range(v.shape[0]):
        largest = max(largest, abs(contact.vectors[START, k]))
    for k in range(v.shape[0]):
        if rests and abs(v[k]) <= ROUNDING * largest:
            v[k] = 0.0


@unfused
def write_led_efforts(contact, h, v):
    """Write the mean efforts of friction and stops of dependent joints over a substep.

    `contact`: tables and memory, updated; with the impulses of the substep.
    `v` (nv,): velocities at its end [rad/s or m/s].
    """
    first = first_led_row(contact)
    for k in range(contact.led.shape[0]):
        viscous = contact.led[k, DAMPING] * along_row(contact.rows, first + k, v)
        contact.led_efforts[k] = contact.vectors[IMPULSES, first + k] / h - viscous


@unfused
def clear_led_efforts(contact):
    """Write zeros to the efforts of dependent joints."""
    for k in range(contact.led.shape[0]):
        contact.led_efforts[k] = 0.0


@unfused
def correct_led_stops(topology, constants, work, contact, q):
    """Correct motions beyond a stop of a dependent joint, since its row e has turned.

    It is a displacement without velocity, as of `correct_penetrations`.

    `q` (nq,): positions [rad or m], updated.
    """
    n, first, beyond = contact.rows.shape[1], first_led_row(contact), contact.led.shape[0] > 0
    delta = contact.vectors[KEPT][:n]
    for _ in range(CORRECTIONS):
        if not beyond:
            return
        expand(topology, constants, work, contact, q)
        beyond = False
        for k in range(contact.led.shape[0]):
            x = position(contact.led, contact.positions[NOW], k)
            old = position(contact.led, contact.positions[BEFORE], k)
            highest, lowest = max(contact.led[k, UPPER], old), min(contact.led[k, LOWER], old)
            excess = max(x - highest, 0.0) + min(x - lowest, 0.0)
            stiff = along_row(contact.rows, first + k, contact.responses[first + k])
            if abs(excess) > EXACT and stiff > IMMOVABLE:
                beyond = True
                for j in range(n):
                    delta[j] = -contact.responses[first + k, j] * excess / stiff
                integrate(topology, q, delta, 1.0, q)
