# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A chain of links and their motors: Jain, sections 12.1 and 12.2.

    V_m(k) = phi_m'(k+1, k) V_l(k+1) + H_m' thd_m,  V_l(k) = phi_l'(k+1, k) V_l(k+1) + H_l' thd_l
    V(k) = [V_m; V_l],  Phi_G(k+1, k) = [0, 0; phi_m, phi_l],  H = diag(H_m, H_l)   (12.1 to 12.5)
    thd_m = mu thd_l:   H_G = [mu H_m, H_l],  T = mu T_m + T_l                      (12.6 to 12.8)
    mass matrix = H_G Phi_G M Phi_G' H_G'                                         (12.11 to 12.13)

Motor k is mounted on link k + 1 and drives link k. Nodes have 12 velocities, but 6 where a hinge
has no motor. The weights are neither square nor invertible. Without the gear, thd_m and thd_l are
independent. This is the model of elastic joints: `series_elastic_joints`.
"""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import short_repr
from robodyn_ros.formulations.jain.sko.formulation import of_tree
from robodyn_ros.formulations.jain.sko.sko_model import SkoModel


@dataclass(frozen=True, eq=False)
class GearedChain:
    """Chain of n links from tip to base, with a motor each or none.

    Where there is no motor, phi_m, H_m, M_m and mu are zero.

    `phi_m`: phi from the motor to the link inboard; the last to the inertial frame.
    `phi_l`: phi from the link to the link inboard; the last to the inertial frame.
    `H_m`: axis of each motor.
    `H_l`: axis of each link's hinge.
    `M_m`: spatial inertia of each motor.
    `M_l`: spatial inertia of each link.
    `mu`: gear ratio: turns of the motor per turn of the link.
    `a_m`: Coriolis acceleration of each motor [rad/s2, m/s2].
    `a_l`: Coriolis acceleration of each link [rad/s2, m/s2].
    `b_m`: gyroscopic force on each motor [N m, N].
    `b_l`: gyroscopic force on each link [N m, N].
    `motor`: whether the hinge has a motor.
    """

    phi_m: np.ndarray
    phi_l: np.ndarray
    H_m: np.ndarray
    H_l: np.ndarray
    M_m: np.ndarray
    M_l: np.ndarray
    mu: np.ndarray
    a_m: np.ndarray
    a_l: np.ndarray
    b_m: np.ndarray
    b_l: np.ndarray
    motor: np.ndarray

    __repr__ = short_repr

    @property
    def n(self):
        """Number of links."""
        return len(self.mu)


def chain_of(tree, thd, pairs, mu, gravity=True):
    """Return the chain of a spanning tree of links and motors (12.1).

    `tree` (Tree): all links and motors, each on a hinge of one freedom.
    `thd` (N,): velocities, with thd_m = mu thd_l where the gear is rigid [rad/s, m/s].
    `pairs` (sequence of tuple): (motor, link) of every hinge from tip to base, as rows of the
      tree. Motor is None where there is none.
    `mu` ((n,) array_like): gear ratios; those of hinges without a motor are ignored.
    `gravity`: whether gravity acts.
    Raises ValueError: if the links are no chain, or a motor is not on the link inboard of its own.
    """
    model = of_tree(tree, thd, gravity)
    inboard = [*(link for _, link in pairs[1:]), tree.n]
    for (motor, link), up in zip(pairs, inboard):
        for k in (motor, link):
            if k is not None and (tree.parent[k] != up or len(tree.H[k]) != 1):
                raise ValueError(
                    f'got body {tree.names[k]!r} on body {tree.parent[k]} with {len(tree.H[k])} '
                    f'freedoms; expected one freedom, and body {up} to carry motor and link'
                )
    motors = [motor for motor, _ in pairs]
    links = [link for _, link in pairs]

    def of_motors(blocks):
        blocks = [np.asarray(block) for block in blocks]
        none = np.zeros_like(blocks[0])
        return np.array([none if k is None else blocks[k] for k in motors])

    def of_links(blocks):
        return np.array([blocks[k] for k in links])

    axes = [H[0] for H in model.H]
    has = np.array([k is not None for k in motors])
    return GearedChain(
        of_motors(model.weights),
        of_links(model.weights),
        of_motors(axes),
        of_links(axes),
        of_motors(model.M),
        of_links(model.M),
        np.where(has, mu, 0.0),
        of_motors(model.a),
        of_links(model.a),
        of_motors(model.b),
        of_links(model.b),
        has,
    )


def spanning_model(chain):
    """Return the SkoModel without gears: two velocities per hinge, motor first (12.2, 12.3).

    `chain` (GearedChain): links and motors at one state.
    """
    return _model(chain, lambda k: np.eye(2) if chain.motor[k] else np.eye(1))


def geared_model(chain):
    """Return the SkoModel with gears: one velocity thd_l per hinge, H_G = [mu H_m, H_l] (12.8).

    `chain` (GearedChain): links and motors at one state.
    """
    return _model(chain, lambda k: np.array([[chain.mu[k], 1.0]]) if chain.motor[k] else np.eye(1))


def _model(chain, freedoms):
    """Return the SkoModel with H(k) = freedoms(k) diag(H_m, H_l)."""
    weights, H, M, a, b = [], [], [], [], []
    for k in range(chain.n):
        parts = [(chain.phi_l[k], chain.H_l[k], chain.M_l[k], chain.a_l[k], chain.b_l[k])]
        if chain.motor[k]:
            motor = (chain.phi_m[k], chain.H_m[k], chain.M_m[k], chain.a_m[k], chain.b_m[k])
            parts.insert(0, motor)
        carried, axes, inertias, drifts, forces = zip(*parts)
        A_G = np.hstack(carried)  # (12.5)
        inboard_motor = k + 1 < chain.n and chain.motor[k + 1]
        weights.append(np.vstack((np.zeros_like(A_G), A_G)) if inboard_motor else A_G)
        H.append(freedoms(k) @ _diagonal([axis[None] for axis in axes]))
        M.append(_diagonal(inertias))
        a.append(np.concatenate(drifts))
        b.append(np.concatenate(forces))
    N = sum(map(len, H))
    return SkoModel(
        tuple(f'hinge {k + 1}' for k in range(chain.n)),
        tuple(range(1, chain.n + 1)),
        tuple(weights),
        tuple(H),
        tuple(M),
        np.zeros(N),
        tuple(a),
        tuple(b),
        np.arange(N),
    )


def _diagonal(blocks):
    """Return a block-diagonal matrix."""
    result = np.zeros(np.sum([block.shape for block in blocks], axis=0))
    i = j = 0
    for block in blocks:
        result[i : i + block.shape[0], j : j + block.shape[1]] = block
        i, j = i + block.shape[0], j + block.shape[1]
    return result
