# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closed chains as SKO models in minimal coordinates: Jain, sections 15.1 to 15.3 and 15.5.

1. The loops are cut, which leaves a spanning tree.
2. For each cut edge, S has the paths from its two bodies up to where they meet.
3. S becomes one node.
4. Its velocities follow from the independent ones, thd_S = X_S thd_R (15.1).

    H_R = X_S' H_S A_S,  a'_S = A_S' a_S + H_S_' (dX_S/dt) thd_R,  T_R = X_S' T_S  (15.3 to 15.12)
    M_r = H_Ra A_a M A_a' H_Ra',  D_S = X_S' (H_S A_S P_S A_S' H_S') X_S           (15.8, 15.17)

The result is an SkoModel, so algorithms 9.1, 9.3, 9.5, 10.2 and all operators apply unchanged.
(15.16) to (15.23) are algorithm 9.5 at the node S. There are no multipliers, and velocities always
satisfy the constraint. Sub-graphs that share a body are merged; others stay separate, and small.

Corrections to the print: H_RS in (15.22) is H_RS_ of (15.3), with A_S. B_S of (15.14) and (15.15)
has phi(j, c) in the rows of j, the third of (l, k, j).
"""

from dataclasses import dataclass, replace

import numpy as np

from robodyn_ros.errors import short_repr
from robodyn_ros.formulations.jain.constraints import loop_constraints
from robodyn_ros.formulations.jain.embedding import subgraphs
from robodyn_ros.formulations.jain.embedding.aggregation import aggregate
from robodyn_ros.formulations.jain.embedding.independent import reduction
from robodyn_ros.formulations.jain.inverse_dynamics import newton_euler
from robodyn_ros.formulations.jain.operational_space_operators import Pickoff
from robodyn_ros.formulations.jain.sko.formulation import of_tree
from robodyn_ros.formulations.jain.sko.sko_model import SkoModel


@dataclass(frozen=True, eq=False)
class Coupling:
    """A constraint between joints, G thd[dofs] = 0: gears, mimic joints, differentials (15.2).

    `dofs`: which of the N velocities.
    `G`: coefficients.
    `acceleration`: -Gdot thd [rad/s2, m/s2].
    """

    dofs: tuple
    G: np.ndarray
    acceleration: np.ndarray | float = 0.0

    __repr__ = short_repr


@dataclass(frozen=True, eq=False)
class Embedding:
    """A closed chain as an SkoModel, and the map to all velocities of the spanning tree.

    `model`: model of the N_r independent velocities: entries `model.dofs` of the N.
    `X`: thd = X thd_R.
    `drift`: thdd = X thdd_R + drift [rad/s2, m/s2].
    `groups`: bodies of each sub-graph S.
    `where`: (node, first row in it) of every body.
    `G`: all constraints, G thdd = acceleration.
    `acceleration`: right side of the constraints [rad/s2, m/s2].
    `dependent`: velocities that the constraints determine.
    """

    model: SkoModel
    X: np.ndarray
    drift: np.ndarray
    groups: tuple
    where: tuple
    G: np.ndarray
    acceleration: np.ndarray
    dependent: np.ndarray

    __repr__ = short_repr

    def expand(self, thdd_R):
        """Return the accelerations of the spanning tree from the independent ones (15.10).

        `thdd_R` (N_r,): independent accelerations [rad/s2, m/s2].
        """
        return self.X @ thdd_R + self.drift

    def pickoff(self, node):
        """Return the Pickoff of a node, for the compliance of the closed chain.

        `node` (Node): point of interest on the spanning tree.
        """
        index, row = self.where[node.body]
        phi = np.zeros((self.model.sizes[index], 6))
        phi[row : row + 6] = node.phi
        return Pickoff(index, phi)

    def multipliers(self, tree, thd, thdd, T):
        """Return lambda of a motion, M thdd + C - T = G' lambda, in O(N) and one solve.

        `tree` (Tree): the spanning tree.
        `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
        `thdd` (N,): hinge accelerations, in the order of the tree [rad/s2, m/s2].
        `T` (N,): hinge torques, in the order of the tree [N m, N].
        """
        missing = newton_euler(tree, thd, thdd)[0] - T
        return np.linalg.solve(self.G[:, self.dependent].T, missing[self.dependent])


def embed(tree, thd, loops=(), couplings=(), independent=None, gravity=True):
    """Return a tree with loops and couplings as an SkoModel in minimal coordinates (15.1).

    `tree` (Tree): spanning tree at a configuration that satisfies all constraints.
    `thd` (N,): velocities that satisfy them [rad/s, m/s].
    `loops` (sequence of Loop): closed loops.
    `couplings` (sequence of Coupling): constraints between joints.
    `independent` (sequence of int): velocities to keep as independent where there is a choice; by
      default those with the best pivots.
    `gravity`: whether gravity acts.
    Raises ValueError: if constraints are not independent of each other, or `independent` is no
      valid choice.
    """
    G, right, sets = _constraints(tree, thd, loops, couplings)
    groups = merged(tree.parent, sets)
    model, where = of_tree(tree, thd, gravity), [(k, 0) for k in range(tree.n)]
    X, drift = np.eye(tree.N), np.zeros(tree.N)
    kept, dependent = [], []
    for group, rows in groups:
        columns = np.concatenate([np.arange(tree.N)[tree.slices[k]] for k in sorted(group)])
        chosen = None
        if independent is not None:
            chosen = np.flatnonzero(np.isin(columns, list(independent)))
        names = [tree.names[k] for k in sorted(group) for _ in tree.H[k]]
        found = reduction(G[np.ix_(rows, columns)], right[rows], chosen, names)
        step = aggregate(model, {where[k][0] for k in group})
        where = [(step.where[i][0], row + step.where[i][1]) for i, row in where]
        model = restrict(step.model, step.place, found)
        X[columns] = 0.0
        X[np.ix_(columns, columns[found.independent])] = found.X
        drift[columns] = found.drift
        dependent += columns[found.dependent].tolist()
        kept.append(tuple(sorted(group)))
    return Embedding(
        model,
        X[:, model.dofs],
        drift,
        tuple(kept),
        tuple(where),
        G,
        right,
        np.array(dependent, int),
    )


def _constraints(tree, thd, loops, couplings):
    """Return (G (n_c, N), acceleration (n_c,), [(nodes of S, rows)]) of all constraints."""
    G, right, sets = [np.zeros((0, tree.N))], [np.zeros(0)], []
    home = np.concatenate([[k] * len(H) for k, H in enumerate(tree.H)]).astype(int)
    for loop in loops:
        y = tree.n if loop.y is None else loop.y.body
        nodes = subgraphs.loop(tree.parent, loop.x.body, y)
        sets.append((nodes, len(loop.Q)))
        pfaffian = loop_constraints.pfaffian(tree, thd, [loop])
        G.append(pfaffian.G)
        right.append(pfaffian.acceleration)
    for coupling in couplings:
        columns = list(coupling.dofs)
        row = np.zeros((len(coupling.G), tree.N))
        row[:, columns] = coupling.G
        sets.append((subgraphs.aggregation(tree.parent, set(home[columns].tolist())), len(row)))
        G.append(row)
        right.append(np.broadcast_to(coupling.acceleration, len(row)))
    ends = np.cumsum([0, *(size for _, size in sets)])
    numbered = [(nodes, list(range(ends[i], ends[i + 1]))) for i, (nodes, _) in enumerate(sets)]
    return np.vstack(G), np.concatenate(right), numbered


def merged(parent, sets):
    """Return sub-graphs with their constraints, merged until no two share a body.

    The aggregation sub-graph of two may reach into a third, so merging is repeated.

    `parent` (sequence of int): parent of each body.
    `sets` (sequence of tuple): (nodes, rows of their constraints) of each sub-graph.
    """
    groups = []
    for nodes, rows in sets:
        nodes, rows = set(nodes), list(rows)
        while touched := next((g for g in groups if g[0] & nodes), None):
            groups.remove(touched)
            nodes = subgraphs.aggregation(parent, touched[0] | nodes)
            rows += touched[1]
        groups.append((nodes, rows))
    return groups


def restrict(model, k, found):
    """Return the SkoModel whose node k has independent velocities thd_R (Lem 15.2).

    The independent velocities feel the inertia of drives at dependent hinges. So this inertia
    moves into the node: each drive becomes one more velocity thd_S(i) of the node, of inertia J_i.

    `model` (SkoModel): the equations of motion at one state.
    `k`: the node.
    `found` (Reduction): velocities of the node by the independent ones.
    """
    H, M, a, b, s = model.H[k], model.M[k], model.a[k], model.b[k], model.slices[k]
    J, weights, m = model.rotor[s], list(model.weights), model.sizes[k]
    if J.any():
        r = len(J)
        H = np.hstack((H, np.eye(r)))
        M = np.block([[M, np.zeros((m, r))], [np.zeros((r, m)), np.diag(J)]])
        a, b = np.concatenate((a, np.zeros(r))), np.concatenate((b, np.zeros(r)))
        weights[k] = np.hstack((weights[k], np.zeros((len(weights[k]), r))))
        for c in model.children[k]:
            weights[c] = np.vstack((weights[c], np.zeros((r, weights[c].shape[1]))))

    def exchanged(blocks, block):
        return (*blocks[:k], block, *blocks[k + 1 :])

    def freedoms(x, own):
        return np.concatenate((x[: s.start], own, x[s.stop :]))

    return replace(
        model,
        weights=tuple(weights),
        H=exchanged(model.H, found.X.T @ H),
        M=exchanged(model.M, M),
        rotor=freedoms(model.rotor, np.zeros(len(found.independent))),
        a=exchanged(model.a, a + H.T @ found.drift),
        b=exchanged(model.b, b),
        dofs=freedoms(model.dofs, model.dofs[s][found.independent]),
    )
