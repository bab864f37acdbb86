# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Live parameters set at random, to good and bad values."""

from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParametersAtomically

from robodyn_ros.ros.controller.controller_parameters import CONTROLLER_PARAMETERS
from tools.soak.watcher import NAME

NUMBERS = (0.0, 1.0, -1.0, 1e9, 1e-9, float('nan'), float('inf'), 1e308)


def parameters(arm, count):
    """Set one parameter after the other to a value of any type."""
    names = [spec.name for spec in CONTROLLER_PARAMETERS]
    accepted, refused, silent = 0, 0, 0
    for _ in arm.turns(count):
        message = Parameter(name=arm.rng.choice(names), value=_value(arm.rng))
        answer = arm.watcher.call(
            SetParametersAtomically,
            f'{NAME}/set_parameters_atomically',
            SetParametersAtomically.Request(parameters=[message]),
        )
        if answer is None:
            arm.expect(False, f'no answer to {message.name}')
            continue
        accepted += answer.result.successful
        refused += not answer.result.successful
        if not answer.result.successful and not answer.result.reason.strip():
            silent += 1
            arm.expect(False, f'{message.name} is refused without a sentence')
    return f'{accepted} accepted, {refused} refused, {silent} of them without a sentence'


def _value(rng):
    kind = rng.randrange(6)
    if kind == 0:
        return ParameterValue(type=ParameterType.PARAMETER_STRING, string_value='x' * 50)
    if kind < 4:
        return ParameterValue(
            type=ParameterType.PARAMETER_DOUBLE_ARRAY,
            double_array_value=[_number(rng) for _ in range(rng.choice((0, 2)))],
        )
    return ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=_number(rng))


def _number(rng):
    return rng.choice(NUMBERS) * rng.random()
