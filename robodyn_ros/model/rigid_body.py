# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rigid inertia in the columns of a model row: mass, first moment, inertia about the origin."""

import numpy as np

from robodyn_ros.model.arithmetic import dot, product
from robodyn_ros.model.layout import INERTIA, MASS, MOMENT

# Indices of xx xy xz yy yz zz in the symmetric 3x3 matrix.
_ROW, _COLUMN = np.triu_indices(3)


def pack(inertia):
    """Return the six entries xx xy xz yy yz zz of a symmetric (3, 3) matrix."""
    return inertia[_ROW, _COLUMN]


def unpack(six):
    """Return the symmetric (3, 3) matrix of the six entries xx xy xz yy yz zz."""
    inertia = np.empty((3, 3))
    inertia[_ROW, _COLUMN] = six
    inertia[_COLUMN, _ROW] = six
    return inertia


def add_rigid_body(row, placement, inertial):
    """Add a rigid body to a row of the constants, in place.

    m += m', h += m' c, I += R I' R^T + m' (c.c 1 - c c^T), with c from the body origin to the
    added centre of mass. Parallel-axis theorem; Featherstone 2008, equation 2.63.

    row : (28,) row of the constants. placement : Placement or Frame, of the added body's axes in
    the row's body frame.
    inertial : mass, centre of mass and inertia about it, in the axes of the added body's frame.
    """
    R = placement.rotation
    com = placement.translation + product(R, inertial.com)
    about_com = product(product(R, inertial.inertia), R.T)
    shift = inertial.mass * (dot(com, com) * np.eye(3) - np.outer(com, com))
    row[MASS] += inertial.mass
    row[MOMENT : MOMENT + 3] += inertial.mass * com
    row[INERTIA : INERTIA + 6] += pack(about_com + shift)
