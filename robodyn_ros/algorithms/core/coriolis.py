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
def joint_axes_base_to_tip(topology, constants, work, qd):
    """Compute the velocities of bodies, and the joint axes S and their rates, at the base origin.

    S = [z; p x z + pitch z], or [0; z] if prismatic; dS/dt = V x S. Needs the poses.
    """
    store(work[0].omega, (0.0, 0.0, 0.0))
    store(work[0].speed, (0.0, 0.0, 0.0))
    for i in range(1, topology.shape[0]):
        parent, rate, z = topology[i, PARENT], qd[topology[i, V]], world_axis(work, i)
        w, v = load(work[parent].omega), load(work[parent].speed)
        if topology[i, KIND] == PRISMATIC:
            axis, slide = (0.0, 0.0, 0.0), z
        else:
            axis = z
            slide = add(cross(load(work[i].world_position), z), scale(constants[i, PITCH], z))
        store(work[i].axis, axis)
        store(work[i].axis, slide, 3)
        turn_axis(work, i, w, v)
        w, v = add(w, scale(rate, axis)), add(v, scale(rate, slide))
        store(work[i].omega, w)
        store(work[i].speed, v)
        if topology[i, KIND] == BALL_Z:  # all axes of a spherical joint rotate with this body
            turn_axis(work, i - 2, w, v)
            turn_axis(work, i - 1, w, v)


@primitive
def turn_axis(work, i, w, v):
    """Store V x S, the rate of the axis of joint i.

    `w`, `v`: angular and linear velocity V of the body to which the axis is fixed.
    """
    axis, slide = load(work[i].axis), load(work[i].axis, 3)
    store(work[i].axis_rate, cross(w, axis))
    store(work[i].axis_rate, add(cross(w, slide), cross(v, axis)), 3)


@inlined
def body_coriolis(constants, work, i):
    """Compute I of body i about the base origin, and its Coriolis matrix B.

    B = ([V x*] I + [I V] bar-x* - I [V x]) / 2. With the momentum (n, f) = I V its blocks are [[Y
    - [n]/2, 0], [-[f], 0]], where Y = ([w] J - J [w] - [v][h] - [h][v]) / 2 is symmetric. These
    are twelve numbers, and in one common frame those of several bodies add up.
    """
    mass, p = constants[i, MASS], load(work[i].world_position)
    moment = rotate(work[i].world_rotation, load(constants[i], MOMENT))
    turned = rotate_symmetric(work[i].world_rotation, load_symmetric(constants[i], INERTIA))
    inertia = shift_inertia(turned, mass, moment, p)
    h = add(moment, scale(mass, p))
    w, v = load(work[i].omega), load(work[i].speed)
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
    work[i].c_mass = mass
    store(work[i].c_moment, h)
    store_symmetric(work[i].c_inertia, inertia)
    store_symmetric(work[i].b_symmetric, symmetric)
    store(work[i].b_moment, add(times(inertia, w), cross(h, v)))
    store(work[i].b_force, add(scale(mass, v), cross(w, h)))


@primitive
def composite_inertia_times(work, i, w, v):
    """Return the wrench of the composite inertia of body i for a motion.

    `w`, `v`: angular and linear part of the motion, 3-vectors in the frame of the inertia.
    """
    h = load(work[i].c_moment)
    return (
        add(times(load_symmetric(work[i].c_inertia), w), cross(h, v)),
        add(scale(work[i].c_mass, v), cross(w, h)),
    )


@recursion
def coriolis_matrix(
    topology: Topology, constants: Table, work: Work, q: Vector, qd: Vector, C: Matrix
):
    """Compute the Coriolis matrix C(q, qd) of the Christoffel symbols, in O(n depth).

    C qd is the Coriolis torque, and dM/dt - 2 C is skew-symmetric. Echeandia and Wensing 2021;
    Spong, Prop. 6.1.

    `C` (nv, nv), written: Coriolis matrix [N m s/rad, N s or N s/m].
    """
    joint_transforms(topology, constants, work, q)
    poses_in_world_frame(topology, work)
    joint_axes_base_to_tip(topology, constants, work, qd)
    for i in range(1, topology.shape[0]):
        body_coriolis(constants, work, i)
    clear(C)
    for j in range(topology.shape[0] - 1, 0, -1):
        column = topology[j, V]
        w, v = load(work[j].axis), load(work[j].axis, 3)
        n, f = composite_inertia_times(work, j, w, v)
        left_n, left_f = composite_inertia_times(
            work, j, load(work[j].axis_rate), load(work[j].axis_rate, 3)
        )
        symmetric = load_symmetric(work[j].b_symmetric)
        momentum, push = load(work[j].b_moment), load(work[j].b_force)
        turning, half = times(symmetric, w), scale(0.5, cross(momentum, w))
        left_n = add(left_n, sub(turning, half))  # I Sdot + B S
        left_f = sub(left_f, cross(push, w))
        right = add(add(turning, half), cross(push, v))  # B^T S, which has no linear part
        i = j
        while i > 0:
            row = topology[i, V]
            axis, slide = load(work[i].axis), load(work[i].axis, 3)
            C[row, column] = dot(axis, left_n) + dot(slide, left_f)
            if i != j:
                C[column, row] = (
                    dot(load(work[i].axis_rate), n)
                    + dot(load(work[i].axis_rate, 3), f)
                    + dot(axis, right)
                )
            i = topology[i, PARENT]
        parent = topology[j, PARENT]
        if parent > 0:
            add_to_parent(work, j, parent)


@primitive
def add_to_parent(work, i, parent):
    """Add the composite inertia and B of body i to those of its parent, all in one frame."""
    work[parent].c_mass = work[parent].c_mass + work[i].c_mass
    accumulate(work[parent].c_moment, load(work[i].c_moment))
    accumulate(work[parent].b_moment, load(work[i].b_moment))
    accumulate(work[parent].b_force, load(work[i].b_force))
    store_symmetric(
        work[parent].c_inertia,
        add_symmetric(load_symmetric(work[parent].c_inertia), load_symmetric(work[i].c_inertia)),
    )
    store_symmetric(
        work[parent].b_symmetric,
        add_symmetric(
            load_symmetric(work[parent].b_symmetric), load_symmetric(work[i].b_symmetric)
        ),
    )
