# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Commands to the drive of a joint: an effort, a position or a velocity."""

from typing import NamedTuple

import numpy as np

from robodyn_ros.errors import ParameterError
from robodyn_ros.simulation.joint_table import EFFORT_MODE, POSITION_MODE, VELOCITY_MODE

QUANTITIES = ('effort', 'position', 'velocity')  # in the order of their numbers
PLURAL = {'effort': 'efforts', 'position': 'positions', 'velocity': 'velocities'}
CODES = {'effort': EFFORT_MODE, 'position': POSITION_MODE, 'velocity': VELOCITY_MODE}
ANY = 'any'  # the quantity that a command names
COMMAND_MODES = (*QUANTITIES, ANY)
UNSPOKEN = -1.0  # the command leaves the joint as it is


class Command(NamedTuple):
    """Commands to all joints, and the quantity that each of them is.

    Parameters
    ----------
    value : (nv,) ndarray
        Efforts [N m or N], positions [rad or m] or velocities [rad/s or m/s]; NaN where a joint is
        not commanded.
    mode : (nv,) ndarray
        The quantity of each joint, of CODES; or UNSPOKEN.
    """

    value: np.ndarray
    mode: np.ndarray


def merged(first, second):
    """Return both commands as one; joints of both follow the second.

    first, second : Command.
    """
    speaks = second.mode != UNSPOKEN
    return Command(
        np.where(speaks, second.value, first.value), np.where(speaks, second.mode, first.mode)
    )


def modes_of(model, names):
    """Return a mode for each joint of a model, out of one for all, one for each, or none.

    model : RobotModel. names : of COMMAND_MODES; none stands for 'effort'. Raises ParameterError
    where a joint has no drive of that mode.
    """
    names = (names,) if isinstance(names, str) else tuple(names) or ('effort',)
    if len(names) not in (1, model.nv):
        raise ParameterError(
            f'robot {model.name!r}: got {len(names)} command modes; expected 1 or {model.nv}, of '
            f'{", ".join(model.joint_names)}'
        )
    names = names * (model.nv // len(names))
    driven = has_drive(model)
    for k, name in enumerate(names):
        joint = f'robot {model.name!r}: command mode {name!r} of joint {model.joint_names[k]!r}'
        if not driven[k] and name != 'effort':
            raise ParameterError(f"{joint}, which has no drive; expected 'effort'")
        if model.coordinates[k] < 0 and name in ('position', ANY):
            raise ParameterError(
                f"{joint}, which has no position of its own; expected 'effort' or 'velocity'"
            )
    return names


def has_drive(model):
    """Return (nv,) whether a drive moves each joint: none a floating body, none a spring."""
    driven = np.ones(model.nv, dtype=bool)
    for coordinates in model.multi_dof_joints:
        driven[coordinates.velocities] = coordinates.joint.type != 'floating'
    driven[[model.joint_names.index(spring.joint) for spring in model.springs]] = False
    return driven
