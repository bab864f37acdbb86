# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joint transforms: the pose of each body on its parent, and vectors between the two."""

from numpy import cos, sin

from robodyn_ros.model import layout
from robodyn_ros.model.layout import (
    BALL_X,
    BALL_Z,
    HELICAL,
    KIND,
    OFFSET,
    PITCH,
    PRISMATIC,
    REVOLUTE,
    ZERO,
    Q,
)
from robodyn_ros.spatial.articulated_inertia import load_general, store_general
from robodyn_ros.spatial.primitive import inlined, primitive
from robodyn_ros.spatial.quaternion import axes_of_quaternion
from robodyn_ros.spatial.rotation import rotate, rotate_inverse, rotate_z, rotate_z_inverse
from robodyn_ros.spatial.vec3 import accumulate, add, cross, load, store


@inlined
def joint_transforms(topology, constants, work, q):
    """Compute the pose of every body on its parent: R_PB = R Rz(q) and the origin p_PB_P.

    Stored are R, cosine and sine of q, and the origin. R is the constant R0 of the body; for the
    first body of a spherical joint it is R0 R(quaternion). The origin moves along z by q for a
    prismatic joint, and by pitch q for a helical one.
    """
    for i in range(1, topology.shape[0]):
        turn_joint(topology, constants, work, q, i)
        place_body(topology, constants, work, q, i)


@inlined
def turn_joint(topology, constants, work, q, i):
    """Store cosine and sine of a joint angle; those of zero for other joints."""
    if topology[i, KIND] == REVOLUTE or topology[i, KIND] == HELICAL:
        angle = q[topology[i, Q]] + constants[i, ZERO]
        work[i].cos = cos(angle)
        work[i].sin = sin(angle)
    else:
        work[i].cos = 1.0
        work[i].sin = 0.0


@inlined
def place_body(topology, constants, work, q, i):
    """Store rotation and origin of a body on its parent, without the rotation of a hinge."""
    kind, k = topology[i, KIND], topology[i, Q]
    store_general(work[i].rotation, load_general(constants[i], layout.ROTATION))
    store(work[i].position, load(constants[i], OFFSET))
    if kind == HELICAL:
        slide(constants, work, i, constants[i, PITCH] * q[k])
    elif kind == PRISMATIC:
        slide(constants, work, i, q[k] + constants[i, ZERO])
    elif kind == BALL_X:
        turn_ball(constants, work, i, q[k], q[k + 1], q[k + 2], q[k + 3])


@primitive
def first_of_joint(topology, i):
    """Return the first body of the joint of body i, which is i unless the joint is spherical."""
    return i - (topology[i, KIND] - BALL_X) if topology[i, KIND] > BALL_X else i


@primitive
def last_of_joint(topology, i):
    """Return the last body of the joint of body i, which is i unless the joint is spherical."""
    return i + (BALL_Z - topology[i, KIND]) if topology[i, KIND] >= BALL_X else i


@primitive
def slide(constants, work, i, travel):
    """Move the origin of body i along its z axis.

    `travel`: displacement [m].
    """
    r = layout.ROTATION
    accumulate(
        work[i].position,
        (travel * constants[i, r + 2], travel * constants[i, r + 5], travel * constants[i, r + 8]),
    )


@primitive
def turn_ball(constants, work, i, x, y, z, w):
    """Store the rotation R0 R(quaternion) of the first body of a spherical joint.

    Its columns are in the order y, z, x, so that z of body i is x of the rotation.

    `x`, `y`, `z`, `w`: quaternion, scalar part last.
    """
    along_x, along_y, along_z = axes_of_quaternion(x, y, z, w)
    set_column(work, i, 0, rotate(constants[i], along_y, layout.ROTATION))
    set_column(work, i, 1, rotate(constants[i], along_z, layout.ROTATION))
    set_column(work, i, 2, rotate(constants[i], along_x, layout.ROTATION))


@primitive
def set_column(work, i, column, v):
    """Write one column of the rotation of body i.

    `column`: column, 0 to 2.
    `v`: entries of the column.
    """
    for row in range(3):
        work[i].rotation[3 * row + column] = v[row]


@primitive
def to_child(work, i, v):
    """Transform the axes of a vector from those of the parent of body i to those of body i.

    `v`: 3-vector in axes of the parent.
    Returns the same vector in axes of body i.
    """
    return rotate_z_inverse(work[i].cos, work[i].sin, rotate_inverse(work[i].rotation, v))


@primitive
def to_parent(work, i, v):
    """Transform the axes of a vector from those of body i to those of its parent.

    `v`: 3-vector in axes of body i.
    Returns the same vector in axes of the parent.
    """
    return rotate(work[i].rotation, rotate_z(work[i].cos, work[i].sin, v))


@primitive
def along_joint(topology, constants, i, n, f):
    """Return S^T (n, f), the component of a wrench along the joint of body i."""
    return f[2] if topology[i, KIND] == PRISMATIC else n[2] + constants[i, PITCH] * f[2]


@primitive
def add_along_joint(topology, constants, i, w, v, rate):
    """Return (w, v) + S rate: the motion of the parent plus that along the joint.

    `w`, `v`: angular and linear part of the motion of the parent at body i, in axes of body i.
    `rate`: rate of the joint, or its acceleration.
    """
    if topology[i, KIND] == PRISMATIC:
        return w, (v[0], v[1], v[2] + rate)
    return (w[0], w[1], w[2] + rate), (v[0], v[1], v[2] + constants[i, PITCH] * rate)


@primitive
def axes_turning(rate, rate_r, k):
    """Return the correction of the reference acceleration for the axes of a spherical joint.

    The axes e_x, e_y, e_z of the joint rotate with its last body. A sweep rotates each axis with
    its own body only, and so omits the rotation by the axes that follow. This is (e_y w_y + e_z
    w_z) x e_x r_x + e_z w_z x e_y r_y.

    `rate` (nv,): joint velocities w [rad/s].
    `rate_r` (nv,): reference velocities r [rad/s].
    `k`: index of the last velocity of the joint.
    """
    return (-(rate[k] * rate_r[k - 1]), rate[k] * rate_r[k - 2], -(rate[k - 1] * rate_r[k - 2]))


@primitive
def carried_acceleration(work, parent, i):
    """Return the acceleration of body i due to its parent: angular, and that of its origin.

    Velocity-dependent terms are left out.

    Returns angular acceleration and that of the origin, each a 3-vector in axes of body i.
    """
    turning = load(work[parent].alpha)
    lever = cross(turning, load(work[i].position))
    return (to_child(work, i, turning), to_child(work, i, add(load(work[parent].accel), lever)))


@primitive
def wrench_on_parent(work, i, n, f):
    """Transform a wrench from the origin and axes of body i to those of its parent."""
    f = to_parent(work, i, f)
    return add(to_parent(work, i, n), cross(load(work[i].position), f)), f


@primitive
def carry_wrench(work, i, parent, n, f):
    """Add a wrench on body i, about its origin in its axes, to the wrench on its parent."""
    n, f = wrench_on_parent(work, i, n, f)
    accumulate(work[parent].moment, n)
    accumulate(work[parent].force, f)
