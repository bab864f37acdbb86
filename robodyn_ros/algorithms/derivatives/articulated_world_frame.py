# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Accelerations by articulated bodies, with all bodies of a branch of the base in one frame.

In one frame articulated inertias of bodies add up without a transformation, and so do forces. With
the gain G = P S / D

    P(parent) += P - G (P S)^T,  z(parent) += z + G u,  u = tau - S . z,
    qdd = u / D - G . a,         a += S qdd.

Here z are forces of the motion without joint accelerations, and a are the accelerations due to
these. Featherstone 2008, Table 7.1; Jain 2011, Algorithms 7.1 and 7.2 in the frame of section 5.4.
"""

from robodyn_ros.algorithms.core.articulated import invert_pivot
from robodyn_ros.algorithms.core.coriolis import composite_inertia_times
from robodyn_ros.model.layout import PARENT, ROTOR, V
from robodyn_ros.spatial.articulated_inertia import load_general, times_general, transpose_times
from robodyn_ros.spatial.primitive import inlined, primitive
from robodyn_ros.spatial.rotational_inertia import (
    add_symmetric,
    load_symmetric,
    store_symmetric,
    times,
)
from robodyn_ros.spatial.vec3 import accumulate, add, dot, load, scale, store


@inlined
def start_articulated(rows, i):
    """Start articulated inertia and force of a body with its own ones, about the base origin.

    Needs `inverse_dynamics_fixed.force_about_base`.
    """
    mass, h = rows[i].c_mass, load(rows[i].c_moment)
    store_symmetric(rows[i].P.angular, load_symmetric(rows[i].c_inertia))
    store(rows[i].P.coupling, (0.0, -h[2], h[1]))
    store(rows[i].P.coupling, (h[2], 0.0, -h[0]), 3)
    store(rows[i].P.coupling, (-h[1], h[0], 0.0), 6)
    store(rows[i].P.linear, (mass, 0.0, 0.0))
    store(rows[i].P.linear, (mass, 0.0, mass), 3)
    store(rows[i].bias_wrench, load(rows[i].moment))
    store(rows[i].bias_wrench, load(rows[i].force), 3)


@inlined
def carry_articulated(rows, parent, P, U, inverse):
    """Add P - U U^T / D of a body to the articulated inertia of its parent, with U = P S.

    `P`: blocks A, B and C of the articulated inertia of the body: 6, 9 and 6 numbers.
    `U`: moment and force of U, 3-vectors.
    `inverse`: 1 / D. All other products do not wait for it.
    """
    (a, b, c), (u, v) = P, U
    angular = (
        a[0] - u[0] * u[0] * inverse,
        a[1] - u[0] * u[1] * inverse,
        a[2] - u[0] * u[2] * inverse,
        a[3] - u[1] * u[1] * inverse,
        a[4] - u[1] * u[2] * inverse,
        a[5] - u[2] * u[2] * inverse,
    )
    coupling = (
        b[0] - u[0] * v[0] * inverse,
        b[1] - u[0] * v[1] * inverse,
        b[2] - u[0] * v[2] * inverse,
        b[3] - u[1] * v[0] * inverse,
        b[4] - u[1] * v[1] * inverse,
        b[5] - u[1] * v[2] * inverse,
        b[6] - u[2] * v[0] * inverse,
        b[7] - u[2] * v[1] * inverse,
        b[8] - u[2] * v[2] * inverse,
    )
    linear = (
        c[0] - v[0] * v[0] * inverse,
        c[1] - v[0] * v[1] * inverse,
        c[2] - v[0] * v[2] * inverse,
        c[3] - v[1] * v[1] * inverse,
        c[4] - v[1] * v[2] * inverse,
        c[5] - v[2] * v[2] * inverse,
    )
    accumulate_symmetric(rows[parent].P.angular, angular)
    accumulate_symmetric(rows[parent].P.linear, linear)
    for k in range(9):
        rows[parent].P.coupling[k] = rows[parent].P.coupling[k] + coupling[k]


@inlined
def accumulate_symmetric(x, a):
    """Add a symmetric matrix to that in x."""
    store_symmetric(x, add_symmetric(load_symmetric(x), a))


@primitive
def eliminate_joints(topology, constants, rows, tau):
    """Compute G, 1 / D and u of all joints, tip to base. Needs `start_articulated`.

    A singular pivot locks its joint, so that the results stay finite.

    Returns 0, or the body whose pivot D is singular.
    """
    status = 0
    for i in range(topology.shape[0] - 1, 0, -1):
        parent = topology[i, PARENT]
        axis, slide = load(rows[i].axis), load(rows[i].axis, 3)
        a, c = load_symmetric(rows[i].P.angular), load_symmetric(rows[i].P.linear)
        b = load_general(rows[i].P.coupling)
        u_n = add(times(a, axis), times_general(b, slide))
        u_f = add(transpose_times(b, axis), times(c, slide))
        pivot = dot(axis, u_n) + dot(slide, u_f) + constants[i, ROTOR]
        turning, sliding = a[0] + a[3] + a[5], c[0] + c[3] + c[5]
        size = pivot + turning * dot(axis, axis) + sliding * dot(slide, slide)
        inverse, status = invert_pivot(pivot, size, i, status)
        g_n, g_f = scale(inverse, u_n), scale(inverse, u_f)
        n, f = load(rows[i].bias_wrench), load(rows[i].bias_wrench, 3)
        residual = tau[topology[i, V]] - (dot(axis, n) + dot(slide, f))
        store(rows[i].gain, g_n)
        store(rows[i].gain, g_f, 3)
        rows[i].d_inverse = inverse
        rows[i].residual = residual
        if parent > 0:
            carry_articulated(rows, parent, (a, b, c), (u_n, u_f), inverse)
            accumulate(rows[parent].bias_wrench, add(n, scale(residual, g_n)))
            accumulate(rows[parent].bias_wrench, add(f, scale(residual, g_f)), 3)
    return status


@primitive
def accelerate_joints(topology, rows, qdd):
    """Compute joint accelerations, and add them to the accelerations of the bodies.

    Needs `eliminate_joints`.
    """
    store(rows[0].change, (0.0, 0.0, 0.0))
    store(rows[0].change, (0.0, 0.0, 0.0), 3)
    for i in range(1, topology.shape[0]):
        parent = topology[i, PARENT]
        alpha, a = load(rows[parent].change), load(rows[parent].change, 3)
        x = rows[i].d_inverse * rows[i].residual - (
            dot(load(rows[i].gain), alpha) + dot(load(rows[i].gain, 3), a)
        )
        qdd[topology[i, V]] = x
        alpha = add(alpha, scale(x, load(rows[i].axis)))
        a = add(a, scale(x, load(rows[i].axis, 3)))
        store(rows[i].change, alpha)
        store(rows[i].change, a, 3)


@inlined
def add_inertia_force(rows, i):
    """Add joint accelerations to the acceleration of a body, and the force that they need.

    Needs `accelerate_joints`.
    """
    alpha, a = load(rows[i].change), load(rows[i].change, 3)
    n, f = composite_inertia_times(rows, i, alpha, a)
    accumulate(rows[i].alpha, alpha)
    accumulate(rows[i].accel, a)
    accumulate(rows[i].moment, n)
    accumulate(rows[i].force, f)
