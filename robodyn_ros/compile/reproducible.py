# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Machine code with the same bits on every processor, on request.

By default, results depend on the processor. The compiler may fuse a product with a sum, and sine,
cosine and exponential are those of the C library. With ROBODYN_REPRODUCIBLE=1 in the environment
every operation is rounded separately, in source order. Sine, cosine and exponential are then those
of this file.
"""

import functools
import math
import os

import llvmlite.binding
from numba import carray, cfunc, njit, types

WANTED = os.environ.get('ROBODYN_REPRODUCIBLE', '') not in ('', '0')

LARGEST = 1.5e6  # [rad]: up to 2^20 quarter turns the products of the reduction are exact
ROUND = 1.5 * 2.0**52  # adding and subtracting it rounds to an integer
QUARTERS = 0.6366197723675814  # [1/rad] quarter turns per angle, 2 / pi
WHOLE_TURN = 6.283185307179586  # [rad]
#: pi / 2 as a sum of parts of 33 bits, whose products with `quarters` are exact.
PARTS = (1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624879595063154e-21)
#: Polynomials of fdlibm (Sun Microsystems 1993, k_sin.c and k_cos.c).
SINE = (
    1.58969099521155010221e-10,
    -2.50507602534068634195e-08,
    2.75573137070700676789e-06,
    -1.98412698298579493134e-04,
    8.33333333332248946124e-03,
    -1.66666666666666324348e-01,
)
COSINE = (
    -1.13596475577881948265e-11,
    2.08757232129817482790e-09,
    -2.75573143513906633035e-07,
    2.48015872894767294178e-05,
    -1.38888888888741095749e-03,
    4.16666666666666019037e-02,
)
UNDERFLOW, OVERFLOW = -745.2, 709.78  # below and above, an exponential is 0 and infinite
POWERS = 1.4426950408889634  # 1 / log 2
#: log 2 as a sum. The first part has 33 bits, so that its products with `power` are exact.
LOG_PARTS = (6.93147180369123816490e-01, 1.90821492927058770002e-10)
EXPONENTIAL = (
    4.13813679705723846039e-08,
    -1.65339022054652515390e-06,
    6.61375632143793436117e-05,
    -2.77777777770155933842e-03,
    1.66666666666666019037e-01,
)
POINTER = types.CPointer(types.float64)


def sine_and_cosine(x):
    """Return sin x and cos x within two units of roundoff.

    Polynomials of the remainder after quarter turns (W. J. Cody and W. Waite, Software Manual for
    the Elementary Functions, 1980). Beyond LARGEST the angle is first reduced by rounded full
    turns, to the accuracy of its last bit.

    `x`: angle [rad].
    Returns `sine, cosine` (float): its sine and cosine.
    """
    if abs(x) > LARGEST:
        x = x % WHOLE_TURN
    quarters = (x * QUARTERS + ROUND) - ROUND
    x = ((x - quarters * PARTS[0]) - quarters * PARTS[1]) - quarters * PARTS[2]
    xx = x * x
    series = SINE[0]
    for coefficient in SINE[1:]:
        series = series * xx + coefficient
    sine = x + x * xx * series
    series = COSINE[0]
    for coefficient in COSINE[1:]:
        series = series * xx + coefficient
    half = 0.5 * xx
    head = 1.0 - half
    cosine = head + (((1.0 - head) - half) + xx * xx * series)  # restores the bits lost in head
    quadrant = quarters - 4.0 * ((0.25 * quarters - 0.375 + ROUND) - ROUND)  # 0, 1, 2 or 3
    if quadrant == 1.0:
        return cosine, -sine
    if quadrant == 2.0:
        return -sine, -cosine
    if quadrant == 3.0:
        return -cosine, sine
    return sine, cosine


def exponential(x):
    """Return exp x within one unit of roundoff.

    A rational function of the remainder after powers of 2 (the method of fdlibm's e_exp.c, 1993).

    `x`: exponent.
    """
    if not UNDERFLOW < x < OVERFLOW:
        return x if x != x else (math.inf if x > 0.0 else 0.0)
    power = (x * POWERS + ROUND) - ROUND
    head, rest = x - power * LOG_PARTS[0], power * LOG_PARTS[1]
    x = head - rest
    xx = x * x
    series = EXPONENTIAL[0]
    for coefficient in EXPONENTIAL[1:]:
        series = series * xx + coefficient
    part = x - xx * series
    return math.ldexp(1.0 - ((rest - x * part / (2.0 - part)) - head), int(power))


@functools.cache
def install():
    """Make kernels that are linked later call the functions of this file.

    Returns {name in the C library: compiled function}. The cache keeps it for the life of the
      process.
    """
    both = njit('UniTuple(float64, 2)(float64)', fastmath=False)(sine_and_cosine)

    def sine(x):
        return both(x)[0]

    def cosine(x):
        return both(x)[1]

    def sine_cosine(x, to_sine, to_cosine):
        carray(to_sine, 1)[0], carray(to_cosine, 1)[0] = both(x)

    functions = {
        'sin': cfunc(types.float64(types.float64))(sine),
        'cos': cfunc(types.float64(types.float64))(cosine),
        'exp': cfunc(types.float64(types.float64), fastmath=False)(exponential),
        'sincos': cfunc(types.void(types.float64, POINTER, POINTER))(sine_cosine),
    }
    for name, function in functions.items():
        llvmlite.binding.add_symbol(name, function.address)
    return functions
