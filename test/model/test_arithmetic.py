# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of constants: correctly rounded, and the same on every machine."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodyn_ros.model import arithmetic
from robodyn_ros.model.canonical import CLOSE, ROUNDOFF, canonical, without_rounding

ANGLES = st.floats(-1e6, 1e6)
ENTRIES = st.floats(-1e3, 1e3)
#: Cosine and sine, to more digits than a double has.
KNOWN = {
    1.0: ('0.54030230586813971740093660744297660', '0.84147098480789650665250232163029900'),
    # the double closest to a multiple of a quarter turn (Muller 2010, section 11.3)
    6381956970095103 * 2.0**797: ('-4.68716592425462761112e-19', '1.0'),
    1e22: ('0.52321478539513894549759442588436757', '-0.8522008497671888017727'),
    1e-300: ('1.0', '1e-300'),
    0.0: ('1.0', '0.0'),
}


@pytest.mark.parametrize('angle', KNOWN)
def test_cosines_and_sines_are_correctly_rounded(angle):
    """Python rounds decimal numbers correctly; what is computed has to be the same double."""
    assert arithmetic.cosine_and_sine(angle) == tuple(map(float, KNOWN[angle]))


@given(ANGLES)
def test_cosine_and_sine_are_those_of_the_c_library_but_for_a_unit(angle):
    """Of either sign; the library is within a unit in the last place."""
    for mine, theirs in zip(arithmetic.cosine_and_sine(angle), (math.cos(angle), math.sin(angle))):
        assert abs(mine - theirs) <= math.ulp(theirs)


@given(ANGLES)
def test_cosine_and_sine_are_symmetric(angle):
    """To the last bit."""
    cosine, sine = arithmetic.cosine_and_sine(angle)
    assert arithmetic.cosine_and_sine(-angle) == (cosine, -sine)


def test_no_angle_has_no_cosine():
    """What is not finite is refused where the model is built, with a sentence."""
    for angle in (math.inf, math.nan):
        assert np.isnan(arithmetic.cosine_and_sine(angle)).all()


@given(ENTRIES, ENTRIES)
def test_arctangent_corrects_any_start(y, x):
    """From a neighbour of the library's value the same double is found, a unit from it."""
    found = arithmetic.arctangent(y, x)
    start = math.atan2(y, x)
    assert abs(found - start) <= math.ulp(start)
    for other in (math.nextafter(start, 4.0), math.nextafter(start, -4.0)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(arithmetic.math, 'atan2', lambda y, x, other=other: other)
            assert arithmetic.arctangent(y, x) == found or (x, y) == (0.0, 0.0)


def test_products_have_an_order():
    """((a b) + (c d)) + (e f), rounded after each operation, whatever the processor can fuse."""
    rng = np.random.default_rng(5)
    A, B = rng.normal(size=(2, 3, 3))
    for i in range(3):
        for j in range(3):
            total = 0.0
            for k in range(3):
                total = float(Fraction(total) + Fraction(rounded(A[i, k], B[k, j])))
            assert arithmetic.product(A, B)[i, j] == total
    np.testing.assert_array_equal(arithmetic.product(A, B[:, 0]), arithmetic.product(A, B)[:, 0])


def rounded(a, b):
    """Return the product of two doubles, rounded once."""
    return float(Fraction(a) * Fraction(b))


@given(st.lists(st.sampled_from(range(40)), min_size=1, max_size=20), st.randoms())
def test_canonical_constants_do_not_depend_on_their_order(units, random):
    """Values a few units apart become one, the largest of them; shuffled they become the same."""
    values = [0.7 + k * 2.0 * ROUNDOFF for k in units]
    found = dict(zip(values, canonical(values)))
    random.shuffle(values)
    assert dict(zip(values, canonical(values))) == found
    assert all(abs(x - y) <= CLOSE * ROUNDOFF for x, y in found.items())
    assert max(values) in found.values()


def test_canonical_constants_keep_signs_zeros_and_what_is_known():
    """A magnitude that is known wins over a larger one."""
    near = 1.0 + 4.0 * ROUNDOFF
    np.testing.assert_array_equal(
        canonical([near, -near, 0.0, 0.5], (1.0,), absolute=True), [1.0, -1.0, 0.0, 0.5]
    )
    np.testing.assert_array_equal(canonical([near, 1.0]), [near, near])


def test_rounding_beside_the_largest_is_zero():
    """What is small of itself stays."""
    np.testing.assert_array_equal(without_rounding([1.0, 1e-16, 1e-14]), [1.0, 0.0, 1e-14])
    np.testing.assert_array_equal(without_rounding([1e-16, 0.0]), [1e-16, 0.0])
