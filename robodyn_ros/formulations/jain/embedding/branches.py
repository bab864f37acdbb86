# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A tree as a tree of serial branches, and zero blocks of its operators: Jain, section 14.3.

    E_(j,k) = A(1_j, n_k) at its upper right corner, where branch k hangs on the tip of j   (14.9)
    A_(j,k) = A_j E_(j,i) A_(i,k),  i the child of j with k in it or beyond                (14.10)

In A and in the mass matrix, blocks of branches are zero if neither is an ancestor of the other.
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.formulations.jain.embedding.partitioned import indices
from robodyn_ros.formulations.jain.operators.spatial_operators import SpatialOperators


class Branches(NamedTuple):
    """Serial branches in canonical order.

    `nodes`: nodes of every branch, tip first.
    `parent`: parent of every branch; the number of branches for a root.
    """

    nodes: tuple
    parent: tuple


def branches(model):
    """Return the branches of a tree: cut wherever a node has more than one child.

    `model` (Tree or SkoModel): the system.
    """
    found = {}  # keyed by the last node of each branch, which is nearest to the base
    for k in range(model.n):
        if len(model.children[k]) == 1:
            continue
        chain, up = [k], model.parent[k]
        while up < model.n and len(model.children[up]) == 1:
            chain.append(up)
            up = model.parent[up]
        found[chain[-1]] = tuple(chain)
    order = sorted(found.values(), key=lambda chain: chain[-1])
    home = {k: i for i, chain in enumerate(order) for k in chain}
    parent = tuple(home.get(model.parent[chain[-1]], len(order)) for chain in order)
    return Branches(tuple(order), parent)


def related(found, j, k):
    """Return whether two branches are the same, or one is an ancestor of the other.

    `found` (Branches): the branches.
    `j`, `k`: two of them.
    """
    return j in _path(found, k) or k in _path(found, j)


def _path(found, k):
    """Return the branches from k to its root."""
    path = []
    while k < len(found.parent):
        path.append(k)
        k = found.parent[k]
    return path


def resolvent_blocks(model):
    """Return A by branches (14.10).

    `model` (Tree or SkoModel): the system.
    Returns {(j, k): A_(j,k)}, for every branch k and its ancestors j, k itself included.
    """
    found, E = branches(model), SpatialOperators(model).E_phi.array
    rows = [indices(model.rows, nodes) for nodes in found.nodes]

    def block(j, k):
        return E[np.ix_(rows[j], rows[k])]

    own = [np.linalg.inv(np.eye(len(r)) - block(j, j)) for j, r in enumerate(rows)]
    result = {}
    for k in range(len(found.nodes)):
        path = _path(found, k)
        result[k, k] = own[k]
        for i, j in zip(path, path[1:]):
            result[j, k] = own[j] @ block(j, i) @ result[i, k]
    return result
