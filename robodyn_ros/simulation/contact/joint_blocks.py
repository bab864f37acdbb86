# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Blocks of joints that have friction or stops, in the table of impulses."""

from robodyn_ros.algorithms.contact.contact_tables import BOUND, HIGH, JOINT, KIND, LOW, ROW
from robodyn_ros.spatial.primitive import unfused


@unfused
def write_joint_block(contact, b, row, low, high, bound):
    """Write the block of a joint.

    `b`: index of the block.
    `row`: row of the joint's direction.
    `low`, `high`: velocities that bring the joint to its stops [rad/s or m/s].
    `bound`: largest impulse of its dry friction [N m s or N s].
    Returns index of the next block.
    """
    contact.blocks[b, KIND] = JOINT
    contact.blocks[b, ROW] = row
    contact.blocks[b, LOW] = low
    contact.blocks[b, HIGH] = high
    contact.blocks[b, BOUND] = bound
    return b + 1
