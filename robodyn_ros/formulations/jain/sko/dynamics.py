# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Equations of motion of any SKO model: Jain, sections 9.2 and 9.5.

    alpha(k) = A'(up, k) alpha(up) + H'(k) thdd(k) + a(k)                          (Alg 9.1, 9.10)
    f(k) = sum A(k, j) f(j) + M(k) alpha(k) + b(k),    T(k) = H(k) f(k)
    z(k) = sum A(k, j) z^+(j) + P a + b,  epsilon = T - H z,  nu = D^-1 epsilon    (Alg 9.5, 9.58)
    thdd = nu - G' alpha^+

O(N) for nodes of a bounded size. Gravity, where there is any, is part of a of the roots. The
accelerations are then those that are felt.
"""

import numpy as np

from robodyn_ros.formulations.jain.articulated_bodies import (
    accelerations,
    articulated,
    biased_residual_forces,
    innovations_scaled,
)
from robodyn_ros.formulations.jain.operators.sweeps import gather, scatter


def velocities(model, thd):
    """V = A' H' thd: n arrays (m_k,) of velocities thd (N,)."""
    return scatter(model, [H.T @ thd[s] for H, s in zip(model.H, model.slices)], model.weights)


def inverse_dynamics(model, thdd):
    """Algorithm 9.1: (T (N,), n forces f (m_k,), n accelerations alpha (m_k,)) of thdd (N,)."""
    own = [H.T @ thdd[s] + a for H, s, a in zip(model.H, model.slices, model.a)]
    alpha = scatter(model, own, model.weights)
    f = gather(model, [M @ x + b for M, x, b in zip(model.M, alpha, model.b)], model.weights)
    T = np.concatenate([H @ each for H, each in zip(model.H, f)]) + model.rotor * thdd
    return T, f, alpha


def bias(model):
    """C = H A (M A' a + b) (N,): the torques without acceleration (9.3)."""
    return inverse_dynamics(model, np.zeros(model.N))[0]


def forward_dynamics(model, T):
    """Algorithm 9.5: (thdd (N,), n accelerations alpha (m_k,)) of torques T (N,)."""
    art = articulated(model)
    own = [P @ a + b for P, a, b in zip(art.P, model.a, model.b)]
    _, _, epsilon = biased_residual_forces(model, art, T, own)
    thdd, alpha, _ = accelerations(model, art, innovations_scaled(model, art, epsilon), model.a)
    return thdd, alpha


def node_accelerations(model, T, nodes):
    """B' alpha (s,): how nodes accelerate under torques T (N,) without force on them (10.44).

    With `operational_space_operators.inertia`, of the same nodes, it is their equation of motion:
    Lambda (alpha_nd - B' alpha) = f_nd (10.7). nodes : of Pickoff; gravity as it is in a.
    """
    _, alpha = forward_dynamics(model, T)
    return np.concatenate([node.phi.T @ alpha[node.body] for node in nodes])
