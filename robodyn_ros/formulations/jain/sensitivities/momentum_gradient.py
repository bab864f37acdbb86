# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The gradient M_D of the momentum, and Christoffel's Coriolis matrix: Jain, remark 18.1.

    M_D = grad (M thd) = [M_1 thd, ..., M_N thd]                                    (4.29, 18.37)
        column i = H phi {[E bar(H'(i)) phi M - M phi' tilde(H'(i)) E'] V}
    C_M = 1/2 (dM/dt + M_D - M_D'),  C_M thd = C,  dM/dt - 2 C_M skew

In the axes of the bodies, with h = phi M V. At the body k of i, let u = tilde(H'(i)) V^+(k),
V^+ = V - Delta. Column i has two parts. Ancestors of k feel the torque of a force bar(H'(i))
h(k) - R(k) u. Body k and its descendants feel the torque of an acceleration -u. O(sum of depths),
at most O(n^2).

C_M is not in the book, which says only that (M_D' - M_D) is skew. [M_D - M_D'/2] thd is C too
(4.32), but dM/dt - 2 [M_D - M_D'/2] is not skew. Controllers that need passivity use C_M.
"""

import numpy as np

from robodyn_ros.errors import ModelError
from robodyn_ros.formulations.jain.composite_bodies import composite_inertias
from robodyn_ros.formulations.jain.operators.sweeps import gather
from robodyn_ros.formulations.jain.sensitivities.mass_matrix_rate import mass_matrix_rate
from robodyn_ros.formulations.jain.sensitivities.operator_sensitivities import map_gradients
from robodyn_ros.formulations.jain.spatial_algebra import bar, tilde
from robodyn_ros.formulations.jain.tree_kinematics import velocities


def momentum_gradient(tree, thd):
    """Return M_D, column by column (18.37).

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    """
    V, R = velocities(tree, thd), composite_inertias(tree)
    h = gather(tree, [M @ v for M, v in zip(tree.M, V)], tree.phi)
    V_plus = V - tree.hinge_velocity(thd)
    M_D = np.zeros((tree.N, tree.N), V.dtype)
    for k, s in enumerate(tree.slices):
        maps, H = map_gradients(tree, k), tree.H[k]
        if not maps:
            continue
        # Columns of all freedoms of the hinge at once.
        u = np.stack([tilde(each) @ V_plus[k] - B @ thd[s] for each, B in zip(H, maps)], axis=1)
        f = np.stack([bar(each) @ h[k] for each in H], axis=1) - R[k] @ u
        M_D[s, s] = np.stack([B.T @ h[k] for B in maps], axis=1) - H @ R[k] @ u
        j = k
        while (up := tree.parent[j]) < tree.n:
            f, j = tree.phi[j] @ f, up
            M_D[tree.slices[j], s] = tree.H[j] @ f
        moving, outboard = {k: u}, [*tree.children[k]]
        while outboard:
            j = outboard.pop()
            moving[j] = tree.phi[j].T @ moving[tree.parent[j]]
            M_D[tree.slices[j], s] = -tree.H[j] @ R[j] @ moving[j]
            outboard += tree.children[j]
    return M_D


def coriolis_matrix(tree, thd):
    """Return Christoffel's matrix C_M, with C_M thd the Coriolis torque and dM/dt - 2 C_M skew.

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    Raises ModelError: if velocities are no rates of coordinates, as those of a ball joint.
    """
    for body in tree.bodies:
        if body.hinge.nq != body.hinge.nv:
            raise ModelError(
                f'body {body.name!r}: got a {body.hinge.name} hinge; expected hinges whose '
                'velocities are rates of coordinates'
            )
    M_D = momentum_gradient(tree, thd)
    return 0.5 * (mass_matrix_rate(tree, thd) + M_D - M_D.T)
