# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of forward dynamics, from those of inverse dynamics at the same motion."""

from robodyn_ros.algorithms.core.aba import forward_dynamics
from robodyn_ros.algorithms.core.composite import factorise, inverse_of_factors
from robodyn_ros.algorithms.core.matrices import negative_products
from robodyn_ros.algorithms.derivatives.inverse_dynamics_derivatives import (
    inverse_dynamics_derivatives,
)
from robodyn_ros.spatial.primitive import recursion
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector


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
    M: Matrix,
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
    M : (nv, nv) array
        Working memory.
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
    inverse_dynamics_derivatives(
        topology, constants, gravity, scratch, q, qd, bias, f_ext, by_q, by_qd, M
    )
    if status == 0:
        status = factorise(topology, diagonal, M, bias)
    inverse_of_factors(topology, M, by_tau)
    negative_products(by_tau, by_q, by_qd, wide)
    return status
