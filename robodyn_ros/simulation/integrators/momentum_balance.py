# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Correct the velocities of a step so that a free-floating robot keeps its momentum.

The generalised momentum of a floating joint is (M qd) of its six velocities. Its linear part is in
axes of the joint frame. Its angular part is about the origin of the child link, in axes of the
child. See doc/robots/joints.md.
"""

from robodyn_ros.algorithms.core.aba import forward_dynamics
from robodyn_ros.algorithms.core.manifold import load_quaternion
from robodyn_ros.algorithms.core.rnea import inverse_dynamics
from robodyn_ros.model.layout import BALL_X, KIND, PARENT, PRISMATIC, TOPOLOGY_COLUMNS, Q, V
from robodyn_ros.simulation.joint_table import (
    BRAKE,
    BRAKED,
    DAMPING,
    DIAGONAL,
    EFFORT_MODE,
    LOCKED,
    MODE,
    MOMENTUM,
    NEEDED,
    QDD,
    RATE,
    STATIC,
    TORQUE,
)
from robodyn_ros.spatial.primitive import unfused
from robodyn_ros.spatial.quaternion import axes_of_quaternion
from robodyn_ros.spatial.vec3 import add, cross, dot, scale, sub

FREEDOMS = 6


@unfused
def is_free_flyer(topology, gravity, joints, effort):
    """Return whether the first joint floats without gravity, effort, friction and brake.

    A robot with dependent joints does not count as a free flyer.

    `effort` (nv,): efforts of the motors [N m or N].
    """
    if topology.shape[1] != TOPOLOGY_COLUMNS or topology.shape[0] <= FREEDOMS:
        return False
    if gravity[0] != 0.0 or gravity[1] != 0.0 or gravity[2] != 0.0:
        return False
    for i in range(FREEDOMS):
        kind = PRISMATIC if i < 3 else BALL_X + i - 3
        k = topology[1, V] + i
        if topology[i + 1, KIND] != kind or topology[i + 1, PARENT] != i:
            return False
        if effort[k] != 0.0 or joints[k, DAMPING] != 0.0 or joints[k, STATIC] != 0.0:
            return False
        if joints[k, BRAKED] != 0.0 or joints[k, MODE] != EFFORT_MODE:
            return False
    return True


@unfused
def momentum(topology, constants, gravity, work, joint_work, f_ext, q, qd):
    """Return linear momentum, and angular momentum about the joint frame's origin, in its axes.

    p = (M qd)_1:3 and L = R (M qd)_4:6 + x x p, with the position x and the rotation R of the
    child. O(n), by inverse dynamics at rest.
    """
    n, k, j = qd.shape[0], topology[1, V], topology[1, Q]
    for i in range(n):
        joint_work[RATE, i] = 0.0
    inverse_dynamics(
        topology,
        constants,
        gravity,
        work,
        q,
        joint_work[RATE][:n],
        qd,
        f_ext,
        joint_work[NEEDED][:n],
    )
    h, p = (
        joint_work[NEEDED],
        (joint_work[NEEDED, k], joint_work[NEEDED, k + 1], joint_work[NEEDED, k + 2]),
    )
    x, y, z = axes_of_quaternion(*load_quaternion(q, j + 3))
    spin = add(add(scale(h[k + 3], x), scale(h[k + 4], y)), scale(h[k + 5], z))
    return p, add(spin, cross((q[j], q[j + 1], q[j + 2]), p))


@unfused
def motion_of(topology, constants, gravity, work, joint_work, f_ext, p, L, q, n):
    """Compute into joint_work[QDD] the motion with this momentum and all other joints locked.

    O(n): the articulated-body recursion at rest, in which brakes hold the other joints.

    `p`, `L`: linear [N s] and angular momentum [N m s].
    Returns twice its kinetic energy [J].
    """
    k, j = topology[1, V], topology[1, Q]
    spin = sub(L, cross((q[j], q[j + 1], q[j + 2]), p))
    x, y, z = axes_of_quaternion(*load_quaternion(q, j + 3))
    h = (p[0], p[1], p[2], dot(x, spin), dot(y, spin), dot(z, spin))
    for i in range(n):
        joint_work[RATE, i] = 0.0
        joint_work[TORQUE, i] = 0.0
        joint_work[DIAGONAL, i] = BRAKE
    for i in range(FREEDOMS):
        joint_work[TORQUE, k + i] = h[i]
        joint_work[DIAGONAL, k + i] = 0.0
    forward_dynamics(
        topology,
        constants,
        gravity,
        work,
        q,
        joint_work[RATE][:n],
        joint_work[TORQUE][:n],
        f_ext,
        joint_work[DIAGONAL][:n],
        joint_work[QDD][:n],
    )
    twice = 0.0
    for i in range(n):
        if joint_work[DIAGONAL, i] != 0.0:
            joint_work[QDD, i] = 0.0
        twice = twice + joint_work[TORQUE, i] * joint_work[QDD, i]
    return twice


@unfused
def keep_momentum(topology, constants, gravity, work, joint_work, f_ext, q, qd):
    """Correct the velocity of the base so that the momentum is that of joint_work[MOMENTUM].

    The correction is of the order of the step's error, so the order of an integrator stays. Writes
    joint_work[LOCKED], the motion with this momentum and all other joints locked. The rest of qd
    has no momentum. It is orthogonal to that motion in the norm of the mass matrix (Jain 2011,
    section 4.1.3).

    Returns kinetic energy of joint_work[LOCKED] [J].
    """
    n, h = qd.shape[0], joint_work[MOMENTUM]
    p, L = (h[0], h[1], h[2]), (h[3], h[4], h[5])
    linear, angular = momentum(topology, constants, gravity, work, joint_work, f_ext, q, qd)
    motion_of(
        topology,
        constants,
        gravity,
        work,
        joint_work,
        f_ext,
        sub(p, linear),
        sub(L, angular),
        q,
        n,
    )
    for k in range(n):
        qd[k] = qd[k] + joint_work[QDD, k]
    twice = motion_of(topology, constants, gravity, work, joint_work, f_ext, p, L, q, n)
    for k in range(n):
        joint_work[LOCKED, k] = joint_work[QDD, k]
    return 0.5 * twice


@unfused
def store_momentum(topology, constants, gravity, work, joint_work, f_ext, q, qd):
    """Write the momentum into joint_work[MOMENTUM]; see `momentum`."""
    p, L = momentum(topology, constants, gravity, work, joint_work, f_ext, q, qd)
    for i in range(3):
        joint_work[MOMENTUM, i] = p[i]
        joint_work[MOMENTUM, 3 + i] = L[i]
