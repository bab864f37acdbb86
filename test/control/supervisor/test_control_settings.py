# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Settings are taken over as a whole, or refused as a whole with a sentence."""

import math

import numpy as np
import pytest

from robodyn_ros.control import Settings
from robodyn_ros.errors import ParameterError
from support.supervised import TWO_LINK, settings_for


@pytest.mark.parametrize(
    ('field', 'value'),
    [
        ('gains', [[1.0, np.nan], [1.0, 1.0]]),
        ('gains', [[1.0, np.inf], [1.0, 1.0]]),
        ('gains', [[1.0, -1.0], [1.0, 1.0]]),
        ('gains', [[1.0], [1.0]]),
        ('gains', [[1.0, 1.0]]),
        ('gains', np.ones((2, 100000))),
        ('gains', 'large'),
        ('gains', None),
        ('effort_limits', [1.0, -1.0]),
        ('effort_limits', [1.0]),
        ('effort_rate', [1.0, 0.0]),
        ('effort_rate', [np.nan, 1.0]),
        ('velocity_limits', [0.0, 1.0]),
        ('velocity_limits', [np.nan, 1.0]),
        ('lower', [3.0, -1.0]),
        ('lower', [np.nan, -1.0]),
        ('lower', None),
        ('enabled', [True, False]),
        ('period', 0.0),
        ('period', -1e-3),
        ('period', math.nan),
        ('period', 1.0),
        ('position_margin', math.nan),
        ('reference_timeout', math.inf),
        ('reference_timeout', -0.1),
        ('stale_action', 'sleep'),
        ('following_action', 'stop'),
        ('following_error', 0.0),
        ('following_error', [0.1, -0.1]),
        ('following_error', [0.1] * 3),
        ('stale_hold', math.nan),
        ('max_start_error', -1.0),
        ('goal_tolerance', -1.0),
        ('turns', [-1.0, 0.0]),
        ('position_jump', math.nan),
        ('target_tolerance', (0.0, 0.02)),
        ('target_tolerance', (0.005, math.nan)),
        ('target_tolerance', 0.005),
        ('overspeed', 0.9),
        ('overspeed', math.nan),
        ('recovery_states', 0),
        ('stop_time_constant', 0.0),
        ('stop_time_constant', math.inf),
    ],
)
def test_invalid_value_is_refused_with_its_name(field, value):
    """The sentence names the field, and says what was got and what would be valid."""
    with pytest.raises(ParameterError, match=f'^{field}: got .*expected'):
        settings_for(TWO_LINK, **{field: value})


def test_limits_that_exclude_each_other_are_refused():
    """NaN is no limit either."""
    for upper in ([-3.0, 1.0], [math.nan, 1.0]):
        with pytest.raises(ParameterError, match='lower: got .*expected at most the upper limits'):
            settings_for(TWO_LINK, upper=upper)


@pytest.mark.parametrize('asked', [0.0, -1.0, math.nan, math.inf, 1e9, 0.001])
def test_state_timeout_cannot_be_disabled(asked):
    """Floor of two periods, ceiling of 0.2 s, whatever is asked for."""
    assert 2e-3 <= settings_for(TWO_LINK, state_timeout=asked).state_timeout <= 0.2


def test_state_timeout_within_its_bounds_is_kept():
    """What is asked for is what is in force."""
    assert settings_for(TWO_LINK, state_timeout=0.05).state_timeout == 0.05
    assert settings_for(TWO_LINK, period=0.02, state_timeout=0.01).state_timeout == 0.04


def test_settings_do_not_follow_the_callers_arrays():
    """A list that is changed later changes nothing."""
    gains = np.ones((2, 2))
    settings = settings_for(TWO_LINK, gains=gains)
    gains[:] = np.nan
    assert (settings.gains == 1.0).all()


def test_replace_checks_the_whole():
    """A copy with one change is checked like a new one; the original stays as it was."""
    settings = settings_for(TWO_LINK)
    other = settings.replace(gains=[[1.0, 2.0], [3.0, 4.0]], state_timeout=0.1)
    assert isinstance(other, Settings)
    assert other.gains[0, 1] == 2.0 and settings.gains[0, 1] == 100.0
    with pytest.raises(ParameterError):
        settings.replace(gains=[[1.0, math.nan], [3.0, 4.0]])


def test_robot_that_compensates_gravity_is_never_given_gravity_torque():
    """Whether enabled or not, and neither by the law nor as the safe torque."""
    settings = settings_for(TWO_LINK, robot_compensates_gravity=True)
    assert list(settings.commanded) == [True, True, True, False, True, True] == list(settings.safe)


def test_disabled_gravity_is_still_part_of_the_safe_torque():
    """Switching a term of the law off is no statement about the robot."""
    settings = settings_for(TWO_LINK, enabled=[1, 1, 1, 0, 1, 1])
    assert not settings.commanded[3] and settings.safe[3]
