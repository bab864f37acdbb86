# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Obstacles fixed to the base of a robot, and their pairs with shapes on its links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, isfinite

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.errors import ModelError, short_repr
from robodyn_ros.model.arithmetic import norm
from robodyn_ros.model.description import Placement
from robodyn_ros.model.rotation_matrix import from_rpy, z_to_axis
from robodyn_ros.model.sources.geometry import LENGTHS, Shape

KINDS = ('plane', 'box')
FORMS = ('sphere', 'capsule', 'box')
ORIGIN = (0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Obstacle:
    """A half-space or a box that is fixed to the base of the robot.

    Parameters
    ----------
    kind : {'plane', 'box'}
        Its form. A plane is the top of a half-space, z = 0 of its frame.
    placement : Placement
        Pose of its frame in the base.
    size : tuple of float
        Edges of a box [m].
    friction : float
        Coefficient of friction [-]; 0 for none.
    restitution : float
        Speed of separation over that of approach [-], 0 to 1.
    name : str
        For messages and reports.

    Raises
    ------
    ModelError
        For a value that is not possible.
    """

    kind: str
    placement: Placement = field(default_factory=Placement)
    size: tuple[float, ...] = ()
    friction: float = 0.5
    restitution: float = 0.0
    name: str = ''

    __repr__ = short_repr

    def __post_init__(self):
        where = f'obstacle {self.name!r}'
        if self.kind not in KINDS:
            raise ModelError(f'{where} is a {self.kind!r}; expected one of {", ".join(KINDS)}')
        count = 3 if self.kind == 'box' else 0
        if len(self.size) != count or not all(isfinite(x) and x > 0.0 for x in self.size):
            raise ModelError(
                f'{where}, a {self.kind}, has size {self.size}; expected {count} positive lengths'
            )
        if not 0.0 <= self.friction < inf:
            raise ModelError(f'{where} has friction {self.friction}; expected 0 or more')
        if not 0.0 <= self.restitution <= 1.0:
            raise ModelError(f'{where} has restitution {self.restitution}; expected 0 to 1')
        placed = (self.placement.rotation, self.placement.translation)
        if not all(np.isfinite(each).all() for each in placed):
            raise ModelError(f'{where} has a pose that is not finite; expected finite numbers')

    @classmethod
    def plane(
        cls,
        normal: ArrayLike = (0.0, 0.0, 1.0),
        point: ArrayLike = ORIGIN,
        friction: float = 0.5,
        restitution: float = 0.0,
        name: str = 'plane',
    ) -> Obstacle:
        """Return the half-space below a plane.

        Parameters
        ----------
        normal : (3,) array_like
            Direction out of the obstacle, in base axes.
        point : (3,) array_like
            A point of the plane [m], in base axes.
        friction, restitution : float
            As of the class.
        name : str
            For messages and reports.

        Returns
        -------
        Obstacle
            The half-space.

        Raises
        ------
        ModelError
            For a value that is not possible.
        """
        direction = np.asarray(normal, dtype=float)
        length = norm(direction) if direction.shape == (3,) else 0.0
        if not 0.0 < length < inf:
            raise ModelError(f'obstacle {name!r} has the normal {normal!r}; expected a direction')
        pose = Placement(z_to_axis(direction / length), vector(name, point))
        return cls('plane', pose, (), friction, restitution, name)

    @classmethod
    def box(
        cls,
        edges: ArrayLike,
        centre: ArrayLike = ORIGIN,
        rpy: ArrayLike = ORIGIN,
        friction: float = 0.5,
        restitution: float = 0.0,
        name: str = 'box',
    ) -> Obstacle:
        """Return a box.

        Parameters
        ----------
        edges : (3,) array_like
            Lengths of its edges [m].
        centre : (3,) array_like
            Its centre in base axes [m].
        rpy : (3,) array_like
            Its roll, pitch and yaw in the base [rad].
        friction, restitution : float
            As of the class.
        name : str
            For messages and reports.

        Returns
        -------
        Obstacle
            The box.

        Raises
        ------
        ModelError
            For a value that is not possible.
        """
        pose = Placement(from_rpy(*vector(name, rpy)), vector(name, centre))
        return cls('box', pose, size_of(edges), friction, restitution, name)


@dataclass(frozen=True, eq=False)
class Contacts:
    """Shapes on the links of a robot, and the obstacles that they can touch.

    Shapes do not touch each other.

    Parameters
    ----------
    shapes : sequence of Shape
        Spheres, capsules and boxes; see `sphere`, `capsule`, `box` and `collision_shapes`.
    obstacles : sequence of Obstacle
        Planes and boxes.

    Raises
    ------
    ModelError
        If there are none of either, or a shape of another form.
    """

    shapes: Sequence[Shape]
    obstacles: Sequence[Obstacle]

    __repr__ = short_repr

    def __post_init__(self):
        if not self.shapes or not self.obstacles:
            raise ModelError(
                f'got {len(self.shapes)} shapes and {len(self.obstacles)} obstacles for contact; '
                'expected at least one of each'
            )
        for shape in self.shapes:
            count = 3 if shape.kind == 'box' else len(LENGTHS.get(shape.kind, ()))
            lengths = len(shape.size) == count and all(0.0 < x < inf for x in shape.size)
            if shape.kind not in FORMS or not lengths:
                raise ModelError(
                    f'shape on link {shape.link!r} is a {shape.kind} of size {shape.size}; '
                    f'expected one of {", ".join(FORMS)}, with positive lengths'
                )


def size_of(edges):
    """Return lengths as a tuple of float.

    Parameters
    ----------
    edges : array_like
        Lengths [m].

    Returns
    -------
    tuple of float
        Lengths [m].
    """
    return tuple(np.asarray(edges, dtype=float).ravel().tolist())


def vector(name, values):
    """Return three finite numbers.

    Parameters
    ----------
    name : str
        What they belong to, for messages.
    values : (3,) array_like
        Numbers.

    Returns
    -------
    (3,) ndarray
        Numbers.

    Raises
    ------
    ModelError
        For anything else.
    """
    found = np.array(values, dtype=float)
    if found.shape != (3,) or not np.isfinite(found).all():
        raise ModelError(f'{name!r} has {values} for a vector; expected three finite numbers')
    return found
