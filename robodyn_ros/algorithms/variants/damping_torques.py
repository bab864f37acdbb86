# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Torques that damp a robot in velocities in which its mass matrix is 1.

M = L D L^T, eta = D^1/2 L^T qd = D^1/2 xi. In these velocities the equations of motion are
d(eta)/dt + C(q, eta) = D^-1/2 L^-1 tau, and C does no work: eta^T C = 0. See Jain 2011, chapter
19, and robodyn_ros.formulations.jain.diagonalised.
"""

from robodyn_ros.algorithms.core import scratch as at
from robodyn_ros.algorithms.core.articulated import (
    articulated_inertias,
    articulated_times,
    carry_inertia,
)
from robodyn_ros.algorithms.core.joint_transform import (
    add_along_joint,
    along_joint,
    carry_wrench,
    joint_transforms,
    wrench_on_parent,
)
from robodyn_ros.algorithms.core.kinematics import velocities_base_to_tip
from robodyn_ros.model.layout import (
    INERTIA,
    KIND,
    MASS,
    MOMENT,
    PARENT,
    PITCH,
    PRISMATIC,
    ROTOR,
    V,
)
from robodyn_ros.spatial.articulated_inertia import load_general
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.rotational_inertia import load_symmetric, store_symmetric, times
from robodyn_ros.spatial.types import Matrix, Table, Topology, Vector
from robodyn_ros.spatial.vec3 import accumulate, add, cross, dot, load, scale, store, sub


@primitive
def gyroscopic_wrenches(topology, constants, scratch):
    """Store bar(V) M V of each body, moment about its origin and force; set the sums to zero.

    The sums are those of the damping wrenches and of lambda. Needs the velocities V.

    Parameters
    ----------
    topology, constants : arrays
        Structure of the robot and numbers of its bodies, see `model.layout`.
    scratch : array
        Working memory, a row for each body; columns as in `core.scratch`.
    """
    for i in range(1, topology.shape[0]):
        w, v = load(scratch, i, at.OMEGA), load(scratch, i, at.SPEED)
        h = load(constants, i, MOMENT)
        linear = add(scale(constants[i, MASS], v), cross(w, h))
        angular = add(times(load_symmetric(constants, i, INERTIA), w), cross(h, v))
        store(scratch, i, at.MOMENT, add(cross(w, angular), cross(v, linear)))
        store(scratch, i, at.FORCE, cross(w, linear))
        store(scratch, i, at.B_MOMENT, (0.0, 0.0, 0.0))
        store(scratch, i, at.B_FORCE, (0.0, 0.0, 0.0))
        for k in range(21):
            scratch[i, at.L_ANGULAR + k] = 0.0


@primitive
def turn_inertia(scratch, i, rate):
    """Add the rate of P = P+ + U U^T / D, due to rotation about the joint, to lambda of body i.

    Parameters
    ----------
    scratch : array
        Working memory, a row for each body; columns as in `core.scratch`.
    i : int
        Row of the body.
    rate : float
        Rate of the joint [rad/s].
    """
    u, f = load(scratch, i, at.U_ANGULAR), load(scratch, i, at.U_LINEAR)
    g, k = scale(scratch[i, at.D_INVERSE], u), scale(scratch[i, at.D_INVERSE], f)
    add_turning(scratch, i, at.P_ANGULAR, at.L_ANGULAR, rate, u, g)
    add_turning(scratch, i, at.P_LINEAR, at.L_LINEAR, rate, f, k)
    b = load_general(scratch, i, at.P_COUPLING)
    xx, xy, xz = b[0] + g[0] * f[0], b[1] + g[0] * f[1], b[2] + g[0] * f[2]
    yx, yy, yz = b[3] + g[1] * f[0], b[4] + g[1] * f[1], b[5] + g[1] * f[2]
    zx, zy = b[6] + g[2] * f[0], b[7] + g[2] * f[1]
    accumulate(scratch, i, at.L_COUPLING, scale(rate, (-(xy + yx), xx - yy, -yz)))
    accumulate(scratch, i, at.L_COUPLING + 3, scale(rate, (xx - yy, xy + yx, xz)))
    accumulate(scratch, i, at.L_COUPLING + 6, scale(rate, (-zy, zx, 0.0)))


@primitive
def add_turning(scratch, i, block, into, rate, u, g):
    """Add rate (S A - A S) to a symmetric block, with A = block + u g^T and S = [z].

    Parameters
    ----------
    scratch : array
        Working memory, a row for each body; columns as in `core.scratch`.
    i : int
        Row of the body.
    block : int
        First column of the block.
    into : int
        First of the six columns to which the result is added.
    rate : float
        Rate of the joint [rad/s].
    u, g : tuple
        3-vectors.
    """
    a = load_symmetric(scratch, i, block)
    xx, xy, xz = a[0] + u[0] * g[0], a[1] + u[0] * g[1], a[2] + u[0] * g[2]
    yy, yz = a[3] + u[1] * g[1], a[4] + u[1] * g[2]
    accumulate(scratch, i, into, scale(rate, (-(xy + xy), xx - yy, -yz)))
    accumulate(scratch, i, into + 3, scale(rate, (xy + xy, xz, 0.0)))


@primitive
def axis_column(topology, constants, scratch, i):
    """Return lambda S of body i.

    Parameters
    ----------
    topology, constants : arrays
        Structure of the robot and numbers of its bodies, see `model.layout`.
    scratch : array
        Working memory, a row for each body; columns as in `core.scratch`.
    i : int
        Row of the body.

    Returns
    -------
    tuple
        Angular and linear part, each a 3-vector.
    """
    a, c = load_symmetric(scratch, i, at.L_ANGULAR), load_symmetric(scratch, i, at.L_LINEAR)
    b = load_general(scratch, i, at.L_COUPLING)
    if topology[i, KIND] == PRISMATIC:
        return (b[2], b[5], b[8]), (c[2], c[4], c[5])
    pitch = constants[i, PITCH]
    return (
        (a[2] + pitch * b[2], a[4] + pitch * b[5], a[5] + pitch * b[8]),
        (b[6] + pitch * c[2], b[7] + pitch * c[4], b[8] + pitch * c[5]),
    )


@primitive
def propagate_rate(scratch, i, slide, column_n, column_f, D_rate):
    """Turn lambda of body i into dP+/dt, the rate of the inertia that acts across its joint.

    It is taubar lambda taubar^T + Y + Y^T, with Y = bar(Delta^v) P+.

    Parameters
    ----------
    scratch : array
        Working memory, a row for each body; columns as in `core.scratch`.
    i : int
        Row of the body.
    slide : float
        Linear velocity along the joint.
    column_n, column_f : tuple
        Angular and linear part of lambda S, 3-vectors.
    D_rate : float
        Rate of D.
    """
    d = scratch[i, at.D_INVERSE]
    g, k = (scale(d, load(scratch, i, at.U_ANGULAR)), scale(d, load(scratch, i, at.U_LINEAR)))
    p, r = sub(column_n, scale(0.5 * D_rate, g)), sub(column_f, scale(0.5 * D_rate, k))
    b = load_general(scratch, i, at.P_COUPLING)
    c = load_symmetric(scratch, i, at.P_LINEAR)
    subtract_both(scratch, i, at.L_ANGULAR, p, g)
    subtract_both(scratch, i, at.L_LINEAR, r, k)
    # z x (row j of B), and z x (column j of C)
    accumulate(scratch, i, at.L_ANGULAR, scale(slide, (-(b[1] + b[1]), b[0] - b[4], -b[7])))
    accumulate(scratch, i, at.L_ANGULAR + 3, scale(slide, (b[3] + b[3], b[6], 0.0)))
    turned = (-c[1], -c[3], -c[4], c[0], c[1], c[2], 0.0, 0.0, 0.0)
    for row in range(3):
        for column in range(3):
            at_entry = at.L_COUPLING + 3 * row + column
            scratch[i, at_entry] = (
                scratch[i, at_entry]
                - (p[row] * k[column] + g[row] * r[column])
                + slide * turned[3 * row + column]
            )


@primitive
def subtract_both(scratch, i, into, p, g):
    """Subtract p g^T + g p^T from a symmetric block of body i.

    Parameters
    ----------
    scratch : array
        Working memory, a row for each body; columns as in `core.scratch`.
    i : int
        Row of the body.
    into : int
        First column of the block.
    p, g : tuple
        3-vectors.
    """
    a = load_symmetric(scratch, i, into)
    store_symmetric(
        scratch,
        i,
        into,
        (
            a[0] - 2.0 * p[0] * g[0],
            a[1] - (p[0] * g[1] + p[1] * g[0]),
            a[2] - (p[0] * g[2] + p[2] * g[0]),
            a[3] - 2.0 * p[1] * g[1],
            a[4] - (p[1] * g[2] + p[2] * g[1]),
            a[5] - 2.0 * p[2] * g[2],
        ),
    )


@recursion
def damping_torques(
    topology: Topology,
    constants: Table,
    scratch: Matrix,
    q: Vector,
    qd: Vector,
    rates: Vector,
    diagonal: Vector,
    damping: Vector,
    coriolis: Vector,
):
    """Compute damping = -m rates m^T qd and coriolis = m C(q, eta), with M = m m^T, in O(n).

    Under both torques each eta(i) decays as exp(-rates(i) t), and the robot loses the power sum
    rates eta^2. Joints have one degree of freedom.

    Jain 2011, Algorithms 18.1 and 19.2, Lemma 19.10. m C(q, eta) collects the terms H phi [lambda
    H^T xi - (tilde(Delta^w) P - bar(V) M) V - ..] - (1 + H phi K) dD/dt xi / 2.

    Parameters
    ----------
    topology, constants : arrays
        Structure of the robot and numbers of its bodies, see `model.layout`.
    scratch : array
        Working memory, a row for each body; columns as in `core.scratch`.
    q : (nq,) array
        Joint positions [rad or m].
    qd : (nv,) array
        Joint velocities [rad/s or m/s].
    rates : (nv,) array
        Rates of decay [1/s].
    diagonal : (nv,) array
        Added to the diagonal of the mass matrix; zeros for these torques.
    damping : (nv,) array
        Written: damping torques [N m or N].
    coriolis : (nv,) array
        Written: Coriolis torques [N m or N].

    Returns
    -------
    int
        0, or the body whose pivot is singular.
    """
    joint_transforms(topology, constants, scratch, q)
    status = articulated_inertias(topology, constants, scratch, diagonal)
    velocities_base_to_tip(topology, constants, scratch, qd)
    gyroscopic_wrenches(topology, constants, scratch)
    for i in range(topology.shape[0] - 1, 0, -1):
        k, parent, d = topology[i, V], topology[i, PARENT], scratch[i, at.D_INVERSE]
        rate, is_slide = qd[k], topology[i, KIND] == PRISMATIC
        turning = 0.0 if is_slide else rate
        slide = rate if is_slide else constants[i, PITCH] * rate
        u_n, u_f = load(scratch, i, at.U_ANGULAR), load(scratch, i, at.U_LINEAR)
        w, v = add_along_joint(
            topology, constants, i, load(scratch, i, at.OMEGA), load(scratch, i, at.SPEED), -rate
        )
        xi = rate + d * (dot(u_n, w) + dot(u_f, v))
        D = along_joint(topology, constants, i, u_n, u_f) + constants[i, ROTOR] + diagonal[k]
        # momentum P V, and P+ V across the joint
        passed_n, passed_f = articulated_times(scratch, i, w, v)
        held_n, held_f = add(passed_n, scale(xi, u_n)), add(passed_f, scale(xi, u_f))
        turn_inertia(scratch, i, turning)
        column_n, column_f = axis_column(topology, constants, scratch, i)
        D_rate = along_joint(topology, constants, i, column_n, column_f)
        n, f = load(scratch, i, at.MOMENT), load(scratch, i, at.FORCE)
        n = sub(add(n, scale(xi, column_n)), scale(turning, (-held_n[1], held_n[0], 0.0)))
        f = sub(add(f, scale(xi, column_f)), scale(turning, (-held_f[1], held_f[0], 0.0)))
        b_n, b_f = load(scratch, i, at.B_MOMENT), load(scratch, i, at.B_FORCE)
        damped, lost = -(rates[k] * xi), -(0.5 * D_rate * xi)
        damping[k] = D * damped + along_joint(topology, constants, i, b_n, b_f)
        coriolis[k] = lost + along_joint(topology, constants, i, n, f)
        if parent > 0:
            b_n, b_f = wrench_on_parent(
                scratch, i, add(b_n, scale(damped, u_n)), add(b_f, scale(damped, u_f))
            )
            accumulate(scratch, parent, at.B_MOMENT, b_n)
            accumulate(scratch, parent, at.B_FORCE, b_f)
            n = add(n, scale(d * lost, u_n))
            n = sub(n, scale(slide, (-passed_f[1], passed_f[0], 0.0)))
            carry_wrench(scratch, i, parent, n, add(f, scale(d * lost, u_f)))
            propagate_rate(scratch, i, slide, column_n, column_f, D_rate)
            carry_inertia(scratch, i, parent, at.L_ANGULAR, at.L_COUPLING, at.L_LINEAR)
    return status
