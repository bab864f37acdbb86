# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Two arms that hold one object: Jain, section 11.2.3.

    M_i thdd_i + C_i = T_i + J_i' f_i,   f_1 = f(0),  f_2 = -f(0)                          (11.24)
    alpha_i(0) = alpha_if(0) + Lambda_i^-1 f_i                                     (11.28, 11.29)
    f(0) = -(Lambda_1^-1 + Lambda_2^-1)^-1 (alpha_1f(0) - alpha_2f(0))                     (11.30)

Each arm separately, O(n_1 + n_2), and one 6 x 6 solve.

Correction to the print: the free accelerations of (11.30) have the order [alpha_1f; alpha_2f].
"""

import numpy as np

from robodyn_ros.formulations.jain.constraints.augmented import Corrected
from robodyn_ros.formulations.jain.forward_dynamics import articulated_body, response
from robodyn_ros.formulations.jain.operational_space_operators import compliance
from robodyn_ros.formulations.jain.tree_kinematics import pick_off


def forward_dynamics(arms):
    """Return the motion of two arms whose tips are joined.

    `arms` (two tuples (tree, thd, T, node)): state, torques and tip of each arm. Both tips have
      the same axes in the inertial frame, and the same velocity.
    Returns motion of each arm; its multipliers are the force f_i on its tip (6,).
    """
    free = [articulated_body(tree, thd, T) for tree, thd, T, _ in arms]
    alpha = [node.phi.T @ found[1][node.body] for found, (*_, node) in zip(free, arms)]
    together = sum(compliance(tree, [node]) for tree, _, _, node in arms)
    force = -np.linalg.solve(together, alpha[0] - alpha[1])
    return tuple(
        Corrected(found[0] + response(tree, pick_off(tree, [f], [node])), found[0], f)
        for found, f, (tree, _, _, node) in zip(free, (force, -force), arms)
    )
