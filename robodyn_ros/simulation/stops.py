# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Position stops as bounds on the velocity of one substep; see joint_impulses.py."""

from robodyn_ros.simulation.joint_table import AT, LOWER, UPPER
from robodyn_ros.spatial.primitive import unfused


@unfused
def position(joints, q, k):
    """Return the position of a joint.

    It is 0 for a velocity of a spherical joint, which has no stop.
    """
    at = int(joints[k, AT])
    return q[at] if at >= 0 else 0.0


@unfused
def slowest(joints, h, q, k):
    """Return the least velocity of a joint over a substep.

    A joint beyond its stop may stay there.
    """
    return min(0.0, (joints[k, LOWER] - position(joints, q, k)) / h)


@unfused
def fastest(joints, h, q, k):
    """Return the largest velocity of a joint over a substep.

    A joint beyond its stop may stay there.
    """
    return max(0.0, (joints[k, UPPER] - position(joints, q, k)) / h)


@unfused
def crosses_stop(joints, h, q, qd):
    """Return whether q + h qd lies outside the stops of any joint."""
    for k in range(qd.shape[0]):
        x = position(joints, q, k) + h * qd[k]
        if x < joints[k, LOWER] or x > joints[k, UPPER]:
            return True
    return False


@unfused
def clip(joints, old_q, q):
    """Undo small motions beyond a stop, which rounding or unconverged impulses leave.

    `old_q` (nq,): positions before the substep [rad or m].
    `q` (nq,): positions after it [rad or m], updated.
    """
    for k in range(joints.shape[0]):
        at = int(joints[k, AT])
        if at >= 0:
            lowest, highest = min(joints[k, LOWER], old_q[at]), max(joints[k, UPPER], old_q[at])
            q[at] = min(max(q[at], lowest), highest)
