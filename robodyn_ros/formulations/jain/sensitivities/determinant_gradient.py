# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The gradient of log det M, proportional to Fixman's force: Jain, exercise 18.15.

    d log det M/dtheta_i = sum over k > i of Tr[D^-1(k) H(k) lam_i(k) H'(k)]             (18.66)
        = 2 Tr[P(i) Upsilon(i) tilde(H^w'(i))]   where hinges only turn                  (18.67)
        = 2 Tr[P Omega (tilde(H^w_=i) + E bar(H^v_=i))]                                  (18.68)
        = 2 Tr[P^+(i) Upsilon^+(i) bar(H'(i))],  Upsilon^+ = phi' Upsilon(parent) phi

log det M is the sum of log det D(k) (9.53). The last line is (18.68) body by body. It and (18.67)
cost O(n) for all i together, (18.66) O(sum of depths). They hold for any Tree. A hinge whose map
turns adds 2 Tr[(dH/dtheta_i) (1 - P^+ Upsilon^+) G]. A base hinge with constant map has zero.

Correction to the print: H^w_=i of (18.67) and (18.68) has a tilde.
"""

import numpy as np

from robodyn_ros.errors import ModelError
from robodyn_ros.formulations.jain.articulated_bodies import articulated
from robodyn_ros.formulations.jain.operational_space_operators import kernel
from robodyn_ros.formulations.jain.sensitivities.articulated_sensitivities import (
    lambda_sensitivities,
)
from robodyn_ros.formulations.jain.sensitivities.operator_sensitivities import map_gradients
from robodyn_ros.formulations.jain.spatial_algebra import angular, bar, tilde


def by_sensitivities(tree):
    """Return d log det M/dtheta from the derivatives of D (18.66).

    `tree` (Tree): bodies at one configuration.
    """
    art = articulated(tree)
    found = np.zeros(tree.N, tree.dtype)
    for b, i, B in _freedoms(tree):
        own = B.T @ art.P[b] @ tree.H[b].T
        found[i] = 2.0 * np.trace(np.linalg.solve(art.D[b], own))
        for k, lam in lambda_sensitivities(tree, art, i).items():
            if k != b:
                rate = tree.H[k] @ lam @ tree.H[k].T
                found[i] += np.trace(np.linalg.solve(art.D[k], rate))
    return found


def of_turning_joints(tree):
    """Return d log det M/dtheta of a Tree of revolute hinges, in O(n) (18.67).

    `tree` (Tree): bodies at one configuration.
    Raises ModelError: if a hinge is neither revolute nor locked.
    """
    for body, H in zip(tree.bodies, tree.H):
        if len(H) > 1 or H[:, 3:].any():
            raise ModelError(
                f'body {body.name!r}: got a {body.hinge.name} hinge; expected pins '
                'or locked hinges'
            )
    art = articulated(tree)
    Y = kernel(tree, art)
    return np.array(
        [
            2.0 * np.trace(art.P[b] @ Y[b] @ tilde(angular(tree.H[b][0])))
            for b, i, _ in _freedoms(tree)
        ]
    )


def by_compliances(tree):
    """Return d log det M/dtheta of any Tree from the compliances of the parents, in O(n) (18.68).

    `tree` (Tree): bodies at one configuration.
    """
    art = articulated(tree)
    Y = kernel(tree, art)
    found = np.zeros(tree.N, tree.dtype)
    for b, i, B in _freedoms(tree):
        up, A = tree.parent[b], tree.phi[b]
        PY = art.P_plus[b] @ A.T @ Y[up] @ A if up < tree.n else np.zeros((6, 6))
        h = tree.H[b][i - tree.slices[b].start]
        own = B.T @ (art.G[b] - PY @ art.G[b])
        found[i] = 2.0 * (np.trace(PY @ bar(h)) + np.trace(own))
    return found


def _freedoms(tree):
    """Yield (body, freedom i, dH'/dtheta_i of the body (6, r)) of every freedom."""
    for b, s in enumerate(tree.slices):
        yield from zip([b] * (s.stop - s.start), range(s.start, s.stop), map_gradients(tree, b))
