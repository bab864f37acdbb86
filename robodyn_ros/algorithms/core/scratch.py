# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Columns of the scratch array (nb, width), in which recursions store quantities of bodies.

Its contents have no meaning between two calls. No kernel reads an entry that it did not write in
the same call. Each thread has its own array. A robot with dependent joints
has further rows, for arrays over all its joints.
"""

import numpy as np

from robodyn_ros.model import layout
from robodyn_ros.spatial.primitive import primitive

COS, SIN = 0, 1  # of the joint angle (1, 0 for a prismatic joint)
POSITION = 2  # 3, p_PB_P at q
OMEGA = 5  # 3, angular velocity
ALPHA = 8  # 3, angular acceleration
ACCEL = 11  # 3, acceleration of the origin
RATE = 14  # 9, row-major A = [omega]^2 + [alpha], so that A r is the acceleration of r
SPEED = 23  # 3, velocity of the origin
MOMENT = 26  # 3, moment about the origin
FORCE = 29  # 3
C_MASS = 32  # composite body: mass
C_MOMENT = 33  # 3, first moment
C_INERTIA = 36  # 6, inertia about the origin
P_ANGULAR = 42  # 6, articulated inertia P = [[A, B], [B^T, C]]: A symmetric
P_COUPLING = 48  # 9, B row-major
P_LINEAR = 57  # 6, C symmetric
U_ANGULAR = 63  # 3, U = P S
U_LINEAR = 66  # 3
D_INVERSE = 69  # 1 / D
BIAS_ANGULAR = 70  # 3, velocity-dependent part of the acceleration across the joint
BIAS_LINEAR = 73  # 3
RESIDUAL = 76  # u = tau - S^T z
WORLD_ROTATION = 77  # 9, row-major R_0B
WORLD_POSITION = 86  # 3, p_0B_0
O_ANGULAR = 89  # 6, compliance Omega = [[A, B], [B^T, C]] in the body's frame: A symmetric
O_COUPLING = 95  # 9, B row-major
O_LINEAR = 104  # 6, C symmetric
L_ANGULAR, L_COUPLING, L_LINEAR = O_ANGULAR, O_COUPLING, O_LINEAR  # dP/dt, in its place
ON_PATH = 110  # 1.0 if the body carries the requested frame
B_SYMMETRIC = 111  # 6, Coriolis composite, symmetric part
B_MOMENT = 117  # 3, angular momentum about the world origin
B_FORCE = 120  # 3, linear momentum
AXIS = 123  # 6, joint axis as a spatial motion about the world origin: angular, linear
AXIS_RATE = 129  # 6, its rate of change
OMEGA_R = 135  # 3, angular velocity of the reference motion
ROTATION = 138  # 9, row-major R of R_PB = R Rz: see joint_transforms
CARRIED = 147  # 6, rate of the joint axis, as if fixed to the body that carries the joint
CARRIED_RATE = 153  # 6, its second rate, likewise
BOTH_RATES = 159  # 6, CARRIED + AXIS_RATE
JOINT_MOMENTUM = 165  # 6, momentum of the composite body for a unit rate of the joint
JOINT_CORIOLIS = 171  # 3, angular part of 2 B^T S
LAST_CHILD = 174  # integer: the last descendant of this body
PLACE = 175  # integer: place of its motion, see mass_matrix_inverse_world_frame
RUN = 176  # integer: the first body of the unbranched run that ends with this one
CARRIER_OMEGA = 177  # 3, angular velocity of the body that carries the joint
CARRIER_SPEED = 180  # 3, velocity of its point at the base origin
CARRIER_ALPHA = 183  # 3, its angular acceleration
CARRIER_ACCEL = 186  # 3, acceleration of that point
BY_VELOCITY = 189  # 6, wrench of the composite body for a unit change of the joint's velocity
BY_POSITION = 195  # 6, the same for its position, without a change of axes
BEYOND = 201  # 6, the same, on joints that carry this one
WIDTH = 207
#: Further columns of tiles of eight bodies, see `derivatives.tiles`.
NUMBERS = WIDTH  # 10, mass, first moment and inertia of the body
WRENCH = WIDTH + 10  # 6, external wrench on the body
ENTER, LAST = WIDTH + 16, WIDTH + 17  # numbers of this and of its last descendant, depth first
FREE = WIDTH + 18  # number of its next child
TILE_WIDTH = WIDTH + 19
TILE = 8  # bodies


#: Vectors over all joints for a kernel over independent coordinates.
VECTORS = 8


def allocate(topology):
    """Return the scratch array of a robot, shape (nb, WIDTH).

    It has more rows for dependent joints, see robodyn_ros.algorithms.constraints.expansion, and
    for links that bend by modes, see robodyn_ros.algorithms.flexible.modal_storage.

    Parameters
    ----------
    topology : array
        Structure of the robot, see `model.layout`.

    Returns
    -------
    (rows, WIDTH) ndarray
        Zeros.
    """
    return np.zeros(shape(topology))


def shape(topology):
    """Return the shape of the scratch array of a robot.

    Parameters
    ----------
    topology : array
        Structure of the robot, see `model.layout`.

    Returns
    -------
    tuple of int
        Rows and columns.
    """
    return topology.shape[0] + rows_behind(topology) + rows_of_tiles(topology), WIDTH


@primitive
def tiles_of(topology):
    """Return the number of tiles of eight bodies, without that of the base.

    `topology`: structure of the robot, see `model.layout`.
    """
    return -(-(topology.shape[0] - 1) // TILE)


def rows_of_tiles(topology):
    """Return the number of rows of the tiles, which are at the end of scratch.

    Parameters
    ----------
    topology : array
        Structure of the robot, see `model.layout`.

    Returns
    -------
    int
        Number of rows.
    """
    entries = (tiles_of(topology) + 1) * TILE_WIDTH * TILE + TILE  # a tile starts at a cache line
    return -(-entries // WIDTH)


def rows_behind(topology):
    """Return the number of rows behind those of the bodies.

    Parameters
    ----------
    topology : array
        Structure of the robot, see `model.layout`.

    Returns
    -------
    int
        Number of rows.
    """
    if topology.shape[1] == layout.TOPOLOGY_COLUMNS:
        return 0
    if topology.shape[1] == layout.FLEXIBLE_TOPOLOGY_COLUMNS:
        return -(-int(topology[0, layout.ALL_ROOM]) // WIDTH)
    n, nv, width = topology.shape[0] - 1, topology[0, layout.FIRST], topology[0, layout.COUNT]
    entries = (2 + VECTORS + width) * n + (n + nv) * (n + 6) + 10 * n * n
    if topology.shape[1] > layout.EMBEDDED_TOPOLOGY_COLUMNS:
        rows, unknowns = topology[0, [layout.STOPPED_ROWS, layout.UNKNOWNS]]
        entries += 2 * rows * (unknowns + nv + 1) + 4 * n + 44  # see constraints.loops
    return -(-int(entries) // WIDTH)
