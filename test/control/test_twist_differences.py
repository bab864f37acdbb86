# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The acceleration of a base from its twists."""

import numpy as np
import pytest

from robodyn_ros.control.twist_differences import TwistDifferences


def followed(differences, times, twists):
    """Return the accelerations (k, 6) at twists that come one after the other."""
    found = []
    for time, twist in zip(times, twists):
        found.append(differences.acceleration(time, twist))
        differences.accept_twist(time, twist, found[-1])
    return np.array(found)


def test_a_short_filter_gives_the_acceleration_half_a_step_ago():
    """Exactly where the acceleration changes at a constant rate, at irregular times."""
    rng = np.random.default_rng(4)
    start, rate, jerk = rng.normal(size=(3, 6))
    times = 3.0 + np.cumsum(rng.uniform(0.001, 0.02, 30))
    twists = start + np.outer(times, rate) + 0.5 * np.outer(times**2, jerk)
    found = followed(TwistDifferences(1e-6), times, twists)
    middle = 0.5 * (times[1:] + times[:-1])
    np.testing.assert_allclose(found[1:], rate + np.outer(middle, jerk), rtol=1e-9, atol=1e-9)
    assert not found[0].any()


def test_a_long_filter_nears_a_constant_acceleration_exponentially():
    """1 - exp(-t / T) of it, whatever the steps are."""
    rng = np.random.default_rng(5)
    rate, times = rng.normal(size=6), np.cumsum(rng.uniform(0.001, 0.02, 30))
    found = followed(TwistDifferences(0.1), times, np.outer(times, rate))
    share = -np.expm1(-(times - times[0]) / 0.1)
    np.testing.assert_allclose(found, np.outer(share, rate), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize('step', [0.0, -0.5, 1.5])
def test_a_pause_or_a_step_back_starts_anew(step):
    """The next difference counts again."""
    differences, rate = TwistDifferences(1e-6), np.arange(1.0, 7.0)
    times = np.array([2.0, 2.01, 2.01 + step, 2.02 + step])
    found = followed(differences, times, np.outer([2.0, 2.01, 5.0, 5.01], rate))
    assert not found[2].any()
    np.testing.assert_allclose(found[[1, 3]], [rate, rate], rtol=1e-9)
