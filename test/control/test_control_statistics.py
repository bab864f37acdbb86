# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The histogram of durations that the loop keeps."""

import math
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest

from robodyn_ros.control import Histogram


@pytest.mark.parametrize('scale', [0.5, 3.0, 800.0, 2e5])
def test_percentile_is_at_most_one_bin_above_the_sorted_sample(scale):
    """Against the sorted data, by rank in exact fractions: never below, and at most 1/32 above."""
    values = np.sort(np.random.default_rng(1).gamma(2.0, scale, 5000))
    histogram = Histogram()
    for value in values:
        histogram.add(float(value))
    for percent in (1, 50, 90, 99, 99.9, 100):
        exact = values[math.ceil(Fraction(str(percent)) * 5000 / 100) - 1]
        assert exact <= histogram.percentile(percent) <= exact * (1.0 + 1.0 / 32.0)


def test_percentile_never_exceeds_the_maximum():
    """The upper edge of a bin is cut at the largest value."""
    histogram = Histogram()
    histogram.add(5.0)
    assert histogram.percentile(50) == histogram.maximum == 5.0


def test_empty_histogram_states_zero():
    """No value, no percentile."""
    assert Histogram().percentile(99) == 0.0


@pytest.mark.parametrize('value', [math.nan, -1.0, 0.0, -math.inf, 1e-320])
def test_useless_values_count_as_the_smallest(value):
    """A clock that steps back must not stop a loop."""
    histogram = Histogram()
    histogram.add(value)
    assert histogram.count == 1
    assert histogram.percentile(50) <= 0.01


@pytest.mark.parametrize('value', [math.inf, 1e300, 1e9])
def test_huge_values_land_in_the_last_bin(value):
    """They are counted, and the maximum is what they were."""
    histogram = Histogram()
    histogram.add(1.0)
    histogram.add(value)
    assert histogram.maximum == value
    assert histogram.percentile(100) > 1e7


def test_clear_drops_everything():
    """A cleared histogram is a new one."""
    histogram = Histogram()
    histogram.add(3.0)
    histogram.clear()
    assert (histogram.count, histogram.maximum, histogram.percentile(50)) == (0, 0.0, 0.0)


def test_memory_does_not_grow_with_the_number_of_values():
    """A loop may add for ever."""
    histogram = Histogram()
    values = [float(value) for value in np.random.default_rng(2).gamma(2.0, 50.0, 20000)]
    tracemalloc.start()
    try:
        for value in values[:10000]:
            histogram.add(value)
        before = tracemalloc.get_traced_memory()[0]
        for value in values[10000:]:
            histogram.add(value)
        assert tracemalloc.get_traced_memory()[0] - before < 500
    finally:
        tracemalloc.stop()
