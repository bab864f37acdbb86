# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The contacts of one plant: their arrays, and the results of a step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from robodyn_ros.algorithms.contact.contact_tables import (
    FORCE,
    GAP,
    NORMAL,
    OBSTACLE,
    POINT,
    SHAPE,
    TANGENT_1,
    TANGENT_2,
)
from robodyn_ros.errors import ModelError, short_repr
from robodyn_ros.simulation.contact.arrays import allocate
from robodyn_ros.simulation.joint_table import DAMPING


class ContactPoint(NamedTuple):
    """A point of a link that touches an obstacle, or is near it.

    `link`, `obstacle`: names of the link and of the obstacle.
    `point`, `normal`: point of the link [m], and direction from the obstacle to it, in base axes.
    `gap`: distance along the normal [m], at the beginning of the substep.
    `force`: mean force of the obstacle on the link over the substep [N], in base axes.
    """

    link: str
    obstacle: str
    point: np.ndarray
    normal: np.ndarray
    gap: float
    force: np.ndarray

    def __repr__(self):
        return short_repr(self)


class ContactState:
    """The contacts of a robot with obstacles, and its dependent joints that rub or have stops.

    `contacts` (Contacts or None): shapes and obstacles.
    `settings` (PlantSettings): with them, dependent joints of loops have their friction and stops.
    `closures` (sequence of Closure): closures over all joints; none acts at first.
    `damped` (sequence of str): dependent joints that `damp` may name, with friction or without.
    Raises UnknownNameError: for the link of a shape that the robot does not have.
    Raises ModelError: for a shape on the base, which does not move.
    """

    def __init__(self, model, contacts, settings=None, closures=(), damped=()):
        self._shapes = contacts.shapes if contacts else ()
        self._obstacles = contacts.obstacles if contacts else ()
        for shape in self._shapes:
            if model.frame(shape.link).body == 0:
                raise ModelError(
                    f'robot {model.name!r}: a {shape.kind} for contact is on link '
                    f'{shape.link!r}, which does not move; expected a link that moves'
                )
        self.arrays = allocate(model, contacts, settings, closures, damped)
        self._led = [model.all_joint_names[row] for row in self.arrays.led_rows]
        self._damping = self.arrays.led[:, DAMPING].copy()

    def damp(self, damping):
        """Add viscous damping to dependent joints; see `Drives.damp`.

        `damping` (mapping of str to float): damping by joint [N m s/rad or N s/m].
        """
        added = [damping.get(name, 0.0) for name in self._led]
        self.arrays.led[:, DAMPING] = self._damping + added

    def led_efforts(self):
        """Return the efforts of friction and stops of dependent joints in the last substep."""
        return dict(zip(self._led, self.arrays.led_efforts.tolist()))

    def clear(self):
        """Discard the contacts and efforts of the last substep."""
        self.arrays.contact_count[0] = 0.0
        self.arrays.led_efforts[:] = 0.0

    def points(self):
        """Return the contacts of the last substep."""
        rows = self.arrays.contacts[: int(self.arrays.contact_count[0])]
        return [self._touch(row.copy()) for row in rows]

    def _touch(self, row):
        axes = [row[k : k + 3] for k in (NORMAL, TANGENT_1, TANGENT_2)]
        return ContactPoint(
            self._shapes[int(row[SHAPE])].link,
            self._obstacles[int(row[OBSTACLE])].name,
            row[POINT : POINT + 3],
            axes[0],
            float(row[GAP]),
            row[FORCE] * axes[0] + row[FORCE + 1] * axes[1] + row[FORCE + 2] * axes[2],
        )
