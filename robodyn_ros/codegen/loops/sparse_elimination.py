# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gaussian elimination in recordings, with pivots that are chosen from samples."""

from math import frexp, ldexp

import numpy as np

from robodyn_ros.codegen.tape import Recorded, RecordingTooLong

PIVOT = 0.05  # smallest pivot as a share of the smallest one of the samples
PIVOT_BITS = 8  # bits of this smallest pivot, so that all processors agree on it
ADMISSIBLE = 0.05  # smallest pivot that may be chosen, as a share of the largest
EQUAL = 1e-6  # relative difference of entries that count as equal, as those of equal arms
ZERO = 1e-12  # share of the largest entry, below which an entry counts as zero


def sparse_pivots(samples):
    """Choose pivots that are regular in all samples, for few operations.

    Each pivot is an entry that is large enough. Of these it gives the fewest products for the
    unknowns and one right side. Source: Markowitz 1957, "The elimination form of the inverse".

    `samples` (k, rows, unknowns): equations at k postures; overwritten.
    Returns (row, column, smallest square) of each pivot.
    Raises RecordingTooLong: if the equations are singular in a sample.
    """
    d, chosen = samples.shape[2], []
    rows, cols = list(range(samples.shape[1])), list(range(d))
    size = np.abs(samples).max()
    filled = np.abs(samples).max(axis=0) > ZERO * size
    while cols:
        least = np.abs(samples[:, rows][:, :, cols]).min(axis=0)
        if least.max() < 1e-9 * size:
            raise RecordingTooLong
        left = filled[np.ix_(rows, cols)]
        products = (left.sum(axis=1)[:, None] + 1) * (left.sum(axis=0) - 1)
        products[least < ADMISSIBLE * least.max()] = products.max() + 1
        cheap = np.where(products == products.min(), least, 0.0)
        i, j = np.argwhere(cheap > (1.0 - EQUAL) * cheap.max())[0]
        row, col = rows.pop(i), cols.pop(j)
        chosen.append((row, col, _rounded(PIVOT * least[i, j]) ** 2))
        for other in rows:
            if filled[other, col]:
                share = samples[:, other, col] / samples[:, row, col]
                samples[:, other] -= share[:, None] * samples[:, row]
                filled[other] |= filled[row]
    return tuple(chosen)


def _rounded(value):
    """Return a value rounded to PIVOT_BITS bits."""
    mantissa, exponent = frexp(value)
    return ldexp(round(ldexp(mantissa, PIVOT_BITS)), exponent - PIVOT_BITS)


class Factors:
    """Equations after Gaussian elimination, for any right sides.

    `L` (rows, columns): equations; the columns of the unknowns, which come first, are
      overwritten.
    """

    def __init__(self, L, pivots):
        self._L, self._pivots, self._shares = L, pivots, []
        self._inverses = []
        for k, (row, col, least) in enumerate(pivots):
            pivot, later = L[row, col], pivots[k + 1 :]
            if isinstance(pivot, Recorded):
                _ = pivot * pivot > least
            self._inverses.append(1.0 / pivot)
            for other, *_ in later:
                if not is_zero(L[other, col]):
                    share = L[other, col] * self._inverses[-1]
                    self._shares.append((other, row, share))
                    for _, column, _ in later:
                        if not is_zero(L[row, column]):
                            L[other, column] = L[other, column] - share * L[row, column]

    def solution(self, right):
        """Return the unknowns for a right side, which is not changed.

        `right` (rows,): right side.
        """
        right, X = right.copy(), np.full(len(self._pivots), 0.0, dtype=object)
        for other, row, share in self._shares:
            if not is_zero(right[row]):
                right[other] = right[other] - share * right[row]
        for k in range(len(self._pivots) - 1, -1, -1):
            row, col, _ = self._pivots[k]
            entry = right[row]
            for _, later, _ in self._pivots[k + 1 :]:
                if not is_zero(self._L[row, later]) and not is_zero(X[later]):
                    entry = entry - self._L[row, later] * X[later]
            X[col] = 0.0 if is_zero(entry) else entry * self._inverses[k]
        return X


def is_zero(entry):
    """Return whether an entry is the constant zero."""
    return not isinstance(entry, Recorded) and entry == 0.0
