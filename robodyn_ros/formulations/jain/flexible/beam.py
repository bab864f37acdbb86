# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Modes of uniform beams, clamped at the body frame: input to Jain, chapter 13.

    EI w'''' + rho A wddot = 0,   omega_r = x_r^2 sqrt(EI / rho A) / L^2
    free tip     cos(x) cosh(x) = -1,   torsion  x_r = (r - 1/2) pi
    loaded tip   unit displacement and slope of the tip, and the modes with the tip held:
                 cos(x) cosh(x) = 1,    torsion  x_r = r pi
    w_r = cosh - cos - sigma_r (sinh - sin) of x_r s,  s = x / L,  its square 1 in the mean

Euler and Bernoulli's beam: sections stay plane, their inertia against bending does not count. The
beam lies along x of the body frame, which stands at its end s = 0 (13.21). Masses are Gauss nodes
along it, so the modal integrals are exact to rounding. O(nodes n_md^2).

Modes of a free tip have no curvature there. What hangs on the tip needs one: with modes of a
loaded tip, a Craig-Bampton set, frequencies converge much faster.
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.errors import ParameterError
from robodyn_ros.formulations.jain.flexible.modal_body import Interface, ModalBody, fixed
from robodyn_ros.formulations.jain.flexible.nodal_body import NodalBody


class Beam(NamedTuple):
    """A uniform beam: length [m], mass [kg], bending stiffness EI about z and y [N m2] each.

    For torsion: polar (mass moment of inertia about x, whole beam) [kg m2], and GJ [N m2].
    """

    length: float
    mass: float
    EI_z: float
    EI_y: float
    polar: float = 0.0
    GJ: float = 0.0


class ModalBeam(NamedTuple):
    """A ModalBody, its Interface root at the frame, and tip at the other end."""

    body: ModalBody
    root: Interface
    tip: Interface


class Modes(NamedTuple):
    """Shapes (len(s), 6, n) of modes, and their mass-free stiffness (n, n): omega^2 = K / mass."""

    shapes: np.ndarray
    stiffness: np.ndarray


def bending_roots(count, sign=-1.0):
    """Return the first x_r > 0 (count,) with cos(x) cosh(x) = sign.

    sign -1 : free tip, 1.8751, 4.6941, ...; +1 : tip held, 4.7300, 7.8532, ...
    """
    x = (np.arange(count) + (0.5 if sign < 0.0 else 1.5)) * np.pi
    for _ in range(8):  # Newton: quadratic from a start that is right to 0.3
        slope = -np.sin(x) + sign * np.tanh(x) / np.cosh(x)
        x = x - (np.cos(x) - sign / np.cosh(x)) / slope
    return x


def bending_shape(root, s, sign=-1.0):
    """Return (w, dw/ds), each of the shape of s (0 .. 1), of one root of bending_roots.

    1 - sigma is computed by itself, so that nothing large cancels at high roots.
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


def uniform_beam(beam, in_xy=0, in_xz=0, torsion=0, loaded_tip=False, damping=0.0, nodes=48):
    """Return the ModalBeam of a Beam with that many modes of each kind.

    Parameters
    ----------
    beam : Beam.
    in_xy, in_xz, torsion : modes of bending along y, along z, and of torsion.
    loaded_tip : whether something hangs on the tip. Bending then begins with the displacement and
        the slope of the tip, torsion with its angle.
    damping : seconds by which D is K times that, Rayleigh's damping.
    nodes : Gauss nodes along the beam.

    Raises
    ------
    ParameterError without any mode, for torsion without polar inertia and GJ, for a loaded tip
    with one bending mode.

    """
    _check(beam, in_xy, in_xz, torsion, loaded_tip)
    points, weights = np.polynomial.legendre.leggauss(nodes)
    s, weights = 0.5 * (points + 1.0), 0.5 * weights
    at = np.append(s, 1.0)
    groups = [
        _bending(beam.length, beam.EI_z, in_xy, at, (4, 2, 1.0), loaded_tip),
        _bending(beam.length, beam.EI_y, in_xz, at, (5, 1, -1.0), loaded_tip),
        _torsion(beam, torsion, at, loaded_tip),
    ]
    shapes = np.concatenate([group.shapes for group in groups], axis=-1)
    n = shapes.shape[-1]
    K, first = np.zeros((n, n)), 0
    for _, stiffness in groups:
        own = slice(first, first + len(stiffness))
        K[own, own], first = stiffness, own.stop
    M = np.zeros((nodes, 6, 6))
    M[:, 0, 0] = beam.polar * weights
    M[:, range(3, 6), range(3, 6)] = beam.mass * weights[:, None]
    p = np.outer(s * beam.length, (1.0, 0.0, 0.0))
    masses = NodalBody(p, M, np.zeros((6 * nodes, 6 * nodes)))
    body = masses.modal(shapes[:-1].reshape(-1, n)).with_strain(K, damping * K)
    tip = Interface(np.array([beam.length, 0.0, 0.0]), np.eye(3), shapes[-1])
    return ModalBeam(body, fixed(np.zeros(3), n_md=n), tip)


def natural_frequencies(beam, in_xy=0, in_xz=0, torsion=0):
    """Return the frequencies [rad/s] (n_md,) of the beam with a free tip, in closed form."""
    bending = [
        bending_roots(count) ** 2 * np.sqrt(EI / (beam.mass * beam.length**3))
        for count, EI in ((in_xy, beam.EI_z), (in_xz, beam.EI_y))
    ]
    waves = (np.arange(torsion) + 0.5) * np.pi
    twisting = waves * np.sqrt(beam.GJ / (beam.polar * beam.length)) if torsion else waves
    return np.concatenate((*bending, twisting))


def _check(beam, in_xy, in_xz, torsion, loaded_tip):
    """Refuse what has no modes, or no stiffness for them."""
    if in_xy + in_xz + torsion == 0:
        raise ParameterError('got no modes; expected one of bending or torsion at least')
    if torsion and not (beam.polar > 0.0 and beam.GJ > 0.0):
        raise ParameterError(
            f'got polar {beam.polar} kg m2 and GJ {beam.GJ} N m2 for torsion; expected both '
            'above 0'
        )
    if loaded_tip and 1 in (in_xy, in_xz):
        raise ParameterError(
            f'got {in_xy} and {in_xz} modes of bending with a loaded tip; expected 0, or 2 for '
            'its displacement and its slope, and more'
        )


def _bending(L, EI, count, s, axes, loaded_tip):
    """Return the Modes of bending: displacement along, rotation about, and its sign are `axes`."""
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


def _torsion(beam, count, s, loaded_tip):
    """Return the Modes of torsion."""
    waves = (np.arange(count) + (0.0 if loaded_tip else 0.5)) * np.pi
    shapes = np.zeros((len(s), 6, count))
    shapes[:, 0] = np.sqrt(2.0) * np.sin(np.outer(s, waves))
    K = beam.GJ / beam.length * waves**2
    if loaded_tip and count:
        shapes[:, 0, 0], K[0] = s, beam.GJ / beam.length
    return Modes(shapes, np.diag(K))
