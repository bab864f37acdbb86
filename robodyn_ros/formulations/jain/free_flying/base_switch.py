# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Another link of a free-flyer as its base body: Jain, section 17.3.

    V(up) = phi'(j, up) [V(j) - H'(j) thd(j)], where up was inboard of j on the path  (17.16)
    E_R(j, up) = phi(j, up) = phi^-1(up, j)                                   (17.28a, 17.34)
    H_R'(up) = -phi'(j, up) H'(j),  H_R(k) = 1                                       (17.28b)
    thd_R = J_RG thd, V(k) = e_k' phi' H' thd in place of the old base's velocities  (17.28c)
    thd = J_GR thd_R, V(n) = e_n' phi_R' H_R' thd_R                                   (17.38)
    mass matrix = J_RG' (H_R phi_R M phi_R' H_R') J_RG                                (17.45)

The path from the old to the new base is reversed, and all other links keep their parents. The
result is an SKO model with root k. O(n depth) for the maps.

Correction to the print: (17.16) has a minus before H', as (17.28b) has it.
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.errors import ModelError
from robodyn_ros.formulations.jain.inverse_dynamics import (
    coriolis_accelerations,
    gravity_accelerations,
    gyroscopic_forces,
)
from robodyn_ros.formulations.jain.sko.sko_model import SkoModel
from robodyn_ros.formulations.jain.spatial_algebra import phi_inverse
from robodyn_ros.formulations.jain.tree_kinematics import velocities


class Switched(NamedTuple):
    """A free-flyer on another base.

    `model`: model whose last node is the new base.
    `bodies`: body of the tree of each node.
    `J_RG`: map from velocities of the tree to those of the model.
    `J_GR`: the inverse map.
    """

    model: SkoModel
    bodies: tuple
    J_RG: np.ndarray
    J_GR: np.ndarray


def switched(tree, thd, k, gravity=True):
    """Return a free-flyer with another body as its base.

    `tree` (Tree): bodies at one configuration, on one free base.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    `k`: the new base body.
    `gravity`: whether gravity acts.
    Raises ModelError: if the tree has several base bodies, or one without six freedoms.
    """
    path = list(_path(tree, k))
    base = path[-1]
    if tree.children[tree.n] != (base,) or len(tree.H[base]) != 6:
        raise ModelError(
            f'got {len(tree.children[tree.n])} base bodies, {tree.names[base]!r} on a hinge of '
            f'{len(tree.H[base])} freedoms; expected one with six, as of a free-flyer'
        )
    new_parent = dict(zip(path[1:], path))  # the path is reversed
    bodies = _tips_first(
        [new_parent.get(j, None if j == k else tree.parent[j]) for j in range(tree.n)]
    )
    node = {body: at for at, body in enumerate(bodies)}
    V = velocities(tree, thd)
    drift, b = coriolis_accelerations(tree, V, thd), gyroscopic_forces(tree, V)
    blocks = [_blocks(tree, body, k, base, new_parent, drift) for body in bodies]
    weights, H, a, dofs = map(tuple, zip(*blocks))
    if gravity:
        a = (*a[:-1], gravity_accelerations(tree)[k])
    dofs = np.concatenate([np.arange(each.start, each.stop) for each in dofs])
    model = SkoModel(
        tuple(tree.names[j] for j in bodies),
        tuple(tree.n if j == k else node[new_parent.get(j, tree.parent[j])] for j in bodies),
        weights,
        H,
        tuple(tree.M[j] for j in bodies),
        tree.rotor[dofs],
        a,
        tuple(b[j] for j in bodies),
        dofs,
    )
    J_RG, J_GR = np.eye(tree.N)[dofs], np.eye(tree.N)[:, dofs]
    J_RG[model.slices[-1]] = _velocity_map(tree, path, tree.phi)
    # H(n) of the old base may be any six columns, so solve with it.
    V_n = _velocity_map(model, [node[j] for j in reversed(path)], model.weights)
    J_GR[tree.slices[base]] = np.linalg.solve(tree.H[base].T, V_n)
    return Switched(model, tuple(bodies), J_RG, J_GR)


def _path(tree, k):
    """Yield the bodies from k to its base."""
    while k < tree.n:
        yield k
        k = tree.parent[k]


def _tips_first(parents):
    """Return the nodes of a tree, deepest first; its root has the parent None."""

    def depth(j):
        return 0 if parents[j] is None else 1 + depth(parents[j])

    return sorted(range(len(parents)), key=depth, reverse=True)


def _blocks(tree, body, k, base, new_parent, drift):
    """Return (A(parent, body), H, a without gravity, slice of its velocities) on the new base."""
    if body == k:
        return np.eye(6), np.eye(6), np.zeros(6), tree.slices[base]
    if body not in new_parent:
        return tree.phi[body], tree.H[body], drift[body], tree.slices[body]
    j = new_parent[body]
    back = phi_inverse(tree.phi[j])
    return back, -(tree.H[j] @ back), -back.T @ drift[j], tree.slices[j]


def _velocity_map(model, path, weights):
    """Return e' phi' H' (6, N) of the first node of a path to the root."""
    found, carried = np.zeros((6, model.N), model.dtype), np.eye(6)
    for j in path:
        found[:, model.slices[j]] = carried @ model.H[j].T
        carried = carried @ weights[j].T
    return found
