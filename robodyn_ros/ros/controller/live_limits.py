# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Ceilings of live parameters: the values at start, or the robot description's limits."""

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
        'description, and rates, gains and stop_damping beyond those at start.',
        change=START,
    ),
)

#: Corresponding limits of the robot description; None where only the start value counts.
BOUNDED = {
    'effort_limits': 'effort',
    'velocity_limits': 'velocity',
    'max_effort_rate': None,
    'overspeed': None,
    'stop_damping': None,
}


def refuse_raised(values: Mapping[str, Any], at_start: Mapping[str, Any], robot: Robot):
    """Refuse limits and gains beyond their ceilings, unless `raise_limits_live` is set.

    The ceiling of a limit is the larger of its start value and the description's. That of a rate,
    a gain, `overspeed` and `stop_damping` is its start value.

    Parameters
    ----------
    values : mapping of str to object
        Of the node's parameters, by name.
    at_start : mapping of str to object
        The same, as declared at the start.
    robot : Robot
        For the limits of the description.

    Raises
    ------
    ParameterError
        With the name, the joint, the value and its ceiling.
    """
    if values['raise_limits_live']:
        return
    gains = [f'gains.{joint}.{kind}' for joint in robot.joint_names for kind in 'pd']
    for name in (*BOUNDED, *gains):
        bound = BOUNDED.get(name)
        described = getattr(robot.limits, bound) if bound else ()
        ceilings = _ceilings(robot.nv, at_start[name], described)
        value = np.broadcast_to(values[name] if np.size(values[name]) else ceilings, robot.nv)
        beyond = np.flatnonzero(value > ceilings)  # an unknown ceiling is NaN
        if beyond.size:
            k = beyond[0]
            whose = '' if name in gains else f' of {robot.joint_names[k]}'
            origin = 'at start or of the robot description' if len(described) else 'at start'
            raise ParameterError(
                f"Parameter '{name}'{whose}: got {value[k]:g}; expected at most "
                f'{ceilings[k]:g}, the value {origin}. Only a node that was '
                'started with raise_limits_live accepts more.'
            )


def _ceilings(n: int, *limits) -> np.ndarray:
    """Return the largest of the limits for n joints (n,); NaN where none is known."""
    return np.fmax.reduce(
        [
            np.full(n, np.nan),
            *(np.broadcast_to(limit, n) for limit in limits if np.size(limit) in (1, n)),
        ]
    )
