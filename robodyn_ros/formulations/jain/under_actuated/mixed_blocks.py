# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Blocks of the mixed equations of motion by operators: Jain, lemma 16.1 and exercise 16.1.

    [T_a; thdd_p] = [S_aa, S_ap; -S_ap', S_pp] [thdd_a; T_p] + bias                     (16.4)
    S_pp = (1 - H_p psi K_p)' D_p^-1 (1 - H_p psi K_p)                                 (16.11)
    S_ap = H_a {(psi - P Omega) K_p + P psi' H_p' D_p^-1}
    S_aa = H_a [(psi - P Omega) P + P (psi - 1)'] H_a'                                 (16.13)

psi, P, K_p, D_p and Omega = psi' H_p' D_p^-1 H_p psi belong to the passive arm. Dense, for
reading.
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.formulations.jain.operators.spatial_operators import SpatialOperators
from robodyn_ros.formulations.jain.under_actuated.arms import active_arm, passive_arm


class MixedBlocks(NamedTuple):
    """Blocks of the mixed equations of motion.

    `S_aa`: active torque per active acceleration.
    `S_ap`: active torque per passive torque.
    `S_pp`: passive acceleration per passive torque.
    `U`: Upsilon_p = 1 - Omega M.
    """

    S_aa: np.ndarray
    S_ap: np.ndarray
    S_pp: np.ndarray
    U: np.ndarray


def mixed_blocks(tree, active):
    """Return the blocks of the mixed equations of motion.

    `tree` (Tree): bodies at one configuration.
    `active` ((n,) array_like of bool): whether the hinge of each body is driven, tips first.
    """
    ops = SpatialOperators(passive_arm(tree, active))
    arm = SpatialOperators(active_arm(tree, active))
    H_a, H_p, P, psi, Omega = (each.array for each in (arm.H, ops.H, ops.P, ops.psi, ops.Omega))
    outward = psi - P @ Omega
    return MixedBlocks(
        H_a @ (outward @ P + P @ (psi - ops.one.array).T) @ H_a.T + arm.J_rotor.array,
        H_a @ (outward @ ops.K.array + P @ psi.T @ H_p.T @ ops.D_inverse.array),
        ops.mass_matrix_inverse.array,
        ops.one.array - Omega @ ops.M.array,
    )
