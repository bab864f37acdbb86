# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forward dynamics by articulated bodies, from a motion whose torque needs few operations."""

from robodyn_ros.algorithms.core import scratch as at
from robodyn_ros.algorithms.core.articulated import articulated_inertias
from robodyn_ros.algorithms.core.joint_transform import joint_transforms
from robodyn_ros.algorithms.core.rnea import prescribe_motion
from robodyn_ros.algorithms.mass_matrix.mass_matrix_solve import solve_loaded
from robodyn_ros.model.layout import ROTOR, V
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector


@primitive
def forward_dynamics(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    scratch: Matrix,
    q: Vector,
    qd: Vector,
    tau: Vector,
    diagonal: Vector,
    bias: Vector,
    qdd: Vector,
):
    """Compute qdd = qdd' + (M + diag(diagonal))^-1 (tau - tau' - diag(diagonal) qdd'), in O(n).

    tau' is the torque of a prescribed motion qdd'. Its link wrenches replace the bias forces of
    the articulated-body algorithm (Jain 2011, Algorithms 7.1 and 7.2). These are products of the
    velocity-dependent accelerations and articulated inertias, which take more operations.

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
    diagonal : (nv,) array
        Added to the diagonal of the mass matrix [kg m^2 or kg].
    bias : (nv,) array
        Working memory.
    qdd : (nv,) array
        Written: joint accelerations [rad/s^2 or m/s^2].

    Returns
    -------
    int
        0, or the body whose pivot is singular.
    """
    joint_transforms(topology, constants, scratch, q)
    prescribe_motion(topology, constants, gravity, scratch, qd, qdd)
    status = articulated_inertias(topology, constants, scratch, diagonal)
    for i in range(1, topology.shape[0]):
        k = topology[i, V]
        scratch[i, at.RESIDUAL] = tau[k] - (constants[i, ROTOR] + diagonal[k]) * qdd[k]
    solve_loaded(topology, constants, scratch, bias)
    for k in range(qdd.shape[0]):
        qdd[k] = qdd[k] + bias[k]
    return status
