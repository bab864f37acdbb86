# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Equations of closed loops in recordings, and their solution for the dependent joints.

Pivots are chosen from sample postures, and their order is fixed. Dependent joints that move as
others do are no unknowns, see `common_subexpressions`. In a Delta robot these are the joints of
the second rod of each arm. In parallelograms these are all.
"""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.algorithms.constraints import closed_positions, loops
from robodyn_ros.algorithms.core import working_memory
from robodyn_ros.algorithms.core.rnea import start_at_base
from robodyn_ros.codegen.loops.common_subexpressions import MergedJoints
from robodyn_ros.codegen.loops.sparse_elimination import Factors, sparse_pivots
from robodyn_ros.compile import embedded
from robodyn_ros.compile.rebound import rebound
from robodyn_ros.model.layout import (
    BODY_A,
    BODY_B,
    CLOSURES,
    COORDINATE,
    COUNT,
    FIRST,
    PARENT,
    RATIO,
    SHIFT,
    STOPPED_ROWS,
    UNKNOWNS,
    Q,
)


@dataclass(frozen=True, eq=False)
class LoopSolution:
    """Equations of closed loops in a recording, with pivots in a fixed order.

    In all methods, `everything` has the positions of all joints.

    `topology`: topology of the loops alone, attached to the world.
    `constants`: constants of the bodies, see robodyn_ros.model.layout.
    `together`: dependent joints that move together.
    `pivots`: row and column of each elimination, and the smallest square of its pivot.
    """

    topology: np.ndarray
    constants: np.ndarray
    together: MergedJoints
    pivots: tuple

    def write_expansion(self, constants, work, everything, E):
        """Write the entries of E of the dependent joints, at closed positions.

        `everything` (ndarray): positions of all joints.
        `E` (ndarray): written: the rows of the dependent joints, for all rates from independent
          ones.
        """
        topology = self.topology
        d, nv = topology[0, UNKNOWNS], topology[0, FIRST]
        L = self.solved(work, everything, everything, False, range(d, d + nv))
        for row in self._dependent_rows():
            unknown = topology[row, COORDINATE] - nv
            for k in range(topology[row, COUNT]):
                E[row - 1, k] = -constants[row, RATIO] * L[unknown, d + topology[row, FIRST] + k]

    def closing_acceleration(self, _, __, work, everything, rates, share, accelerations):
        """Add the accelerations of closed loops, in place of `loops.closing_acceleration`.

        `_`, `__` (ndarray): unused; the loops are attached to the world here.
        `everything` (ndarray): positions of all joints.
        `rates` (ndarray): rates of all joints, E qd.
        `share`: factor of the added accelerations dE/dt qd.
        `accelerations` (ndarray): accelerations of all joints; those of dependent joints are
          changed.
        """
        self._add_rates(work, everything, rates, share, accelerations)

    def _add_rates(self, work, everything, rates, share, accelerations, replaced=None):
        """Add a share of dE/dt qd to accelerations of all joints."""
        d, nv = self.topology[0, UNKNOWNS], self.topology[0, FIRST]
        L = self.solved(work, everything, rates, True, [d + nv], replaced)
        for row in self._dependent_rows():
            unknown = self.topology[row, COORDINATE] - nv
            accelerations[row - 1] = accelerations[row - 1] - (
                share * self.constants[row, RATIO] * L[unknown, d + nv]
            )

    def rate_of_expansion(self, topology, gravity, work, everything, rates):
        """Return dE/dt qd of all joints, with gravity as an acceleration of the base.

        Closures do not see it. So the motion of the bodies is that of their bias torque.

        `topology` (nb, k): topology of the robot.
        `everything`, `rates` (n,): positions and rates of all joints.
        """
        found = np.full(len(rates), 0.0, dtype=object)
        is_whole = (self.topology[:, PARENT] == topology[:, PARENT]).all()
        base = gravity if is_whole else np.zeros(3)
        rising = {start_at_base: lambda work, _: start_at_base(work, base)}
        self._add_rates(work, everything, rates, 1.0, found, rising)
        return found

    def replacements(self):
        """Return the functions that a recording replaces."""
        return {
            closed_positions.close.__wrapped__: self.close,
            loops.closing_acceleration.__wrapped__: self.closing_acceleration,
        }

    def solved(self, work, everything, rates, moving, wanted, replaced=None):
        """Return the equations of all closures, solved for the unknowns.

        `everything` (ndarray): positions of all joints.
        `rates` (ndarray): rates of all joints.
        `moving`: whether the right side is the rate of the Jacobian times `rates`. Otherwise it is
          the gap of each closure.
        `wanted` (sequence of int): columns to compute, so many at once as the tape says.
        `replaced` (dict): {function: replacement} in `loops.write_equations`.
        """
        topology, constants = self.topology, self.constants
        L = recorded_equations(topology, constants, work, everything, rates, moving, replaced)
        found = np.full((self.topology[0, UNKNOWNS], L.shape[1]), 0.0, dtype=object)
        M, d, nv = self.together.columns(L), self.topology[0, UNKNOWNS], self.topology[0, FIRST]
        factors, shift = Factors(M, self.pivots), len(self.pivots) - d
        tape, width = work.tape, work.tape.columns
        for first in range(0, len(wanted), width):
            columns = wanted[first : first + width]
            right = [tape.pack([row[column + shift] for column in columns]) for row in M]
            packs = self.together.all_unknowns(factors.solution(np.array(right, dtype=object)))
            for lane, column in enumerate(columns):
                found[:, column] = [tape.lane(pack, lane) for pack in packs]
                if column < d + nv:
                    found[:, column] = found[:, column] - self.together.slopes[:, column - d]
        return found

    @property
    def leaf_rows(self):
        """Bodies of the dependent joints whose positions are leaves of derivatives.

        They are the first ones of those that move as no other does, up to a ratio.
        """
        return self._unknown_rows()[self.together.independent]

    def _dependent_rows(self):
        """Return the bodies of dependent joints."""
        coordinate = self.topology[1:, COORDINATE]
        return np.flatnonzero(coordinate >= self.topology[0, FIRST]) + 1

    def _unknown_rows(self):
        """Return the first body of each dependent joint."""
        return unknown_rows(self.topology)

    def _spread(self, constants, everything):
        """Write the positions of the joints that follow a dependent joint of a loop."""
        leaders, together = self._unknown_rows(), self.together
        for k, row in enumerate(leaders):
            if k != together.leaders[k]:
                moved = together.shifts[k]
                if together.ratios[k]:
                    leader = leaders[together.leaders[k]]
                    share = together.ratios[k] / constants[leader, RATIO]
                    moved = moved + share * everything[self.topology[leader, Q]]
                for column in np.flatnonzero(together.slopes[k]):
                    leader = leader_row(self.topology, column)
                    share = together.slopes[k, column] / constants[leader, RATIO]
                    angle = everything[self.topology[leader, Q]] - constants[leader, SHIFT]
                    moved = moved + share * angle
                everything[self.topology[row, Q]] = constants[row, RATIO] * moved
        for row in self._dependent_rows():
            leader = leaders[self.topology[row, COORDINATE] - self.topology[0, FIRST]]
            if row != leader:
                ratio = constants[row, RATIO] / constants[leader, RATIO]
                moved = everything[self.topology[leader, Q]] - constants[leader, SHIFT]
                everything[self.topology[row, Q]] = constants[row, SHIFT] + ratio * moved


class SameTables:
    """A model that is equal to others with the same tables, as a key of plans."""

    def __init__(self, model):
        self.model = model
        self._bytes = model.topology.tobytes() + model.constants.tobytes()

    def __hash__(self):
        return hash(self._bytes)

    def __eq__(self, other):
        return self._bytes == other._bytes


def coordinates_of(topology):
    """Return the independent velocities on which the loops depend.

    `topology` (nb, k): topology of the robot.
    """
    own, found = set(topology[1:, COORDINATE]), set()
    for first, count in topology[unknown_rows(topology)][:, [FIRST, COUNT]]:
        found |= own & set(range(first, first + count))
    return np.array(sorted(found), dtype=int)


def box_points(c, count):
    """Return (count, c) points of a box from -1 to 1, denser at its sides.

    They are the same on every machine.

    `c`: number of axes.
    `count`: number of points.
    """
    primes = [k for k in range(2, 400) if all(k % m for m in range(2, k))][:c]
    shares = np.zeros((count, c))
    for column, base in enumerate(primes):  # Halton's sequence
        for k in range(count):
            rest, digit = k + 1, 1.0
            while rest:
                digit /= base
                shares[k, column] += digit * (rest % base)
                rest //= base
    return np.cos(np.pi * shares)


def velocities_of(topology, constants, postures):
    """Return the positions of the joints of independent velocities.

    `postures` (k, n): positions of all joints.
    """
    q = np.zeros((len(postures), topology[0, FIRST]))
    for k in set(topology[1:, COORDINATE]) & set(range(topology[0, FIRST])):
        row = leader_row(topology, k)
        q[:, k] = (postures[:, topology[row, Q]] - constants[row, SHIFT]) / constants[row, RATIO]
    return q


def closed_postures(model, reference, at, wanted):
    """Return the positions of all joints for postures of the loops' independent joints.

    `reference` (nq,): positions of the independent joints; those outside of loops stay.
    `at` ((c,) ndarray of int): places of the joints of loops in it.
    `wanted` (k, c): positions of these joints.
    """
    n, found = len(model.all_joint_names), np.empty((len(wanted), len(model.all_position_names)))
    still, work, rest = (
        np.zeros(model.nv),
        working_memory.allocate(model.topology),
        np.empty((2, n)),
    )
    embedded.prepare(model)
    for row, posture in zip(found, wanted):
        q = reference.copy()
        q[at] = posture
        embedded.expand_state(model.topology, model.constants, work, q, still, still, row, *rest)
    return found


def unknown_rows(topology):
    """Return the first body of each dependent joint of the loops."""
    nv, d = topology[0, FIRST], topology[0, UNKNOWNS]
    coordinate = topology[1:, COORDINATE]
    return np.array([np.flatnonzero(coordinate == nv + k)[0] + 1 for k in range(d)])


def leader_row(topology, k):
    """Return the body whose joint has an independent velocity.

    `k`: number of the velocity.
    """
    return int(np.flatnonzero(topology[1:, COORDINATE] == k)[0]) + 1


def attached_to_world(model):
    """Return the topology with loops attached to the world, if the closures allow it.

    Closures see relative motions only, so the joints between the base and a loop do not matter.
    """
    topology = model.topology.copy()
    in_loops = topology[1:, COORDINATE] >= 0
    roots = {
        int(topology[row, PARENT])
        for row in range(1, len(topology))
        if in_loops[row - 1] and not _carried(topology, in_loops, int(topology[row, PARENT]))
    }
    if len(roots) > 1 or not roots:
        return topology
    (root,) = roots
    for row in range(1, len(topology)):
        if in_loops[row - 1] and topology[row, PARENT] == root:
            topology[row, PARENT] = 0
    for row in range(1, topology[0, CLOSURES] + 1):
        for side in (BODY_A, BODY_B):
            if topology[row, side] == root:
                topology[row, side] = 0
    return topology


def _carried(topology, in_loops, row):
    """Return whether a joint of the loops moves a body."""
    while row > 0:
        if in_loops[row - 1]:
            return True
        row = topology[row, PARENT]
    return False


def recorded_equations(topology, constants, work, everything, rates, moving, replaced=None):
    """Return the rows of all closures, see `loops.write_equations`.

    `everything`, `rates` (ndarray): positions and rates of all joints.
    `moving`: whether the right side is that of motion; else it is the gap.
    `replaced` (dict): {function: replacement} in `loops.write_equations`.
    """
    L = np.full(
        (topology[0, STOPPED_ROWS], topology[0, UNKNOWNS] + topology[0, FIRST] + 1),
        0.0,
        dtype=object,
    )
    write = rebound(loops.write_equations, replaced or {})
    write(topology, constants, work, everything, rates, moving, True, L)
    return L


def numeric_equations(topology, constants, posture):
    """Return the rows of `recorded_equations` as numbers, with the gaps on the right side.

    `posture` (n,): positions of all joints.
    """
    rows, d, nv = topology[0, [STOPPED_ROWS, UNKNOWNS, FIRST]]
    L = np.zeros((rows, d + nv + 1))
    work = working_memory.allocate(topology)
    embedded.loop_equations(topology, constants, work, posture, posture, False, True, L)
    return L


def pivots_of(model, topology, together, postures):
    """Return the pivots for equations at some postures, see `sparse_pivots`.

    `together` (MergedJoints): dependent joints that move together.
    `postures` (k, n): positions of all joints with closed loops.
    Returns row and column of each elimination, and the smallest square of its pivot.
    """
    d = len(together.independent)
    if not d:
        return ()
    equations = (numeric_equations(topology, model.constants, posture) for posture in postures)
    return sparse_pivots(np.array([together.columns(L)[:, :d] for L in equations]))
