# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Construction of SKO models: Jain, sections 9.1.1 and 9.6.1.

1. a tree of nodes      2. V(k) of each node, and M(k) with V' M V / 2 its kinetic energy
3. V(k) = A'(up, k) V(up) + H'(k) thd(k)      4. the operators H, A, M

    rigid links       V(k) of 6, A = phi                                             `of_tree`
    other frames      A = phi(B_parent, B_k)                                    `of_equations`
    acatastatic       V(k) = A' V(up) + H' thd + u(t): part of the motion prescribed
                                                                                 `acatastatic`
    rolling ball      V(k) = thd, 3 and not 6: its children see H' V(k)          `in_freedoms`
"""

from dataclasses import replace

import numpy as np

from robodyn_ros.formulations.jain.inverse_dynamics import (
    base_acceleration,
    coriolis_accelerations,
    gyroscopic_forces,
)
from robodyn_ros.formulations.jain.sko.sko_model import SkoModel
from robodyn_ros.formulations.jain.tree_kinematics import velocities


def of_tree(tree, thd, gravity=True):
    """Return the SkoModel of a Tree in motion: blocks of 6, weights phi.

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    `gravity`: whether gravity acts.
    """
    V = velocities(tree, thd)
    a = coriolis_accelerations(tree, V, thd)
    if gravity:
        a = a + base_acceleration(tree)
    return SkoModel(
        tree.names,
        tree.parent,
        tuple(tree.phi),
        tree.H,
        tuple(tree.M),
        tree.rotor,
        tuple(a),
        tuple(gyroscopic_forces(tree, V)),
        np.arange(tree.N),
    )


def of_equations(tree, equations):
    """Return the SkoModel of a Tree by other conventions, with weights A in place of phi.

    `tree` (Tree): bodies at one configuration.
    `equations` (conventions.Equations): quantities of the bodies by one convention.
    """
    return SkoModel(
        tree.names,
        tree.parent,
        tuple(equations.weights),
        tuple(H.T for H in equations.hinges),
        tuple(equations.M),
        tree.rotor,
        tuple(equations.a),
        tuple(equations.b),
        np.arange(tree.N),
    )


def acatastatic(tree, thd, thdd, driven, gravity=True):
    """Return the SkoModel of a Tree with some freedoms prescribed (11.1.1, 9.6.1).

    Delta_V(k) = H'(k) beta(k) + u(k, t). The columns of a prescribed freedom leave H', and so its
    column leaves the mass matrix. u and its rate join V and a.

    `tree` (Tree): tree with all freedoms.
    `thd` (N,): velocities of all freedoms, also of the prescribed ones.
    `thdd` (N,): accelerations; only those of the prescribed freedoms are used.
    `driven` (sequence of int): indices of the prescribed freedoms among the N.
    `gravity`: whether gravity acts.
    """
    model = of_tree(tree, thd, gravity)
    free = np.setdiff1d(np.arange(tree.N), driven)
    imposed = np.zeros(tree.N)
    imposed[list(driven)] = np.asarray(thdd)[list(driven)]
    H, a = [], []
    for H_k, s, a_k in zip(model.H, model.slices, model.a):
        H.append(H_k[np.isin(np.arange(s.start, s.stop), free)])
        a.append(a_k + H_k.T @ imposed[s])
    return replace(model, H=tuple(H), a=tuple(a), rotor=tree.rotor[free], dofs=free)


def in_freedoms(model, k):
    """Return the SkoModel in which root k has its freedoms as velocity: V(k) = thd(k), H(k) = 1.

    M(k) becomes H M H', b(k) becomes H (M a + b), and the weights of its children H(k) A(k, j). As
    alpha(k) = H' thdd + a(k), a(k) moves into a of the children. A rolling ball then has 3
    velocities, and its rolling is no constraint anywhere.

    `model` (SkoModel): the equations of motion at one state.
    `k`: a root.
    Raises ValueError: if node k has a parent: its velocity is then more than its own freedoms.
    """
    if model.parent[k] < model.n:
        raise ValueError(
            f'got node {model.names[k]!r} with parent {model.names[model.parent[k]]!r}; '
            f'expected a root: {", ".join(model.names[j] for j in model.children[model.n])}'
        )
    H, M, a, b = model.H[k], model.M[k], model.a[k], model.b[k]
    r = len(H)
    weights, drift = list(model.weights), list(model.a)
    for j in model.children[k]:
        drift[j] = drift[j] + weights[j].T @ a
        weights[j] = H @ weights[j]
    weights[k], drift[k] = weights[k] @ H.T, np.zeros(r)

    def exchanged(blocks, block):
        return (*blocks[:k], block, *blocks[k + 1 :])

    return replace(
        model,
        weights=tuple(weights),
        H=exchanged(model.H, np.eye(r)),
        M=exchanged(model.M, H @ M @ H.T),
        a=tuple(drift),
        b=exchanged(model.b, H @ (M @ a + b)),
    )
