# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Equations of motion of any SKO model: Jain, sections 9.2 and 9.5.

    alpha(k) = A'(up, k) alpha(up) + H'(k) thdd(k) + a(k)                          (Alg 9.1, 9.10)
    f(k) = sum A(k, j) f(j) + M(k) alpha(k) + b(k),    T(k) = H(k) f(k)
    z(k) = sum A(k, j) z^+(j) + P a + b,  epsilon = T - H z,  nu = D^-1 epsilon    (Alg 9.5, 9.58)
    thdd = nu - G' alpha^+

O(N) for nodes of a bounded size. Gravity enters through a of the roots. The accelerations then
contain minus the acceleration of free fall.
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
    """Return V = A' H' thd of all nodes.

    `model` (SkoModel): the equations of motion at one state.
    `thd` (N,): velocities [rad/s, m/s].
    """
    return scatter(model, [H.T @ thd[s] for H, s in zip(model.H, model.slices)], model.weights)


def inverse_dynamics(model, thdd):
    """Return torques, forces and accelerations of a motion: Algorithm 9.1.

    `model` (SkoModel): the equations of motion at one state.
    `thdd` (N,): accelerations [rad/s2, m/s2].
    Returns `T` (N,): hinge torques [N m, N].
    Returns `f` (list of (m_k,) ndarray): force on each node by its parent.
    Returns `alpha` (list of (m_k,) ndarray): acceleration of each node.
    """
    own = [H.T @ thdd[s] + a for H, s, a in zip(model.H, model.slices, model.a)]
    alpha = scatter(model, own, model.weights)
    f = gather(model, [M @ x + b for M, x, b in zip(model.M, alpha, model.b)], model.weights)
    T = np.concatenate([H @ each for H, each in zip(model.H, f)]) + model.rotor * thdd
    return T, f, alpha


def bias(model):
    """Return C = H A (M A' a + b), the torques without acceleration (9.3).

    `model` (SkoModel): the equations of motion at one state.
    """
    return inverse_dynamics(model, np.zeros(model.N))[0]


def forward_dynamics(model, T):
    """Return the accelerations under given torques: Algorithm 9.5.

    `model` (SkoModel): the equations of motion at one state.
    `T` (N,): hinge torques [N m, N].
    Returns `thdd` (N,): hinge accelerations [rad/s2, m/s2].
    Returns `alpha` (list of (m_k,) ndarray): acceleration of each node.
    """
    art = articulated(model)
    own = [P @ a + b for P, a, b in zip(art.P, model.a, model.b)]
    _, _, epsilon = biased_residual_forces(model, art, T, own)
    thdd, alpha, _ = accelerations(model, art, innovations_scaled(model, art, epsilon), model.a)
    return thdd, alpha


def node_accelerations(model, T, nodes):
    """Return B' alpha, the accelerations of points of interest without force on them (10.44).

    With Lambda of `operational_space_operators.inertia` it is their equation of motion: Lambda
    (alpha_nd - B' alpha) = f_nd (10.7).

    `model` (SkoModel): the equations of motion at one state.
    `T` (N,): hinge torques [N m, N].
    `nodes` (sequence of Pickoff): points of interest.
    Returns accelerations of all points, stacked. Gravity is as in a of the model.
    """
    _, alpha = forward_dynamics(model, T)
    return np.concatenate([node.phi.T @ alpha[node.body] for node in nodes])
