# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Un-normalised diagonal equations of motion: Jain, section 19.5, algorithm 19.2.

    xi = (1 + H phi K)' thd,   kinetic energy xi' D xi / 2                          (19.36, 19.37)
    D xidot + C(theta, xi) = (1 - H psi K) T                                              (19.38)
    y(k) = sum psi(k, j) y(j) + lambda H' xi - [tilde(Delta^w) P - bar(V) M] V
           - sum phi(k, j) bar(Delta^v(j)) P^+(j) V^+(j),     C(k) = H y                (Alg 19.2)

Any Tree, O(n), also with the inertia of its drives. Two terms extend the book to hinges whose axes
move on both sides, such as ball joints. y gains P W xi + sum K w, and C loses w = W' P^+ V^+.

Corrections to the print: xi has no dots in (19.37). In algorithm 19.2, bar(Delta^v) P^+ of a child
takes the velocity of that child.
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.formulations.jain.articulated_bodies import articulated, biased_residual_forces
from robodyn_ros.formulations.jain.diagonalised.coordinate_maps import Velocities
from robodyn_ros.formulations.jain.sensitivities.articulated_rates import (
    ArticulatedRates,
    articulated_rates,
)
from robodyn_ros.formulations.jain.spatial_algebra import angular, bar, linear, tilde


class VelocityForces(NamedTuple):
    """Forces due to velocities.

    `bodies`: force on each body [N m, N].
    `torques`: torques w of hinges whose axes move on both sides [N m, N].
    `rates`: rates of the articulated-body quantities.
    """

    bodies: np.ndarray
    torques: np.ndarray
    rates: ArticulatedRates


def velocity_forces(tree, art, moving: Velocities):
    """Return the forces due to velocities.

    `tree` (Tree): bodies at one configuration.
    `art` (Articulated): articulated-body quantities of the tree.
    `moving`: velocities of the tree.
    """
    rates = articulated_rates(tree, art, moving.thd)
    own = np.zeros((tree.n, 6), np.result_type(tree.dtype, moving.xi))
    torques = np.zeros(tree.N, own.dtype)
    for k, up in enumerate(tree.parent):
        s, V, P, W = tree.slices[k], moving.V[k], art.P[k], rates.W[k]
        passed = art.P_plus[k] @ moving.V_plus[k]
        own[k] += (rates.lam[k] @ tree.H[k].T + P @ W) @ moving.xi[s]
        own[k] += bar(V) @ tree.M[k] @ V - tilde(angular(rates.Delta[k])) @ P @ V
        torques[s] = W.T @ passed
        if up < tree.n:
            own[up] -= tree.phi[k] @ bar(linear(rates.Delta[k])) @ passed
    return VelocityForces(own, torques, rates)


def coriolis_vector(tree, art, moving: Velocities):
    """Return C(theta, xi) (Algorithm 19.2).

    `tree` (Tree): bodies at one configuration.
    `art` (Articulated): articulated-body quantities of the tree.
    `moving`: velocities of the tree.
    """
    found = velocity_forces(tree, art, moving)
    return -biased_residual_forces(tree, art, found.torques, found.bodies)[2]


def kinetic_energy(tree, xi):
    """Return xi' D xi / 2 (19.37).

    `tree` (Tree): bodies at one configuration.
    `xi` (N,): Un-normalised diagonal velocities.
    """
    D = articulated(tree).D
    return 0.5 * sum(xi[s] @ block @ xi[s] for block, s in zip(D, tree.slices))
