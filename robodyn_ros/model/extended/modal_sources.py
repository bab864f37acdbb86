# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sources of modal links: uniform beams, nodes with mode shapes, and Craig-Bampton sets."""

from dataclasses import dataclass
from math import inf, isfinite

import numpy as np

from robodyn_ros.errors import ModelError, short_repr
from robodyn_ros.model.extended.beam_modes import bending_modes, torsion_modes
from robodyn_ros.model.extended.modal_link import at_nodes, massless, shifted, with_damping_ratio
from robodyn_ros.model.layout import MASS
from robodyn_ros.model.rotation_matrix import unit_axis

#: Gauss nodes along a beam, which make the integrals of its modes exact to rounding.
GAUSS = 48
#: Share of the stiffness that a rigid motion may have. Files of finite elements have 7 digits.
STRAIN_FREE = 1e-6
#: Largest number of modes of a link.
MOST = 40


@dataclass(frozen=True, eq=False)
class ModalBeam:
    """A link that is a uniform beam from its joint to a point, by modes.

    `end`: end of the beam in the frame of the link [m].
    `bending`: EI about the two axes normal to the beam [N m^2]; inf for an axis that does not
      bend.
    `torsion`: GJ [N m^2]; inf, the default, for a beam that does not twist.
    `up`: second axis of bending in axes of the link; its part normal to the beam counts.
    `modes`: numbers of modes of bending about the two axes, and of torsion. An axis that does not
      move has none. With a loaded tip, each number of bending is 0 or at least 2.
    `damping_ratio`: damping ratio of each natural mode of the beam, clamped at its joint [-].
    `mass`: mass of the beam [kg]; by default that of the link, whose inertia it replaces.
    `gyration`: radius of gyration about its own axis [m]; above 0 for a beam that twists.
    `loaded_tip`: whether modes are those of a beam with a load on its tip, such as the next link.
    """

    end: np.ndarray
    bending: float | tuple[float, float]
    torsion: float = inf
    up: np.ndarray | tuple[float, float, float] = (0.0, 0.0, 1.0)
    modes: tuple[int, int, int] = (2, 2, 1)
    damping_ratio: float = 0.0
    mass: float | None = None
    gyration: float = 0.0
    loaded_tip: bool = True

    __repr__ = short_repr

    def link(self, model, row, where):
        """Return the link by modes.

        `row`: row of the body of the link.
        Raises ModelError: for an impossible beam.
        """
        end, up, stiffness, counts, mass = self._checked(model, row, where)
        length = float(np.linalg.norm(end))
        along = unit_axis(end)
        up = unit_axis(up - along * (along @ up))
        axes = np.column_stack((along, np.cross(up, along), up))

        def modes(s):
            groups = (
                bending_modes(length, stiffness[1], counts[1], s, (4, 2, 1.0), self.loaded_tip),
                bending_modes(length, stiffness[0], counts[0], s, (5, 1, -1.0), self.loaded_tip),
                torsion_modes(length, stiffness[2], counts[2], s, self.loaded_tip),
            )
            K, first = np.zeros((sum(counts), sum(counts))), 0
            for group in groups:
                own = slice(first, first + len(group.stiffness))
                K[own, own], first = group.stiffness, own.stop
            return np.concatenate([group.shapes for group in groups], axis=-1), K

        def turned(shape):
            return np.vstack((axes @ shape[:3], axes @ shape[3:]))

        def points(place):
            share = float(np.clip((place @ along) / length, 0.0, 1.0))
            shape = turned(modes(np.array([share]))[0][0])
            return shifted(shape, place - share * end)

        gauss, weights = np.polynomial.legendre.leggauss(GAUSS)
        s, weights = 0.5 * (gauss + 1.0), 0.5 * weights
        shapes, K = modes(s)
        link = massless(K, 0.0 * K, points, 'a point of the beam')
        spin = self.gyration**2 * np.outer(along, along)
        for share, weight, shape in zip(s, weights, shapes):
            link = link.with_rigid_body(
                share * end, turned(shape), weight * mass, weight * mass * spin
            )
        return with_damping_ratio(link, self.damping_ratio)

    def _checked(self, model, row, where):
        """Return end, up, (EI, EI, GJ), numbers of modes and mass, after checking them."""
        end, up = np.array(self.end, float), np.array(self.up, float)
        if end.shape != (3,) or not (np.isfinite(end).all() and np.linalg.norm(end) > 0.0):
            raise ModelError(
                f'{where} has the end {self.end}; expected three numbers, not all zero'
            )
        if up.shape != (3,) or not np.linalg.norm(np.cross(unit_axis(end), up)) > 1e-3:
            raise ModelError(
                f'{where} has up {self.up}, along the beam; expected another direction'
            )
        stiffness = (*np.broadcast_to(np.array(self.bending, float), 2), float(self.torsion))
        if not all(each > 0.0 for each in stiffness) or min(stiffness) == inf:
            raise ModelError(
                f'{where} has bending {self.bending} and torsion {self.torsion:g}; expected '
                'numbers above 0, not all of them infinite'
            )
        counts = tuple(self.modes)
        if len(counts) != 3 or not all(type(n) is int and 0 <= n <= MOST for n in counts):
            raise ModelError(
                f'{where} has modes {self.modes}; expected three whole numbers from 0 to {MOST}: '
                'about both axes, and of torsion'
            )
        counts = tuple(n if each < inf else 0 for n, each in zip(counts, stiffness))
        least = 2 if self.loaded_tip else 1
        if not 0 < sum(counts) <= MOST or any(0 < n < least for n in counts[:2]):
            raise ModelError(
                f'{where} has modes {self.modes} of axes that move; expected some, at most '
                f'{MOST}, and {least} or more of bending, or 0'
            )
        mass = float(model.constants[row, MASS]) if self.mass is None else self.mass
        for what, value in (('damping_ratio', self.damping_ratio), ('gyration', self.gyration)):
            if not (isfinite(value) and value >= 0.0):
                raise ModelError(
                    f'{where} has {what} {value:g}; expected a finite number, 0 or more'
                )
        if not 0.0 < mass < inf:
            raise ModelError(f'{where} has mass {mass:g}; expected a finite one above 0')
        if counts[2] and self.gyration == 0.0:
            raise ModelError(f'{where} twists and has gyration 0; expected a radius above 0')
        # an axis that does not move has no modes, so any finite stiffness will do
        return end, up, tuple(each if each < inf else 1.0 for each in stiffness), counts, mass


@dataclass(frozen=True, eq=False)
class ModalNodes:
    """A link by nodes: their masses and mode shapes, and stiffness and damping of the modes.

    `places`: places of the nodes, undeformed, in the frame of the link [m].
    `shapes`: rotation [rad] and displacement [m] of each node by each mode; none at the frame
      itself.
    `masses`: masses of the nodes [kg].
    `stiffness`: modal stiffness; a vector for a diagonal.
    `damping`: modal damping, likewise; by default that of `damping_ratio`.
    `damping_ratio`: damping ratio of each natural mode of the link, clamped at its joint [-].
    `inertias`: inertia about each node [kg m^2]; three numbers for a diagonal.
    `modal_mass`: modal mass in place of that of the nodes, as from finite elements with more
      nodes.
    """

    places: np.ndarray
    shapes: np.ndarray
    masses: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray | None = None
    damping_ratio: float = 0.0
    inertias: np.ndarray | None = None
    modal_mass: np.ndarray | None = None

    __repr__ = short_repr

    def link(self, model, row, where):
        """Return the link by modes.

        `model` (RobotModel): not used.
        `row`: not used.
        Raises ModelError: for numbers that do not fit together.
        """
        del model, row
        places = finite_array(where, 'places', self.places, (None, 3))
        m = len(places)
        shapes = finite_array(where, 'shapes', self.shapes, (m, None, 6)).transpose(0, 2, 1)
        n = shapes.shape[-1]
        masses = finite_array(where, 'masses', self.masses, (m,))
        if not 1 <= n <= MOST:
            raise ModelError(f'{where} has {n} modes; expected 1 to {MOST}')
        if not (masses >= 0.0).all() or not masses.sum() > 0.0:
            raise ModelError(
                f'{where} has masses {masses.tolist()}; expected 0 or more, not all 0'
            )
        inertias = np.zeros((m, 3, 3))
        if self.inertias is not None:
            inertias = np.array(
                [symmetric_matrix(where, 'inertias', each, 3) for each in self.inertias]
            )
            inertias = finite_array(where, 'inertias', inertias, (m, 3, 3))
        K = symmetric_matrix(where, 'stiffness', self.stiffness, n)
        link = massless(K, 0.0 * K, at_nodes(places, shapes), _listed(places))
        for place, shape, mass, inertia in zip(places, shapes, masses, inertias):
            link = link.with_rigid_body(place, shape, mass, inertia)
        return with_given_damping(where, with_modal_mass(where, link, self.modal_mass), self)


@dataclass(frozen=True, eq=False)
class CraigBampton:
    """A link by a Craig-Bampton set: boundary nodes, then modes with all these nodes held.

    `mass`, `stiffness`: matrices over six displacements of each boundary node, rotations [rad]
      before translations [m], and then over the modes. Displacements are in axes of the link.
    `boundary`: places of the boundary nodes [m]. The first is at the frame of the link.
    `damping`: damping over all displacements but those of the first node; by default that of
      `damping_ratio`.
    `damping_ratio`: damping ratio of each natural mode of the link, clamped at its first node [-].
    """

    mass: np.ndarray
    stiffness: np.ndarray
    boundary: np.ndarray
    damping: np.ndarray | None = None
    damping_ratio: float = 0.0

    __repr__ = short_repr

    def link(self, model, row, where):
        """Return the link by modes.

        Deformation changes its first moment of mass, to first order, but not its inertia.

        `model` (RobotModel): not used.
        `row`: not used.
        Raises ModelError: for numbers that do not fit together.
        """
        del model, row
        boundary = finite_array(where, 'boundary', self.boundary, (None, 3))
        b = len(boundary)
        mass = finite_array(where, 'mass', self.mass, (None, None))
        size = len(mass)
        mass = finite_array(where, 'mass', mass, (size, size))
        stiffness = finite_array(where, 'stiffness', self.stiffness, (size, size))
        if not (0 < size - 6 <= MOST) or size < 6 * b or np.linalg.norm(boundary[0]) > 1e-6:
            raise ModelError(
                f'{where} has {b} boundary nodes from {boundary[0].tolist()} on, and matrices of '
                f'{size} rows; expected the first at the frame of the link, six rows for each, '
                f'and at most {MOST} more than six'
            )
        moved = np.zeros((size, 6))
        for j, p in enumerate(boundary):
            moved[6 * j : 6 * j + 6] = np.block(
                [[np.eye(3), np.zeros((3, 3))], [-np.cross(np.eye(3), p), np.eye(3)]]
            )
        strain = np.abs(stiffness @ moved).max()
        if strain > STRAIN_FREE * np.abs(stiffness).max():
            raise ModelError(
                f'{where} has a force of {strain:.3g} from a rigid motion; expected less than '
                f'{STRAIN_FREE:g} of the stiffness: rotations [rad] before translations [m], node '
                'by node, in axes of the link'
            )
        T = np.hstack((np.eye(size)[:, 6:], moved))
        M, n = T.T @ mass @ T, size - 6
        M = 0.5 * (M + M.T)
        shapes = [np.eye(6, n, 6 * (j - 1)) for j in range(1, b)]
        K = 0.5 * (stiffness + stiffness.T)[6:, 6:]
        points = at_nodes(boundary[1:].reshape(-1, 3), np.reshape(shapes, (-1, 6, n)))
        link = massless(K, 0.0 * K, points, _listed(boundary))
        S = M[n : n + 3, n + 3 :]
        moment = np.array([S[2, 1], S[0, 2], S[1, 0]])
        link = link.with_integrals(
            float(np.trace(M[n + 3 :, n + 3 :]) / 3.0),
            moment,
            M[n : n + 3, n : n + 3],
            M[:n, :n],
            M[:n, n + 3 :],
            M[:n, n : n + 3],
        )
        return with_given_damping(where, link, self)


def with_given_damping(where, link, source):
    """Return a link with the damping, or the damping ratio, of its source.

    Raises ModelError: for a damping that is not possible.
    """
    if source.damping is not None:
        return link.with_damping(symmetric_matrix(where, 'damping', source.damping, link.n))
    if not (isfinite(source.damping_ratio) and source.damping_ratio >= 0.0):
        raise ModelError(
            f'{where} has damping_ratio {source.damping_ratio:g}; expected a finite number, 0 or '
            'more'
        )
    return with_damping_ratio(link, source.damping_ratio)


def with_modal_mass(where, link, modal_mass):
    """Return a link with another modal mass matrix, or itself for None.

    `modal_mass` ((n, n) or (n,) array_like): modal mass [kg]; a vector for a diagonal.
    """
    if modal_mass is None:
        return link
    return link.with_modal_mass(symmetric_matrix(where, 'modal_mass', modal_mass, link.n))


def finite_array(where, what, values, shape):
    """Return finite numbers of a shape.

    `what`: what they are, for messages.
    `values` (array_like): numbers.
    `shape` (tuple of int or None): expected lengths; None for any length above 0.
    Raises ModelError: for anything else.
    """
    try:
        found = np.array(values, dtype=float)
    except (TypeError, ValueError):
        found = None
    fits = found is not None and found.ndim == len(shape) and found.size
    if not fits or any(n not in (None, m) for n, m in zip(shape, found.shape)):
        got = 'no table of numbers' if found is None else f'numbers of shape {found.shape}'
        wanted = ', '.join('any' if n is None else str(n) for n in shape)
        raise ModelError(f'{where} has {what} that are {got}; expected shape ({wanted})')
    if not np.isfinite(found).all():
        raise ModelError(f'{where} has {what} that are not finite; expected numbers')
    return found


def symmetric_matrix(where, what, values, n):
    """Return a symmetric matrix, also from its diagonal.

    `what`: what it is, for messages.
    `values` ((n, n) or (n,) array_like): matrix, or its diagonal.
    `n`: number of rows.
    Raises ModelError: for anything else.
    """
    if np.ndim(values) == 1:
        return np.diag(finite_array(where, what, values, (n,)))
    found = finite_array(where, what, values, (n, n))
    if np.abs(found - found.T).max() > 1e-6 * np.abs(found).max():
        raise ModelError(f'{where} has {what} that are not symmetric; expected them so')
    return 0.5 * (found + found.T)


def _listed(places):
    """Return the places of nodes for a message."""
    return 'one of ' + ', '.join(str(np.round(place, 6).tolist()) for place in places[:8])
