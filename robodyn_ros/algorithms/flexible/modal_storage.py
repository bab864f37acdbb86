# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Constants of the modes of a body, and their memory in working memory.

For n modes, in the axes of the body about its origin:

    MODAL_MASS n^2       M^ff [kg]
    LINEAR 3 n           M^fr by velocities; also the first moment by each mode [kg]
    ANGULAR 3 n          M^fr by angular velocities, undeformed [kg m]
    INERTIA_SLOPE 6 n    inertia by each mode [kg m]
    ANGULAR_SLOPE 3 n^2  ANGULAR of mode r by mode s [kg]
    INERTIA_CURVE 6 n^2  half of the inertia by modes r and s [kg]

The shapes of a node are n times a rotation [rad] and a displacement [m]. A loaded node has its
body, position (3), axes (9), and shapes.
"""

import numpy as np

from robodyn_ros.model.layout import MODES
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.work import WIDTH

#: Entries of a loaded node before its shapes.
NODE = 13
#: Entries of the memory of a mount before its modal motions. They are OMEGA and SPEED of the node
#: on its body, and the accelerations due to its velocity.
TURNING, MOVING, TURNING_BIAS, MOVING_BIAS, MOTIONS = 0, 3, 6, 9, 12


@primitive
def numbers(constants):
    """Return the constants as a vector."""
    return constants.reshape(constants.size)


@primitive
def memory(topology, work):
    """Return the memory behind the rows of the bodies."""
    return work.view(np.float64)[topology.shape[0] * WIDTH :]


@primitive
def modes(topology, i):
    """Return the number of modes of a body; the base has none."""
    return topology[i, MODES] if i > 0 else 0


@primitive
def vec(flat, k):
    """Return the 3-vector at an index.

    `k`: index.
    """
    return flat[k], flat[k + 1], flat[k + 2]


@primitive
def write_vec(flat, k, v):
    """Write a 3-vector at an index.

    `k`: index.
    """
    flat[k] = v[0]
    flat[k + 1] = v[1]
    flat[k + 2] = v[2]


# indices in the constants of a body with n modes
@primitive
def modal_mass(n, r, s):
    """Return the index of MODAL_MASS of modes r and s.

    `s`: another mode.
    """
    return r * n + s


@primitive
def linear(n, r):
    """Return the index of LINEAR of mode r."""
    return n * n + 3 * r


@primitive
def angular(n, r):
    """Return the index of ANGULAR of mode r."""
    return n * n + 3 * n + 3 * r


@primitive
def inertia_slope(n, r):
    """Return the index of INERTIA_SLOPE of mode r."""
    return n * n + 6 * n + 6 * r


@primitive
def angular_slope(n, r, s):
    """Return the index of ANGULAR_SLOPE of mode r by mode s.

    `s`: another mode.
    """
    return n * n + 12 * n + 3 * (r * n + s)


@primitive
def inertia_curve(n, r, s):
    """Return the index of INERTIA_CURVE of modes r and s.

    `s`: another mode.
    """
    return 4 * n * n + 12 * n + 6 * (r * n + s)


# indices in the memory of a body with n modes; its Cholesky factor comes first
@primitive
def coupling(n, r):
    """Return the index of P^fr of mode r: moment and force."""
    return n * n + 6 * r


@primitive
def gain(n, r):
    """Return the index of g = D_m^-1 P^fr of mode r: moment and force."""
    return n * n + 6 * n + 6 * r


@primitive
def spin_coupling(n, r):
    """Return the index of ANGULAR of mode r, deformed."""
    return n * n + 12 * n + 3 * r


@primitive
def load_of(n, r):
    """Return the index of z_m of mode r."""
    return n * n + 15 * n + r


@primitive
def share_of(n, r):
    """Return the index of nu_m of mode r."""
    return n * n + 16 * n + r
