# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parts of a tree, and which of them can become one node: Jain, sections 14.1 and 14.4.

    S in S_I in S_P in S_A                                                         (14.1, 14.11)
    induced S_I          with all edges between its nodes
    path-induced S_P     with all paths between its nodes
    aggregation S_A      path-induced, all of it below one parent: one node of a tree (Lem 14.5)
    C, S, P              descendants of S, S, and the rest; C and P are path-induced (Lem 14.1)

A tree is a list of parents as in digraph.py. The parent of a root is n, the inertial frame.
Sub-graphs are sets of nodes.

Correction to the print: by lemma 14.6, S_A is the smallest sub-tree that contains S, without its
root. Where the root belongs to S, S_A keeps it, or (14.11) would not hold.
"""

from typing import NamedTuple

from robodyn_ros.formulations.jain.digraph import edges_of


class Partition(NamedTuple):
    """Nodes of a tree in three parts, each in ascending order.

    `C`: descendants of S.
    `S`: the nodes of S.
    `P`: all others.
    """

    C: tuple
    S: tuple
    P: tuple


def above(parent, k):
    """Return the nodes above k, from its parent to the inertial frame.

    `parent` (sequence of int): parent of each of n bodies; n for a root.
    `k`: a node.
    """
    found = []
    while k < len(parent):
        k = parent[k]
        found.append(k)
    return found


def induced_edges(parent, nodes):
    """Return the edges of S_I: those with both ends in S.

    `parent` (sequence of int): parent of each of n bodies; n for a root.
    `nodes` (collection of int): the bodies of S.
    """
    return [(up, k) for up, k in edges_of(parent) if up in nodes and k in nodes]


def path_induced(parent, nodes):
    """Return S_P: the nodes, and all on the paths between them.

    `parent` (sequence of int): parent of each of n bodies; n for a root.
    `nodes` (collection of int): the bodies of S.
    """
    found = set(nodes)
    for k in nodes:
        path = above(parent, k)
        reached = [i for i, up in enumerate(path) if up in nodes]
        if reached:
            found.update(path[: reached[-1]])
    return found


def is_path_induced(parent, nodes):
    """Return whether no path between the nodes leaves them.

    `parent` (sequence of int): parent of each of n bodies; n for a root.
    `nodes` (collection of int): the bodies of S.
    """
    return path_induced(parent, nodes) == set(nodes)


def parents_of(parent, nodes):
    """Return the nodes outside S with a child in S.

    `parent` (sequence of int): parent of each of n bodies; n for a root.
    `nodes` (collection of int): the bodies of S.
    """
    return {parent[k] for k in nodes} - set(nodes)


def may_aggregate(parent, nodes):
    """Return whether S can become one node: it has exactly one parent (14.4.2).

    `parent` (sequence of int): parent of each of n bodies; n for a root.
    `nodes` (collection of int): the bodies of S.
    """
    return len(parents_of(parent, nodes)) == 1


def partition(parent, nodes):
    """Return the partition of a tree by a path-induced S (Lem 14.1).

    `parent` (sequence of int): parent of each of n bodies; n for a root.
    `nodes` (collection of int): the bodies of S.
    Raises ValueError: if a path between nodes of S leaves S.
    """
    S = set(nodes)
    missing = path_induced(parent, S) - S
    if missing:
        raise ValueError(
            f'got nodes {sorted(S)}; expected all on the paths between them, {sorted(missing)} too'
        )
    C = {k for k in range(len(parent)) if k not in S and S.intersection(above(parent, k))}
    P = set(range(len(parent))) - S - C
    return Partition(*(tuple(sorted(part)) for part in (C, S, P)))


def aggregation(parent, nodes):
    """Return S_A, the smallest set with the given nodes that can become one node (14.4.3).

    It has the nodes on the paths up to the closest common ancestor. The ancestor belongs to it
    where it is in S.

    `parent` (sequence of int): parent of each of n bodies; n for a root.
    `nodes` (collection of int): the bodies of S.
    """
    return _up_to_common(parent, nodes, set(nodes))


def loop(parent, x, y):
    """Return S of a cut edge (15.1): the paths from both bodies to where they meet.

    The body where they meet is left out, also where it is x or y.

    `parent` (sequence of int): parent of each of n bodies; n for a root.
    `x`: first body.
    `y`: second body; n for the inertial frame.
    """
    return _up_to_common(parent, (x, y), set())


def _up_to_common(parent, nodes, kept):
    """Return the nodes up to their closest common ancestor, and this one if it is in `kept`."""
    paths = [[k, *above(parent, k)] for k in nodes]
    common = set(paths[0]).intersection(*paths)
    root = min(common)  # numbers grow inboard: the smallest is the closest
    found = {k for path in paths for k in path[: path.index(root)]}
    return found | ({root} & kept)


def aggregated_edges(parent, nodes):
    """Return the edges of the digraph with S as one node.

    The inertial frame is node n. By lemma 14.3 the edges within S do not matter.

    `parent` (sequence of int): parent of each of n bodies; n for a root.
    `nodes` (collection of int): the bodies of S.
    """
    n = len(parent)

    def name(k):
        return n + 1 if k in nodes else k

    edges = {(name(up), name(k)) for k, up in enumerate(parent)}
    return sorted(edge for edge in edges if edge[0] != edge[1])
