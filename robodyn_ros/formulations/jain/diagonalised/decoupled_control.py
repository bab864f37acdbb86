# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Decoupled rate control in diagonal velocities: Jain, section 19.4.3, lemma 19.10.

    zeta = -c eta,                   T = m zeta      d(kinetic energy)/dt = -eta' c eta
    zeta = C(theta, eta) - c eta,    T = m zeta      eta_i(t) = eta_i(0) exp(-c_i t)

Any Tree, O(n). The second form is not in the book. C does no work, so the energy falls at the same
rate, and every eta_i decays separately. Both forms damp motion; neither controls position.
"""

from robodyn_ros.formulations.jain.diagonalised import coordinate_maps, normalised_coriolis


def damping_torque(tree, art, moving, c, decoupled=False):
    """Return the damping torque, without gravity.

    `tree` (Tree): bodies at one configuration.
    `art` (Articulated): articulated-body quantities of the tree.
    `moving` (Velocities): velocities of the tree.
    `c` ((N,) array_like or float): positive decay rates [1/s].
    `decoupled`: whether to add C(theta, eta), so that every eta_i decays separately.
    """
    zeta = -c * coordinate_maps.normalised(tree, art, moving.xi)
    if decoupled:
        zeta = zeta + normalised_coriolis.coriolis_vector_of_any_hinge(tree, art, moving)
    return coordinate_maps.torques_of_forces(tree, art, zeta)
