# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Upper limits of live parameters: the values at start, or the limits of the description."""

from typing import Any, Mapping

import numpy as np

from robodyn_ros.errors import ParameterError
from robodyn_ros.robot.robot import Robot
from robodyn_ros.ros.common.parameter_table import START, ParamSpec

LIVE_LIMIT_PARAMETERS = (
    ParamSpec(
        'raise_limits_live',
        'bool',
        False,
        '',
        'Accept limits beyond those of the robot '
        'description, and rates and gains beyond those at start.',
        change=START,
    ),
)

#: Corresponding limits of the robot description; None if only the start value counts.
BOUNDED = {
    'effort_limits': 'effort',
    'velocity_limits': 'velocity',
    'max_effort_rate': None,
    'overspeed': None,
}


def refuse_raised(values: Mapping[str, Any], at_start: Mapping[str, Any], robot: Robot):
    """Refuse limits and gains above their maxima, unless `raise_limits_live` is set.

    The maximum of a limit is the larger of its start value and the description's. That of a rate,
    a gain and `overspeed` is its start value.

    `at_start`: the same, as declared at the start.
    `robot`: the robot, with the limits of its description.
    Raises ParameterError: with the name, the joint, the value and its maximum.
    """
    if values['raise_limits_live']:
        return
    gains = [f'gains.{joint}.{kind}' for joint in robot.joint_names for kind in 'pd']
    for name in (*BOUNDED, *gains):
        bound = BOUNDED.get(name)
        described = getattr(robot.limits, bound) if bound else ()
        maxima = _maxima(robot.nv, at_start[name], described)
        value = np.broadcast_to(values[name] if np.size(values[name]) else maxima, robot.nv)
        beyond = np.flatnonzero(value > maxima)  # NaN, an unknown maximum, refuses nothing
        if beyond.size:
            k = beyond[0]
            whose = '' if name in gains else f' of {robot.joint_names[k]}'
            origin = 'at start or of the robot description' if len(described) else 'at start'
            raise ParameterError(
                f"Parameter '{name}'{whose}: got {value[k]:g}; expected at most "
                f'{maxima[k]:g}, the value {origin}. Only a node that was '
                'started with raise_limits_live accepts more.'
            )


def _maxima(n: int, *limits) -> np.ndarray:
    """Return the largest of the limits of each joint (n,); NaN where none is known."""
    return np.fmax.reduce(
        [
            np.full(n, np.nan),
            *(np.broadcast_to(limit, n) for limit in limits if np.size(limit) in (1, n)),
        ]
    )
