# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Derivatives for one robot with packs: registers that hold the same quantity of several joints.

All joints take the same steps from the wrenches of composite bodies to entries of a matrix. A pack
takes them for up to WIDTH joints at once, and entries of one row are neighbours in it. So the code
has fewer statements. But a pack has no use for the zeros of a single joint. Short chains therefore
keep the recording of numbers, and so do all batches and emitted C.
"""

import functools
import itertools
from dataclasses import replace

from robodyn_ros.algorithms.core.joint_transform import first_of_joint
from robodyn_ros.algorithms.core.matrices import clear, negative_products
from robodyn_ros.algorithms.derivatives import tiles
from robodyn_ros.algorithms.derivatives.inverse_dynamics_derivatives import (
    by_position,
    by_velocity,
    carry_axis,
    carry_rate,
    motion_rate,
    power,
    sum_tip_to_base,
    within_joints,
)
from robodyn_ros.codegen.specialise import record
from robodyn_ros.codegen.tape import Recorded
from robodyn_ros.compile.rebound import rebound
from robodyn_ros.model.layout import PARENT, V
from robodyn_ros.spatial.vec3 import add, dot, load, store
from robodyn_ros.spatial.work import COLUMNS, NamedRows

#: Numbers of a pack: one register of AVX, two of NEON. A wider one has more lanes without a pair.
WIDTH = 4
#: Fields of composite bodies that are sums over bodies.
SUMMED = (
    'c_mass',
    'c_moment',
    'c_inertia',
    'b_symmetric',
    'b_moment',
    'b_force',
    'moment',
    'force',
)


class Packs(NamedRows):
    """Rows of recorded working memory, or of a table, for WIDTH bodies at a time.

    `tape` (Tape): the recording.
    `entries` (array): entries of single bodies; row 0 is the base.
    `count`: number of bodies without the base.
    """

    def __init__(self, tape, entries, count):
        super().__init__(_PackedEntries(tape, entries, self.bodies))
        self.tape, self._count = tape, count

    def bodies(self, pack):
        """Return the rows of the bodies of a pack, which are counted from one."""
        return range(1 + (pack - 1) * WIDTH, min(pack * WIDTH, self._count) + 1)


class _PackedEntries:
    """Entries (pack, column): the numbers of the bodies of a pack in one value."""

    def __init__(self, tape, single, bodies):
        self._tape, self._single, self._bodies = tape, single, bodies

    def __getitem__(self, place):
        pack, k = place
        return self._tape.pack([self._single[i, k] for i in self._bodies(pack)])

    def __setitem__(self, place, value):
        pack, k = place
        for lane, i in enumerate(self._bodies(pack)):
            self._single[i, k] = self._tape.lane(value, lane)


def shorter_with_packs(name, recipe, model, recording):
    """Record a derivative with packs, if that takes fewer statements than a recording without.

    `recipe` (Recipe): its recursion, inputs and outputs. The last of `others` is recorded, if
      there are any.
    `recording` (Recording): the recording without packs.
    Returns a recording whose results are slices of rows, such as 'by_q[0, 0:4]'. None for mimic
      and coupled joints, whose derivatives are not from a recursion.
    """
    if model.is_embedded or recording.singular:
        return None
    is_single = all(
        first_of_joint(model.topology, i) == i for i in range(1, model.topology.shape[0])
    )
    recursion = _with_packs((recipe.recursion, *recipe.others)[-1], is_single)
    found = record(name, replace(recipe, recursion=recursion, others=()), model)
    found = replace(found, results=_in_slices(found))
    return found if len(found.computed) < len(recording.computed) else None


@functools.cache
def _with_packs(recursion, is_single):
    """Return a copy of a recursion that computes with packs, all joints with one axis or not."""
    of_single = {
        carry_axis: _carry_single_axis,
        carry_rate: _carry_single_rate,
        within_joints: _within_single_joints,
    }
    return rebound(
        recursion,
        (of_single if is_single else {})
        | {
            tiles.tile_by_tile: _packs,
            tiles.last_tile: _last_pack,
            tiles.numbers_in_tiles: _of_table,
            tiles.wrenches_in_tiles: _of_wrenches,
            sum_tip_to_base: _sum_tip_to_base,
            by_velocity: _by_velocity,
            by_position: _by_position,
            negative_products: _negative_products,
        },
    )


def _packs(topology, work):
    """Return the packs of working memory."""
    return Packs(work.tape, work.entries, topology.shape[0] - 1)


def _last_pack(topology):
    """Return the number of packs."""
    return -(-(topology.shape[0] - 1) // WIDTH)


def _of_table(topology, constants, work):
    """Return the packs of the constants of bodies."""
    return Packs(work.tape, constants, topology.shape[0] - 1)


def _of_wrenches(topology, f_ext, work):
    """Return the packs of external wrenches."""
    return Packs(work.tape, f_ext, topology.shape[0] - 1)


def _sum_tip_to_base(topology, work):
    """Record `sum_tip_to_base`; in a chain without taking the packs apart."""
    last = topology.shape[0] - 1
    if any(topology[i, PARENT] != i - 1 for i in range(1, last + 1)):
        sum_tip_to_base(topology, work)
        return
    packs = _packs(topology, work)
    every, single = packs.entries, work.entries
    for name in SUMMED:
        first, count = COLUMNS[name]
        for k in range(first, first + count):
            beyond = 0.0
            for pack in range(_last_pack(topology), 0, -1):
                every[pack, k] = _sums_of_next(packs.tape, every[pack, k], packs.bodies(pack))
                every[pack, k] = every[pack, k] + beyond
                beyond = single[packs.bodies(pack)[0], k]


def _sums_of_next(tape, value, bodies):
    """Return sums of each lane and all lanes behind it, by twice as many at each step."""
    count, step = len(bodies), 1
    while step < count:
        moved = [tape.lane(value, lane) for lane in range(step, count)]
        value, step = value + tape.pack(moved + [0.0] * step), 2 * step
    return value


def _by_velocity(topology, work, by_qd, by_qdd):
    """Record `by_velocity`."""
    clear(by_qd)
    clear(by_qdd)
    packs = _packs(topology, work)
    for pack, i in _pairs(topology):
        carried = [k for k in packs.bodies(pack) if i == k or i in _carriers(topology, k)]
        if carried:
            inertia = power(work[i].axis, *_six(packs[pack].joint_momentum))
            _write(packs, pack, topology, by_qdd, i, carried, inertia)
            _write(packs, pack, topology, by_qdd.T, i, carried, inertia)
            rate = power(work[i].axis, *_six(packs[pack].by_velocity))
            _write(packs, pack, topology, by_qd, i, carried, rate)
    _below(topology, work, packs, by_qd, 'both_rates', 'axis')


def _by_position(topology, work, by_q):
    """Record `by_position`."""
    clear(by_q)
    packs = _packs(topology, work)
    for pack, i in _pairs(topology):
        carried = [k for k in packs.bodies(pack) if i in _carriers(topology, k)]
        if carried:
            torque = power(work[i].axis, *_six(packs[pack].beyond))
            _write(packs, pack, topology, by_q, i, carried, torque)
    _below(topology, work, packs, by_q, 'carried_rate', 'carried')


def _below(topology, work, packs, matrix, motion, turning):
    """Record the rows of a derivative at the joints that carry the joint of the row."""
    for pack, i in _pairs(topology):
        carriers = [k for k in packs.bodies(pack) if k in _carriers(topology, i)]
        if carriers:
            row, joints = work[i], packs[pack]
            torque = power(row.joint_momentum, *_six(getattr(joints, motion))) + dot(
                load(getattr(joints, turning)), load(row.joint_coriolis)
            )
            _write(packs, pack, topology, matrix, i, carriers, torque)


def _pairs(topology):
    """Return all pairs of a pack and the body of a row."""
    return itertools.product(range(1, _last_pack(topology) + 1), range(1, topology.shape[0]))


def _carriers(topology, i):
    """Return the bodies between a body and the base."""
    found = []
    while topology[i, PARENT] > 0:
        i = topology[i, PARENT]
        found.append(i)
    return found


def _six(x):
    """Return the angular and the linear part of a pack of motions or wrenches."""
    return load(x), load(x, 3)


def _write(packs, pack, topology, matrix, i, bodies, value):
    """Write lanes of a value to the row of body i, in the columns of some bodies of a pack."""
    for lane, k in enumerate(packs.bodies(pack)):
        if k in bodies:
            matrix[topology[i, V], topology[k, V]] = packs.tape.lane(value, lane)


def _carry_single_axis(packs, i):
    """Record `carry_axis`: the body of a joint with one axis S moves along S, and S x S = 0."""
    for k in (0, 3):
        rate = load(packs[i].axis_rate, k)
        store(packs[i].carried, rate, k)
        store(packs[i].both_rates, add(rate, rate), k)


def _carry_single_rate(packs, i):
    """Record `carry_rate` with the motion V, A of the body itself.

    The body that carries it has V - S qd and A - S qdd - S' qd. In A x S + V x S' the terms of qd
    and qdd cancel.
    """
    axis, rate = _six(packs[i].axis), _six(packs[i].axis_rate)
    turning, sliding = motion_rate(load(packs[i].alpha), load(packs[i].accel), *axis)
    again, moving = motion_rate(load(packs[i].omega), load(packs[i].speed), *rate)
    store(packs[i].carried_rate, add(turning, again))
    store(packs[i].carried_rate, add(sliding, moving), 3)


def _within_single_joints(topology, work, by_q):
    """Record `within_joints`; only spherical joints have pairs of different bodies."""
    packs = _packs(topology, work)
    for pack in range(1, _last_pack(topology) + 1):
        torque = power(packs[pack].axis, *_six(packs[pack].by_position))
        for i in packs.bodies(pack):
            _write(packs, pack, topology, by_q, i, [i], torque)


def _negative_products(A, B, C, spare):
    """Record `negative_products`."""
    every = (each for matrix in (A, B, C) for each in matrix.flat)
    tape = next((each.tape for each in every if isinstance(each, Recorded)), None)
    if tape is None:  # one joint: the results are constants
        negative_products(A, B, C, spare)
        return
    for matrix in (B, C):
        for columns in slices(len(A)):
            rows = [tape.pack(list(row[columns])) for row in matrix]
            for i, factors in enumerate(A):
                total = sum(factor * row for factor, row in zip(factors, rows))
                for lane, k in enumerate(range(len(A))[columns]):
                    matrix[i, k] = tape.lane(-total, lane)


def _in_slices(recording):
    """Return {slice of a row of a result: its numbers as one value}."""
    return {
        f'{name}[{row}, {columns.start}:{columns.stop}]': recording.tape.pack(
            [recording.results[f'{name}[{row}, {k}]'] for k in range(size)[columns]]
        )
        for name, (rows, size) in recording.outputs.items()
        for row in range(rows)
        for columns in slices(size)
    }


def slices(size):
    """Return the slices of a row, of WIDTH columns each.

    `size`: number of columns.
    """
    return [slice(first, min(first + WIDTH, size)) for first in range(0, size, WIDTH)]
