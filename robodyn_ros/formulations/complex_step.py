# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Derivatives exact to rounding: f'(x) = Im f(x + i h) / h with h so small that h^2 is nothing.

For any f that is analytic as written: no abs, no comparison, no norm, no conjugate.
"""

import numpy as np

H = 1e-30


def along(f, x, direction):
    """Derivative of f at x along a direction; the shape of f(x)."""
    return np.imag(f(x + 1j * H * np.asarray(direction))) / H


def gradient(f, x):
    """Return all partial derivatives of f at x (n,), stacked on a new last axis (..., n)."""
    return np.stack([along(f, x, unit) for unit in np.eye(len(x))], axis=-1)
