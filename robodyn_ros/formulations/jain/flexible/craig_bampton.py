# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Import of Craig-Bampton models from finite elements: input to Jain, chapter 13.

    u = [u_1; ...; u_b; x],   M uddot + K u = f
    u_root = [w], u_j = phi'(root, j) w + d_j:   eta = [d_j of the others; x],  V(k) = wdot

A Craig-Bampton model has the displacements of b boundary nodes, six each, rotations first. It also
has the amplitudes x of modes with all these nodes fixed. With the frame at the root node, the
others move on the body by d_j: cantilever modes (13.21). The mass matrix is that of the undeformed
body (exercise 13.1).
"""

import numpy as np

from robodyn_ros.errors import ParameterError, ShapeError
from robodyn_ros.formulations.jain.flexible.modal_body import Interface, ModalBody, fixed
from robodyn_ros.formulations.jain.spatial_algebra import phi

#: Share of the stiffness that a rigid motion may meet: files of finite elements have 7 digits.
STRAIN_FREE = 1e-6


def craig_bampton(mass, stiffness, boundary, root=0, damping_ratio=0.0):
    """Return a Craig-Bampton model as a modal body with its boundary nodes.

    `mass` (6 b + n_x, 6 b + n_x): symmetric mass matrix, in the axes of the body [kg, m,
      rad].
    `stiffness` (6 b + n_x, 6 b + n_x): symmetric stiffness matrix, in the axes of the
      body [N, m, rad].
    `boundary` ((b, 3) array_like): positions of the boundary nodes [m].
    `root`: boundary node that carries the body frame.
    `damping_ratio`: D = 2 ratio K omega^-1 in the modes of the body fixed at the root.
    Returns `body` (ModalBody): the body.
    Returns `root` (Interface): its root node.
    Returns `others` (tuple of Interface): its other boundary nodes.
    Raises ShapeError: if sizes do not match.
    Raises ParameterError: if a rigid motion strains the body.
    """
    boundary, b = np.asarray(boundary, float), len(boundary)
    size = len(mass)
    if mass.shape != (size, size) or stiffness.shape != (size, size) or size < 6 * b:
        raise ShapeError(
            f'got a mass matrix {mass.shape} and a stiffness matrix {stiffness.shape} with {b} '
            f'boundary nodes; expected both square, of one size, {6 * b} at least'
        )
    moved = np.zeros((size, 6))
    for j, p in enumerate(boundary):
        moved[6 * j : 6 * j + 6] = phi(p - boundary[root], np.eye(3)).T
    strain = np.abs(stiffness @ moved).max()
    if strain > STRAIN_FREE * np.abs(stiffness).max():
        raise ParameterError(
            f'got a force of {strain:.3g} from a rigid motion of the body; expected less than '
            f'{STRAIN_FREE:g} of the stiffness: rotations [rad] before translations [m], node by '
            'node, in the axes of the body'
        )
    kept = np.arange(size) // 6 != root
    kept[6 * b :] = True
    T = np.hstack((np.eye(size)[:, kept], moved))
    M, K = T.T @ mass @ T, stiffness[np.ix_(kept, kept)]
    n = len(K)
    body = ModalBody(
        0.5 * (M + M.T),
        np.zeros((n, n + 6, n + 6)),
        np.zeros((n, n, 6, 6)),
        0.5 * (K + K.T),
        _damping(M[:n, :n], K, damping_ratio),
    )
    others = tuple(
        Interface(boundary[j] - boundary[root], np.eye(3), np.eye(size)[6 * j : 6 * j + 6, kept])
        for j in range(b)
        if j != root
    )
    return body, fixed(np.zeros(3), n_md=n), others


def _damping(M, K, ratio):
    """Return D (n, n) with the same damping ratio for every mode of M, K."""
    L = np.linalg.cholesky(M)
    square, modes = np.linalg.eigh(np.linalg.solve(L, np.linalg.solve(L, K).T))
    shapes = L @ modes
    return shapes @ np.diag(2.0 * ratio * np.sqrt(np.maximum(square, 0.0))) @ shapes.T
