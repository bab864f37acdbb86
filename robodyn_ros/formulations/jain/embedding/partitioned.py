# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Operators of a tree in parts: Jain, section 14.2.

    E = [ E_C  0    0   ]     A = [ A_C                0         0   ]
        [ B_S  E_S  0   ]         [ A_S B A_C          A_S       0   ]                 (14.2, 14.4)
        [ 0    E_up E_P ]         [ A_P E_up A_S B A_C A_P E_up A_S A_P ]

    C empty:  M = [ M_S, X; X', M_P + Y ],  X = H_S A_S M_S A_S' E_up' A_P' H_P'    (14.6, 14.7)

Each part is an SKO model of its own; M_S does not depend on bodies inboard of it. E_up is the
book's second E_S, which has the same letter as the SKO operator of S.

Correction to the print: in X and Y of (14.7) the second E_S is transposed.
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.formulations.jain.embedding import subgraphs
from robodyn_ros.formulations.jain.operators.spatial_operators import SpatialOperators


class Part(NamedTuple):
    """Dense operators of the nodes of one part.

    `H`: joint maps.
    `E`: weights between its nodes.
    `A`: resolvent (1 - E)^-1.
    `M`: inertias.
    """

    H: np.ndarray
    E: np.ndarray
    A: np.ndarray
    M: np.ndarray

    @property
    def mass_matrix(self):
        """Mass matrix H A M A' H' of the part as a system of its own."""
        return self.H @ self.A @ self.M @ self.A.T @ self.H.T


class Parts(NamedTuple):
    """Operators of a tree in three parts.

    `C`: descendants of S.
    `S`: the nodes of S.
    `P`: all others.
    `B`: weights from C to S.
    `up`: weights from S to P.
    `rows`: rows of the stacked node vectors, in the order C, S, P.
    `freedoms`: velocities, in the order C, S, P.
    """

    C: Part
    S: Part
    P: Part
    B: np.ndarray
    up: np.ndarray
    rows: np.ndarray
    freedoms: np.ndarray


def indices(slices, nodes):
    """Return the rows of some nodes, in the order of the nodes.

    `slices` (sequence of slice): rows of each node.
    """
    found = [np.arange(slices[k].start, slices[k].stop) for k in nodes]
    return np.concatenate([np.arange(0), *found]).astype(int)


def parts(model, nodes):
    """Return the parts of a tree by a path-induced set of nodes (14.2, 14.5).

    `model` (Tree or SkoModel): the system.
    `nodes` (collection of int): the nodes of S.
    """
    ops, cut = SpatialOperators(model), subgraphs.partition(model.parent, nodes)
    rows = [indices(model.rows, part) for part in cut]
    freedoms = [indices(model.slices, part) for part in cut]
    H, E, M = ops.H.array, ops.E_phi.array, ops.M.array

    def part(own, free):
        block = E[np.ix_(own, own)]
        resolvent = np.linalg.inv(np.eye(len(own)) - block)
        return Part(H[np.ix_(free, own)], block, resolvent, M[np.ix_(own, own)])

    C, S, P = map(part, rows, freedoms)
    return Parts(
        C,
        S,
        P,
        E[np.ix_(rows[1], rows[0])],
        E[np.ix_(rows[2], rows[1])],
        np.concatenate(rows),
        np.concatenate(freedoms),
    )


def resolvent(found):
    """Return A of the whole tree from its parts (Lem 14.2).

    `found` (Parts): operators of the parts.
    """
    C, S, P = found.C.A, found.S.A, found.P.A
    down = S @ found.B @ C
    across = P @ found.up
    c, s, p = len(C), len(S), len(P)
    return np.block(
        [
            [C, np.zeros((c, s)), np.zeros((c, p))],
            [down, S, np.zeros((s, p))],
            [across @ down, across @ S, P],
        ]
    )


def mass_matrix_by_parts(found):
    """Return the mass matrix [[M_S, X], [X', M_P + Y]] where C is empty (Ex 14.2).

    `found` (Parts): operators of the parts.
    Raises ValueError: if S has descendants.
    """
    if len(found.C.A):
        raise ValueError(f'got {len(found.C.A)} rows of descendants of S; expected none')
    S, P = found.S, found.P
    inboard = found.up.T @ P.A.T @ P.H.T
    carried = S.A @ S.M @ S.A.T
    X = S.H @ carried @ inboard
    Y = inboard.T @ carried @ inboard
    return np.block([[S.mass_matrix, X], [X.T, P.mass_matrix + Y]])
