# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Operation counts of a formulation, by running it on numbers that count their operations.

Computations that do not depend on the state cost nothing: constants times constants, products with
0 and 1, sums with 0. Sines and cosines cost nothing either, as in the books. A division or a root
counts as a multiplication. So the code here is counted as it is, written for reading.
"""

import numpy as np

from robodyn_ros.model import build, dh
from robodyn_ros.model.dh import DHRow


class Tally:
    """Numbers of multiplications and additions so far."""

    def __init__(self):
        self.multiplications = 0
        self.additions = 0

    def numbers(self, values):
        """Return values as numbers that add to this tally."""
        return np.array([Counted(value, self) for value in values], dtype=object)


class Counted:
    """A number that counts its operations.

    `tally` (Tally): where operations are counted.
    """

    def __init__(self, value, tally):
        self.value, self.tally = value, tally

    def _product(self, other, value, free):
        """Count one multiplication, unless the other factor is 0 or in `free`."""
        if isinstance(other, np.ndarray):
            return NotImplemented  # so numpy works element by element
        if not isinstance(other, Counted):
            if other == 0.0:
                return 0.0
            if other in free:
                return Counted(value(self.value, other), self.tally)
        self.tally.multiplications += 1
        return Counted(value(self.value, _plain(other)), self.tally)

    def _sum(self, other, value):
        """Count one addition, unless the other term is 0."""
        if isinstance(other, np.ndarray):
            return NotImplemented
        if isinstance(other, Counted) or other != 0.0:
            self.tally.additions += 1
        return Counted(value(self.value, _plain(other)), self.tally)

    def __mul__(self, other):
        return self._product(other, lambda a, b: a * b, (1.0, -1.0))

    def __truediv__(self, other):
        return self._product(other, lambda a, b: a / b, (1.0, -1.0))

    def __rtruediv__(self, other):
        self.tally.multiplications += 1
        return Counted(other / self.value, self.tally)

    def __add__(self, other):
        return self._sum(other, lambda a, b: a + b)

    def __sub__(self, other):
        return self._sum(other, lambda a, b: a - b)

    def __rsub__(self, other):
        return self._sum(other, lambda a, b: b - a)

    def __neg__(self):
        return Counted(-self.value, self.tally)

    def __gt__(self, other):
        return self.value > _plain(other)

    def sqrt(self):
        """Return the root, which numpy calls for."""
        self.tally.multiplications += 1
        return Counted(np.sqrt(self.value), self.tally)

    def cos(self):
        """Return the cosine, which numpy calls for."""
        return Counted(np.cos(self.value), self.tally)

    def sin(self):
        """Return the sine, which numpy calls for."""
        return Counted(np.sin(self.value), self.tally)

    __rmul__, __radd__ = __mul__, __add__


def _plain(x):
    """Return the value of a number that may be Counted."""
    return x.value if isinstance(x, Counted) else x


def operations(function, robot, *states):
    """Return the operation counts of a formulation.

    `function` (callable): `function(robot, *states)`, such as an inverse dynamics.
    `*states` ((n,) array_like): states.
    Returns `multiplications` (int): number of multiplications.
    Returns `additions` (int): number of additions.
    """
    tally = Tally()
    function(robot, *(tally.numbers(state) for state in states))
    return tally.multiplications, tally.additions


def general_arm(n, principal=False):
    """Return a robot with revolute joints whose Denavit-Hartenberg table has no zero.

    `n`: number of joints.
    `principal`: whether the axes of the links are principal, so that inertia tensors are diagonal.
    """
    rng = np.random.default_rng(0)
    rows = []
    for i in range(n):
        a, d, *com = rng.uniform(0.1, 0.5, 5)
        inertia = np.diag(rng.uniform(1.0, 1.2, 3))
        inertia += 0.0 if principal else 0.05 * (1.0 - np.eye(3))
        alpha = rng.uniform(0.3, 1.2)
        if principal and i == n - 1:
            alpha = 0.0  # the formulations have the last link in the axes of its joint
        rows.append(DHRow(a=a, alpha=alpha, d=d, mass=2.0, com=com, inertia=inertia))
    return build.build(dh.describe(rows, convention='standard'))


def of_general_arm(function):
    """Return a function that counts operations by the number of joints.

    `function` (callable): `function(robot, q, qd, qdd)`, such as an inverse dynamics.
    Returns `text(n)` returns 'multiplications, additions' for `general_arm(n)`.
    """

    def text(n):
        states = np.random.default_rng(1).uniform(0.5, 1.0, (3, n))
        return '{}, {}'.format(*operations(function, general_arm(n), *states))

    return text
