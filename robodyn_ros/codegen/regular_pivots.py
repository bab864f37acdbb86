# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pivots of the mass matrix that are regular at every posture of one robot.

The pivot of joint i is D_i = S^T P S plus its rotor (Jain 2011, Algorithm 6.1). The articulated
inertia P of body i is at least the inertia M of the body alone. It is at most that of all bodies
behind the joint. So S^T M S plus the rotor is a lower bound of D_i. Where it is far above rounding
of the upper bound, code for this robot has no check of D_i. The same pivots factorise the mass
matrix (Featherstone 2008, Table 6.3).

The bounds hold for joints eliminated from the tips to the base. So `invert_pivot` is for these
alone, and pivots of other matrices or orders are checked beside it.
"""

import numpy as np

from robodyn_ros.algorithms.core.articulated import invert_pivot
from robodyn_ros.compile.rebound import rebound
from robodyn_ros.model.layout import (
    HELICAL,
    INERTIA,
    KIND,
    MASS,
    MOMENT,
    OFFSET,
    PARENT,
    PRISMATIC,
    ROTOR,
)
from robodyn_ros.model.rigid_body import unpack
from robodyn_ros.spatial.rotational_inertia import shift_inertia

#: Least lower bound of a regular pivot, as a share of its upper bound. Rounding leaves 1e-14.
SHARE = 1e-9
#: Least lower bound of a regular pivot [kg m^2 or kg].
FLOOR = 1e-9
#: Share of the inertia of a body by which a principal moment may be negative, for rounding.
ROUNDING = 1e-12


def without_needless_checks(recursion, regular):
    """Return a copy of a recursion that does not check regular pivots.

    `regular` (collection of int): bodies of joints with such pivots, see `regular_joints`.
    """
    if not regular:
        return recursion

    def invert_regular(pivot, size, i, status):
        return (1.0 / pivot, status) if i in regular else invert_pivot(pivot, size, i, status)

    return rebound(recursion, {invert_pivot: invert_regular})


def unchecked_joints(model, recipe):
    """Return the joints whose pivots the code of a recipe need not check.

    `recipe` (Recipe): the recursion and its inputs. Some inputs change the mass matrix.
    """
    is_changed = bool(recipe.payloads) or 'diagonal' in recipe.inputs
    is_rounded = recipe.real != 'double'
    return frozenset() if is_changed or is_rounded else regular_joints(model)


def regular_joints(model):
    """Return the joints of a tree whose pivots are regular at every posture.

    `model` (RobotModel): the robot with the inertias of its bodies, so before
      `normal_form.regroup`.
    """
    if model.is_embedded:
        return frozenset()
    lower, upper = pivot_bounds(model)
    return frozenset(np.flatnonzero(lower > np.maximum(FLOOR, SHARE * upper)).tolist())


def pivot_bounds(model):
    """Return bounds of the pivots of a tree at every posture.

    A slide has no bound, and carries all bodies behind it away. So joints that carry a slide have
    no upper bound, unless they are slides themselves. Joints that carry an impossible inertia have
    none either.

    `model` (RobotModel): the robot with the inertias of its bodies.
    Returns `lower` (nb,): lower bounds of the pivots [kg m^2 or kg].
    Returns `upper` (nb,): upper bounds of the traces of the blocks of P in which the
      pivots are; infinite if unknown.
    """
    topology, constants, count = model.topology, model.constants, len(model.topology)
    lower, upper = np.zeros(count), np.full(count, np.inf)
    behind = [_Behind() for _ in range(count)]
    for i in range(count - 1, 0, -1):
        row, kind, own = constants[i], topology[i, KIND], behind[i]
        own.add_body(row)
        if own.has_bounds(kind):
            lower[i], upper[i] = own.bounds(row, kind)
        if topology[i, PARENT] > 0:
            behind[topology[i, PARENT]].add_branch(own, row, kind)
    return lower, upper


class _Behind:
    """Sums over the bodies behind a joint: mass, size of first moment, trace of inertia."""

    def __init__(self):
        self.mass, self.moment, self.inertia = 0.0, 0.0, 0.0
        self.is_physical, self.has_slide = True, False

    def add_body(self, row):
        """Add the body of the joint itself, from its constants."""
        inertia = row[INERTIA : INERTIA + 6]
        self.mass += row[MASS]
        self.moment += np.linalg.norm(row[MOMENT : MOMENT + 3])
        self.inertia += inertia[0] + inertia[3] + inertia[5]
        self.is_physical = self.is_physical and row[ROTOR] >= 0.0 and _is_physical(row)

    def add_branch(self, other, row, kind):
        """Add the sums of a child, which is turned and moved on this body."""
        far = np.linalg.norm(row[OFFSET : OFFSET + 3])
        self.mass += other.mass
        self.moment += other.moment + other.mass * far
        self.inertia += other.inertia + 2.0 * far * (2.0 * other.moment + other.mass * far)
        self.is_physical = self.is_physical and other.is_physical
        self.has_slide = self.has_slide or other.has_slide or kind in (PRISMATIC, HELICAL)

    def has_bounds(self, kind):
        """Return whether the bounds are known."""
        return self.is_physical and (kind == PRISMATIC or kind != HELICAL and not self.has_slide)

    def bounds(self, row, kind):
        """Return a lower bound of the pivot, and an upper bound of its terms."""
        if kind == PRISMATIC:
            return row[MASS] + row[ROTOR], 3.0 * self.mass + row[ROTOR]
        return row[INERTIA + 5] + row[ROTOR], self.inertia + row[ROTOR]


def _is_physical(row):
    """Return whether a rigid body may have this mass, first moment and inertia."""
    mass, moment, inertia = row[MASS], row[MOMENT : MOMENT + 3], row[INERTIA : INERTIA + 6]
    if mass > 0.0:
        to_centre = tuple(-moment / mass)
        inertia = shift_inertia(tuple(inertia), mass, tuple(moment), to_centre)
    elif mass < 0.0 or moment.any():
        return False
    moments = np.linalg.eigvalsh(unpack(inertia))
    return moments[0] >= -ROUNDING * np.abs(row[INERTIA : INERTIA + 6]).max()
