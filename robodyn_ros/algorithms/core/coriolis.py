# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The Coriolis matrix with dM/dt - 2 C skew-symmetric, by composite bodies in base axes."""

from robodyn_ros.algorithms.core.jacobian import world_axis
from robodyn_ros.algorithms.core.joint_transform import joint_transforms
from robodyn_ros.algorithms.core.matrices import clear
from robodyn_ros.algorithms.core.world_frame import poses_in_world_frame
from robodyn_ros.model.layout import (
    BALL_Z,
    INERTIA,
    KIND,
    MASS,
    MOMENT,
    PARENT,
    PITCH,
    PRISMATIC,
    V,
)
from robodyn_ros.spatial.primitive import inlined, primitive, recursion
from robodyn_ros.spatial.rotation import rotate, rotate_symmetric
from robodyn_ros.spatial.rotational_inertia import (
    add_symmetric,
    load_symmetric,
    shift_inertia,
    store_symmetric,
    times,
)
from robodyn_ros.spatial.types import Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import accumulate, add, cross, dot, load, scale, store, sub


@primitive
def joint_axes_base_to_tip(topology, constants, scratch, qd):
    """Compute the velocities of bodies, and the joint axes S and their rates, at the base origin.

    S = [z; p x z + pitch z], or [0; z] if prismatic; dS/dt = V x S. Needs the poses.
    """
    store(scratch[0].omega, (0.0, 0.0, 0.0))
    store(scratch[0].speed, (0.0, 0.0, 0.0))
    for i in range(1, topology.shape[0]):
        parent, rate, z = topology[i, PARENT], qd[topology[i, V]], world_axis(scratch, i)
        w, v = load(scratch[parent].omega), load(scratch[parent].speed)
        if topology[i, KIND] == PRISMATIC:
            axis, slide = (0.0, 0.0, 0.0), z
        else:
            axis = z
            slide = add(cross(load(scratch[i].world_position), z), scale(constants[i, PITCH], z))
        store(scratch[i].axis, axis)
        store(scratch[i].axis, slide, 3)
        turn_axis(scratch, i, w, v)
        w, v = add(w, scale(rate, axis)), add(v, scale(rate, slide))
        store(scratch[i].omega, w)
        store(scratch[i].speed, v)
        if topology[i, KIND] == BALL_Z:  # all axes of a spherical joint rotate with this body
            turn_axis(scratch, i - 2, w, v)
            turn_axis(scratch, i - 1, w, v)


@primitive
def turn_axis(scratch, i, w, v):
    """Store V x S, the rate of the axis of joint i.

    `w`, `v`: angular and linear velocity V of the body to which the axis is fixed.
    """
    axis, slide = load(scratch[i].axis), load(scratch[i].axis, 3)
    store(scratch[i].axis_rate, cross(w, axis))
    store(scratch[i].axis_rate, add(cross(w, slide), cross(v, axis)), 3)


@inlined
def body_coriolis(constants, scratch, i):
    """Compute I of body i about the base origin, and its Coriolis matrix B.

    B = ([V x*] I + [I V] bar-x* - I [V x]) / 2. With the momentum (n, f) = I V its blocks are [[Y
    - [n]/2, 0], [-[f], 0]], where Y = ([w] J - J [w] - [v][h] - [h][v]) / 2 is symmetric. These
    are twelve numbers, and in one common frame those of several bodies add up.
    """
    mass, p = constants[i, MASS], load(scratch[i].world_position)
    moment = rotate(scratch[i].world_rotation, load(constants[i], MOMENT))
    turned = rotate_symmetric(scratch[i].world_rotation, load_symmetric(constants[i], INERTIA))
    inertia = shift_inertia(turned, mass, moment, p)
    h = add(moment, scale(mass, p))
    w, v = load(scratch[i].omega), load(scratch[i].speed)
    x = cross(w, (inertia[0], inertia[1], inertia[2]))
    y = cross(w, (inertia[1], inertia[3], inertia[4]))
    z = cross(w, (inertia[2], inertia[4], inertia[5]))
    along = dot(v, h)
    symmetric = (
        x[0] - v[0] * h[0] + along,
        0.5 * (x[1] + y[0] - v[0] * h[1] - v[1] * h[0]),
        0.5 * (x[2] + z[0] - v[0] * h[2] - v[2] * h[0]),
        y[1] - v[1] * h[1] + along,
        0.5 * (y[2] + z[1] - v[1] * h[2] - v[2] * h[1]),
        z[2] - v[2] * h[2] + along,
    )
    scratch[i].c_mass = mass
    store(scratch[i].c_moment, h)
    store_symmetric(scratch[i].c_inertia, inertia)
    store_symmetric(scratch[i].b_symmetric, symmetric)
    store(scratch[i].b_moment, add(times(inertia, w), cross(h, v)))
    store(scratch[i].b_force, add(scale(mass, v), cross(w, h)))


@primitive
def composite_inertia_times(scratch, i, w, v):
    """Return the wrench of the composite inertia of body i for a motion.

    `w`, `v`: angular and linear part of the motion, 3-vectors in the frame of the inertia.
    """
    h = load(scratch[i].c_moment)
    return (
        add(times(load_symmetric(scratch[i].c_inertia), w), cross(h, v)),
        add(scale(scratch[i].c_mass, v), cross(w, h)),
    )


@recursion
def coriolis_matrix(
    topology: Topology, constants: Table, scratch: Work, q: Vector, qd: Vector, C: Matrix
):
    """Compute the Coriolis matrix C(q, qd) of the Christoffel symbols, in O(n depth).

    C qd is the Coriolis torque, and dM/dt - 2 C is skew-symmetric. Echeandia and Wensing 2021;
    Spong, Prop. 6.1.

    `C` (nv, nv), written: Coriolis matrix [N m s/rad, N s or N s/m].
    """
    joint_transforms(topology, constants, scratch, q)
    poses_in_world_frame(topology, scratch)
    joint_axes_base_to_tip(topology, constants, scratch, qd)
    for i in range(1, topology.shape[0]):
        body_coriolis(constants, scratch, i)
    clear(C)
    for j in range(topology.shape[0] - 1, 0, -1):
        column = topology[j, V]
        w, v = load(scratch[j].axis), load(scratch[j].axis, 3)
        n, f = composite_inertia_times(scratch, j, w, v)
        left_n, left_f = composite_inertia_times(
            scratch, j, load(scratch[j].axis_rate), load(scratch[j].axis_rate, 3)
        )
        symmetric = load_symmetric(scratch[j].b_symmetric)
        momentum, push = load(scratch[j].b_moment), load(scratch[j].b_force)
        turning, half = times(symmetric, w), scale(0.5, cross(momentum, w))
        left_n = add(left_n, sub(turning, half))  # I Sdot + B S
        left_f = sub(left_f, cross(push, w))
        right = add(add(turning, half), cross(push, v))  # B^T S, which has no linear part
        i = j
        while i > 0:
            row = topology[i, V]
            axis, slide = load(scratch[i].axis), load(scratch[i].axis, 3)
            C[row, column] = dot(axis, left_n) + dot(slide, left_f)
            if i != j:
                C[column, row] = (
                    dot(load(scratch[i].axis_rate), n)
                    + dot(load(scratch[i].axis_rate, 3), f)
                    + dot(axis, right)
                )
            i = topology[i, PARENT]
        parent = topology[j, PARENT]
        if parent > 0:
            add_to_parent(scratch, j, parent)


@primitive
def add_to_parent(scratch, i, parent):
    """Add the composite inertia and B of body i to those of its parent, all in one frame."""
    scratch[parent].c_mass = scratch[parent].c_mass + scratch[i].c_mass
    accumulate(scratch[parent].c_moment, load(scratch[i].c_moment))
    accumulate(scratch[parent].b_moment, load(scratch[i].b_moment))
    accumulate(scratch[parent].b_force, load(scratch[i].b_force))
    store_symmetric(
        scratch[parent].c_inertia,
        add_symmetric(
            load_symmetric(scratch[parent].c_inertia), load_symmetric(scratch[i].c_inertia)
        ),
    )
    store_symmetric(
        scratch[parent].b_symmetric,
        add_symmetric(
            load_symmetric(scratch[parent].b_symmetric), load_symmetric(scratch[i].b_symmetric)
        ),
    )
