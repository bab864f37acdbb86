# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Operational space: Jain, sections 10.1 to 10.3.

    Lambda^-1 = J M^-1 J' = B' Omega B,   Omega = psi' H' D^-1 H psi                 (10.6, 10.12)
    Upsilon(k) = psi'(up, k) Upsilon(up) psi(up, k) + H'(k) D^-1(k) H(k)                    (10.15)
    Omega(i, j) = psi'(a, i) Upsilon(a) psi(a, j),  a the closest common ancestor           (10.17)
    Lambda alpha_nd + C_os = f_nd,   C_os = -Lambda {J M^-1 (T - C) + a_os}         (10.7, 10.8)

Every function that does not need velocities takes a Tree or an SkoModel with weights A of any
size. A point of interest of an SkoModel is a `Pickoff`, of a Tree a tree_kinematics.Node.
Velocities and forces of points are in their own axes, angular part first. Neither the mass matrix
nor its inverse is formed. Upsilon costs O(n), a block of Omega the length of its path.

Corrections to the print: (10.7) has Lambda, not its inverse, before alpha_nd. In the last row of
(10.17), neither of i and j is above the other. (10.23) has psi(attach, 1), of which [Sol 10.1]
transposes both factors. (10.27) scatters, so k runs from n to 1. The third case of (10.32) is
transposed. In [Sol 10.2] the second term is K' psi' U'. In algorithm 10.5 T is T(k), and g is in
the axes of body k.
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
    """A point of interest on a node of an SKO model: V_nd = phi' V(body).

    `body`: the node.
    `phi`: map from forces at the point to forces on the node.
    """

    body: int
    phi: np.ndarray


def kernel(tree, art):
    """Return the operational-space compliance kernel Upsilon(k) (10.16).

    `tree` (Tree or SkoModel): bodies at one configuration.
    `art` (Articulated): articulated-body quantities of the tree.
    """
    hinges = [H.T @ np.linalg.solve(D, H) for H, D in zip(tree.H, art.D)]
    return backward_diagonal(tree, hinges, art.psi, art.psi)


def kernel_by_parts(tree, art):
    """Return Upsilon by Algorithm 10.3, and the matrices L and U (10.22).

    Upsilon^+ = phi' Upsilon(up) phi, Z = Upsilon^+ G, L = D^-1 + G' Z, U = L H - Z'. This avoids
    the product taubar' Upsilon^+ taubar of (10.15).

    `tree` (Tree or SkoModel): bodies at one configuration.
    `art` (Articulated): articulated-body quantities of the tree.
    Returns `Upsilon` (list of (m_k, m_k) ndarray): acceleration of each body per force on itself.
    Returns `L` (list of (r_k, r_k) ndarray): diagonal blocks of the inverse of the mass matrix.
    Returns `U` (list of (r_k, m_k) ndarray): acceleration of each hinge per force on its body.
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
    """Return Omega(i, j), the acceleration of body i per force on body j (Alg 10.1, 10.17).

    It follows from Upsilon of the closest common ancestor, along the path to each.

    `tree` (Tree or SkoModel): bodies at one configuration.
    `art` (Articulated): articulated-body quantities of the tree.
    `Upsilon` (sequence of ndarray): see `kernel`.
    `i`: body that accelerates.
    `j`: body that the force acts on.
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
    """Return A(ancestor, k), the product of the weights A(parent, .) along the path (3.38).

    `tree` (Tree or SkoModel): bodies at one configuration.
    `weights` (sequence of ndarray): A(parent(k), k) of every body.
    `ancestor`: a body on the path from k to its root.
    `k`: a body.
    """
    product = np.eye(weights[k].shape[1])
    while k != ancestor:
        product = weights[k] @ product
        k = tree.parent[k]
    return product


def compliance(tree, nodes):
    """Return Lambda^-1 = J M^-1 J': the first step of Algorithm 10.2 (10.18).

    `tree` (Tree or SkoModel): bodies at one configuration.
    `nodes` (sequence of Node or Pickoff): m points of interest: columns of the pick-off operator
      B.
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
    """Return the operational-space inertia Lambda: Algorithm 10.2 (10.7).

    `tree` (Tree or SkoModel): bodies at one configuration.
    `nodes` (sequence of Node or Pickoff): m points of interest: columns of the pick-off operator
      B.
    Raises LinAlgError: if the points cannot be moved in some direction.
    """
    return np.linalg.inv(compliance(tree, nodes))


def node_accelerations(tree, thd, T, nodes, gravity=True):
    """Return J M^-1 (T - C) + a_os, the accelerations without force on the points, in O(n + m).

    This is the negative of B' zeta - Bdot' V in Algorithm 10.5 (10.44). It gathers vartheta,
    scatters eta, and has zeta = eta + g. Lambda is not needed, so singular configurations are
    allowed. The points are fixed on their bodies, so Bdot' V is zero in their axes.

    `tree` (Tree or SkoModel): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    `T` (N,): hinge torques, in the order of the tree [N m, N].
    `nodes` (sequence of Node or Pickoff): m points of interest: columns of the pick-off operator
      B.
    `gravity`: whether gravity acts.
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
    """Return C_os of (10.8) by Algorithm 10.5; it contains the effect of the torques T.

    `tree` (Tree or SkoModel): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    `T` (N,): hinge torques, in the order of the tree [N m, N].
    `nodes` (sequence of Node or Pickoff): m points of interest: columns of the pick-off operator
      B.
    `gravity`: whether gravity acts.
    """
    return -np.linalg.solve(
        compliance(tree, nodes), node_accelerations(tree, thd, T, nodes, gravity)
    )


def control_force(tree, thd, u, nodes, gravity=True):
    """Return f_nd = Lambda u + C_os for wanted accelerations of points, at T = 0 (10.9, 10.10).

    The joint torques are J' f_nd.

    `tree` (Tree or SkoModel): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    `u` (6 m,): wanted accelerations [rad/s2, m/s2].
    `nodes` (sequence of Node or Pickoff): m points of interest: columns of the pick-off operator
      B.
    `gravity`: whether gravity acts.
    """
    unforced = node_accelerations(tree, thd, np.zeros(tree.N), nodes, gravity)
    return np.linalg.solve(compliance(tree, nodes), u - unforced)


def mass_matrix_inverse(tree):
    """Return the inverse of the mass matrix in O(n^2): Algorithm 10.4 (10.33), on any tree.

    M^-1(k, k) = L(k), M^-1(k, j) = -X(up) phi(up, j) G(j). X(i), (r, 6), maps a force on body i to
    its share of thdd(k). It is U(k) for i = k, and X(up) psi(up, i) outboard of k. For the
    ancestors c of k it is -K' psi'(c, k) Upsilon(c), as in (10.29). The book's serial chains do
    not need the last.

    `tree` (Tree or SkoModel): bodies at one configuration.
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
    """Return the mass matrix inverse L - K' psi' U' - U psi K + K' R K (10.29, 10.30).

    R is the part of Omega between bodies of which neither is the other's ancestor (10.13). With
    two children on a body, L and U are not block diagonal.

    `ops` (SpatialOperators): operators of any tree.
    """
    Upsilon, psi, K, G, H = (x.array for x in (ops.Upsilon, ops.psi, ops.K, ops.G, ops.H))
    E, tilde = ops.E_phi.array, ops.psi_tilde.array
    shared = E.T @ Upsilon @ E
    L = ops.D_inverse.array + G.T @ shared @ G
    U = L @ H - G.T @ shared
    R = ops.Omega.array - (Upsilon + tilde.T @ Upsilon + Upsilon @ tilde)
    return L - K.T @ psi.T @ U.T - U @ psi @ K + K.T @ R @ K


def projections(ops):
    """Return the projections Omega M and 1 - Omega M (10.34).

    Forces M alpha give bodies without hinges the accelerations alpha. With the hinges, Omega M
    alpha is left. The two parts of alpha are orthogonal in M (10.36). The second is zero for any
    motion of the hinges, alpha = phi' H' thdd (10.39b).

    `ops` (SpatialOperators): operators of a tree without drives.
    Returns `kept` (BlockMatrix): omega M, 6n x 6n.
    Returns `rest` (BlockMatrix): 1 - Omega M, 6n x 6n.
    """
    kept = ops.Omega @ ops.M
    return kept, ops.one - kept


def on_a_macro_manipulator(Upsilon_micro, psi, Upsilon_attach):
    """Return Upsilon(1) of a micro manipulator mounted on a moving body (10.23).

    The added term is positive: a macro manipulator below only makes the tip more compliant
    (10.24).

    `Upsilon_micro` (6, 6): upsilon of the tip with its base fixed.
    `psi` (6, 6): psi(attach, 1).
    `Upsilon_attach` (6, 6): upsilon of the body that carries the micro manipulator.
    """
    return Upsilon_micro + psi.T @ Upsilon_attach @ psi
