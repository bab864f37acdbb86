# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forward dynamics in two sweeps, in diagonal velocities: Jain, section 19.5.1, algorithm 19.3.

    mu(k) = sum [psi mu + K T](j) + lambda H' xi - [tilde(Delta^w) P - bar(V) M] V
            - sum phi(k, j) bar(Delta^v(j)) P^+(j) V^+(j) + M g - f_ext            tips to base
    xidot(k) = D^-1 (T - H mu)                                                    (19.40 to 19.42)
    thd = xi - G' V^+,   V = V^+ + H' thd                                         base to tips

Any Tree, O(n). One sweep inward can find P, lambda and mu, one sweep outward V and g. Coriolis
accelerations need no sweep, which the book calls a significant improvement. In operations it is
none, as lambda costs as much as P. Hinges whose axes move on both sides have the terms of
unnormalised_coriolis.py. The book leaves out g and f_ext, which act as in Algorithm 7.2.

Corrections to the print: (19.42) leaves out the sum with bar(Delta^v). In step 4, eta = D^1/2 xi.
"""

import numpy as np

from robodyn_ros.formulations.jain.articulated_bodies import (
    biased_residual_forces,
    innovations_scaled,
)
from robodyn_ros.formulations.jain.diagonalised.unnormalised_coriolis import velocity_forces
from robodyn_ros.formulations.jain.inverse_dynamics import gravity_accelerations


def xi_rates(tree, art, moving, T, f_ext=None, gravity=True):
    """Return xidot under given torques (19.40 to 19.42).

    `tree` (Tree): bodies at one configuration.
    `art` (Articulated): articulated-body quantities of the tree.
    `moving` (Velocities): velocities of the tree.
    `T` (N,): hinge torques, in the order of the tree [N m, N].
    `f_ext` (n, 6): external force on each body, at its origin in its axes [N m, N].
    `gravity`: whether gravity acts.
    """
    found = velocity_forces(tree, art, moving)
    own = found.bodies if f_ext is None else found.bodies - f_ext
    if gravity:
        own = own + np.array([M @ g for M, g in zip(tree.M, gravity_accelerations(tree))])
    _, _, epsilon = biased_residual_forces(tree, art, T + found.torques, own)
    return innovations_scaled(tree, art, epsilon)
