# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Differentiate recorded positions, with filters without delay.

Low-pass forwards and backwards (zero phase), then central differences; torques and the columns of
the regressor go through the same filter, which changes both sides of W beta = tau alike. Both are
then thinned out, so that the errors left are nearly independent (Khalil and Dombre 2002, section
12.2.5; Swevers, Verdonck and De Schutter 2007).
"""

import numpy as np

from robodyn_ros.errors import ParameterError, ShapeError

ORDER = 4  # of the Butterworth filter, run twice
WIDER = 2.0  # for positions; at the cutoff it then lets 99.6 % pass
EDGE = 2.0  # periods of the cutoff that are dropped at either end, where the filter starts
SAMPLES = 2.0  # kept for each period of the cutoff: with more, their errors would be alike


def differentiated(q, rate, cutoff):
    """Smooth position, velocity and acceleration (k, nv) of recorded positions (k, nv).

    rate [Hz] of the samples. The filter is WIDER than the cutoff [Hz] of the filter of the columns
    made from them. Otherwise signals near the cutoff would be weakened twice.
    """
    q = lowpass(q, rate, min(WIDER * cutoff, 0.45 * rate))
    qd = np.gradient(q, 1.0 / rate, axis=0)
    qdd = np.empty_like(q)
    qdd[1:-1] = (q[2:] - 2.0 * q[1:-1] + q[:-2]) * rate**2
    qdd[[0, -1]] = qdd[[1, -2]]
    return q, qd, qdd


def lowpass(x, rate, cutoff):
    """x (k, ...) filtered along its first axis, without delay; -6 dB at cutoff [Hz].

    Raises ParameterError without scipy and for an impossible cutoff, ShapeError for too few
    samples.
    """
    try:
        from scipy.signal import butter, sosfiltfilt
    except ImportError:
        raise ParameterError(
            'filtering a recording needs scipy, which is not installed; '
            'expected: pip install scipy'
        ) from None
    if not 0.0 < cutoff < 0.5 * rate:
        raise ParameterError(
            f'cutoff is {cutoff:g} Hz for samples at {rate:g} Hz; expected above '
            f'0 and below {0.5 * rate:g} Hz'
        )
    least = int(3.0 * rate / cutoff) + 6 * ORDER
    if len(x) < least:
        raise ShapeError(
            f'got {len(x)} samples at {rate:g} Hz; expected at least {least} for a '
            f'cutoff of {cutoff:g} Hz'
        )
    return sosfiltfilt(butter(ORDER, cutoff, fs=rate, output='sos'), x, axis=0)


def thinned(rate, cutoff, count):
    """Return which of `count` filtered samples to keep: a slice without the edges."""
    edge = int(np.ceil(EDGE * rate / cutoff))
    return slice(edge, count - edge, max(1, int(rate / (SAMPLES * cutoff))))


def steady(qd, rate, cutoff, share):
    """(k, nv) where a joint is faster than a share of its greatest speed. This must hold for half
    a period of the cutoff before and after, which is what the filter uses.
    """
    slow = np.abs(qd) <= share * np.abs(qd).max(axis=0)
    reach = int(np.ceil(0.5 * rate / cutoff))
    total = np.cumsum(np.pad(slow, ((reach + 1, reach), (0, 0))), axis=0)
    return total[2 * reach + 1 :] == total[: -2 * reach - 1]
