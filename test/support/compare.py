# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Agreement of two arrays, relative to their size, failing on NaN."""

import numpy as np

#: Largest relative error of the recursions against any referee. Double precision rounds at
#: 1.1e-16. A sweep over ten to forty bodies has some thousand operations on terms that partly
#: cancel, which leaves 1e-14. Two further digits are for longer chains.
EXACT = 1e-12


def agree(got, expected, scale=None, tolerance=EXACT, what='it'):
    """Assert |got - expected| <= tolerance * scale, entry by entry.

    scale : size of what was added up to get there; the largest expected entry if not given. It has
    to be given where the result is a small difference of large terms, or exactly zero.
    what : the name for the message.
    """
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.shape == expected.shape, f'shape {got.shape}, expected {expected.shape}'
    scale = np.abs(expected).max() if scale is None else scale
    assert np.isfinite(scale), f'{what} is compared by a scale of {scale}, which no error exceeds'
    error = np.abs(got - expected).max()
    assert error <= tolerance * scale, (
        f'{what} differs by {error:.3g}, '
        f'{error / scale if scale else np.inf:.3g} of {scale:.3g}:\n'
        f'got\n{got}\nexpected\n{expected}'
    )


def solve_tolerance(M):
    """Relative error that any stable solve with M may have: eps cond(M), where above `EXACT`."""
    return max(EXACT, 4.0 * np.finfo(float).eps * np.linalg.cond(M))
