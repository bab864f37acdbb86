# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The matrix that gives the rates of all joints from those of the independent ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from robodyn_ros.robot.robot import Robot


def embedding_matrix(robot: Robot, q: ArrayLike) -> np.ndarray:
    """Return E in rates = E qd; Jain 2011, section 15.1.

    `robot`: any robot.
    """
    return robot.expand(np.tile(q, (robot.nv, 1)), np.eye(robot.nv))[1].T
