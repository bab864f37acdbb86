# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Inertia tensors of solids, and their transformations: Craig, section 6.3; Spong, section 6.2.1.

    I_xx = int (y^2 + z^2) dm,  I_xy = int x y dm, and -I_xy in the tensor            (Craig 6.17)
    A_I = C_I + m (P.P 1 - P P^T)                                                     (Craig 6.28)
    I_base = R I_link R^T                                                             (Spong 6.46)

Inertia tensors of solids are about the centre of mass.

Correction to the notes: A_I_xy = C_I_xy - m x y holds for the ENTRY of the tensor. The product of
inertia itself grows by m x y.
"""

import numpy as np


def cuboid(mass, a, b, c):
    """Return the tensor of a box, m/12 diag(b^2 + c^2, a^2 + c^2, a^2 + b^2).

    `mass`: mass [kg].
    `a`, `b`, `c`: sides along x, y and z [m].
    """
    return mass / 12.0 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])


def cylinder(mass, radius, height):
    """Return the tensor of a cylinder along z, m/12 diag(3 r^2 + h^2, 3 r^2 + h^2, 6 r^2).

    `mass`: mass [kg].
    `radius`: radius [m].
    `height`: length along z [m].
    """
    across = 3.0 * radius**2 + height**2
    return mass / 12.0 * np.diag([across, across, 6.0 * radius**2])


def tube(mass, inner, outer, height):
    """Return the tensor of a tube along z; it is thin where both radii are equal.

    `mass`: mass [kg].
    `inner`: inner radius [m].
    `outer`: outer radius [m].
    `height`: length along z [m].
    """
    return cylinder(mass, np.hypot(inner, outer), height)


def sphere(mass, radius):
    """Return the tensor of a solid ball, 2/5 m r^2.

    `mass`: mass [kg].
    `radius`: radius [m].
    """
    return 0.4 * mass * radius**2 * np.eye(3)


def rod(mass, length):
    """Return the tensor of a thin rod along z, m l^2/12 across it and zero along it.

    `mass`: mass [kg].
    `length`: length [m].
    """
    return mass * length**2 / 12.0 * np.diag([1.0, 1.0, 0.0])


def about(inertia, mass, P):
    """Return a tensor about another point, by the parallel-axis theorem.

    `inertia` (3, 3): inertia tensor about the centre of mass [kg m2].
    `mass`: mass [kg].
    `P` ((3,) array_like): from that point to the centre of mass [m].
    """
    P = np.asarray(P, dtype=float)
    return inertia + mass * (P @ P * np.eye(3) - np.outer(P, P))


def in_axes(inertia, R):
    """Return a tensor in other axes, R I R^T.

    `inertia` (3, 3): inertia tensor [kg m2].
    `R` (3, 3): rotation from the old components to the new.
    """
    return R @ inertia @ R.T


def assembled(parts):
    """Return mass, centre of mass and inertia of rigidly joined parts.

    `parts` (sequence of tuple): (mass [kg], centre of mass (3,) [m], inertia tensor about it (3,
      3) [kg m2]) of each part.
    Returns `mass` (float): mass [kg].
    Returns `com` (3,): centre of mass [m].
    Returns `inertia` (3, 3): inertia tensor about it [kg m2].
    """
    masses = np.array([mass for mass, _, _ in parts])
    com = masses @ np.array([c for _, c, _ in parts]) / masses.sum()
    return (
        masses.sum(),
        com,
        sum(about(inertia, mass, np.subtract(c, com)) for mass, c, inertia in parts),
    )
