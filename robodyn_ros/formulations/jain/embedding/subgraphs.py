# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parts of a tree, and which may become one node: Jain, sections 14.1 and 14.4.

    S in S_I in S_P in S_A                                                         (14.1, 14.11)
    induced S_I          with all edges between its nodes
    path-induced S_P     with all paths between its nodes
    aggregation S_A      path-induced, all of it below one parent: one node of a tree (Lem 14.5)
    C, S, P              descendants of S, S, and the rest; C and P are path-induced (Lem 14.1)

A tree is a list of parents as in digraph.py. The parent of a root is n, the inertial frame.
Sub-graphs are sets of nodes.

Correction to the print: by lemma 14.6, S_A is the smallest sub-tree that contains S without its
root. Where the root belongs to S, as it may, S_A keeps it, or (14.11) would not hold.
"""

from typing import NamedTuple

from robodyn_ros.formulations.jain.digraph import edges_of


class Partition(NamedTuple):
    """Nodes of the child part C, of S, and of the parent part P, each in ascending order."""

    C: tuple
    S: tuple
    P: tuple


def above(parent, k):
    """Nodes above k, from its parent to the inertial frame, which is n."""
    found = []
    while k < len(parent):
        k = parent[k]
        found.append(k)
    return found


def induced_edges(parent, nodes):
    """Edges (parent, child) of S_I: those with both ends in S."""
    return [(up, k) for up, k in edges_of(parent) if up in nodes and k in nodes]


def path_induced(parent, nodes):
    """S_P: the nodes, and what lies on the paths between them."""
    found = set(nodes)
    for k in nodes:
        path = above(parent, k)
        reached = [i for i, up in enumerate(path) if up in nodes]
        if reached:
            found.update(path[: reached[-1]])
    return found


def is_path_induced(parent, nodes):
    """Return whether no path between the nodes leaves them."""
    return path_induced(parent, nodes) == set(nodes)


def parents_of(parent, nodes):
    """Nodes outside S of which a child is in S; n is the inertial frame."""
    return {parent[k] for k in nodes} - set(nodes)


def may_aggregate(parent, nodes):
    """Return the aggregation condition (14.4.2): exactly one node is the parent of S."""
    return len(parents_of(parent, nodes)) == 1


def partition(parent, nodes):
    """Return the Partition of a tree by a path-induced S (Lem 14.1).

    Raises
    ------
    ValueError where a path between nodes of S leaves S.
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
    """S_A: the smallest set with the nodes in it that may become one node (14.4.3).

    All nodes on the paths up to the closest common ancestor, and that one where it is in S.
    """
    return _up_to_common(parent, nodes, set(nodes))


def loop(parent, x, y):
    """S of a cut edge (15.1): the paths from bodies x and y to where they meet, without that.

    y may be n, the inertial frame. Either of x and y may be above the other. The root of the
    smallest sub-tree then is a body of the edge, and stays out of S.
    """
    return _up_to_common(parent, (x, y), set())


def _up_to_common(parent, nodes, kept):
    """Nodes from each of `nodes` up to their closest common ancestor, that one if it is kept."""
    paths = [[k, *above(parent, k)] for k in nodes]
    common = set(paths[0]).intersection(*paths)
    root = min(common)  # numbers grow inboard: the smallest is the closest
    found = {k for path in paths for k in path[: path.index(root)]}
    return found | ({root} & kept)


def aggregated_edges(parent, nodes):
    """Edges of the digraph with S as one node, (parent, child), node n + 1 the aggregate.

    The inertial frame is node n. By lemma 14.3 it does not matter which edges of S were given.
    """
    n = len(parent)

    def name(k):
        return n + 1 if k in nodes else k

    edges = {(name(up), name(k)) for k, up in enumerate(parent)}
    return sorted(edge for edge in edges if edge[0] != edge[1])
