# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Differentiate recorded positions, with filters without delay.

Positions pass a low-pass filter forwards and backwards (zero phase), then central differences.
Torques and columns of the regressor have the same filter, so W beta = tau still holds. Both are
then decimated, so their errors are nearly independent. See Khalil and Dombre 2002, section 12.2.5;
Swevers, Verdonck and De Schutter 2007.
"""

import numpy as np

from robodyn_ros.errors import ParameterError, ShapeError

ORDER = 4  # of the Butterworth filter, run twice
WIDER = 2.0  # for positions; its gain at the cutoff is 99.6 %
EDGE = 2.0  # periods of the cutoff dropped at either end, during the transient of the filter
SAMPLES = 2.0  # samples kept per period of the cutoff; errors of more samples would be correlated


def differentiated(q, rate, cutoff):
    """Return smooth position, velocity and acceleration of recorded positions.

    The filter is WIDER times wider than that of the columns. Otherwise signals near the cutoff
    would be attenuated twice.

    `q` (k, nv): recorded positions [rad or m].
    `cutoff`: cutoff of the filter of the columns [Hz].
    Raises ParameterError, ShapeError: as by `lowpass`.
    """
    _check(len(q), rate, cutoff)
    q = lowpass(q, rate, min(WIDER * cutoff, 0.45 * rate))
    qd = np.gradient(q, 1.0 / rate, axis=0)
    qdd = np.empty_like(q)
    qdd[1:-1] = (q[2:] - 2.0 * q[1:-1] + q[:-2]) * rate**2
    qdd[[0, -1]] = qdd[[1, -2]]
    return q, qd, qdd


def lowpass(x, rate, cutoff):
    """Filter an array along its first axis, without delay.

    `x` (k, ...): samples.
    `cutoff`: frequency with a gain of -6 dB [Hz].
    Raises ParameterError: without scipy, and for an impossible cutoff.
    Raises ShapeError: for too few samples.
    """
    try:
        from scipy.signal import butter, sosfiltfilt
    except ImportError:
        raise ParameterError(
            'filtering a recording needs scipy, which is not installed; '
            'expected: pip install scipy'
        ) from None
    _check(len(x), rate, cutoff)
    return sosfiltfilt(butter(ORDER, cutoff, fs=rate, output='sos'), x, axis=0)


def _check(count, rate, cutoff):
    """Refuse a cutoff that so many samples at that rate cannot have."""
    if not 0.0 < cutoff < 0.5 * rate:
        raise ParameterError(
            f'cutoff is {cutoff:g} Hz for samples at {rate:g} Hz; expected above '
            f'0 and below {0.5 * rate:g} Hz'
        )
    least = 3.0 * rate / cutoff + 6 * ORDER
    if count < least:
        raise ShapeError(
            f'got {count} samples at {rate:g} Hz; expected at least {least:.6g} for a '
            f'cutoff of {cutoff:g} Hz'
        )


def thinned(rate, cutoff, count):
    """Return which of the filtered samples to keep: a slice without the edges.

    `count`: number of samples.
    """
    edge = int(np.ceil(EDGE * rate / cutoff))
    return slice(edge, count - edge, max(1, int(rate / (SAMPLES * cutoff))))


def velocity_noise(q, rate, cutoff):
    """Return the standard deviation (nv,) of the velocities of `differentiated`.

    The noise of a position is what the filter removes. If it is white, with variance s^2, its
    derivative below the frequency f has the variance s^2 (2 pi)^2 (2 / rate) f^3 / 3.

    `q` (k, nv): recorded positions [rad or m].
    `cutoff`: cutoff of the filter of the columns [Hz].
    """
    wide = min(WIDER * cutoff, 0.45 * rate)
    removed = np.abs(q - lowpass(q, rate, wide))
    return (
        np.median(removed, axis=0) / 0.6745 * 2.0 * np.pi * np.sqrt(2.0 * wide**3 / (3.0 * rate))
    )


def steady(qd, rate, cutoff, slowest):
    """Return (k, nv): where each joint moves faster than a speed, and does not turn.

    It must do so for half a period of the cutoff before and after, the window of the filter.

    `slowest` (float or (nv,) ndarray): the speeds [rad/s or m/s]; below zero every sample counts.
    """
    slow = np.abs(qd) <= slowest
    slow[1:] |= (qd[1:] * qd[:-1] < 0.0) & (np.asarray(slowest) >= 0.0)
    reach = int(np.ceil(0.5 * rate / cutoff))
    total = np.cumsum(np.pad(slow, ((reach + 1, reach), (0, 0))), axis=0)
    return total[2 * reach + 1 :] == total[: -2 * reach - 1]
