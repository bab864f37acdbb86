# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Hybrid dynamics of driven and free hinges: Jain, section 16.2, algorithm 16.2.

    z(k) = sum phi z^+ + b + P (H_a' thdd_a + a),  z^+ = z                     active   (16.14)
    z(k) = sum phi z^+ + b + P a,  epsilon = T_p - H_p z,  z^+ = z + G_p epsilon        passive
    alpha^+ = phi' alpha(up);  T_a = H_a (P alpha^+ + z);  thdd_p = D_p^-1 epsilon - G_p' alpha^+

O(n). A prescribed motion is an active hinge (section 16.2.1), a locked brake one with thdd_a = 0.
With all hinges active this is inverse dynamics by composite bodies, with all passive algorithm
9.5.

Corrections to the print: (16.15c) is H_a [P (alpha - H_a' thdd_a - a) + z]. The scatter of (16.17)
starts from alpha(n + 1) = 0.
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.formulations.jain.articulated_bodies import articulated
from robodyn_ros.formulations.jain.inverse_dynamics import (
    coriolis_accelerations,
    gravity_accelerations,
    gyroscopic_forces,
)
from robodyn_ros.formulations.jain.tree_kinematics import velocities
from robodyn_ros.formulations.jain.under_actuated.arms import chosen, passive_arm


class Motion(NamedTuple):
    """Motion of a tree, and its forces.

    `T`: hinge torques [N m, N].
    `thdd`: hinge accelerations [rad/s2, m/s2].
    `alpha`: acceleration of each body, without gravity [rad/s2, m/s2].
    `z`: residual forces of algorithm 16.2, the active part included [N m, N].
    """

    T: np.ndarray
    thdd: np.ndarray
    alpha: np.ndarray
    z: np.ndarray


def hybrid_dynamics(tree, active, thd, thdd_a, T_p, f_ext=None, gravity=True):
    """Solve for the torques of active and the accelerations of passive hinges: Algorithm 16.2.

    `tree` (Tree): bodies at one configuration.
    `active` ((n,) array_like of bool): whether the hinge of each body is driven, tips first.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    `thdd_a` (N_a,): accelerations of the active freedoms, in the order of the tree.
    `T_p` (N_p,): torques of the passive freedoms, in the order of the tree.
    `f_ext` (n, 6): external force on each body, at its origin in its axes [N m, N].
    `gravity`: whether gravity acts.
    Returns all torques and accelerations.
    Raises ShapeError: if `active` is not one bool per body.
    """
    driven = chosen(tree, active)
    arm = passive_arm(tree, active)
    art, V = articulated(arm), velocities(tree, thd)
    T, thdd = np.zeros(tree.N), np.zeros(tree.N)
    thdd[driven], T[~driven] = thdd_a, T_p
    # The passive freedoms of thdd are still zero: their share of H' thdd is not known yet.
    a = coriolis_accelerations(tree, V, thd) + tree.hinge_velocity(thdd)
    z = gyroscopic_forces(tree, V) + np.array([P @ x for P, x in zip(art.P, a)])
    z = z if f_ext is None else z - f_ext
    nu = [None] * tree.n
    for k, up in enumerate(tree.parent):
        epsilon = np.asarray(T_p)[arm.slices[k]] - arm.H[k] @ z[k]
        nu[k] = np.linalg.solve(art.D[k], epsilon)
        if up < tree.n:
            z[up] += tree.phi[k] @ (z[k] + art.G[k] @ epsilon)
    alpha = np.zeros((tree.n + 1, 6))
    alpha[-1] = tree.g if gravity else 0.0
    for k in reversed(range(tree.n)):
        s, alpha_plus = tree.slices[k], tree.phi[k].T @ alpha[tree.parent[k]]
        alpha[k] = alpha_plus + a[k]
        if active[k]:
            T[s] = tree.H[k] @ (art.P[k] @ alpha_plus + z[k]) + tree.rotor[s] * thdd[s]
        else:
            thdd[s] = nu[k] - art.G[k].T @ alpha_plus
            alpha[k] += tree.H[k].T @ thdd[s]
    return Motion(T, thdd, alpha[:-1] - (gravity_accelerations(tree) if gravity else 0.0), z)
