# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Commands to the drive of a joint: an effort, a position or a velocity."""

from typing import NamedTuple

import numpy as np

from robodyn_ros.errors import ParameterError, short_repr
from robodyn_ros.simulation.joint_table import EFFORT_MODE, POSITION_MODE, VELOCITY_MODE

QUANTITIES = ('effort', 'position', 'velocity')  # in the order of CODES
PLURAL = {'effort': 'efforts', 'position': 'positions', 'velocity': 'velocities'}
CODES = {'effort': EFFORT_MODE, 'position': POSITION_MODE, 'velocity': VELOCITY_MODE}
ANY = 'any'  # the drive takes on the mode of each command
COMMAND_MODES = (*QUANTITIES, ANY)
UNCHANGED = -1.0  # the command does not change this joint


class Command(NamedTuple):
    """Commands to all joints, each with its mode.

    Parameters
    ----------
    value : (nv,) ndarray
        Efforts [N m or N], positions [rad or m] or velocities [rad/s or m/s]; NaN where a joint is
        not commanded.
    mode : (nv,) ndarray
        Mode of each command, one of CODES, or UNCHANGED.
    """

    value: np.ndarray
    mode: np.ndarray

    def __repr__(self):
        return short_repr(self)


def merged(first, second):
    """Merge two commands; where both address a joint, the second counts.

    `first`, `second` (Command): the commands, the later one second.
    Returns the merged command.
    """
    spoken = second.mode != UNCHANGED
    return Command(
        np.where(spoken, second.value, first.value), np.where(spoken, second.mode, first.mode)
    )


def modes_of(model, names):
    """Return the command mode of each joint.

    `names` (str or sequence of str): one of COMMAND_MODES for all joints, or one for each. Empty
      means 'effort'.
    Raises ParameterError: if a joint has no drive of its mode, or the number of modes does not
      fit.
    """
    names = (names,) if isinstance(names, str) else tuple(names) or ('effort',)
    if len(names) not in (1, model.nv):
        raise ParameterError(
            f'robot {model.name!r}: got {len(names)} command modes; expected 1 or {model.nv}, of '
            f'{", ".join(model.joint_names)}'
        )
    names = names * (model.nv // len(names))
    driven, coordinates = has_drive(model), model.coordinates
    for k, name in enumerate(names):
        joint = f'robot {model.name!r}: command mode {name!r} of joint {model.joint_names[k]!r}'
        if not driven[k] and name != 'effort':
            raise ParameterError(f"{joint}, which has no drive; expected 'effort'")
        if coordinates[k] < 0 and name in ('position', ANY):
            raise ParameterError(
                f"{joint}, which has no position of its own; expected 'effort' or 'velocity'"
            )
    return names


def has_drive(model):
    """Return which joints have a drive; floating joints and springs have none."""
    driven = np.ones(model.nv, dtype=bool)
    for coordinates in model.multi_dof_joints:
        driven[coordinates.velocities] = coordinates.joint.type != 'floating'
    driven[[model.joint_names.index(spring.joint) for spring in model.springs]] = False
    return driven
