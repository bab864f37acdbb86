# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A view: a named group of a robot's methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from robodyn_ros.robot.robot import Robot


class View:
    """A group of methods of one robot.

    Parameters
    ----------
    robot : Robot
        The robot.
    name : str
        Attribute of the robot that holds the view.
    """

    def __init__(self, robot: Robot, name: str):
        self._robot, self._name = robot, name

    def __repr__(self):
        return f'<{self._name} of robot {self._robot.name!r}>'

    def __reduce__(self):
        return getattr, (self._robot, self._name)  # a copy of a view needs a copy of its robot
