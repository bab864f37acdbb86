# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Choose other independent joints of closed loops, near a dead centre of the present ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from robodyn_ros.model.layout import COORDINATE, REFERENCE
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.robot.loops.closing import close_loops
from robodyn_ros.robot.loops.dead_centre import DeadCentre


def with_independent_joints(
    model: RobotModel, independent: Sequence[str] | None, near: Mapping[str, float] | None
) -> RobotModel:
    """Return a robot over other independent joints of its loops, closed near a posture.

    Inertia, friction and payloads stay.

    `independent`: independent joints of the loops.
    `near`: positions of joints near which the loops close [rad or m].
    Raises ModelError: if the loops cannot be closed there, or the choice is singular.
    """
    tree, closures = model.opened
    found = close_loops(tree, closures, independent, own_joints(model, near or {}))
    constants = found.constants.copy()
    constants[:, :REFERENCE] = model.constants[:, :REFERENCE]
    constants.flags.writeable = False
    return replace(found, constants=constants, gravity=model.gravity, frames=model.frames)


def own_joints(model: RobotModel, positions: Mapping[str, float]) -> dict[str, float]:
    """Return the positions of joints that follow no other joint outside of loops.

    `positions`: positions of joints [rad or m].
    """
    names = model.opened[0].joint_names
    return {name: x for name, x in positions.items() if name in names}


def better_choice(model: RobotModel, found: DeadCentre) -> list[str]:
    """Return the independent joints of the loops, one replaced by a joint that moves on.

    `found`: the dead centre.
    """
    led, leading = (max(each, key=each.__getitem__) for each in found[:2])
    return sorted(independent_in_loops(model) - {leading} | {led})


def independent_in_loops(model: RobotModel) -> set[str]:
    """Return the names of the independent joints that are in loops."""
    own = model.topology[1:, COORDINATE]
    return {model.joint_names[k] for k in np.unique(own[(own >= 0) & (own < model.nv)])}
