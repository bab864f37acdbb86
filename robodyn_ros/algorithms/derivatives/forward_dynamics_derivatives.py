# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of forward dynamics, from those of inverse dynamics at the same motion.

The inverse of the mass matrix is one of them. But accelerations from it would have errors of about
cond(M) roundings, and the derivatives by position even larger ones. Those of articulated bodies
have a few roundings.
"""

from robodyn_ros.algorithms.core.aba import forward_dynamics
from robodyn_ros.algorithms.core.matrices import negative_products
from robodyn_ros.algorithms.derivatives.inverse_dynamics_derivatives import (
    add_rotors,
    by_motion,
    composite_wrenches,
    within_joints,
)
from robodyn_ros.algorithms.derivatives.tiles import body_by_body
from robodyn_ros.algorithms.mass_matrix.symmetric_inverse import factorise_rows, inverse_of_rows
from robodyn_ros.model.layout import V
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector


@primitive
def body_of_joint(topology, number):
    """Return the row of the body with a joint; 0 for no joint.

    Parameters
    ----------
    topology : array
        Structure of the robot: parent and joint of each body, see `model.layout`.
    number : int
        Number of the joint counted from one, or 0.

    Returns
    -------
    int
        Row of the body, or 0.
    """
    found = 0
    for i in range(1, topology.shape[0]):
        if topology[i, V] == number - 1:
            found = i
    return found


@recursion
def forward_dynamics_derivatives(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    scratch: Matrix,
    q: Vector,
    qd: Vector,
    tau: Vector,
    f_ext: Matrix,
    diagonal: Vector,
    bias: Vector,
    factors: Matrix,
    wide: Matrix,
    by_q: Matrix,
    by_qd: Matrix,
    by_tau: Matrix,
):
    """Compute the derivatives of forward dynamics by q, qd and tau, in O(n^3).

    dqdd/dq = -M^-1 dtau/dq, dqdd/dqd = -M^-1 dtau/dqd and dqdd/dtau = M^-1, since inverse dynamics
    of qdd is the identity on tau (Carpentier and Mansard 2018). Derivatives by q are along unit
    velocities.

    Parameters
    ----------
    topology, constants : arrays
        Structure of the robot and numbers of its bodies, see `model.layout`.
    gravity : (3,) array
        Gravitational acceleration in base axes [m/s^2].
    scratch : array
        Working memory, a row for each body; columns as in `core.scratch`.
    q : (nq,) array
        Joint positions [rad or m].
    qd : (nv,) array
        Joint velocities [rad/s or m/s].
    tau : (nv,) array
        Joint torques or forces [N m or N].
    f_ext : (nb, 6) array
        Moment and force on each body, in its frame about its origin, moving with it [N m, N].
    diagonal : (nv,) array
        Zeros.
    bias : (nv,) array
        Working memory.
    factors : (nv, m) array
        Working memory; m is `row_products.padded` of nv.
    wide : array
        Working memory, of the shape of `matrices.wide`.
    by_q, by_qd, by_tau : (nv, nv) array
        Written: derivatives, a row for each acceleration.

    Returns
    -------
    int
        0, or the body whose pivot is singular.
    """
    status = forward_dynamics(
        topology, constants, gravity, scratch, q, qd, tau, f_ext, diagonal, bias
    )
    composite_wrenches(topology, constants, gravity, scratch, q, qd, bias, f_ext)
    by_motion(topology, scratch, by_q, by_qd, factors)
    within_joints(topology, body_by_body(topology, scratch), by_q)
    add_rotors(topology, constants, factors)
    singular = body_of_joint(topology, factorise_rows(factors, bias))
    inverse_of_rows(factors, wide, by_tau)
    negative_products(by_tau, by_q, by_qd, wide)
    return status if status != 0 else singular
