# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Distribution of a duration, kept in fixed memory while a loop runs."""

import array
import math

import numpy as np

_PER_OCTAVE = 32  # a percentile is at most 1/32 too high
_SMALLEST_EXPONENT = -7  # 2^-7 us, 8 ns
_OCTAVES = 32  # up to 2^24 us, 17 s


class Histogram:
    """A histogram of 32 bins per octave, from 8 ns to 17 s if the values are in microseconds.

    `add` keeps no allocated memory and never fails, so a real-time loop may call it. Other threads
    may read.
    """

    def __init__(self):
        self._counts = array.array('Q', bytes(8 * _PER_OCTAVE * _OCTAVES))
        self.count = 0
        self.maximum = 0.0

    def __repr__(self):
        return f'<Histogram of {self.count} values, the largest {self.maximum:.6g}>'

    def add(self, value):
        """Count a value; negative ones and NaN count as zero.

        Parameters
        ----------
        value : float
            The value.
        """
        if not value > 0.0:
            value = 0.0
        if value > self.maximum:
            self.maximum = value
        mantissa, exponent = math.frexp(value)  # value = mantissa 2^exponent, 0.5 <= mantissa < 1
        if exponent <= _SMALLEST_EXPONENT or value == 0.0:
            k = 0
        elif exponent > _SMALLEST_EXPONENT + _OCTAVES or value == math.inf:
            k = _PER_OCTAVE * _OCTAVES - 1
        else:
            octave = exponent - _SMALLEST_EXPONENT - 1
            k = octave * _PER_OCTAVE + int((2.0 * mantissa - 1.0) * _PER_OCTAVE)
        self._counts[k] += 1
        self.count += 1

    def percentile(self, percent):
        """Return the upper edge of the bin of a percentile, or 0 without values.

        Parameters
        ----------
        percent : float
            Share of the values that do not exceed it [%].
        """
        wanted = math.ceil(round(self.count * percent / 100.0, 6))  # 99.9 % of 5000 are 4995
        seen = np.cumsum(self._counts)
        k = int(np.searchsorted(seen, max(wanted, 1)))
        return min(_upper_edge(k), self.maximum) if k < len(seen) else 0.0

    def clear(self):
        """Remove all values."""
        for k in range(len(self._counts)):
            self._counts[k] = 0
        self.count = 0
        self.maximum = 0.0


def _upper_edge(k):
    octave, part = divmod(k, _PER_OCTAVE)
    return math.ldexp(0.5 + (part + 1) * 0.5 / _PER_OCTAVE, octave + _SMALLEST_EXPONENT + 1)
