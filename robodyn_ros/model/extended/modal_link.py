# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A link that bends by modes: its modal integrals, and how its points move (Jain 13.2).

    u = Pi eta,  M_fl = [Pi'; B] M_nd [Pi, B']                              (13.20 to 13.27)

Modes are clamped at the frame of the link. All numbers are in the axes of that frame.
"""

from dataclasses import dataclass, replace

import numpy as np

from robodyn_ros.errors import ModelError, short_repr

#: [m] within which a place is that of a node.
NEAR = 1e-6
#: [-] share of the largest entry, below which an entry off the diagonal is rounding.
DIAGONAL = 1e-9


@dataclass(frozen=True, eq=False)
class ModalLink:
    """Modal mass, stiffness and damping of a link with n modes, and the modes of its points.

    `mass`: mass [kg].
    `moment`: first moment of mass, undeformed [kg m].
    `inertia`: inertia about the origin of the frame, undeformed [kg m^2].
    `modal_mass`: M^ff [kg].
    `linear`, `angular`: M^fr, undeformed: linear [kg] and angular [kg m] momentum of each mode.
    `inertia_slope`: derivative of the inertia by each mode [kg m].
    `angular_slope`: derivative of `angular` of mode r by mode s [kg].
    `inertia_curve`: factor of the product of modes r and s in the inertia [kg].
    `stiffness`, `damping`: modal stiffness and damping [N/m, N s/m].
    `points`: function of a place (3,): rotation and displacement (6, n) by each mode there. None
      if the modes are not known there.
    `known`: where the modes are known, for messages.
    """

    mass: float
    moment: np.ndarray
    inertia: np.ndarray
    modal_mass: np.ndarray
    linear: np.ndarray
    angular: np.ndarray
    inertia_slope: np.ndarray
    angular_slope: np.ndarray
    inertia_curve: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray
    points: object
    known: str

    __repr__ = short_repr

    @property
    def n(self):
        """Return the number of modes."""
        return len(self.stiffness)

    def with_rigid_body(self, place, shape, mass, inertia):
        """Return the link with a rigid body on it.

        `place` ((3,) array_like): its centre of mass [m].
        `shape` (6, n): rotation [rad] and displacement [m] of that point by each mode.
        `inertia` ((3, 3) array_like): inertia about its centre of mass [kg m^2]. Rotation by the
          modes is neglected (13.27).
        """
        p, I = np.asarray(place, float), np.asarray(inertia, float)  # noqa: E741
        turn, move = np.asarray(shape[:3]).T, np.asarray(shape[3:]).T
        products = np.einsum('ra,sb->rsab', move, move)
        across = 0.5 * (products + products.transpose(0, 1, 3, 2))
        curve = np.einsum('rs,ab->rsab', move @ move.T, np.eye(3)) - across
        slope = 2.0 * np.einsum('r,ab->rab', move @ p, np.eye(3))
        slope = slope - np.einsum('a,rb->rab', p, move) - np.einsum('ra,b->rab', move, p)
        return replace(
            self,
            mass=self.mass + mass,
            moment=self.moment + mass * p,
            inertia=self.inertia + I + mass * (p @ p * np.eye(3) - np.outer(p, p)),
            modal_mass=self.modal_mass + mass * move @ move.T + turn @ I @ turn.T,
            linear=self.linear + mass * move,
            angular=self.angular + mass * np.cross(p, move) + turn @ I,
            inertia_slope=self.inertia_slope + mass * slope,
            angular_slope=self.angular_slope + mass * np.cross(move[None, :], move[:, None]),
            inertia_curve=self.inertia_curve + mass * curve,
        )

    def with_integrals(self, mass, moment, inertia, modal_mass, linear, angular):
        """Return the link with other integrals of the undeformed link.

        Its slopes and curves stay as they are.

        `moment` (3,): first moment of mass [kg m].
        `inertia` (3, 3): inertia about the origin of the frame [kg m^2].
        `modal_mass` (n, n): modal mass [kg].
        `linear`, `angular` (n, 3): linear [kg] and angular [kg m] momentum of each mode.
        """
        return replace(
            self,
            mass=mass,
            moment=moment,
            inertia=inertia,
            modal_mass=modal_mass,
            linear=linear,
            angular=angular,
        )

    def with_modal_mass(self, modal_mass):
        """Return the link with another modal mass matrix (n, n).

        `modal_mass` (n, n): modal mass [kg].
        """
        return replace(self, modal_mass=modal_mass)

    def with_damping(self, damping):
        """Return the link with another modal damping matrix (n, n).

        `damping` (n, n): modal damping [N s/m].
        """
        return replace(self, damping=damping)

    def in_axes(self, R):
        """Return the link in other axes with the same origin.

        `R` (3, 3): rotation matrix of the frame of the link in these axes.
        """

        def moved(place):
            shape = self.points(R.T @ np.asarray(place, float))
            return None if shape is None else np.vstack((R @ shape[:3], R @ shape[3:]))

        return replace(
            self,
            moment=R @ self.moment,
            inertia=R @ self.inertia @ R.T,
            linear=self.linear @ R.T,
            angular=self.angular @ R.T,
            inertia_slope=R @ self.inertia_slope @ R.T,
            angular_slope=self.angular_slope @ R.T,
            inertia_curve=R @ self.inertia_curve @ R.T,
            points=moved,
        )

    def with_coordinates(self, S):
        """Return the link in other modes.

        `S` (n, m): columns that state the other modes in the present ones.
        """

        def mixed(place):
            shape = self.points(place)
            return None if shape is None else shape @ S

        return replace(
            self,
            modal_mass=S.T @ self.modal_mass @ S,
            linear=S.T @ self.linear,
            angular=S.T @ self.angular,
            inertia_slope=np.einsum('rk,rab->kab', S, self.inertia_slope),
            angular_slope=np.einsum('rk,sl,rsa->kla', S, S, self.angular_slope),
            inertia_curve=np.einsum('rk,sl,rsab->klab', S, S, self.inertia_curve),
            stiffness=S.T @ self.stiffness @ S,
            damping=S.T @ self.damping @ S,
            points=mixed,
        )

    def uncoupled(self, where):
        """Return the link with diagonal stiffness and damping.

        Modes that have them already stay as they are, and all others become the natural modes of
        the clamped link, of unit modal mass, by rising frequency.

        Raises ModelError: for a mode without mass, a stiffness that is not positive, or a damping
          that couples the natural modes.
        """
        M, K = self.modal_mass, self.stiffness
        if not np.linalg.eigvalsh(M).min() > 1e-12 * np.abs(M).max():
            raise ModelError(
                f'{where} has a mode without a mass of its own; expected a modal mass matrix that '
                'is positive definite'
            )
        if not np.linalg.eigvalsh(K).min() > 0.0:
            least = np.linalg.eigvalsh(K).min()
            raise ModelError(
                f'{where} has a stiffness matrix with an eigenvalue {least:.3g}; expected it '
                'positive definite, of modes clamped at the frame of the link'
            )
        if is_diagonal(K) and is_diagonal(self.damping):
            return self
        L = np.linalg.cholesky(M)
        square, shapes = np.linalg.eigh(np.linalg.solve(L, np.linalg.solve(L, K).T))
        found = self.with_coordinates(np.linalg.solve(L.T, shapes))
        found = replace(found, stiffness=np.diag(square))
        if not is_diagonal(found.damping):
            raise ModelError(
                f'{where} has a damping that couples its natural modes; expected a damping ratio, '
                'or a matrix that they make diagonal'
            )
        return replace(found, damping=np.diag(np.diag(found.damping)))


def is_diagonal(A):
    """Return whether all entries off the diagonal are rounding.

    `A` (n, n): matrix.
    """
    off = A - np.diag(np.diag(A))
    return bool(np.abs(off).max(initial=0.0) <= DIAGONAL * np.abs(A).max(initial=0.0))


def massless(stiffness, damping, points, known):
    """Return a ModalLink without mass, to which `with_rigid_body` adds nodes.

    `stiffness`, `damping` (n, n): stiffness and damping of the modes [N/m, N s/m].
    `points` (callable): modes of points, as of ModalLink.
    `known`: where they are known, for messages.
    """
    n = len(stiffness)
    return ModalLink(
        0.0,
        np.zeros(3),
        np.zeros((3, 3)),
        np.zeros((n, n)),
        np.zeros((n, 3)),
        np.zeros((n, 3)),
        np.zeros((n, 3, 3)),
        np.zeros((n, n, 3)),
        np.zeros((n, n, 3, 3)),
        np.asarray(stiffness, float),
        np.asarray(damping, float),
        points,
        known,
    )


def with_damping_ratio(link, ratio):
    """Return the link with the same damping ratio of each natural mode of the clamped link.

    D = 2 ratio M^(1/2) (M^(-1/2) K M^(-1/2))^(1/2) M^(1/2), of modal mass and stiffness.

    `ratio`: damping ratio [-].
    """
    L = np.linalg.cholesky(link.modal_mass)
    square, modes = np.linalg.eigh(np.linalg.solve(L, np.linalg.solve(L, link.stiffness).T))
    shapes = L @ modes
    rates = np.sqrt(np.maximum(square, 0.0))
    return replace(link, damping=shapes @ np.diag(2.0 * ratio * rates) @ shapes.T)


def at_nodes(places, shapes):
    """Return the `points` of a ModalLink whose modes are known at nodes.

    The frame of the link does not move by any mode.

    `places` (k, 3): places of the nodes [m].
    `shapes` (k, 6, n): rotation [rad] and displacement [m] of each node by each mode.
    Returns function of a place (3,): rotation and displacement (6, n) by each mode; None off the
      nodes.
    """
    places, shapes = np.array(places, float), np.array(shapes, float)

    def points(place):
        if np.linalg.norm(place) <= NEAR:
            return np.zeros(shapes.shape[1:])
        distances = np.linalg.norm(places - place, axis=1)
        nearest = int(np.argmin(distances))
        return shapes[nearest] if distances[nearest] <= NEAR else None

    return points


def shifted(shape, arm):
    """Return the shape of a point that is rigidly connected to another one.

    `shape` (6, n): rotation and displacement of the other point by each mode.
    `arm` ((3,) array_like): vector from the other point to it [m].
    """
    return np.vstack((shape[:3], shape[3:] + np.cross(shape[:3].T, arm).T))
