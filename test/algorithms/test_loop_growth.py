# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Independent loops cost as many operations as one of them, times their number.

So does forward dynamics of loops that stand on each other.
"""

import numpy as np
import pytest

from robodyn_ros.algorithms.constraints import expansion, forward_dynamics, mass_matrix
from robodyn_ros.model.layout import FIRST_UNKNOWN, GROUP_ROWS, GROUP_UNKNOWNS, LAST_CLOSURE
from support.robots.closed_loops import pinned_twice, several_four_bars
from support.work import PlainWork


class Counted(float):
    """A number that counts the products that it is in."""

    products = 0

    def __mul__(self, other):
        """Return a product, and count it."""
        Counted.products += 1
        return Counted(float(self) * float(other))

    __rmul__ = __mul__

    def __add__(self, other):
        """Return a sum."""
        return Counted(float(self) + float(other))

    __radd__ = __add__

    def __sub__(self, other):
        """Return a difference."""
        return Counted(float(self) - float(other))

    def __rsub__(self, other):
        """Return a difference."""
        return Counted(float(other) - float(self))

    def __truediv__(self, other):
        """Return a quotient."""
        return Counted(float(self) / float(other))

    def __neg__(self):
        """Return the negative."""
        return Counted(-float(self))


def counted(array):
    """Return an array of numbers that count."""
    return np.vectorize(Counted, otypes=[object])(array)


def products(count):
    """Return the products of expansion with its rate, and those of the mass matrix, in Python."""
    robot = several_four_bars(count, further=1, in_a_row=False).robot()
    model, nv = robot.model, robot.nv
    memory = PlainWork(model.topology, Counted(0.0))
    given = model.topology, counted(model.constants), memory
    q, qd = counted(model.closed_posture + 0.1), counted(np.full(nv, 0.3))
    Counted.products = 0
    expansion.expand_positions(*given, q)
    expansion.unaccelerated(*given, 0, qd)
    closing, Counted.products = Counted.products, 0
    mass_matrix.mass_matrix(*given, q, counted(np.zeros((nv, nv))))
    return closing, Counted.products


def test_products_grow_with_the_number_of_independent_loops():
    """To the last one: 2, 4 and 8 four-bars side by side."""
    found = np.array([products(count) for count in (2, 4, 8)])
    assert found.min() > 1000
    np.testing.assert_array_equal(found[2] - found[1], 2 * (found[1] - found[0]))


@pytest.mark.parametrize('in_a_row', [True, False])
def test_forward_dynamics_is_linear_in_the_number_of_bodies(in_a_row):
    """To the last product: two, three and four four-bars, which bend alike."""
    found = []
    for count in (2, 3, 4):
        robot = several_four_bars(count, further=1, in_a_row=in_a_row).robot()
        model, nv = robot.model, robot.nv
        q = counted(model.closed_posture + 0.1)
        qd, tau, f_ext, diagonal, qdd = (
            counted(np.full(shape, 0.3)) for shape in (nv, nv, (len(model.topology), 6), nv, nv)
        )
        tables = counted(model.constants), counted(model.gravity)
        memory = PlainWork(model.topology, Counted(0.0))
        Counted.products = 0
        forward_dynamics.forward_dynamics(
            model.topology, *tables, memory, q, qd, tau, f_ext, diagonal, qdd
        )
        found.append(Counted.products)
    assert found[2] - found[1] == found[1] - found[0] > 1000


def test_closures_that_share_joints_are_solved_together():
    """Their rows, and the joints that depend on them, follow each other."""
    model = pinned_twice().robot().model
    assert model.closures == ('pin0', 'again', 'pin1')
    columns = [LAST_CLOSURE, GROUP_ROWS, FIRST_UNKNOWN, GROUP_UNKNOWNS]
    expected = [[2, 10, 0, 2], [2, 10, 0, 2], [3, 5, 2, 2]]
    np.testing.assert_array_equal(model.topology[1:4, columns], expected)
