# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The gradient of the kinetic energy: Jain, lemma 18.10.

    dKE/dtheta = - H bar(V^+) h,           h = phi M V,  V^+ = V - Delta                  (18.38a)
               = - H phi {bar(V) - bar(Delta) phi} M V                                    (18.38b)
               = - H phi {bar(V) M - bar(Delta) [1 + phi K H] P} V                        (18.38c)

Three O(n) methods, for any Tree in the axes of its bodies. The first takes one gather of momenta,
the second two gathers. The third takes two gathers with the articulated inertias, and no momenta
of the bodies. A hinge whose map turns adds (dH/dtheta_i)' thd to row i.

The book has Delta^w in the first, and tilde(Delta^w) + E bar(Delta^v) for bar(Delta) in the
others. For revolute, prismatic and helical hinges this is the same, as H bar(Delta^v) is zero.
"""

import numpy as np

from robodyn_ros.formulations.jain.articulated_bodies import articulated
from robodyn_ros.formulations.jain.operators.sweeps import gather
from robodyn_ros.formulations.jain.sensitivities.operator_sensitivities import map_gradients
from robodyn_ros.formulations.jain.spatial_algebra import bar
from robodyn_ros.formulations.jain.tree_kinematics import velocities


def by_momentum(tree, thd):
    """Return dKE/dtheta from the momenta (18.38a).

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    """
    V = velocities(tree, thd)
    h = gather(tree, [M @ v for M, v in zip(tree.M, V)], tree.phi)
    V_plus = V - tree.hinge_velocity(thd)
    own = np.concatenate([-H @ bar(v) @ each for H, v, each in zip(tree.H, V_plus, h)])
    return own + _turning_maps(tree, thd, h)


def by_forces(tree, thd):
    """Return dKE/dtheta by gathering forces (18.38b).

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    """
    V = velocities(tree, thd)
    h = gather(tree, [M @ v for M, v in zip(tree.M, V)], tree.phi)
    return _gathered(tree, thd, V, h)


def by_articulated_bodies(tree, thd):
    """Return dKE/dtheta with h = [1 + phi K H] P V, by the articulated inertias (18.38c).

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    """
    V, art = velocities(tree, thd), articulated(tree)
    V_plus = V - tree.hinge_velocity(thd)
    z = [np.zeros(6, V.dtype) for _ in range(tree.n)]
    for k, up in enumerate(tree.parent):
        if up < tree.n:
            innovation = art.D[k] @ thd[tree.slices[k]] + tree.H[k] @ art.P[k] @ V_plus[k]
            z[up] = z[up] + tree.phi[k] @ (z[k] + art.G[k] @ innovation)
    return _gathered(tree, thd, V, [P @ v + each for P, v, each in zip(art.P, V, z)])


def _gathered(tree, thd, V, h):
    """Return the gradient from momenta h, by one gather of forces."""
    Delta = tree.hinge_velocity(thd)
    y = [bar(v) @ M @ v - bar(delta) @ each for v, M, delta, each in zip(V, tree.M, Delta, h)]
    f = gather(tree, y, tree.phi)
    own = -np.concatenate([H @ each for H, each in zip(tree.H, f)])
    return own + _turning_maps(tree, thd, h)


def _turning_maps(tree, thd, h):
    """Return thd' (dH/dtheta_i) h (N,), which is zero for constant maps."""
    return np.array(
        [
            thd[s] @ B.T @ each
            for k, (s, each) in enumerate(zip(tree.slices, h))
            for B in map_gradients(tree, k)
        ]
    )
