# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A view: a named group of a robot's methods."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from robodyn_ros.errors import answer_to_foreign_name

if TYPE_CHECKING:
    from robodyn_ros.robot.robot import Robot

#: What makes another robot, by the attribute that one might want to set.
SERVES = {
    'gravity': 'robot.with_gravity(gravity)',
    'payload': 'robot.with_payload(frame, mass, com, inertia)',
    'limits': 'limits in the description, or those of Settings and PlantSettings',
    'joint_names': 'Robot.from_urdf(text_or_path, joints=...)',
    'model': 'Robot(model)',
}


def unknown(subject: str, name: str, calls: Iterable[str]) -> AttributeError:
    """Return the AttributeError for a name that a robot or a view does not have.

    `subject`: what was asked, such as "robot 'arm'".
    `calls` (iterable of str): names that exist, with those of views as `view.name`.
    """
    by_last: dict[str, list[str]] = {}
    for call in calls:
        by_last.setdefault(call.rpartition('.')[2], []).append(call)
    if hint := answer_to_foreign_name(name):
        return AttributeError(f'{subject} has no {name!r}; {hint}')
    near = difflib.get_close_matches(name, by_last, n=3, cutoff=0.6)
    near = [call for word in near for call in by_last[word]]
    hint = f'expected one such as {", ".join(near)}' if near else 'dir() lists those there are'
    return AttributeError(f'{subject} has no {name!r}; {hint}')


def public_names(kind: type) -> list[str]:
    """Return the names of the public attributes of a class.

    `kind` (type): the class.
    """
    return [name for name in dir(kind) if not name.startswith('_')]


class PublicNames:
    """Base class of what lists its public names alone in `dir()`, and so in completion."""

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.startswith('_')]


class View(PublicNames):
    """A group of methods of one robot.

    `name`: attribute of the robot that holds the view.
    """

    def __init__(self, robot: Robot, name: str) -> None:
        self._robot, self._name = robot, name

    def __getattr__(self, name: str) -> Any:
        raise unknown(
            f'the view {self.__dict__.get("_name", type(self).__name__)!r} of a robot',
            name,
            public_names(type(self)),
        )

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith('_'):
            raise AttributeError(
                f'the view {self._name!r} of robot {self._robot.name!r} does not change, so '
                f'{name!r} cannot be set; expected a new robot'
            )
        super().__setattr__(name, value)

    def __repr__(self) -> str:
        return f'<{self._name} of robot {self._robot.name!r}>'

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Robot, str]]:
        return getattr, (self._robot, self._name)  # a copy of a view needs a copy of its robot
