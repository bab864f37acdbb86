# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Motion of a tree in diagonal velocities: Jain, section 19.5.1, steps 3 to 6 of algorithm 19.3.

    y = (theta, xi):    thetadot = N(theta) thd,   xidot = D^-1 (T - H mu)               (Alg 19.3)
    y = (theta, eta):   thetadot = N(theta) thd,   etadot = l T - C(theta, eta)             (19.14)

Integrated by the Runge-Kutta method of four stages. The book takes an Euler step in step 5.
Kinetic energy is xi' D xi / 2 = eta' eta / 2, so |eta| is constant without forces.
"""

import numpy as np

from robodyn_ros.formulations.jain.articulated_bodies import articulated
from robodyn_ros.formulations.jain.body_tree import configuration, coordinate_rates, tree_of
from robodyn_ros.formulations.jain.diagonalised import coordinate_maps, normalised_coriolis
from robodyn_ros.formulations.jain.diagonalised.two_sweep_dynamics import xi_rates
from robodyn_ros.formulations.jain.inverse_dynamics import gravity_torque
from robodyn_ros.formulations.simulate import runge_kutta


def motion(tree, thd, torque, dt, steps, gravity=True, normalised=False):
    """Simulate a tree in diagonal velocities.

    `tree` (Tree): bodies at the start.
    `thd` (N,): hinge velocities at the start, in the order of the tree [rad/s, m/s].
    `torque` (callable): `torque(t, tree, thd)` returns the hinge torques (N,) [N m, N].
    `dt`: length of a step [s].
    `steps`: number of steps.
    `gravity`: whether gravity acts.
    `normalised`: whether to integrate eta in place of xi.
    Returns `tree` (Tree): bodies at the end.
    Returns `thd` (N,): hinge velocities at the end [rad/s, m/s].
    """
    start, count = configuration(tree), tree.N

    def at(q):
        return tree_of(tree.bodies[::-1], q, -tree.g[3:])

    def rates(t, y):
        now = at(y[:-count])
        art = articulated(now)
        moving = _velocities(now, art, y[-count:], normalised)
        T = torque(t, now, moving.thd)
        if normalised:
            T = T - gravity_torque(now) if gravity else T
            zeta = coordinate_maps.forces_of_torques(now, art, T)
            found = zeta - normalised_coriolis.coriolis_vector_of_any_hinge(now, art, moving)
        else:
            found = xi_rates(now, art, moving, T, gravity=gravity)
        return np.concatenate((coordinate_rates(now, moving.thd), found))

    art = articulated(tree)
    speed = coordinate_maps.velocities_of_rates(tree, art, thd).xi
    if normalised:
        speed = coordinate_maps.normalised(tree, art, speed)
    y = np.concatenate((start, speed))
    for k in range(steps):
        y = runge_kutta(rates, k * dt, y, dt)
    end = at(y[:-count])
    return end, _velocities(end, articulated(end), y[-count:], normalised).thd


def _velocities(tree, art, speed, normalised):
    """Return the Velocities of given xi, or of given eta."""
    xi = coordinate_maps.unnormalised(tree, art, speed) if normalised else speed
    return coordinate_maps.velocities_of_xi(tree, art, xi)
