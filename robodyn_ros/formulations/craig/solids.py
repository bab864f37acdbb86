# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Inertia tensors of solids, and how they move: Craig, section 6.3; Spong, section 6.2.1.

    I_xx = int (y^2 + z^2) dm,  I_xy = int x y dm, and -I_xy in the tensor            (Craig 6.17)
    A_I = C_I + m (P.P 1 - P P^T)                                                     (Craig 6.28)
    I_base = R I_link R^T                                                             (Spong 6.46)

All about the centre of mass, mass in kg, lengths in m, results (3, 3) in kg m2. Correction to the
notes: A_I_xy = C_I_xy - m x y holds for the ENTRY of the tensor. The product of inertia itself
grows by m x y.
"""

import numpy as np


def cuboid(mass, a, b, c):
    """Box with sides a, b, c along x, y, z: m/12 diag(b^2 + c^2, a^2 + c^2, a^2 + b^2)."""
    return mass / 12.0 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])


def cylinder(mass, radius, height):
    """Cylinder along z: m/12 diag(3 r^2 + h^2, 3 r^2 + h^2, 6 r^2)."""
    across = 3.0 * radius**2 + height**2
    return mass / 12.0 * np.diag([across, across, 6.0 * radius**2])


def tube(mass, inner, outer, height):
    """Thick tube along z, between two radii; a thin one where they are equal."""
    return cylinder(mass, np.hypot(inner, outer), height)


def sphere(mass, radius):
    """Ball: 2/5 m r^2."""
    return 0.4 * mass * radius**2 * np.eye(3)


def rod(mass, length):
    """Thin rod along z: m l^2/12 across it, nothing along it."""
    return mass * length**2 / 12.0 * np.diag([1.0, 1.0, 0.0])


def about(inertia, mass, P):
    """Tensor about another point: parallel axes, P (3,) from that point to the centre of mass."""
    P = np.asarray(P, dtype=float)
    return inertia + mass * (P @ P * np.eye(3) - np.outer(P, P))


def in_axes(inertia, R):
    """Tensor in other axes, R (3, 3) turning the old components into the new: R I R^T."""
    return R @ inertia @ R.T


def assembled(parts):
    """(mass, com (3,), inertia about it) of rigid parts (mass, com, inertia about its own com)."""
    masses = np.array([mass for mass, _, _ in parts])
    com = masses @ np.array([c for _, c, _ in parts]) / masses.sum()
    return (
        masses.sum(),
        com,
        sum(about(inertia, mass, np.subtract(c, com)) for mass, c, inertia in parts),
    )
