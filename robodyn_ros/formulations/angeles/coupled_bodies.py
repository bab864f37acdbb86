# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Two bodies in contact or on one belt, as constraints on their twists: Angeles, Exercise 7.4.

    A t_1 + B t_2 = 0,    t_i = [omega_i; cdot_i]

Belt and pulleys: the belt does not stretch. The points where it leaves the pulleys have equal
speed along it, u . v_1 = u . v_2. Cam and follower: the same along the normal of their contact,
where they may slide but not separate. Bevel gears: the pitch cones roll, v_1 = v_2 at their
contact. With v = cdot + omega x r, each row of A and B is a wrench. Its force on body 1 is A^T
lam. These rows extend K of natural_orthogonal_complement.py. The exercise has no numbers.
Everything is in base axes, lengths in m. O(1).
"""

import numpy as np

from robodyn_ros.formulations.posture import cross, skew


def along(line, points, centres):
    """Return the constraint that points of two bodies have equal speed along a line.

    Parts (a), belt, and (c), cam and follower, of the exercise.

    `line` ((3,) array_like): direction, of any length.
    `points` (pair of (3,) array_like): one point of each body.
    `centres` (pair of (3,) array_like): centre of mass of each body.
    Returns `A` (1, 6): factor of the twist of body 1.
    Returns `B` (1, 6): factor of the twist of body 2.
    """
    rows = [
        np.concatenate((cross(point - centre, line), line))[None]
        for point, centre in zip(np.asarray(points), np.asarray(centres))
    ]
    return rows[0], -rows[1]


def rolling(point, centres):
    """Return the constraint that two bodies roll on each other; part (b), gears.

    `point` ((3,) array_like): their contact.
    `centres` (pair of (3,) array_like): centre of mass of each body.
    Returns `A` (3, 6): factor of the twist of body 1.
    Returns `B` (3, 6): factor of the twist of body 2.
    """
    rows = [
        np.hstack((-skew(np.asarray(point) - centre), np.eye(3))) for centre in np.asarray(centres)
    ]
    return rows[0], -rows[1]
