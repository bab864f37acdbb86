# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Mode shapes of uniform beams, clamped at their root: Euler and Bernoulli.

    EI w'''' + rho A wddot = 0,   omega_r = x_r^2 sqrt(EI / rho A) / L^2
    free tip     cos(x) cosh(x) = -1,   torsion  x_r = (r - 1/2) pi
    loaded tip   unit displacement and slope of the tip, and the modes with the tip clamped:
                 cos(x) cosh(x) = 1,    torsion  x_r = r pi
    w_r = cosh - cos - sigma_r (sinh - sin) of x_r s,  s = x / L,  its square 1 in the mean

The beam lies along x. Modes of a free tip have no curvature there, but a load on the tip causes
one. With modes of a loaded tip, a Craig-Bampton set, frequencies converge much faster.
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.errors import short_repr


class Modes(NamedTuple):
    """Modes of a beam.

    `shapes`: rotation and displacement at m places by each mode.
    `stiffness`: modal stiffness K, for omega^2 = K / mass.
    """

    shapes: np.ndarray
    stiffness: np.ndarray

    def __repr__(self):
        return short_repr(self)


def bending_roots(count, sign=-1.0):
    """Return the first x_r > 0 with cos(x) cosh(x) = sign.

    `count`: number of roots.
    `sign`: -1 for a free tip: 1.8751, 4.6941, ...; 1 for a clamped tip: 4.7300, 7.8532, ...
    """
    x = (np.arange(count) + (0.5 if sign < 0.0 else 1.5)) * np.pi
    for _ in range(8):  # Newton's method converges quadratically from this start
        slope = -np.sin(x) + sign * np.tanh(x) / np.cosh(x)
        x = x - (np.cos(x) - sign / np.cosh(x)) / slope
    return x


def bending_shape(root, s, sign=-1.0):
    """Return a mode of bending and its slope.

    1 - sigma is computed directly, since large terms would cancel at high roots.

    `root`: root x_r of `bending_roots`.
    `s` ((m,) array_like): places along the beam, 0 at the root and 1 at the tip.
    """
    if sign < 0.0:
        rest = np.exp(-root) + np.cos(root) + np.sin(root)
        rest /= np.cosh(root) + np.cos(root)
    else:
        rest = np.cos(root) - np.sin(root) - np.exp(-root)
        rest /= np.sinh(root) - np.sin(root)
    x = root * np.asarray(s)
    rising, falling = 0.5 * rest * np.exp(x), 0.5 * (2.0 - rest) * np.exp(-x)
    sigma = 1.0 - rest
    return (
        rising + falling - np.cos(x) + sigma * np.sin(x),
        root * (rising - falling + np.sin(x) + sigma * np.cos(x)),
    )


def bending_modes(L, EI, count, s, axes, loaded_tip):
    """Return the modes of bending of a beam.

    `L`: length [m].
    `EI`: stiffness [N m^2].
    `count`: number of modes.
    `s` (m,): places, 0 at the root and 1 at the tip.
    `axes` (tuple): index of the displacement, of the rotation, and its sign.
    `loaded_tip`: whether there is a load on the tip.
    """
    along, about, turn = axes
    sign = 1.0 if loaded_tip else -1.0
    waves = bending_roots(max(count - 2, 0) if loaded_tip else count, sign)
    curves = [bending_shape(root, s, sign) for root in waves]
    K = np.diag(EI / L**3 * waves**4)
    if loaded_tip and count:
        curves = [
            (3.0 * s**2 - 2.0 * s**3, 6.0 * s - 6.0 * s**2),
            (L * (s**3 - s**2), L * (3.0 * s**2 - 2.0 * s)),
            *curves,
        ]
        static = EI / L**3 * np.array([[12.0, -6.0 * L], [-6.0 * L, 4.0 * L**2]])
        K = np.block([[static, np.zeros((2, count - 2))], [np.zeros((count - 2, 2)), K]])
    shapes = np.zeros((len(s), 6, count))
    for r, (w, slope) in enumerate(curves):
        shapes[:, along, r], shapes[:, about, r] = w, turn * slope / L
    return Modes(shapes, K)


def torsion_modes(L, GJ, count, s, loaded_tip):
    """Return the modes of torsion of a shaft.

    `L`: length [m].
    `GJ`: stiffness [N m^2].
    `count`: number of modes.
    `s` (m,): places, 0 at the root and 1 at the tip.
    `loaded_tip`: whether there is a load on the tip.
    """
    waves = (np.arange(count) + (0.0 if loaded_tip else 0.5)) * np.pi
    shapes = np.zeros((len(s), 6, count))
    shapes[:, 0] = np.sqrt(2.0) * np.sin(np.outer(s, waves))
    K = GJ / L * waves**2
    if loaded_tip and count:
        shapes[:, 0, 0], K[0] = s, GJ / L
    return Modes(shapes, np.diag(K))
