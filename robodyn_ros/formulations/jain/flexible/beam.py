# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Modes of uniform beams, clamped at the body frame: input to Jain, chapter 13.

    omega_r = x_r^2 sqrt(EI / rho A) / L^2,   shapes: model.extended.beam_modes

Euler-Bernoulli beam: sections stay plane, and their rotary inertia in bending is neglected. The
beam lies along x of the body frame, which is at its end s = 0 (13.21). Masses are at Gauss points
along it, so the modal integrals are exact to rounding. O(nodes n_md^2).
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.errors import ParameterError
from robodyn_ros.formulations.jain.flexible.modal_body import Interface, ModalBody, fixed
from robodyn_ros.formulations.jain.flexible.nodal_body import NodalBody
from robodyn_ros.model.extended.beam_modes import bending_modes, bending_roots, torsion_modes


class Beam(NamedTuple):
    """A uniform beam.

    `length`: length [m].
    `mass`: mass [kg].
    `EI_z`: bending stiffness about z, for bending along y [N m2].
    `EI_y`: bending stiffness about y, for bending along z [N m2].
    `polar`: moment of inertia of the whole beam about x, for torsion [kg m2].
    `GJ`: torsional stiffness [N m2].
    """

    length: float
    mass: float
    EI_z: float
    EI_y: float
    polar: float = 0.0
    GJ: float = 0.0


class ModalBeam(NamedTuple):
    """A beam as a modal body.

    `root`: its node at the body frame.
    `tip`: its node at the other end.
    """

    body: ModalBody
    root: Interface
    tip: Interface


def uniform_beam(beam, in_xy=0, in_xz=0, torsion=0, loaded_tip=False, damping=0.0, nodes=48):
    """Return a beam as a modal body, with given numbers of modes.

    `in_xy`: number of bending modes along y.
    `in_xz`: number of bending modes along z.
    `torsion`: number of torsion modes.
    `loaded_tip`: whether a body is mounted on the tip. Bending modes then begin with displacement
      and slope of the tip, torsion modes with its angle.
    `damping`: rayleigh damping: D is K times this [s].
    `nodes`: number of Gauss points along the beam.
    Raises ParameterError: without any mode, for torsion without polar inertia and GJ, or for a
      loaded tip with one bending mode.
    """
    _check(beam, in_xy, in_xz, torsion, loaded_tip)
    points, weights = np.polynomial.legendre.leggauss(nodes)
    s, weights = 0.5 * (points + 1.0), 0.5 * weights
    at = np.append(s, 1.0)
    groups = [
        bending_modes(beam.length, beam.EI_z, in_xy, at, (4, 2, 1.0), loaded_tip),
        bending_modes(beam.length, beam.EI_y, in_xz, at, (5, 1, -1.0), loaded_tip),
        torsion_modes(beam.length, beam.GJ, torsion, at, loaded_tip),
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
    """Return the frequencies of the beam with a free tip, in closed form.

    `in_xy`: number of bending modes along y.
    `in_xz`: number of bending modes along z.
    `torsion`: number of torsion modes.
    """
    bending = [
        bending_roots(count) ** 2 * np.sqrt(EI / (beam.mass * beam.length**3))
        for count, EI in ((in_xy, beam.EI_z), (in_xz, beam.EI_y))
    ]
    waves = (np.arange(torsion) + 0.5) * np.pi
    twisting = waves * np.sqrt(beam.GJ / (beam.polar * beam.length)) if torsion else waves
    return np.concatenate((*bending, twisting))


def _check(beam, in_xy, in_xz, torsion, loaded_tip):
    """Refuse a beam without modes, or without stiffness for them."""
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
