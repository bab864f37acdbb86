# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Coriolis torques by Newton and Euler, and by Lagrange: Jain, section 18.4.4.

    C = H phi [b_J + M phi' a_J]                                                  (18.39, 18.40)
      = H phi [bar(V) M - M phi' (tilde(Delta^v) E' + tilde(Delta^w))] V                 (18.41)
      = dM/dt thd - 1/2 d(thd' M thd)/dtheta                                              (4.27)

(18.41) has the Coriolis accelerations tilde(V) Delta of derivatives in the bodies (5.11). Its O(n)
recursion is `inverse_dynamics.bias` without gravity. Here are the operators, in fixed axes, and
Lagrange's method, O(n^2).
"""

import numpy as np

from robodyn_ros.formulations.jain.sensitivities.kinetic_energy_gradient import by_momentum
from robodyn_ros.formulations.jain.sensitivities.mass_matrix_rate import mass_matrix_rate


def of_inertial_derivatives(ops):
    """Return C from a_J and b_J (18.39).

    `ops` (MovingOperators): operators of the tree in fixed axes.
    """
    a, b = np.concatenate(ops.tree.a), np.concatenate(ops.tree.b)
    return ops.H @ ops.phi @ (b + ops.M @ ops.phi.T @ a)


def by_operators(ops):
    """Return C in closed form (18.41).

    `ops` (MovingOperators): operators of the tree in fixed axes.
    """
    V = np.concatenate(ops.V)
    a = ops.H_seen.T @ ops.thd - (ops.Delta_tilde_v @ ops.E_phi.T + ops.Delta_tilde_w) @ V
    return ops.H @ ops.phi @ (ops.V_bar @ ops.M @ V + ops.M @ ops.phi.T @ a)


def of_lagrange(tree, thd):
    """Return C by Lagrange's equations (4.27).

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, which must be rates of coordinates [rad/s, m/s].
    """
    return mass_matrix_rate(tree, thd) @ thd - by_momentum(tree, thd)
