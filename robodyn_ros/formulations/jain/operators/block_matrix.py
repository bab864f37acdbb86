# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A matrix whose blocks have names, so that blocks of an operator are found by body."""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import ShapeError, UnknownNameError


@dataclass(frozen=True)
class Blocks:
    """Partition of the rows or columns of a matrix into named blocks.

    `names`: names of the blocks.
    `sizes`: number of rows of each block.
    """

    names: tuple
    sizes: tuple

    def __getitem__(self, name):
        """Return the rows of a block as a slice; UnknownNameError lists the names."""
        if name not in self.names:
            raise UnknownNameError(f'got {name!r}; expected the block of a body: {self.text()}')
        k = self.names.index(name)
        return slice(sum(self.sizes[:k]), sum(self.sizes[: k + 1]))

    def text(self):
        """Return the names as text."""
        return ', '.join(self.names)

    @property
    def total(self):
        """Number of rows."""
        return sum(self.sizes)

    @property
    def edges(self):
        """First row of every block, then the number of rows, (n + 1,)."""
        return np.cumsum((0, *self.sizes))


@dataclass(frozen=True, eq=False, repr=False)
class BlockMatrix:
    """A dense matrix with named blocks, and the sums and products that its blocks allow.

    `operator['hand', 'base']` is the block of two links, as an array. Sums and products raise a
    ShapeError where the blocks of the operators differ. Unknown names raise an UnknownNameError.

    `array`: read-only entries; `np.array(operator)` is a copy.
    `rows`: partition of the rows.
    `columns`: partition of the columns.
    """

    array: np.ndarray
    rows: Blocks
    columns: Blocks

    def __post_init__(self):
        view = self.array.view()
        view.flags.writeable = False
        object.__setattr__(self, 'array', view)

    def __getitem__(self, names):
        """Return the block of a row name and a column name as a view."""
        if not isinstance(names, tuple) or len(names) != 2:
            raise UnknownNameError(
                f'got {names!r}; expected the names of two bodies, of a row '
                f'and of a column: {self.rows.text()}'
            )
        row, column = names
        return self.array[self.rows[row], self.columns[column]]

    def __array__(self, dtype=None, copy=None):
        """Return the dense matrix."""
        array = np.asarray(self.array, dtype)
        return array.copy() if copy else array

    def __repr__(self):
        """Return size and block pattern, one line per row of blocks."""
        width = max(map(len, self.rows.names))
        lines = [
            f'{name:<{width}} ' + ' '.join('X' if full else '.' for full in line)
            for name, line in zip(self.rows.names, self.pattern())
        ]
        return '\n'.join(
            (f'BlockMatrix {self.shape[0]} x {self.shape[1]}, zero where a dot is', *lines)
        )

    @property
    def shape(self):
        """Numbers of rows and columns."""
        return self.array.shape

    @property
    def T(self):  # noqa: N802  the name numpy has for it
        """The transpose."""
        return BlockMatrix(self.array.T, self.columns, self.rows)

    def __matmul__(self, other):
        """Return the product with another operator, or with an array."""
        if isinstance(other, BlockMatrix):
            self._check_equal(self.columns, other.rows)
            return BlockMatrix(self.array @ other.array, self.rows, other.columns)
        other = np.asarray(other)
        if other.ndim not in (1, 2) or len(other) != self.columns.total:
            raise ShapeError(
                f'got an array of shape {other.shape}; expected {self.columns.total} '
                f'rows, {self.columns.sizes} of {self.columns.text()}'
            )
        return self.array @ other

    def __add__(self, other):
        """Return the sum with an operator of the same blocks."""
        self._check_operator(other)
        return self.same(self.array + other.array)

    def __sub__(self, other):
        """Return the difference from an operator of the same blocks."""
        self._check_operator(other)
        return self.same(self.array - other.array)

    def pattern(self):
        """Return which blocks have nonzero entries."""
        return np.array(
            [
                [bool(np.any(self[row, column])) for column in self.columns.names]
                for row in self.rows.names
            ]
        )

    def same(self, array):
        """Return an operator of the same blocks with other entries.

        `array` (ndarray): the entries.
        """
        return BlockMatrix(array, self.rows, self.columns)

    def _check_operator(self, other):
        """Raise a ShapeError unless the other is an operator of the same blocks."""
        if not isinstance(other, BlockMatrix):
            raise ShapeError(
                f'got {type(other).__name__} of shape {np.shape(other)}; expected an '
                'operator of the same blocks, as operator.same(array) makes one'
            )
        self._check_equal(self.rows, other.rows)
        self._check_equal(self.columns, other.columns)

    @staticmethod
    def _check_equal(one, other):
        """Raise a ShapeError unless two partitions are equal."""
        if one != other:
            raise ShapeError(
                f'got operators with blocks of {one.sizes} and {other.sizes} rows '
                f'({one.text()}; {other.text()}); expected the same blocks'
            )
