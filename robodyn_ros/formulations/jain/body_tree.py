# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A tree of bodies at one configuration, in the order and the letters of Jain.

    k = 1 .. n from the tips to the base, parent(k) > k, n + 1 the inertial frame   (chapter 8)
    V(k) = phi'(parent(k), k) V(parent(k)) + H'(k) beta(k)                                (3.19)

Python counts from 0: body k of the book is row k - 1, and row n is the inertial frame. Body frames
stand at their hinges (B_k = O_k). Every quantity of body k is in its own axes, angular part first.
`dofs` maps the velocities in this order to those of the robot.
"""

import functools
from dataclasses import dataclass, replace

import numpy as np

from robodyn_ros.errors import ShapeError, short_repr
from robodyn_ros.formulations.jain import hinges as hinges
from robodyn_ros.formulations.jain.single_body import spatial_inertia
from robodyn_ros.formulations.jain.sko.sko_model import SkoStructure
from robodyn_ros.formulations.jain.spatial_algebra import phi
from robodyn_ros.formulations.posture import model_of, symmetric
from robodyn_ros.model.layout import (
    BALL_X,
    BALL_Y,
    BALL_Z,
    HELICAL,
    INERTIA,
    KIND,
    MASS,
    MOMENT,
    OFFSET,
    PARENT,
    PITCH,
    PRISMATIC,
    ROTATION,
    ROTOR,
    ZERO,
    Q,
    V,
)


@dataclass(frozen=True, eq=False)
class Body:
    """A body and the hinge that connects it to its parent.

    `name`: name of the body.
    `parent`: name of the parent; None for the inertial frame.
    `R`: axes of the hinge in those of the parent.
    `p`: origin of the hinge in the axes of the parent [m].
    `M`: spatial inertia about the body's origin.
    `coordinates`: entries of q that are its theta.
    `dofs`: entries of qd that are its beta.
    `rotor`: inertia of the drives, reflected to the hinge [kg m2 or kg].
    """

    name: str
    parent: str | None
    R: np.ndarray
    p: np.ndarray
    hinge: hinges.Hinge
    M: np.ndarray
    coordinates: tuple
    dofs: tuple
    rotor: np.ndarray

    __repr__ = short_repr


@dataclass(frozen=True, eq=False)
class Tree(SkoStructure):
    """Tree of n bodies with N degrees of freedom at one configuration, tips first.

    `parent`: row of the parent of each body; n for the inertial frame.
    `R`: rotation of the body's axes into those of its parent.
    `l`: from the parent's origin to the body's, in the parent's axes [m].
    `H`: joint map of each body.
    `M`: spatial inertia of each body.
    `theta`: coordinates of each hinge.
    `dofs`: entry of qd of every degree of freedom.
    `rotor`: inertia of the drives, reflected to the hinges [kg m2 or kg].
    `g`: pseudo-acceleration [0; -gravity] of the inertial frame [m/s2].
    """

    bodies: tuple
    parent: tuple
    R: np.ndarray
    l: np.ndarray  # noqa: E741  the letter of the book
    H: tuple
    M: np.ndarray
    theta: tuple
    dofs: np.ndarray
    rotor: np.ndarray
    g: np.ndarray

    __repr__ = short_repr

    @property
    def names(self):
        """Names of the bodies, tips first."""
        return tuple(body.name for body in self.bodies)

    @functools.cached_property
    def phi(self):
        """phi(parent(k), k) of all bodies (n, 6, 6)."""
        return np.array([phi(l, R) for l, R in zip(self.l, self.R)])  # noqa: E741

    @property
    def weights(self):
        """A(parent(k), k) of a tree of rigid bodies as an SKO model: phi."""
        return self.phi

    def to_jain(self, x):
        """Return a vector, or the rows of a matrix, reordered from the robot to the tree.

        `x` ((N,) or (N, k) array_like): vector, or matrix of which the rows are reordered.
        """
        return np.asarray(x)[self.dofs]

    def to_ours(self, x):
        """Return a vector or matrix reordered from the tree to the robot.

        `x` ((N,) or (N, k) array_like): vector or matrix. Of a square one, rows and columns are
          reordered.
        """
        x = np.asarray(x)
        result = np.empty_like(x)
        if x.ndim == 2 and x.shape[0] == x.shape[1]:
            result[np.ix_(self.dofs, self.dofs)] = x
        else:
            result[self.dofs] = x
        return result

    def permutation(self):
        """Return the permutation matrix from the order of the tree to that of the robot."""
        matrix = np.zeros((self.N, self.N))
        matrix[self.dofs, np.arange(self.N)] = 1.0
        return matrix

    def hinge_velocity(self, thd):
        """Return Delta_V(k) = H'(k) beta(k) of all bodies (3.7).

        `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
        """
        return np.array([H.T @ thd[s] for H, s in zip(self.H, self.slices)])

    def hinge_map_rates(self, thd):
        """Return dH'/dt of all bodies, as each body sees it.

        `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
        """
        return [
            body.hinge.map_rate(theta, thd[s])
            for body, theta, s in zip(self.bodies, self.theta, self.slices)
        ]

    def hinge_drift(self, thd):
        """Return (dH'/dt) beta of all bodies, as each body sees it.

        `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
        """
        return np.array([B @ thd[s] for B, s in zip(self.hinge_map_rates(thd), self.slices)])

    def without_rotors(self):
        """Return the same tree with drives without inertia: the system of the book."""
        return replace(self, rotor=np.zeros(self.N))


def bodies_of(robot):
    """Return every moving link of a robot as a Body, from base to tip.

    A hinge of several freedoms has rows of the model that carry no link. They become columns of H'
    of the link at its end.
    """
    model = model_of(robot)
    found, parts, inboard = [], [], 0
    for row in range(1, len(model.topology)):
        topology, constants = model.topology[row], model.constants[row]
        if not parts:
            inboard = topology[PARENT]
        if topology[KIND] not in (BALL_Y, BALL_Z):
            parts.append(_part(topology[KIND], constants))
        if model.body_names[row] not in model.frames:
            continue
        rows = _rows_of_hinge(model, row, inboard)
        (R, p, first), *rest = parts
        found.append(
            Body(
                model.body_names[row],
                model.body_names[inboard] if inboard > 0 else None,
                R,
                p,
                hinges.chained([(np.eye(3), np.zeros(3), first), *rest]),
                _inertia(constants),
                _coordinates(model, rows),
                tuple(model.topology[rows, V].tolist()),
                model.constants[rows, ROTOR],
            )
        )
        parts = []
    return found


def _rows_of_hinge(model, row, inboard):
    """Return the rows of the model between a body and its parent, the body's own last."""
    rows = [row]
    while model.topology[rows[0], PARENT] != inboard:
        rows.insert(0, model.topology[rows[0], PARENT])
    return rows


def _coordinates(model, rows):
    """Return the entries of q that belong to the rows of a hinge."""
    found = []
    for row in rows:
        kind, first = model.topology[row, KIND], int(model.topology[row, Q])
        if kind not in (BALL_Y, BALL_Z):
            found += range(first, first + (4 if kind == BALL_X else 1))
    return tuple(found)


def _part(kind, row):
    """Return (R, p, hinge) of one row of the constants; ZERO becomes part of the placement."""
    R, p, zero = row[ROTATION : ROTATION + 9].reshape(3, 3), row[OFFSET : OFFSET + 3], row[ZERO]
    if kind == BALL_X:
        return R, p, hinges.spherical()
    if kind == PRISMATIC:
        return R, p + R[:, 2] * zero, hinges.prismatic()
    turned = R @ hinges.about(hinges.Z, zero)
    return turned, p, hinges.helical(row[PITCH]) if kind == HELICAL else hinges.pin()


def _inertia(row):
    """Return the spatial inertia of one row of the constants."""
    m, moment = row[MASS], row[MOMENT : MOMENT + 3]
    return spatial_inertia(
        m, moment / m if m > 0.0 else np.zeros(3), symmetric(*row[INERTIA : INERTIA + 6])
    )


def tree_of(bodies, q, gravity=(0.0, 0.0, -9.81)):
    """Return the Tree of given bodies at given coordinates.

    `bodies` (sequence of Body): the bodies, from base to tip.
    `q` ((nq,) array_like): coordinates, real or complex [rad, m].
    `gravity` ((3,) array_like): acceleration of free fall in the inertial frame [m/s2].
    """
    q = np.asarray(q)
    kind = np.result_type(q, float)
    bodies = tuple(reversed(bodies))
    row = {body.name: k for k, body in enumerate(bodies)} | {None: len(bodies)}
    n = len(bodies)
    R, l = np.zeros((n, 3, 3), kind), np.zeros((n, 3), kind)  # noqa: E741
    H, theta = [], []
    for k, body in enumerate(bodies):
        theta.append(q[list(body.coordinates)])
        rotation, offset = body.hinge.placement(theta[k])
        R[k], l[k] = body.R @ rotation, body.p + body.R @ offset
        H.append(body.hinge.map(theta[k]).T)
    return Tree(
        bodies,
        tuple(row[body.parent] for body in bodies),
        R,
        l,
        tuple(H),
        np.array([body.M for body in bodies]),
        tuple(theta),
        np.array([dof for body in bodies for dof in body.dofs]),
        np.concatenate([body.rotor for body in bodies]),
        np.concatenate((np.zeros(3), -np.asarray(gravity, float))),
    )


def tree_at(robot, q):
    """Return the Tree of a robot at given coordinates.

    `q` ((nq,) array_like): coordinates, real or complex [rad, m].
    Raises ShapeError: if q has another shape, is not finite, or has a quaternion of length zero.
    """
    model, q = model_of(robot), np.asarray(q)
    if q.shape != (model.nq,) or not np.all(np.isfinite(q)):
        raise ShapeError(
            f'robot {model.name!r}: got coordinates {q} of shape {q.shape}; expected '
            f'({model.nq},) finite numbers'
        )
    for k in model.quaternions:
        if not np.any(q[k : k + 4]):
            raise ShapeError(
                f'robot {model.name!r}: got a quaternion of length 0 at q[{k}]; '
                'expected a unit quaternion'
            )
    return tree_of(bodies_of(model), q, model.gravity)


def coordinate_rates(tree, thd):
    """Return dq/dt from the hinge velocities (section 3.2.1).

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    """
    size = sum(body.hinge.nq for body in tree.bodies)
    qdot = np.zeros(size, np.result_type(thd, tree.R))
    for body, theta, s in zip(tree.bodies, tree.theta, tree.slices):
        qdot[list(body.coordinates)] = body.hinge.rates(theta, thd[s])
    return qdot


def configuration(tree):
    """Return the coordinates of a Tree, in the order of the robot.

    `tree` (Tree): bodies at one configuration.
    """
    q = np.empty(sum(len(theta) for theta in tree.theta), tree.dtype)
    for body, theta in zip(tree.bodies, tree.theta):
        q[list(body.coordinates)] = theta
    return q
