# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kernels that give the same bits on every processor: their sine, and that they use it."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from robodyn_ros.compile.reproducible import LARGEST, exponential, sine_and_cosine

ANGLES = np.concatenate(
    [
        np.random.default_rng(0).uniform(-x, x, 5000)
        for x in (1e-9, 1e-3, 0.8, np.pi, 10.0, 1e3, LARGEST)
    ]
)
SCRIPT = """
import json, sys
import numpy as np
from robodyn_ros.compile import kernel, reproducible
from robodyn_ros.spatial.types import Vector

@kernel
def values(x: Vector, out: Vector):
    for i in range(x.shape[0]):
        s, c = np.sin(x[i]), np.cos(x[i])
        out[4 * i], out[4 * i + 1], out[4 * i + 2] = s, c, x[i] * s + c
        out[4 * i + 3] = np.exp(-abs(x[i]))

x = np.array(json.load(sys.stdin))
out = np.empty(4 * len(x))
values(x, out)
print(json.dumps(out.tolist()))
"""


def test_sine_and_cosine_are_accurate():
    """Against the C library; two units of roundoff of one, and one relative where it is small."""
    found = np.array([sine_and_cosine(x) for x in ANGLES.tolist()])
    expected = np.column_stack([np.sin(ANGLES), np.cos(ANGLES)])
    assert np.abs(found - expected).max() <= 2.3e-16
    small = np.abs(ANGLES) < 1e-3
    np.testing.assert_allclose(found[small], expected[small], rtol=2.3e-16, atol=0.0)


@pytest.mark.parametrize('x', [0.0, -0.0, np.nan])
def test_zero_and_what_is_no_number(x):
    sine, cosine = sine_and_cosine(x)
    np.testing.assert_array_equal([sine, cosine], [np.sin(x), np.cos(x)])


def test_quarter_turns_and_beyond():
    """In all quadrants, on both sides, and for angles that nothing has."""
    for x in np.arange(-8, 9) * (np.pi / 2):
        np.testing.assert_allclose(sine_and_cosine(x), (np.sin(x), np.cos(x)), atol=2.3e-16)
    for x in (1e7, -3e8, 1e12):
        sine, cosine = sine_and_cosine(x)
        assert sine * sine + cosine * cosine == pytest.approx(1.0, abs=1e-15)


def test_exponential_is_accurate_up_to_its_ends():
    """Against the C library, to one unit of roundoff, also where the result is rounded twice."""
    found = np.array([exponential(x) for x in ANGLES.tolist() if abs(x) < 700.0])
    expected = np.exp(ANGLES[np.abs(ANGLES) < 700.0])
    np.testing.assert_allclose(found, expected, rtol=2.3e-16, atol=0.0)
    ends = (0.0, -744.0, 709.7, -746.0, 710.0, -np.inf, np.inf, np.nan)
    with np.errstate(over='ignore'):
        np.testing.assert_allclose([exponential(x) for x in ends], np.exp(ends), rtol=1e-15)


@pytest.mark.parametrize('settings', [{}, {'NUMBA_CPU_NAME': 'generic', 'NUMBA_CPU_FEATURES': ''}])
def test_kernels_compute_in_the_written_order(settings, tmp_path):
    """As Python does, which fuses nothing: product and sum, and the functions, bit for bit."""
    script = tmp_path / 'script.py'
    script.write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, str(script)],
        input=json.dumps(ANGLES.tolist()),
        env={**os.environ, 'ROBODYN_REPRODUCIBLE': '1', **settings},
        capture_output=True,
        text=True,
        check=True,
    )
    expected = []
    for x in ANGLES.tolist():
        sine, cosine = sine_and_cosine(x)
        expected += [sine, cosine, x * sine + cosine, exponential(-abs(x))]
    assert json.loads(done.stdout) == expected
