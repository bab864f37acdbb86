# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The mass matrix by composite bodies, and other results from them: Jain, 4.1 and 9.3.

    R(k) = sum phi(k, j) R(j) phi'(k, j) + M(k)                                  (Alg 4.1, 9.20)
    M(k, k) = H(k) R(k) H'(k),    M(l, k) = H(l) phi(l, k) R(k) H'(k)      (Alg 4.2, 9.3; 4.20)
    h_S = sum phi(n, k) R(k) H'(k) beta(k),    V_C = R(n)^-1 h_S                   (4.15, 4.17)

Any tree; the composite inertias and the mass matrix of any SKO model too. Composite bodies cost
O(n), the matrix O(sum of depths).

Corrections to the print: the last term of the second line of (4.23) is m(k) p(k). (4.13) is E R
E'. The sum of (4.17) runs to n. In (4.19) and (9.17) tildes belong on phi alone. The inner line of
algorithm 9.3 has A(l, j).
"""

import numpy as np

from robodyn_ros.formulations.jain.operators.sweeps import forward_diagonal
from robodyn_ros.formulations.jain.single_body import (
    components,
    shifted,
    shifted_components,
    spatial_inertia,
)
from robodyn_ros.formulations.posture import skew


def composite_inertias(tree):
    """Return the composite-body inertias R(k), from tips to base (Algorithm 4.1, 9.2).

    `tree` (Tree or SkoModel): bodies at one configuration.
    """
    return forward_diagonal(tree, tree.M, tree.weights, tree.weights)


def composite_components(tree):
    """Return R(k) computed from ten parameters per body (4.22, 4.23).

        rho(k) l(k, C_k) = rho(j) l(k, C_j) + m(k) p(k)
        J_c(k) = J_c(j) - rho(j) S(l(k, C_j))^2 + rho(j) S(l(j, C_j))^2 + J(k)

    `tree` (Tree): bodies at one configuration.
    """
    m, moment, J = (
        list(column)
        for column in zip(
            *((mass, mass * p, inertia) for mass, p, inertia in map(components, tree.M))
        )
    )
    for k, up in enumerate(tree.parent):
        if up < tree.n:
            centre = moment[k] / m[k] if m[k] != 0.0 else moment[k]
            R = tree.R[k]
            _, there, inertia = shifted_components(m[k], R @ centre, R @ J[k] @ R.T, tree.l[k])
            moment[up] = moment[up] + m[k] * there
            J[up], m[up] = J[up] + inertia, m[up] + m[k]
    return np.array(
        [
            spatial_inertia(mass, p / mass if mass != 0.0 else p, inertia)
            for mass, p, inertia in zip(m, moment, J)
        ]
    )


def mass_matrix(tree):
    """Return the mass matrix by Algorithm 9.3 (4.2), with the inertia of the drives.

    The model's own weights A(l, j) carry columns inboard. Blocks of bodies of which neither is the
    other's ancestor are exactly zero.

    `tree` (Tree or SkoModel): bodies at one configuration.
    """
    R = composite_inertias(tree)
    matrix = np.diag(tree.rotor).astype(tree.dtype)
    for k in range(tree.n):
        own, X = tree.slices[k], R[k] @ tree.H[k].T
        matrix[own, own] += tree.H[k] @ X
        j = k
        while (above := tree.parent[j]) < tree.n:
            X = tree.weights[j] @ X
            matrix[tree.slices[above], own] = tree.H[above] @ X
            matrix[own, tree.slices[above]] = (tree.H[above] @ X).T
            j = above
    return matrix


def trace(tree):
    """Return the trace of the mass matrix: the sum of the traces of H R H' (4.21).

    `tree` (Tree): bodies at one configuration.
    """
    return (
        sum(np.trace(H @ R @ H.T) for H, R in zip(tree.H, composite_inertias(tree)))
        + tree.rotor.sum()
    )


def system_inertia(tree):
    """Return M_S, the inertia of all bodies as one rigid body (4.13).

    `tree` (Tree): bodies at one configuration.
    """
    R = composite_inertias(tree)
    return sum(shifted(R[k], tree.phi[k]) for k in tree.children[tree.n])


def centre_of_mass(tree):
    """Return the centre of mass of all bodies (Ex 4.1).

    `tree` (Tree): bodies at one configuration.
    """
    return components(system_inertia(tree))[1]


def momentum(tree, thd):
    """Return h_S, the sum of phi(I, k) R(k) H'(k) beta(k) over ALL bodies (4.15).

    The momentum of the drives' rotors is left out.

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    Returns momentum about the origin of the inertial frame [N m s, N s].
    """
    h = [R @ delta for R, delta in zip(composite_inertias(tree), tree.hinge_velocity(thd))]
    total = np.zeros(6, h[0].dtype)
    for k, up in enumerate(tree.parent):
        if up < tree.n:
            h[up] = h[up] + tree.phi[k] @ h[k]
        else:
            total = total + tree.phi[k] @ h[k]
    return total


def centroidal_velocity(tree, thd):
    """Return V_C = M_S^-1 h_S (4.17).

    With -V_C added to the velocity of the base, the tree has no momentum.

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    """
    return np.linalg.solve(system_inertia(tree), momentum(tree, thd))


def about_centre_of_mass(tree, thd):
    """Return the momentum about the centre of mass.

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    """
    h, C = momentum(tree, thd), centre_of_mass(tree)
    return np.concatenate((h[:3] - skew(C) @ h[3:], h[3:]))
