# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Position stops as inelastic unilateral constraints on the velocity; they never add energy."""

from robodyn_ros.algorithms.mass_matrix.mass_matrix_inverse import mass_matrix_inverse
from robodyn_ros.simulation.joint_table import (
    AT,
    BRAKE,
    BRAKED,
    DIAGONAL,
    IMPULSE,
    INVERSE,
    LOWER,
    UPPER,
)
from robodyn_ros.spatial.primitive import primitive

SWEEPS = 200  # Gauss-Seidel gives up after so many; what is left over is clipped
SETTLED = 1e-13  # [rad/s or m/s] change of a velocity below which the impulses have converged


@primitive
def position(joints, q, k):
    """Position of joint k; 0 for the angular velocity of a spherical joint, which has no stop."""
    at = int(joints[k, AT])
    return q[at] if at >= 0 else 0.0


@primitive
def crosses_stop(joints, h, q, qd):
    """Whether q + h qd lies outside the stops of any joint."""
    for k in range(qd.shape[0]):
        x = position(joints, q, k) + h * qd[k]
        if x < joints[k, LOWER] or x > joints[k, UPPER]:
            return True
    return False


@primitive
def sweep(joints, work, h, q, qd):
    """One round of projected Gauss-Seidel over the impulses; the largest change of a velocity."""
    largest = 0.0
    for k in range(qd.shape[0]):
        # a joint that starts beyond its stop may stay there, but not go farther
        x = position(joints, q, k)
        slowest = min(0.0, (joints[k, LOWER] - x) / h)
        fastest = max(0.0, (joints[k, UPPER] - x) / h)
        old = work[IMPULSE, k]
        if joints[k, BRAKED] > 0.0 or (old == 0.0 and slowest <= qd[k] <= fastest):
            continue
        compliance = work[INVERSE + k, k]
        free = qd[k] - compliance * old
        work[IMPULSE, k] = (min(max(free, slowest), fastest) - free) / compliance
        change = work[IMPULSE, k] - old
        for j in range(qd.shape[0]):
            qd[j] = qd[j] + work[INVERSE + k, j] * change
        largest = max(largest, abs(compliance * change))
    return largest


@primitive
def arrest(topology, constants, joints, scratch, work, h, q, qd):
    """Change qd so that q + h qd stays between the stops, by impulses p that only push inwards.

    Minimises (qd' - qd)^T M (qd' - qd) / 2 over lower <= q + h qd' <= upper, qd' = qd + A p,
    A = M^-1: Jain 2011, eq. (11.48)-(11.49) on impulses, without restitution. A sweep never raises
    the dual objective p^T A p / 2 + p^T (qd - v*) above its value 0 at p = 0, and p^T v* <= 0,
    since stops push inwards and v* = (stop - q) / h points outwards. So the kinetic energy after
    any sweep, converged or not, is at most that before. O(n^2) a sweep, and only at a stop.

    Returns 0, or the body whose pivot is singular.
    """
    for k in range(qd.shape[0]):
        work[IMPULSE, k] = 0.0
        work[DIAGONAL, k] = BRAKE * joints[k, BRAKED]
    status = mass_matrix_inverse(topology, constants, scratch, q, work[DIAGONAL], work[INVERSE:])
    if status == 0:
        for _ in range(SWEEPS):
            if sweep(joints, work, h, q, qd) <= SETTLED:
                break
    for k in range(qd.shape[0]):
        if joints[k, BRAKED] > 0.0:
            qd[k] = 0.0  # the brake is a huge diagonal, not an infinite one
    return status


@primitive
def clip(joints, old_q, q):
    """Take back what rounding, or impulses that did not converge, left beyond a stop."""
    for k in range(joints.shape[0]):
        at = int(joints[k, AT])
        if at >= 0:
            lowest, highest = min(joints[k, LOWER], old_q[at]), max(joints[k, UPPER], old_q[at])
            q[at] = min(max(q[at], lowest), highest)
