# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rigid motions as 4 x 4 matrices: exponential, logarithm, inverse. Linear parts come first.

Source: Lynch and Park 2017, section 3.3.3. Arrays may have any axes in front.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.errors import ShapeError

#: Angle [rad] below which series replace quotients that lose digits. The error of the series is
#: below rounding there.
SMALL = 0.02


def exp(V: ArrayLike) -> np.ndarray:
    """Return the motion along a constant twist for unit time: exp([V]).

    It is [R, G v; 0, 1] with G = 1 + (1 - cos a)/a^2 [w] + (a - sin a)/a^3 [w]^2, where a is the
    length of w (Lynch and Park 2017, eq. 3.88).

    Parameters
    ----------
    V : (..., 6) array_like
        Twist [v; w] [m, rad].

    Returns
    -------
    (..., 4, 4) ndarray
        Homogeneous transform [-, m].

    Raises
    ------
    ShapeError
        If the last axis does not have six entries.
    """
    V = _array(V, (6,), 'a twist')
    v, w = V[..., :3], V[..., 3:]
    square = (w * w).sum(-1)
    angle = np.sqrt(square)
    first = np.sinc(angle / np.pi)
    second = 0.5 * np.sinc(0.5 * angle / np.pi) ** 2
    series = (1.0 - square / 20.0 * (1.0 - square / 42.0)) / 6.0
    third = np.where(angle < SMALL, series, (1.0 - first) / np.where(angle < SMALL, 1.0, square))
    W = skew(w)
    W2 = W @ W
    X = np.zeros((*V.shape[:-1], 4, 4))
    X[..., :3, :3] = np.eye(3) + first[..., None, None] * W + second[..., None, None] * W2
    carried = np.eye(3) + second[..., None, None] * W + third[..., None, None] * W2
    X[..., :3, 3] = (carried @ v[..., None])[..., 0]
    X[..., 3, 3] = 1.0
    return X


def log(X: ArrayLike) -> np.ndarray:
    """Return the twist whose exponential is X, with the shortest rotation.

    w is the rotation vector of R, of at most half a turn and of length a. With c = (1 - (a/2)
    cot(a/2)) / a^2, v = (1 - [w]/2 + c [w]^2) p (Lynch and Park 2017, eq. 3.92).

    Parameters
    ----------
    X : (..., 4, 4) array_like
        Homogeneous transform [-, m].

    Returns
    -------
    (..., 6) ndarray
        Twist [v; w] [m, rad].

    Raises
    ------
    ShapeError
        If the last two axes are not (4, 4).
    """
    X = _array(X, (4, 4), 'a homogeneous transform')
    w = _rotation_vector(X[..., :3, :3])
    square = (w * w).sum(-1)
    angle = np.sqrt(square)
    series = (1.0 + square / 60.0 * (1.0 + square / 42.0)) / 12.0
    safe = np.where(angle < SMALL, 1.0, angle)
    exact = (1.0 - 0.5 * safe / np.tan(0.5 * safe)) / safe**2
    c = np.where(angle < SMALL, series, exact)
    W, p = skew(w), X[..., :3, 3:]
    v = (p - 0.5 * (W @ p) + c[..., None, None] * (W @ (W @ p)))[..., 0]
    return np.concatenate((v, w), axis=-1)


def inverse(X: ArrayLike) -> np.ndarray:
    """Return the inverse of a rigid motion, [R^T, -R^T p; 0, 1].

    Parameters
    ----------
    X : (..., 4, 4) array_like
        Homogeneous transform [-, m].

    Returns
    -------
    (..., 4, 4) ndarray
        Its inverse.

    Raises
    ------
    ShapeError
        If the last two axes are not (4, 4).
    """
    X = _array(X, (4, 4), 'a homogeneous transform')
    back = np.zeros(X.shape)
    R = X[..., :3, :3].swapaxes(-1, -2)
    back[..., :3, :3], back[..., 3, 3] = R, 1.0
    back[..., :3, 3:] = -R @ X[..., :3, 3:]
    return back


def skew(w: ArrayLike) -> np.ndarray:
    """Return the skew-symmetric matrix [w] of a vector, so that [w] b is the product w x b.

    Parameters
    ----------
    w : (..., 3) array_like
        Vector.

    Returns
    -------
    (..., 3, 3) ndarray
        Skew-symmetric matrix.

    Raises
    ------
    ShapeError
        If the last axis does not have three entries.
    """
    w = _array(w, (3,), 'a vector')
    W = np.zeros((*w.shape, 3))
    W[..., 2, 1], W[..., 0, 2], W[..., 1, 0] = w[..., 0], w[..., 1], w[..., 2]
    skew_symmetric: np.ndarray = W - W.swapaxes(-1, -2)
    return skew_symmetric


def _rotation_vector(R: np.ndarray) -> np.ndarray:
    """Return rotation vectors by the largest entry of the quaternion (Shepperd 1978)."""
    x, y, z = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    a, b, c = (R[..., j, i] - R[..., i, j] for i, j in ((1, 2), (2, 0), (0, 1)))
    d, e, f = (R[..., j, i] + R[..., i, j] for i, j in ((1, 2), (2, 0), (0, 1)))
    rows = np.stack(
        [
            np.stack(entries, axis=-1)
            for entries in (
                (1.0 + x - y - z, f, e, a),
                (f, 1.0 + y - x - z, d, b),
                (e, d, 1.0 + z - x - y, c),
                (a, b, c, 1.0 + x + y + z),
            )
        ],
        axis=-2,
    )
    best = np.argmax(np.stack((x, y, z, x + y + z), axis=-1), axis=-1)
    quaternion = np.take_along_axis(rows, best[..., None, None], axis=-2)[..., 0, :]
    quaternion *= np.where(quaternion[..., 3:] < 0.0, -1.0, 1.0)
    vector, scalar = quaternion[..., :3], quaternion[..., 3]
    sine = np.sqrt((vector * vector).sum(-1))
    tiny = sine <= 1e-8 * scalar
    share = np.where(
        tiny,
        2.0 / np.where(tiny, scalar, 1.0),
        2.0 * np.arctan2(sine, scalar) / np.where(tiny, 1.0, sine),
    )
    turned: np.ndarray = share[..., None] * vector
    return turned


def _array(given: ArrayLike, shape: tuple[int, ...], what: str) -> np.ndarray:
    """Return an array of floats whose last axes have the shape."""
    array = np.asarray(given, dtype=float)
    if array.shape[-len(shape) :] != shape:
        raise ShapeError(
            f'{what}: got an array of shape {array.shape}; expected {shape}, with any axes '
            'in front'
        )
    return array
