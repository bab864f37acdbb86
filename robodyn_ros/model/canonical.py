# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Make constants equal that differ by rounding only.

Constants that are equal in the description may differ by a few units of roundoff after different
sums. Recorded code shares equal values, so each kind of constant is reduced to a canonical set.
The largest magnitude replaces all that are at most CLOSE units of roundoff below it. Then the
largest of the others does the same, and so on. The result does not depend on the order of the
constants.
"""

from bisect import bisect_right

import numpy as np

#: Units of roundoff by which equal constants may differ; a product of three rotations gives two or
#: three.
CLOSE = 8
ROUNDOFF = 2.0**-53


def canonical(values, known=(), absolute=False):
    """Return the values with each one replaced by its canonical number.

    `values` (array_like): finite numbers. Signs are kept, and so are zeros.
    `known` (array_like): magnitudes that take precedence, for any size.
    `absolute`: whether CLOSE counts units of roundoff of 1, as for direction cosines, or of the
      value.
    """
    values = np.array(values, dtype=float)
    leaders = [size for size in np.unique(np.abs(known)).tolist() if size]
    stands_for, leader = {}, np.inf
    for size in np.unique(np.abs(values[values != 0.0]))[::-1].tolist():
        slack = CLOSE * ROUNDOFF * (1.0 if absolute else size)
        place = bisect_right(leaders, size + slack) - 1
        if place >= 0 and leaders[place] >= size - slack:
            stands_for[size] = leaders[place]
        else:
            leader = leader if leader - size <= slack else size
            stands_for[size] = leader
    flat = values.reshape(-1)
    for place, value in enumerate(flat.tolist()):
        if value:
            flat[place] = np.copysign(stands_for[abs(value)], value)
    return flat.reshape(values.shape)


def without_rounding(values):
    """Return the values, with those set to zero that are rounding errors of the largest one.

    `values` (array_like): results of the same sum, such as the components of one vector.
    """
    values = np.asarray(values)
    slack = CLOSE * ROUNDOFF * np.abs(values).max(initial=0.0)
    return np.where(np.abs(values) <= slack, 0.0, values)
