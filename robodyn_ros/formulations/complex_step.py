# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Derivatives by complex step, exact to rounding: f'(x) = Im f(x + i h) / h.

h is so small that h^2 vanishes in rounding. f must be analytic as written: no abs, no comparison,
no norm, no conjugate.
"""

import numpy as np

H = 1e-30


def along(f, x, direction):
    """Return the derivative of a function along a direction.

    `f` (callable): `f(x)` returns a number or an array, also of complex x.
    `x` (n,): point.
    """
    return np.imag(f(x + 1j * H * np.asarray(direction))) / H


def gradient(f, x):
    """Return all partial derivatives of a function.

    `f` (callable): `f(x)` returns a number or an array, also of complex x.
    `x` (n,): point.
    """
    return np.stack([along(f, x, unit) for unit in np.eye(len(x))], axis=-1)
