# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rigid inertia in the columns of a model row: mass, first moment, inertia; payloads."""

import numpy as np

from robodyn_ros.errors import ModelError
from robodyn_ros.model.arithmetic import dot, product
from robodyn_ros.model.layout import INERTIA, MASS, MOMENT
from robodyn_ros.model.model_report import WARNING

# Indices of xx xy xz yy yz zz in the symmetric 3x3 matrix.
_ROW, _COLUMN = np.triu_indices(3)


def pack(inertia):
    """Return the six entries of a symmetric matrix.

    `inertia` (3, 3): symmetric matrix.
    """
    return inertia[_ROW, _COLUMN]


def unpack(six):
    """Return the symmetric matrix of six entries.

    `six` ((6,) array_like): entries xx, xy, xz, yy, yz, zz.
    """
    inertia = np.empty((3, 3))
    inertia[_ROW, _COLUMN] = six
    inertia[_COLUMN, _ROW] = six
    return inertia


def add_rigid_body(row, placement, inertial):
    """Add a rigid body to a row of the constants, in place.

    m += m', h += m' c, I += R I' R^T + m' (c.c 1 - c c^T), with c from the body origin to the
    added centre of mass. Parallel-axis theorem; Featherstone 2008, equation 2.63.

    `row` (34,): row of the constants.
    `placement` (Placement or Frame): axes of the added body in the body frame of the row.
    `inertial` (Inertial): mass, centre of mass and inertia about it, in the axes of the added
      body.
    """
    R = placement.rotation
    com = placement.translation + product(R, inertial.com)
    about_com = product(product(R, inertial.inertia), R.T)
    shift = inertial.mass * (dot(com, com) * np.eye(3) - np.outer(com, com))
    row[MASS] += inertial.mass
    row[MOMENT : MOMENT + 3] += inertial.mass * com
    row[INERTIA : INERTIA + 6] += pack(about_com + shift)


class Payloads:
    """The payloads of a robot, at most one on each frame.

    `model` (RobotModel): the robot without payloads.
    """

    def __init__(self, model):
        self.bare = model
        self._on = {}

    def __bool__(self):
        return bool(self._on)

    def attach(self, frame, mass, com, inertia):
        """Attach a payload to a frame, in place of the one there; zeros detach it.

        `com` ((3,) array_like): centre of mass in the axes of the frame [m].
        `inertia` ((3, 3) array_like): inertia about the centre of mass, in these axes [kg m^2].
        Returns the robot with all payloads.
        Raises UnknownNameError: for a frame that does not exist. Nothing has changed then.
        Raises ModelError: for an impossible or implausible payload. Nothing has changed then.
        """
        self.bare.frame(frame)
        on = {name: payload for name, payload in self._on.items() if name != frame}
        if mass != 0.0:
            on[frame] = mass, com, inertia
        elif np.any(com) or np.any(inertia):
            raise ModelError(
                f'robot {self.bare.name!r}: the payload on {frame!r} has mass 0 and other values; '
                'expected a positive mass [kg], or zeros to detach it'
            )
        model = self._loaded(on)
        for finding in model.report.findings[len(self.bare.report.findings) :]:
            if finding.severity == WARNING:  # nobody reads the report of a running robot
                raise ModelError(
                    f'robot {self.bare.name!r}: {finding.subject}: {finding.sentence}'
                )
        self._on = on
        return model

    def _loaded(self, on):
        """Return the robot with these payloads."""
        model = self.bare
        for name, payload in on.items():
            model = model.with_inertia(name, *payload)
        return model

    def move_to(self, model):
        """Attach the payloads to another model of the robot.

        `model` (RobotModel): the robot without payloads, with the same frames.
        Returns the robot with all payloads.
        """
        self.bare = model
        return self._loaded(self._on)

    def clear(self):
        """Detach every payload.

        Returns the robot without payloads.
        """
        self._on = {}
        return self.bare
