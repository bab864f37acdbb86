# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of a control law: the gains of the joints, and those that the law itself has."""

from functools import partial
from typing import Any, Mapping

from robodyn_ros.control.laws.law import ControlLaw
from robodyn_ros.robot.robot import Robot
from robodyn_ros.ros.common.parameter_table import LIVE, ParamSpec

ACCELERATION_GAINS = {'p': 100.0, 'd': 20.0}  # critically damped at 10 rad/s, on any robot


def gain_parameters(joint_names, law: type[ControlLaw]) -> tuple[ParamSpec, ...]:
    """Return `gains.<joint>.p` and `.d` of each joint, in the units of the law.

    Gains of a law on accelerations have defaults that suit any robot. No default suits any robot
    if the law works on efforts, so these are zero.

    `joint_names` (sequence of str): joints of the robot.
    """
    return tuple(
        ParamSpec(
            f'gains.{joint}.{kind}',
            'float',
            default if unit.startswith('1/s') else 0.0,
            unit,
            f'{word} gain of the joint.',
            lower=0.0,
            upper=1e6,
            change=LIVE,
        )
        for joint in joint_names
        for (kind, default), unit, word in zip(
            ACCELERATION_GAINS.items(), law.gain_unit, ('Position', 'Velocity')
        )
    )


def own_parameters(law: type[ControlLaw]) -> tuple[ParamSpec, ...]:
    """Return `<law>.<name>` of each parameter and each option of a law."""
    return (
        *map(partial(_own_option, law), law.options),
        *map(partial(_own_parameter, law), law.parameters),
    )


def _own_option(law, own):
    type_ = 'string[]' if isinstance(own.default, tuple) else 'string'
    return ParamSpec(f'{law.name}.{own.name}', type_, own.default, '', own.text)


def _own_parameter(law, own):
    size = len(own.defaults) if isinstance(own.default, tuple) else 0
    return ParamSpec(
        f'{law.name}.{own.name}',
        'float[]' if size else 'float',
        own.default,
        own.unit,
        own.text,
        lower=own.lower,
        upper=own.upper,
        change=LIVE,
        lengths=(size,) if size else (),
    )


def make_law(values: Mapping[str, Any], law: type[ControlLaw], robot: Robot) -> ControlLaw:
    """Return the law of a robot with its options.

    Raises RobodynError: if an option does not fit.
    """
    return law(robot, **{own.name: values[f'{law.name}.{own.name}'] for own in law.options})
