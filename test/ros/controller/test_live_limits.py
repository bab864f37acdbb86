# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is set live stays within what the description and the start allow."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')

from robodyn_ros import Robot  # noqa: E402
from robodyn_ros.control.laws.law_registry import BUILT_IN  # noqa: E402
from robodyn_ros.errors import ParameterError  # noqa: E402
from robodyn_ros.ros.controller.controller_parameters import CONTROLLER_PARAMETERS
from robodyn_ros.ros.controller.law_parameters import gain_parameters
from robodyn_ros.ros.controller.live_limits import refuse_raised  # noqa: E402

ROBOT = Robot.from_urdf(Path(__file__).parents[3] / 'config' / 'urdf' / 'two_link.urdf')
START = {
    spec.name: spec.convert(spec.default)
    for spec in (
        *CONTROLLER_PARAMETERS,
        *gain_parameters(ROBOT.joint_names, BUILT_IN['computed_torque']),
    )
}
EFFORT, VELOCITY = ROBOT.limits.effort, ROBOT.limits.velocity


@pytest.mark.parametrize(
    'name, value, words',
    [
        (
            'effort_limits',
            (EFFORT[0], EFFORT[1] + 1.0),
            "'effort_limits' of joint2: got 51.*most 50",
        ),
        ('effort_limits', (1e300, 1.0), 'of joint1: got 1e\\+300'),
        ('velocity_limits', (*(2.0 * VELOCITY),), "'velocity_limits' of joint1"),
        (
            'max_effort_rate',
            (1001.0,),
            "'max_effort_rate' of joint1: got 1001; expected at most 1000",
        ),
        ('max_effort_rate', (1000.0, 1e6), "'max_effort_rate' of joint2"),
        ('overspeed', 2.5, "'overspeed'.*at most 2, the value at start"),
        ('gains.joint1.p', 101.0, "'gains.joint1.p': got 101; expected at most 100"),
        ('gains.joint2.d', 1e6, "'gains.joint2.d'"),
    ],
)
def test_more_than_the_description_or_the_start_is_refused(name, value, words):
    """With the joint and its ceiling; a node that was started to allow it accepts it."""
    with pytest.raises(ParameterError, match=words):
        refuse_raised({**START, name: value}, START, ROBOT)
    refuse_raised({**START, name: value, 'raise_limits_live': True}, START, ROBOT)


@pytest.mark.parametrize(
    'name, allowed, beyond',
    [
        ('effort_limits', [(), (0.0, 0.0), (*EFFORT,)], (*(1.001 * EFFORT),)),
        ('velocity_limits', [(*(0.5 * VELOCITY),), (*VELOCITY,)], (*(1.001 * VELOCITY),)),
        ('max_effort_rate', [(1000.0, 10.0), (1000.0,)], (10.0, 1001.0)),
        ('overspeed', [1.0, 2.0], 2.001),
        ('gains.joint1.p', [0.0, 100.0], 100.1),
    ],
)
def test_a_value_up_to_its_ceiling_is_accepted_and_none_beyond(name, allowed, beyond):
    for value in allowed:
        refuse_raised({**START, name: value}, START, ROBOT)
    with pytest.raises(ParameterError, match=name):
        refuse_raised({**START, name: beyond}, START, ROBOT)


def test_a_start_beyond_the_description_is_its_own_ceiling():
    """Limits at the start may exceed those of the description; live changes may not go further."""
    started = {**START, 'effort_limits': (*(1.5 * EFFORT),)}
    refuse_raised(started, started, ROBOT)
    with pytest.raises(ParameterError, match='of joint1'):
        refuse_raised({**started, 'effort_limits': (*(1.6 * EFFORT),)}, started, ROBOT)
    lowered = {**START, 'effort_limits': (*(0.1 * EFFORT),)}
    refuse_raised({**lowered, 'effort_limits': (*EFFORT,)}, lowered, ROBOT)


def test_where_no_ceiling_is_known_any_limit_may_be_given():
    """Without effort limits in the description, activation waits for them from any source."""
    from dataclasses import replace

    unknown = replace(ROBOT.limits, effort=np.array([np.nan, EFFORT[1]]))
    robot = Robot(replace(ROBOT.model, limits=unknown))
    refuse_raised({**START, 'effort_limits': (1e3, EFFORT[1])}, START, robot)
    with pytest.raises(ParameterError, match='of joint2'):
        refuse_raised({**START, 'effort_limits': (1e3, 2.0 * EFFORT[1])}, START, robot)


def test_a_start_value_of_the_wrong_length_is_no_ceiling():
    """It was refused at start; what replaces it is held to the description."""
    started = {**START, 'effort_limits': (1e9, 1e9, 1e9)}
    with pytest.raises(ParameterError, match='of joint1'):
        refuse_raised({**START, 'effort_limits': (1e9, 1e9)}, started, ROBOT)
