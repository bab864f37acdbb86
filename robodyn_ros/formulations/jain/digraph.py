# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Digraphs and block-weighted adjacency matrices: Jain, chapter 8.

    S(i, j) = 1 where j is a child of i           E_A(parent(k), k) = A(parent(k), k)   (8.2, 8.3)
    A = (1 - E_A)^-1 = 1 + E_A + E_A^2 + ...                                              (8.14)
    A(i, j) = product of the weights from i to j, 1 if i = j, 0 if i is no ancestor of j   (8.16)

A tree is a list of parents, `parent[k]` of node k. A node without a parent has n (one more than
the last). In a canonical tree parent[k] > k. A digraph in general is a list of edges (parent,
child).

The printed matrices of remark 8.2 have lost columns; `adjacency` and `resolvent` give them in
full.
"""

import numpy as np


def canonical(parent):
    """Return the nodes in an order where children precede parents (section 8.1).

    `parent` (sequence of int): parent of each of n nodes; n, or any number that is no node, for a
      root.
    Returns `order` (list of int): old number of each new node.
    Returns `parents` (list of int): parent of each new node, in new numbers.
    Raises ValueError: if the edges form a cycle.
    """
    n = len(parent)
    depth = [len(ancestors(parent, k)) for k in range(n)]
    order = sorted(range(n), key=lambda k: -depth[k])
    new = {old: k for k, old in enumerate(order)}
    return order, [new.get(parent[old], n) for old in order]


def ancestors(parent, k):
    """Return the nodes above k, from its parent to its root.

    `parent` (sequence of int): parent of each of n nodes; n for a root.
    `k`: a node.
    Raises ValueError: if the path never ends.
    """
    found, up = [], parent[k]
    while up in range(len(parent)):
        found.append(up)
        if len(found) > len(parent):
            raise ValueError(
                f'got parents {list(parent)}; expected a tree, but node {k} is among '
                'its own ancestors'
            )
        up = parent[up]
    return found


def closest_common_ancestor(parent, i, j):
    """Return the closest common ancestor of two nodes.

    `parent` (sequence of int): parent of each of n nodes; n for a root.
    `i`, `j`: the nodes.
    """
    above = [i, *ancestors(parent, i)]
    return next((k for k in [j, *ancestors(parent, j)] if k in above), None)


def spanning_tree(n, edges):
    """Return a spanning forest of a digraph, and the edges that it leaves out.

    An edge is cut where its child already has a parent, or where it would form a cycle.

    `n`: number of nodes.
    `edges` (sequence of tuple): (parent, child) of each edge, preferred ones first.
    Returns `parent` (list of int): parent of each node; n for a root.
    Returns `cut` (list of tuple): (parent, child) of each edge that is left out.
    """
    parent, cut = [n] * n, []
    for up, k in edges:
        if parent[k] < n or k in [up, *ancestors(parent, up)]:
            cut.append((up, k))
        else:
            parent[k] = up
    return parent, cut


def adjacency(n, edges):
    """Return the adjacency matrix of a digraph (section 8.2).

    `n`: number of nodes.
    `edges` (sequence of tuple): (parent, child) of each edge.
    """
    S = np.zeros((n, n), int)
    for up, k in edges:
        S[up, k] = 1
    return S


def edges_of(parent):
    """Return the edges of a tree.

    `parent` (sequence of int): parent of each of n nodes; n for a root.
    """
    return [(up, k) for k, up in enumerate(parent) if up < len(parent)]


def is_nilpotent(S):
    """Return whether a digraph has no directed cycle: S^n = 0 (section 8.2.1).

    `S` ((n, n) ndarray of int): adjacency matrix.
    """
    return not np.linalg.matrix_power(S, len(S)).any()


def kind(n, edges):
    """Return the narrowest name of a digraph in the taxonomy of section 8.1.

    `n`: number of nodes.
    `edges` (sequence of tuple): (parent, child) of each edge.
    Returns 'serial chain', 'tree', 'forest', 'polytree' (no undirected cycle), 'DAG' (no directed
      cycle) or 'cyclic'.
    """
    S = adjacency(n, edges)
    if not is_nilpotent(S):
        return 'cyclic'
    parts = _components(n, edges)
    if len(edges) > n - parts:
        return 'DAG'
    if S.sum(axis=0).max() > 1:
        return 'polytree'
    if parts > 1:
        return 'forest'
    return 'serial chain' if S.sum(axis=1).max() <= 1 else 'tree'


def _components(n, edges):
    """Return the number of connected components."""
    label = list(range(n))
    for up, k in edges:
        label = [label[up] if x == label[k] else x for x in label]
    return len(set(label))


def weighted(parent, weights, sizes):
    """Return E_A, with weights[k] at (parent(k), k) (8.3).

    `parent` (sequence of int): parent of each of n nodes; n for a root.
    `weights` (sequence of ndarray): weight of each node, (size of its parent, its size).
    `sizes` (sequence of int): number of rows of each node.
    """
    at = np.concatenate(([0], np.cumsum(sizes)))
    E = np.zeros((at[-1], at[-1]))
    for up, k in edges_of(parent):
        E[at[up] : at[up + 1], at[k] : at[k + 1]] = weights[k]
    return E


def resolvent(E, sizes, parent):
    """Return A = (1 - E)^-1 of a canonical tree (8.14, 8.16).

    Column by column, A(:, k) = A(:, parent(k)) A(parent(k), k), by the semigroup property (8.17).
    O(n^2) blocks, and zeros are exactly zero.

    `E` (ndarray): block-weighted adjacency matrix.
    `sizes` (sequence of int): number of rows of each node.
    `parent` (sequence of int): parent of each of n nodes; n for a root.
    """
    at = np.concatenate(([0], np.cumsum(sizes)))
    A = np.eye(at[-1], dtype=E.dtype)
    for k in reversed(range(len(parent))):
        up = parent[k]
        if up < len(parent):
            own, above = slice(at[k], at[k + 1]), slice(at[up], at[up + 1])
            A[:, own] += A[:, above] @ E[above, own]
    return A


def power_series(E):
    """Return A = 1 + E + E^2 + ... of a nilpotent E (8.14), in O(n^4) blocks.

    `E` (n, n): weighted adjacency matrix.
    Raises ValueError: if E is not nilpotent.
    """
    A, power = np.eye(len(E)), np.eye(len(E))
    for _ in range(len(E)):
        power = power @ E
        if not power.any():
            return A
        A = A + power
    raise ValueError(
        'got a matrix of which no power is zero; expected the weights of a digraph '
        'without directed cycles'
    )
