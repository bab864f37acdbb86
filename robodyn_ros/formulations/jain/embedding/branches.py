# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A tree as a tree of serial branches, and where its operators are zero: Jain, section 14.3.

    E_(j,k) = A(1_j, n_k) at its upper right corner, where branch k hangs on the tip of j   (14.9)
    A_(j,k) = A_j E_(j,i) A_(i,k),  i the child of j with k in it or beyond                (14.10)

Blocks of branches of which neither carries the other are zero, in A and in the mass matrix.
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.formulations.jain.embedding.partitioned import indices
from robodyn_ros.formulations.jain.operators.spatial_operators import SpatialOperators


class Branches(NamedTuple):
    """Serial branches in canonical order.

    nodes : of every branch its nodes, tip first. parent : the branch it hangs on, or their number.
    """

    nodes: tuple
    parent: tuple


def branches(model):
    """Return the Branches of a Tree or SkoModel: cut wherever a node has more than one child."""
    found = {}  # by the node nearest to the base, which is the last of its branch
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
    """Return whether one of two branches carries the other, or they are the same."""
    return j in _path(found, k) or k in _path(found, j)


def _path(found, k):
    path = []
    while k < len(found.parent):
        path.append(k)
        k = found.parent[k]
    return path


def resolvent_blocks(model):
    """Return a by branches: {(j, k): A_(j,k)}, for every branch j that carries k (14.10)."""
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
