# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A view: methods of a robot that belong together, under a name of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from robodyn_ros.robot.robot import Robot


class View:
    """A group of methods of one robot.

    Parameters
    ----------
    robot : Robot
        The robot whose view it is.
    name : str
        Attribute of the robot that holds the view.
    """

    def __init__(self, robot: Robot, name: str):
        self._robot, self._name = robot, name

    def __repr__(self):
        return f'<{self._name} of robot {self._robot.name!r}>'

    def __reduce__(self):
        return getattr, (self._robot, self._name)  # a copy of it is that of a copy of the robot
