# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The working memory of recursions: a row for each body, whose fields have names.

`work[i].omega` is the angular velocity of body i. Its contents have no meaning between two calls.
No kernel reads an entry that it did not write in the same call. Vectors are in axes of the body
unless the field says otherwise; 3x3 matrices are row-major, and of six numbers the first three
are the angular part.
"""

from types import SimpleNamespace

import numpy as np

#: Blocks of [[A, B], [B^T, C]]: A and C symmetric, B general.
ARTICULATED = (('angular', 6), ('coupling', 9), ('linear', 6))

#: (field, number of entries or its own fields, what it is)
FIELDS = (
    ('cos', 1, 'of the joint angle; 1 for a prismatic joint'),
    ('sin', 1, 'of the joint angle; 0 for a prismatic joint'),
    ('position', 3, 'p_PB_P at q'),
    ('omega', 3, 'angular velocity'),
    ('alpha', 3, 'angular acceleration'),
    ('accel', 3, 'acceleration of the origin'),
    ('rate', 9, 'A = [omega]^2 + [alpha], so that A r is the acceleration of r'),
    ('speed', 3, 'velocity of the origin'),
    ('moment', 3, 'moment about the origin'),
    ('force', 3, 'force'),
    ('c_mass', 1, 'mass of the composite body'),
    ('c_moment', 3, 'its first moment'),
    ('c_inertia', 6, 'its inertia about the origin'),
    ('P', ARTICULATED, 'articulated inertia'),
    ('u_angular', 3, 'U = P S, angular part'),
    ('u_linear', 3, 'U = P S, linear part'),
    ('d_inverse', 1, '1 / D'),
    ('bias_angular', 3, 'velocity-dependent part of the acceleration across the joint'),
    ('bias_linear', 3, 'its linear part'),
    ('residual', 1, 'u = tau - S^T z'),
    ('world_rotation', 9, 'R_0B'),
    ('world_position', 3, 'p_0B_0'),
    ('O', ARTICULATED, 'compliance Omega'),
    ('on_path', 1, '1 if the body carries the requested frame'),
    ('b_symmetric', 6, 'Coriolis composite, symmetric part'),
    ('b_moment', 3, 'angular momentum about the world origin'),
    ('b_force', 3, 'linear momentum'),
    ('axis', 6, 'joint axis as a spatial motion about the world origin'),
    ('axis_rate', 6, 'its rate of change'),
    ('omega_r', 3, 'angular velocity of the reference motion'),
    ('rotation', 9, 'R of R_PB = R Rz, see joint_transforms'),
    ('carried', 6, 'rate of the joint axis, as if fixed to the body that carries the joint'),
    ('carried_rate', 6, 'its second rate, likewise'),
    ('both_rates', 6, 'carried + axis_rate'),
    ('joint_momentum', 6, 'momentum of the composite body for a unit rate of the joint'),
    ('joint_coriolis', 3, 'angular part of 2 B^T S'),
    ('last_child', 0, 'the last descendant of this body'),
    ('place', 0, 'place of its motion, see mass_matrix_inverse_world_frame'),
    ('run', 0, 'the first body of the unbranched run that ends with this one'),
    ('carrier_omega', 3, 'angular velocity of the body that carries the joint'),
    ('carrier_speed', 3, 'velocity of its point at the base origin'),
    ('carrier_alpha', 3, 'its angular acceleration'),
    ('carrier_accel', 3, 'acceleration of that point'),
    ('by_velocity', 6, "wrench of the composite body for a unit change of the joint's velocity"),
    ('by_position', 6, 'the same for its position, without a change of axes'),
    ('beyond', 6, 'the same, on joints that carry this one'),
    ('gain', 6, 'G = P S / D, in the common frame'),
    ('bias_wrench', 6, 'force of the motion without joint accelerations'),
    ('change', 6, 'acceleration due to joint accelerations'),
    ('below', 6, 'wrench that accelerates the bodies beyond this one along its joint'),
    ('P_rate', ARTICULATED, 'dP/dt'),
    ('kept_rate', ARTICULATED, 'dP/dt of the body before its joint is eliminated'),
    ('carrying', 6, 'sum of lambda S of the joints that carry the body'),
    ('weighted_momentum', 6, 'sum of lambda I S over the joint and all that it carries'),
    ('weighted_coriolis', 3, 'the same sum of 2 B^T S'),
    ('weighted_first', 3, "the same sum of I', its first moment"),
    ('weighted_second', 6, "the same sum of I', its inertia"),
    ('link_point', 3, 'origin of the link, in base axes'),
    ('link_gain', 6, 'gain about it, moment first'),
    ('link_point_rate', 3, 'its velocity'),
    ('link_gain_rate', 6, 'rate of the gain'),
)
#: Fields that only tiles of eight bodies have, see `derivatives.tiles`.
TILE_FIELDS = (
    ('mass', 1, 'of the body'),
    ('first_moment', 3, 'of the body'),
    ('inertia', 6, 'of the body'),
    ('wrench', 6, 'external wrench on the body'),
    ('enter', 1, 'number of this body, depth first'),
    ('last', 1, 'that of its last descendant'),
    ('free', 1, 'number of its next child'),
)


def dtype_of(fields):
    """Return the NumPy type of rows; a field without a length is an integer."""

    def column(name, size):
        if isinstance(size, tuple):
            return name, dtype_of(size)
        if size == 0:
            return name, np.int64
        return (name, np.float64) if size == 1 else (name, np.float64, size)

    named = [column(name, size) for name, size, *_ in fields]
    return np.dtype((np.record, np.dtype(named, align=True)))


#: A row of working memory.
WORK = dtype_of(FIELDS)


def columns(fields, start=0):
    """Return {field: (first column, number of entries or {its fields})} in numbers of 8 bytes."""
    found = {}
    for name, size, *_ in fields:
        inner = columns(size, start) if isinstance(size, tuple) else max(size, 1)
        found[name] = start, inner
        start += sum(n for _, n in size) if isinstance(size, tuple) else max(size, 1)
    return found


#: Columns of the fields, for machine code written by hand and for recordings.
COLUMNS = columns((*FIELDS, *TILE_FIELDS))
#: The first column of each field: AT.omega.
AT = SimpleNamespace(**{name: first for name, (first, _) in COLUMNS.items()})
WIDTH = WORK.itemsize // 8


def starts(fields, prefix=''):
    """Yield (first column, name) of all fields, with inner ones as 'P_angular'."""
    for name, (first, size) in fields.items():
        if isinstance(size, dict):
            yield from starts(size, f'{prefix}{name.lower()}_')
        else:
            yield first, prefix + name


class NamedRows:
    """Rows with names over entries (row, column), for recordings and registers.

    `entries` (object): read by entries[row, column], and written likewise.
    """

    def __init__(self, entries):
        self.entries = entries

    def __getitem__(self, i):
        if isinstance(i, tuple):
            return self.entries[i]
        return NamedRow(self.entries, i, COLUMNS)


class NamedRow:
    """One row of NamedRows.

    `entries` (object): the entries of all rows.
    `i`: number of the row.
    """

    __slots__ = ('_entries', '_fields', '_i')

    def __init__(self, entries, i, fields):
        for name, value in zip(('_entries', '_i', '_fields'), (entries, i, fields)):
            object.__setattr__(self, name, value)

    def __getattr__(self, name):
        first, size = self._fields[name]
        if isinstance(size, dict):
            return NamedRow(self._entries, self._i, size)
        if size == 1:
            return self._entries[self._i, first]
        return NamedField(self._entries, self._i, first)

    def __getitem__(self, k):
        return self._entries[self._i, k]

    def __setattr__(self, name, value):
        first, size = self._fields[name]
        if size != 1:
            raise AttributeError(f'{name} has {size} entries; write one of them')
        self._entries[self._i, first] = value


class NamedField:
    """The entries of one field of a row.

    `entries` (object): the entries of all rows.
    `i`: number of the row.
    `first`: column of the first entry of the field.
    """

    __slots__ = ('_entries', '_first', '_i')

    def __init__(self, entries, i, first):
        self._entries, self._i, self._first = entries, i, first

    def __getitem__(self, k):
        return self._entries[self._i, self._first + k]

    def __setitem__(self, k, value):
        self._entries[self._i, self._first + k] = value
