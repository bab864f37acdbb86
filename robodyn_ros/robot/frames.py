# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The frames of a robot: their names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from robodyn_ros.robot.view import View


class Frames(View, Sequence):
    """Names of the frames of a robot, its links and joints, in the order of the description.

    A sequence of str: `'tool0' in robot.frames`, `robot.frames[-1]`, `list(robot.frames)`.
    """

    def __init__(self, robot, name):
        super().__init__(robot, name)
        self._names = tuple(robot.model.frames)

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...

    def __getitem__(self, index):
        return self._names[index]

    def __len__(self):
        return len(self._names)

    def __repr__(self):
        return f'<frames of robot {self._robot.name!r}: {", ".join(self._names)}>'
