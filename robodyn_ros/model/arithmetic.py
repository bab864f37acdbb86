# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of a model's constants, bit for bit the same on every machine.

In libraries the order of sums, fused products and approximations of sines depend on the processor.
Here every sum has a fixed order of IEEE 754 operations. Trigonometric functions are computed in
integers and correctly rounded.
"""

import functools
import math
import operator

import numpy as np

#: Bits in addition to those of the argument; 120 suffice for every double (Muller 2010).
GUARD = 192


def product(A, B):
    """Return the matrix product A B, summed from the first column of A to the third.

    `A` ((3, 3) array_like): left factor.
    `B` ((3, 3) or (3,) array_like): right factor.
    """
    A, B = np.asarray(A, dtype=float), np.asarray(B, dtype=float)
    first, second, third = (np.multiply.outer(A[:, k], B[k]) for k in range(3))
    return first + second + third


def dot(a, b):
    """Return the scalar product of two 3-vectors, summed from the first entry to the third.

    `a`, `b` ((3,) array_like): 3-vectors.
    """
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def added(terms):
    """Return the sum of numbers or arrays, from the first term to the last.

    `terms` (iterable of float or ndarray): terms, at least one.
    """
    return functools.reduce(operator.add, terms)


def norm(a):
    """Return the Euclidean length of a 3-vector.

    `a` ((3,) array_like): 3-vector.
    """
    return math.sqrt(dot(a, a))


@functools.lru_cache(maxsize=1024)
def cosine_and_sine(angle):
    """Return the correctly rounded cosine and sine of an angle.

    They are Taylor series in integers, after reduction to at most an eighth of a turn.
    """
    angle = float(angle)
    if not math.isfinite(angle):
        return math.nan, math.nan
    bits = _bits(angle)
    cosine, sine = _series(_fixed(angle, bits), bits)
    return cosine / (1 << bits), sine / (1 << bits)


def arctangent(y, x):
    """Return the correctly rounded angle of the point (x, y), as `math.atan2` does.

    It is one Newton step in integers from the value of the C library, whose last bit varies.

    `y`, `x`: coordinates of the point.
    """
    start = math.atan2(y, x)
    bits = max(map(_bits, (start, x, y)))
    cosine, sine = _series(_fixed(start, bits), bits)
    X, Y = _fixed(x, bits), _fixed(y, bits)
    along = X * cosine + Y * sine
    if along == 0:  # the origin
        return start
    step = ((Y * cosine - X * sine) << bits) // along
    return (_fixed(start, bits) + step) / (1 << bits)


def _bits(number):
    """Return the number of fractional bits that represent `number` exactly, plus GUARD bits."""
    numerator, denominator = float(number).as_integer_ratio()
    return GUARD + numerator.bit_length() + denominator.bit_length()


def _fixed(number, bits):
    """Return a number in units of 2^-bits, rounded down."""
    numerator, denominator = float(number).as_integer_ratio()
    return (numerator << bits) // denominator


def _series(angle, bits):
    """Return cosine and sine of a fixed-point angle, in units of 2^-bits."""
    half_pi = _pi(bits) // 2
    quarters = (2 * angle + half_pi) // (2 * half_pi)
    rest = angle - quarters * half_pi
    sums, term, k = [0, 0], 1 << bits, 0
    while term:
        sums[k % 2] += -term if k & 2 else term
        k += 1
        term = (term * abs(rest) >> bits) // k
    cosine, sine = sums[0], sums[1] if rest > 0 else -sums[1]
    return ((cosine, sine), (-sine, cosine), (-cosine, -sine), (sine, -cosine))[quarters % 4]


@functools.lru_cache(maxsize=64)
def _pi(bits):
    """Return pi in units of 2^-bits, by Machin's formula."""
    bits += 16  # for the rounding of the terms
    return (16 * _inverse_tangent(5, bits) - 4 * _inverse_tangent(239, bits)) >> 16


def _inverse_tangent(x, bits):
    """Return arctan(1 / x) in units of 2^-bits."""
    total, power, k = 0, (1 << bits) // x, 1
    while power:
        total += -(power // k) if k & 2 else power // k
        power //= x * x
        k += 2
    return total
