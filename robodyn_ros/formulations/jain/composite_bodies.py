# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The mass matrix by composite bodies, and other results of theirs: Jain, 4.1 and 9.3.

    R(k) = sum phi(k, j) R(j) phi'(k, j) + M(k)                                  (Alg 4.1, 9.20)
    M(k, k) = H(k) R(k) H'(k),    M(l, k) = H(l) phi(l, k) R(k) H'(k)      (Alg 4.2, 9.3; 4.20)
    h_S = sum phi(n, k) R(k) H'(k) beta(k),    V_C = R(n)^-1 h_S                   (4.15, 4.17)

Any tree, and the first two of any SKO model. Composite bodies O(n), the matrix O(sum of depths).

Corrections to the print: the last term of the second line of (4.23) is m(k) p(k). (4.13) is
E R E'. The sum of (4.17) runs to n. In (4.19) and (9.17) tildes belong on phi alone. The inner
line of algorithm 9.3 has A(l, j).
"""

import numpy as np

from robodyn_ros.formulations.arm import skew
from robodyn_ros.formulations.jain.operators.sweeps import forward_diagonal
from robodyn_ros.formulations.jain.single_body import (
    components,
    shifted,
    shifted_components,
    spatial_inertia,
)


def composite_inertias(tree):
    """R(k), n blocks (m_k, m_k), tips to base (Algorithm 4.1, 9.2), of a Tree or an SkoModel."""
    return forward_diagonal(tree, tree.M, tree.weights, tree.weights)


def composite_components(tree):
    """The same by mass, first moment and inertia: ten parameters a body (4.22, 4.23).

    rho(k) l(k, C_k) = rho(j) l(k, C_j) + m(k) p(k), J_c(k) = J_c(j) - rho(j) S(l(k, C_j))^2
    + rho(j) S(l(j, C_j))^2 + J(k): returns R(k) (n, 6, 6) made of them.
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
    """M (N, N) of a Tree or an SkoModel by Algorithm 9.3 (4.2), and the inertia of the drives.

    Carried inboard by the model's own weights A(l, j). Blocks of bodies of which neither is above
    the other are exactly zero.
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
    """Trace of the mass matrix: sum of the traces of H R H' (4.21)."""
    return (
        sum(np.trace(H @ R @ H.T) for H, R in zip(tree.H, composite_inertias(tree)))
        + tree.rotor.sum()
    )


def system_inertia(tree):
    """M_S (6, 6): all bodies frozen, about the origin of the inertial frame (4.13)."""
    R = composite_inertias(tree)
    return sum(shifted(R[k], tree.phi[k]) for k in tree.children[tree.n])


def centre_of_mass(tree):
    """l(I, C) (3,) [m]: the first moment of M_S by its mass (Ex 4.1)."""
    return components(system_inertia(tree))[1]


def momentum(tree, thd):
    """h_S (6,) [N m s, N s] about the origin of the inertial frame (4.15).

    sum of phi(I, k) R(k) H'(k) beta(k) over ALL bodies; the drives' own is left out.
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
    """V_C = M_S^-1 h_S (6,) (4.17): moved by -V_C at its base, the tree has no momentum."""
    return np.linalg.solve(system_inertia(tree), momentum(tree, thd))


def about_centre_of_mass(tree, thd):
    """Momentum (6,) about the centre of mass, in inertial axes."""
    h, C = momentum(tree, thd), centre_of_mass(tree)
    return np.concatenate((h[:3] - skew(C) @ h[3:], h[3:]))
