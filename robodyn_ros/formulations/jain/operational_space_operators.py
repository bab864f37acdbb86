# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Operational space: Jain, sections 10.1 to 10.3.

    Lambda^-1 = J M^-1 J' = B' Omega B,   Omega = psi' H' D^-1 H psi                 (10.6, 10.12)
    Upsilon(k) = psi'(up, k) Upsilon(up) psi(up, k) + H'(k) D^-1(k) H(k)                    (10.15)
    Omega(i, j) = psi'(a, i) Upsilon(a) psi(a, j),  a the closest common ancestor           (10.17)
    Lambda alpha_nd + C_os = f_nd,   C_os = -Lambda {J M^-1 (T - C) + a_os}         (10.7, 10.8)

Everything that does not need velocities takes a Tree or an SkoModel with weights A of any size. A
node of the latter is a `Pickoff`. Neither the mass matrix nor its inverse is formed. Upsilon costs
O(n), an element of Omega the length of its path. Nodes are tree_kinematics.Node; their velocities
and forces are in their own axes, angular part first.

Corrections to the print: (10.7) has Lambda, not its inverse, before alpha_nd. In the last row of
(10.17), neither of i and j is above the other. (10.23) has psi(attach, 1), of which [Sol 10.1]
transposes both factors. (10.27) scatters, so k runs from n to 1. The third case of (10.32) is
transposed. In [Sol 10.2] the second term is K' psi' U'. In algorithm 10.5 T is T(k), and g stands
in the axes of body k.
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.formulations.jain.articulated_bodies import articulated
from robodyn_ros.formulations.jain.inverse_dynamics import (
    base_acceleration,
    coriolis_accelerations,
    gravity_accelerations,
    gyroscopic_forces,
)
from robodyn_ros.formulations.jain.operators.sweeps import backward_diagonal, scatter, stacked
from robodyn_ros.formulations.jain.tree_kinematics import velocities


class Pickoff(NamedTuple):
    """A point of interest on node `body` of an SKO model: V_nd = phi' V(body), phi (m_body, s)."""

    body: int
    phi: np.ndarray


def kernel(tree, art):
    """Upsilon(k), n blocks (m_k, m_k): acceleration of a body per force on itself (10.16)."""
    hinges = [H.T @ np.linalg.solve(D, H) for H, D in zip(tree.H, art.D)]
    return backward_diagonal(tree, hinges, art.psi, art.psi)


def kernel_by_parts(tree, art):
    """Algorithm 10.3 (10.22): (n blocks Upsilon (m, m), n of L (r, r), n of U (r, m)).

    Upsilon^+ = phi' Upsilon(up) phi, Z = Upsilon^+ G, L = D^-1 + G' Z, U = L H - Z': without the
    product taubar' Upsilon^+ taubar of (10.15).
    """
    Upsilon = [np.zeros((m, m), tree.dtype) for m in tree.sizes]
    L, U = [None] * tree.n, [None] * tree.n
    for k in reversed(range(tree.n)):
        H, G, A, up, carried = tree.H[k], art.G[k], tree.weights[k], tree.parent[k], Upsilon[k]
        if up < tree.n:
            carried = A.T @ Upsilon[up] @ A
        Z = carried @ G
        L[k] = np.linalg.inv(art.D[k]) + G.T @ Z
        U[k] = L[k] @ H - Z.T
        Upsilon[k] = carried + H.T @ U[k] - Z @ H
    return stacked(Upsilon), L, U


def element(tree, art, Upsilon, i, j):
    """Omega(i, j) (m_i, m_j): acceleration of body i per force on body j (Algorithm 10.1, 10.17).

    From Upsilon of the closest common ancestor, along the path to each; zero without one.
    """
    above = set(tree.path(j))
    ancestor = next((a for a in tree.path(i) if a in above), None)
    if ancestor is None:
        return np.zeros((tree.sizes[i], tree.sizes[j]))
    return (
        path_product(tree, art.psi, ancestor, i).T
        @ Upsilon[ancestor]
        @ path_product(tree, art.psi, ancestor, j)
    )


def path_product(tree, weights, ancestor, k):
    """A(ancestor, k), the product of the weights A(parent, .) along the path (3.38)."""
    product = np.eye(weights[k].shape[1])
    while k != ancestor:
        product = weights[k] @ product
        k = tree.parent[k]
    return product


def compliance(tree, nodes):
    """J M^-1 J' (6 m, 6 m) of m nodes: Algorithm 10.2, first step (10.18).

    nodes : of Node or Pickoff, with `body` and `phi`, columns of the pick-off operator B.
    """
    art = articulated(tree)
    Upsilon = kernel(tree, art)
    return np.block(
        [
            [a.phi.T @ element(tree, art, Upsilon, a.body, b.body) @ b.phi for b in nodes]
            for a in nodes
        ]
    )


def inertia(tree, nodes):
    """Lambda (6 m, 6 m) (10.7): Algorithm 10.2. LinAlgError where directions are lost."""
    return np.linalg.inv(compliance(tree, nodes))


def node_accelerations(tree, thd, T, nodes, gravity=True):
    """J M^-1 (T - C) + a_os (6 m,): how nodes accelerate without force on them, O(n + m).

    Algorithm 10.5 (10.44), of which this is -(B' zeta - Bdot' V): vartheta is gathered, eta
    scattered, zeta = eta + g. It needs no Lambda, and holds where there is none. thd, T (N,) in
    the order of the tree. Nodes stand still on their bodies, so Bdot' V is zero in their axes.
    """
    V, art = velocities(tree, thd), articulated(tree)
    a_gr, g = coriolis_accelerations(tree, V, thd), np.zeros((tree.n, 6))
    if gravity:
        a_gr, g = a_gr + base_acceleration(tree), gravity_accelerations(tree)
    vartheta = [P @ a + b for P, a, b in zip(art.P, a_gr, gyroscopic_forces(tree, V))]
    eta = [None] * tree.n
    for k, up in enumerate(tree.parent):
        s, H = tree.slices[k], tree.H[k]
        eta[k] = H.T @ np.linalg.solve(art.D[k], H @ vartheta[k] - T[s]) - a_gr[k]
        if up < tree.n:
            vartheta[up] = vartheta[up] + art.psi[k] @ vartheta[k] + art.K[k] @ T[s]
    zeta = scatter(tree, eta, art.psi) + g
    return -np.concatenate([node.phi.T @ zeta[node.body] for node in nodes])


def bias_force(tree, thd, T, nodes, gravity=True):
    """C_os (6 m,) of (10.8) by Algorithm 10.5; torques T (N,) of the joints are part of it."""
    return -np.linalg.solve(
        compliance(tree, nodes), node_accelerations(tree, thd, T, nodes, gravity)
    )


def control_force(tree, thd, u, nodes, gravity=True):
    """f_nd = Lambda u + C_os (6 m,) for node accelerations u (6 m,), at T = 0 (10.9, 10.10).

    As torques of the joints, J' f_nd.
    """
    still = node_accelerations(tree, thd, np.zeros(tree.N), nodes, gravity)
    return np.linalg.solve(compliance(tree, nodes), u - still)


def mass_matrix_inverse(tree):
    """Return the inverse of the mass matrix (N, N) in O(n^2): Algorithm 10.4 (10.33), on any tree.

    M^-1(k, k) = L(k), M^-1(k, j) = -X(up) phi(up, j) G(j). X(i), (r, 6), times a force on body i
    is its share of thdd(k). It is U(k) for k itself, and X(up) psi(up, i) outboard. It is -K'
    psi'(c, k) Upsilon(c) for the carriers c of k, as in (10.29). The book's serial chains do not
    need the last.
    """
    art = articulated(tree)
    Upsilon, L, U = kernel_by_parts(tree, art)
    inverse = np.zeros((tree.N, tree.N), tree.dtype)
    for k in range(tree.n):
        inverse[tree.slices[k], tree.slices[k]] = L[k]
        X, carried = {k: U[k]}, art.K[k]
        for c in tree.path(tree.parent[k]):
            X[c], carried = -carried.T @ Upsilon[c], art.psi[c] @ carried
        for j in reversed(range(tree.n)):
            up = tree.parent[j]
            if j not in X and up in X:
                outboard = X[up] @ tree.weights[j]
                block = -outboard @ art.G[j]
                inverse[tree.slices[k], tree.slices[j]] = block
                inverse[tree.slices[j], tree.slices[k]] = block.T
                X[j] = outboard + block @ tree.H[j]
    return inverse


def inverse_decomposition(ops):
    """L - K' psi' U' - U psi K + K' R K (N, N), the inverse for any tree (10.29, 10.30).

    ops : SpatialOperators. R is what unrelated bodies share, Omega less its related blocks
    (10.13). With two children on a body, L and U are not block diagonal.
    """
    Upsilon, psi, K, G, H = (x.array for x in (ops.Upsilon, ops.psi, ops.K, ops.G, ops.H))
    E, tilde = ops.E_phi.array, ops.psi_tilde.array
    shared = E.T @ Upsilon @ E
    L = ops.D_inverse.array + G.T @ shared @ G
    U = L @ H - G.T @ shared
    R = ops.Omega.array - (Upsilon + tilde.T @ Upsilon + Upsilon @ tilde)
    return L - K.T @ psi.T @ U.T - U @ psi @ K + K.T @ R @ K


def projections(ops):
    """(Omega M, 1 - Omega M), 6n x 6n: what hinges let the bodies do, and the rest (10.34).

    Take the acceleration that bodies would have under forces of their own inertia, M alpha. It
    splits in two parts that are orthogonal in M (10.36). The second is zero for any motion of the
    hinges, alpha = phi' H' thdd (10.39b). ops : SpatialOperators of a tree without drives.
    """
    kept = ops.Omega @ ops.M
    return kept, ops.one - kept


def on_a_macro_manipulator(Upsilon_micro, psi, Upsilon_attach):
    """Upsilon(1) of a micro manipulator on a body that is itself moved (10.23).

    psi : psi(attach, 1). The added term is positive, so a macro manipulator below only makes the
    tip more compliant (10.24). All (6, 6).
    """
    return Upsilon_micro + psi.T @ Upsilon_attach @ psi
