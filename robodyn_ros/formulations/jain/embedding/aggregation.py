# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Several bodies as one node: Jain, sections 14.5 and 14.6.

    V_S = A'(p, S) V(p) + H_S_' thd_S,      A(p, S) = E_up A_S,  H_S_ = H_S A_S   (14.20, 14.28)
    V(c) = A'(S, c) V_S + H'(c) thd(c),     A(S, c) = B_c                                  (14.30)
    alpha_S = A'(p, S) alpha(p) + H_S_' thdd_S + a_S_,      a_S_ = A_S' a_S                (14.33)
    f'_S = sum A(S, c) f(c) + M_S alpha_S + b_S,      T_S = H_S_ f'_S                      (14.36)

S becomes a body of variable geometry. Node velocities, mass matrix and C stay the same (14.24);
the force of the node is f'_S = A_S^-1 f_S.

Corrections to the print: (14.20) and (14.21) drop the lines under H_S and a_S in places. B_c of
(14.29) has A(j, c) in the rows of the parent j of c, wherever these rows are.
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.formulations.jain.embedding import subgraphs
from robodyn_ros.formulations.jain.sko.sko_model import SkoModel


class Aggregated(NamedTuple):
    """An SkoModel in which several nodes are one.

    `place`: the node that S became.
    `where`: (new node, first row in it) of every old node.
    """

    model: SkoModel
    place: int
    where: tuple


def aggregate(model, nodes):
    """Return the model with some nodes as one, under the aggregation condition (Lem 14.9).

    `model` (SkoModel): the equations of motion at one state.
    `nodes` (collection of int): the nodes of S.
    Raises ValueError: if the nodes have several parents, as the result would be no tree.
    """
    up = subgraphs.parents_of(model.parent, nodes)
    if len(up) != 1:
        names = [*model.names, 'inertial frame']
        raise ValueError(
            f'got nodes {[names[k] for k in sorted(nodes)]}, with the parents '
            f'{[names[k] for k in sorted(up)]}; expected one parent'
        )
    C, S, P = subgraphs.partition(model.parent, nodes)
    starts = dict(zip(S, np.cumsum([0, *(model.sizes[k] for k in S)])))
    size = sum(model.sizes[k] for k in S)
    above, (p,) = resolvent_of(model, S), up
    E_up = np.zeros((6 if p == model.n else model.sizes[p], size), model.dtype)
    H = np.zeros((sum(len(model.H[k]) for k in S), size), model.dtype)
    M = np.zeros((size, size), model.dtype)
    first = 0
    for k in S:
        own = slice(starts[k], starts[k] + model.sizes[k])
        M[own, own] = model.M[k]
        H[first : first + len(model.H[k]), own] = model.H[k]
        first += len(model.H[k])
        if model.parent[k] == p:
            E_up[:, own] = model.weights[k]

    order = [*C, None, *P]
    place = {k: (i, 0) for i, k in enumerate(order) if k is not None}
    place |= {k: (len(C), int(starts[k])) for k in S}

    def weight(k):
        if model.parent[k] not in starts:
            return model.weights[k]
        B = np.zeros((size, model.sizes[k]), model.dtype)
        row = starts[model.parent[k]]
        B[row : row + model.sizes[model.parent[k]]] = model.weights[k]
        return B

    def inserted(blocks, block):
        return (*(blocks[k] for k in C), block, *(blocks[k] for k in P))

    def parent(k):
        return place[k][0] if k < model.n else len(order)

    freedoms = np.concatenate([np.arange(model.N)[model.slices[k]] for k in (*C, *S, *P)])
    result = SkoModel(
        inserted(model.names, ' + '.join(model.names[k] for k in S)),
        inserted([parent(up) for up in model.parent], parent(p)),
        (*(weight(k) for k in C), E_up @ above, *(model.weights[k] for k in P)),
        inserted(model.H, H @ above),
        inserted(model.M, M),
        model.rotor[freedoms],
        inserted(model.a, above.T @ np.concatenate([model.a[k] for k in S])),
        inserted(model.b, np.concatenate([model.b[k] for k in S])),
        model.dofs[freedoms],
    )
    return Aggregated(result, len(C), tuple(place[k] for k in range(model.n)))


def resolvent_of(model, S):
    """Return A_S of some nodes, block by block (14.3).

    `model` (SkoModel): the equations of motion at one state.
    `S` (sequence of int): nodes in ascending order.
    """
    starts = dict(zip(S, np.cumsum([0, *(model.sizes[k] for k in S)])))
    A = np.eye(sum(model.sizes[k] for k in S), dtype=model.dtype)
    for k in reversed(S):
        up = model.parent[k]
        if up in starts:
            own = slice(starts[k], starts[k] + model.sizes[k])
            inboard = slice(starts[up], starts[up] + model.sizes[up])
            A[:, own] += A[:, inboard] @ model.weights[k]
    return A
