# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Impulses of dry friction and position stops over one substep, solved together.

The velocity v' = v + A p after the impulses p, A = (M + h D)^-1, is the unique minimum of

    (v' - v)^T A^-1 (v' - v) / 2 + sum_k h f_k |v'_k|   over   lower <= q + h v' <= upper,

the maximal-dissipation form of Coulomb's law for impulses (Stewart 2000, section 3, SIAM Review
42). The stops alone are Jain 2011, eq. (11.48)-(11.49), without restitution. Projected
Gauss-Seidel finds which joints slide, stick or touch a stop. A Cholesky factorisation then gives
the exact impulses of that case.
"""

from numpy import sqrt

from robodyn_ros.algorithms.contact.cone import constrained
from robodyn_ros.algorithms.mass_matrix.mass_matrix_inverse import mass_matrix_inverse_in_place
from robodyn_ros.simulation.joint_table import (
    BRAKE,
    BRAKED,
    DAMPING,
    DIAGONAL,
    FREE,
    GAIN,
    IMPULSE,
    INVERSE,
    KEPT_IMPULSE,
    KEPT_NEXT,
    KIND_OF,
    LEVEL,
    PRESCRIBED,
    RHS,
    TARGET,
)
from robodyn_ros.simulation.stops import fastest, slowest
from robodyn_ros.spatial.primitive import separate, unfused
from robodyn_ros.spatial.types import Matrix, Scalar, Vector

ROUNDS = 20  # largest number of rounds; after them the result of the sweeps counts
SWEEPS = 5  # of Gauss-Seidel in a round
TRIES = 8  # largest number of exact solutions in a round
SETTLED = 1e-13  # [rad/s or m/s] largest change of velocity in a converged sweep
SLACK = 1e-11  # [-] tolerance at the border of two cases, where both are right

#: Cases of a joint: it slides, sticks by friction, or is at a stop.
SLIDES_BACK, SLIDES_ON, HELD, AT_LOWER, AT_UPPER = -1.0, 1.0, 0.0, -2.0, 2.0
#: The case of a joint without friction and away from its stops.
FREELY = 3.0


@unfused
def sweep(joints, joint_work, h, q, qd):
    """Do one sweep of projected Gauss-Seidel over all joints.

    Returns largest change of a velocity [rad/s or m/s].
    """
    largest = 0.0
    for k in range(qd.shape[0]):
        old, bound = joint_work[IMPULSE, k], h * joint_work[LEVEL, k]
        low, high = slowest(joints, h, q, k), fastest(joints, h, q, k)
        idle = old == 0.0 and bound == 0.0 and low <= qd[k] <= high
        if joints[k, BRAKED] > 0.0 or idle:
            continue
        compliance = joint_work[INVERSE + k, k]
        free = qd[k] - compliance * old
        after = constrained(free, compliance * bound, low, high)
        joint_work[IMPULSE, k] = (after - free) / compliance
        change = joint_work[IMPULSE, k] - old
        for j in range(qd.shape[0]):
            qd[j] = qd[j] + joint_work[INVERSE + k, j] * change
        largest = max(largest, abs(compliance * change))
    return largest


@unfused
def classify(joints, joint_work, h, q, qd):
    """Write the case of every joint and the velocity that it prescribes.

    The case follows from the impulse and velocity of the joint.
    """
    for k in range(qd.shape[0]):
        compliance, bound = joint_work[INVERSE + k, k], h * joint_work[LEVEL, k]
        low, high = slowest(joints, h, q, k), fastest(joints, h, q, k)
        free = qd[k] - compliance * joint_work[IMPULSE, k]
        reach = compliance * bound
        case, target = FREELY, 0.0
        if joints[k, BRAKED] > 0.0:
            case = FREELY
        elif free - reach > high:
            case, target = AT_UPPER, high
        elif free + reach < low:
            case, target = AT_LOWER, low
        elif bound > 0.0:
            case = SLIDES_ON if free > reach else (SLIDES_BACK if free < -reach else HELD)
        joint_work[KIND_OF, k] = case
        joint_work[TARGET, k] = target


@unfused
def prescribed(case):
    """Return whether a joint of this case has a known velocity and an unknown impulse.

    `case`: case of the joint.
    """
    return case == HELD or case == AT_LOWER or case == AT_UPPER


@unfused
def solve_prescribed(joint_work, n):
    """Solve A_SS p_S = joint_work[RHS] of the prescribed joints S in place.

    The Cholesky factor is in the rows behind the inverse. No sum is a loop over its terms. The
    compiler could reorder such a loop differently in each kernel, and the bits would differ.

    Returns whether A_SS is positive definite.
    """
    factor = INVERSE + n
    for i in range(n):
        for j in range(i + 1):
            joint_work[factor + i, j] = joint_work[INVERSE + i, j]
    for j in range(n):
        if not prescribed(joint_work[KIND_OF, j]):
            continue
        if not joint_work[factor + j, j] > 0.0:
            return False
        reciprocal = 1.0 / sqrt(joint_work[factor + j, j])
        joint_work[factor + j, j] = reciprocal
        joint_work[RHS, j] = joint_work[RHS, j] * reciprocal
        for i in range(j + 1, n):
            joint_work[factor + i, j] = joint_work[factor + i, j] * reciprocal
        for i in range(j + 1, n):
            below = joint_work[factor + i, j]
            joint_work[RHS, i] = joint_work[RHS, i] - below * joint_work[RHS, j]
            for m in range(j + 1, i + 1):
                joint_work[factor + i, m] = (
                    joint_work[factor + i, m] - below * joint_work[factor + m, j]
                )
    for i in range(n - 1, -1, -1):
        if not prescribed(joint_work[KIND_OF, i]):
            continue
        joint_work[RHS, i] = joint_work[RHS, i] * joint_work[factor + i, i]
        for j in range(i):
            if prescribed(joint_work[KIND_OF, j]):
                joint_work[RHS, j] = (
                    joint_work[RHS, j] - joint_work[factor + i, j] * joint_work[RHS, i]
                )
    return True


@unfused
def matches_case(joints, joint_work, h, q, qd, k):
    """Return whether the impulse and velocity of a joint match its case, to rounding."""
    case, p, bound = joint_work[KIND_OF, k], joint_work[IMPULSE, k], h * joint_work[LEVEL, k]
    slack = SLACK * (bound + abs(p))
    if case == HELD:
        return abs(p) <= bound + slack
    if case == AT_UPPER:
        return p <= slack - bound
    if case == AT_LOWER:
        return p >= bound - slack
    if joints[k, BRAKED] > 0.0:
        return True
    slack = SLACK * (abs(qd[k]) + abs(joint_work[FREE, k]))
    low, high = slowest(joints, h, q, k) - slack, fastest(joints, h, q, k) + slack
    if case == SLIDES_ON:
        low = -slack
    elif case == SLIDES_BACK:
        high = slack
    return low <= qd[k] <= high


@unfused
def add_impulses(joint_work, qd):
    """Compute qd = joint_work[FREE] + A joint_work[IMPULSE].

    `qd` (nv,): velocities [rad/s or m/s], written.
    """
    for k in range(qd.shape[0]):
        qd[k] = joint_work[FREE, k]
    for j in range(qd.shape[0]):
        for k in range(qd.shape[0]):
            qd[k] = qd[k] + joint_work[INVERSE + j, k] * joint_work[IMPULSE, j]


@unfused
def solve_cases(joints, joint_work, h, q, qd):
    """Compute the impulses and velocities of the present cases.

    This is a step of the semi-smooth Newton method on the proximal equations of all joints.

    Returns whether every joint matches its case.
    """
    n = qd.shape[0]
    classify(joints, joint_work, h, q, qd)
    for k in range(n):
        case = joint_work[KIND_OF, k]
        sliding = case == SLIDES_ON or case == SLIDES_BACK
        joint_work[IMPULSE, k] = -case * h * joint_work[LEVEL, k] if sliding else 0.0
    add_impulses(joint_work, qd)
    for k in range(n):
        joint_work[RHS, k] = joint_work[TARGET, k] - qd[k]
    if not solve_prescribed(joint_work, n):
        return False
    for k in range(n):
        if prescribed(joint_work[KIND_OF, k]):
            joint_work[IMPULSE, k] = joint_work[RHS, k]
    add_impulses(joint_work, qd)
    for k in range(n):
        if prescribed(joint_work[KIND_OF, k]):
            qd[k] = joint_work[TARGET, k]
    for k in range(n):
        if not matches_case(joints, joint_work, h, q, qd, k):
            return False
    return True


@unfused
def solve_exactly(joints, joint_work, h, q, qd):
    """Find the exact impulses and velocities; change nothing if none are found.

    Returns whether they are found.
    """
    n = qd.shape[0]
    for k in range(n):
        joint_work[KEPT_IMPULSE, k] = joint_work[IMPULSE, k]
        joint_work[KEPT_NEXT, k] = qd[k]
    found = False
    for _ in range(TRIES):
        found = found or solve_cases(joints, joint_work, h, q, qd)
    for k in range(n):
        if not found:
            joint_work[IMPULSE, k] = joint_work[KEPT_IMPULSE, k]
            qd[k] = joint_work[KEPT_NEXT, k]
        elif joint_work[KIND_OF, k] == SLIDES_ON:
            qd[k] = max(qd[k], 0.0)  # rounding must not reverse a joint
        elif joint_work[KIND_OF, k] == SLIDES_BACK:
            qd[k] = min(qd[k], 0.0)
    return found


@unfused
def resolve(topology, constants, joints, work, joint_work, h, q, qd):
    """Apply the impulses of friction and stops to the velocities.

    joint_work[LEVEL] holds the limits f of friction [N m or N]. No sweep raises the dual objective
    p^T A p / 2 + p^T v + s(p) above its value 0 at p = 0. The conjugate s of friction and stops is
    never negative. So impulses, converged or not, add no energy in the norm of A^-1. A sweep is
    O(n^2). An exact solution is O(n^3), and needed only if a joint starts, stops or touches a
    stop.
    """
    n = qd.shape[0]
    for k in range(n):
        joint_work[IMPULSE, k] = 0.0
        joint_work[FREE, k] = qd[k]
        viscous = joints[k, DAMPING] + joint_work[GAIN, k]
        joint_work[DIAGONAL, k] = h * viscous + BRAKE * joints[k, BRAKED]
    status = mass_matrix_inverse_in_place(
        topology, constants, work, q, joint_work[DIAGONAL], joint_work[INVERSE:]
    )
    if status == 0:
        settle(joints, joint_work, h, q, qd)
    return status


@separate
def settle(joints: Matrix, joint_work: Matrix, h: Scalar, q: Vector, qd: Vector):
    """Find impulses p and qd = joint_work[FREE] + A p, with A = joint_work[INVERSE:].

    Sweeps find the cases, then an exact solution is tried; see `resolve`.
    """
    settled, exact = False, False
    for _ in range(ROUNDS):
        if settled or exact:
            break
        for _ in range(SWEEPS):
            settled = settled or sweep(joints, joint_work, h, q, qd) <= SETTLED
        exact = solve_exactly(joints, joint_work, h, q, qd)
    if not exact:
        classify(joints, joint_work, h, q, qd)
    for k in range(qd.shape[0]):
        if joints[k, BRAKED] > 0.0:  # the diagonal of a brake is huge, not infinite
            qd[k] = joint_work[PRESCRIBED, k]
        elif not exact and joint_work[KIND_OF, k] == HELD:
            qd[k] = 0.0
