# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Two bodies that touch or pull, as constraints on their twists: Angeles, Exercise 7.4.

    A t_1 + B t_2 = 0,    t_i = [omega_i; cdot_i]

Belt and pulleys: the belt does not stretch. The points where it leaves them are equally fast along
it, u . v_1 = u . v_2. Cam and follower: the same along the normal of their contact, where they may
slide but not part. Bevel gears: the pitch cones roll, v_1 = v_2 at their contact. With v = cdot +
omega x r, each row of A and B is a wrench. Its force on body 1 is A^T lam. Such rows go below the
K of natural_orthogonal_complement.py. The exercise has no numbers; everything in base axes,
lengths in m. O(1).
"""

import numpy as np

from robodyn_ros.formulations.arm import cross, skew


def along(line, points, centres):
    """(A, B), (1, 6) each: points of two bodies, equally fast along a line.

    line (3,) : direction, of any length. points : one of each body, (3,) each. centres : their
    centres of mass. Parts (a), belt, and (c), cam and follower, of the exercise.
    """
    rows = [
        np.concatenate((cross(point - centre, line), line))[None]
        for point, centre in zip(np.asarray(points), np.asarray(centres))
    ]
    return rows[0], -rows[1]


def rolling(point, centres):
    """(A, B), (3, 6) each: two bodies that roll on each other at a point (3,); part (b), gears."""
    rows = [
        np.hstack((-skew(np.asarray(point) - centre), np.eye(3))) for centre in np.asarray(centres)
    ]
    return rows[0], -rows[1]
