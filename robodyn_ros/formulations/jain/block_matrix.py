"""A matrix whose blocks have names, so that an operator can be asked for one of them."""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import ShapeError, UnknownNameError


@dataclass(frozen=True)
class Blocks:
    """How one side of a matrix is cut: names of the blocks, and how many rows each has."""

    names: tuple
    sizes: tuple

    def __getitem__(self, name):
        """Rows of a block, as a slice; UnknownNameError lists the names there are."""
        if name not in self.names:
            raise UnknownNameError(f'got {name!r}; expected the block of a body: '
                                   f'{", ".join(self.names)}')
        k = self.names.index(name)
        return slice(sum(self.sizes[:k]), sum(self.sizes[:k + 1]))

    @property
    def total(self):
        """Number of rows."""
        return sum(self.sizes)


@dataclass(frozen=True, eq=False)
class BlockMatrix:
    """A dense matrix with named blocks, and the products and sums that its blocks allow.

    array (rows.total, columns.total). `operator['hand', 'base']` is the block of two links, as an
    array. A product of two operators whose blocks do not meet is a ShapeError.
    """

    array: np.ndarray
    rows: Blocks
    columns: Blocks

    def __getitem__(self, names):
        """The block of a row name and a column name, a view."""
        row, column = names
        return self.array[self.rows[row], self.columns[column]]

    def __array__(self, dtype=None, copy=None):
        """The dense matrix."""
        array = np.asarray(self.array, dtype)
        return array.copy() if copy else array

    @property
    def shape(self):
        """Rows and columns."""
        return self.array.shape

    @property
    def T(self):  # noqa: N802  the name numpy has for it
        """The transpose."""
        return BlockMatrix(self.array.T, self.columns, self.rows)

    def __matmul__(self, other):
        """The product with another operator, or with an array."""
        if not isinstance(other, BlockMatrix):
            return self.array @ other
        self._meet(self.columns, other.rows)
        return BlockMatrix(self.array @ other.array, self.rows, other.columns)

    def __add__(self, other):
        """The sum with an operator of the same blocks."""
        self._meet(self.rows, other.rows)
        self._meet(self.columns, other.columns)
        return BlockMatrix(self.array + other.array, self.rows, self.columns)

    def __sub__(self, other):
        """The difference to an operator of the same blocks."""
        self._meet(self.rows, other.rows)
        self._meet(self.columns, other.columns)
        return BlockMatrix(self.array - other.array, self.rows, self.columns)

    def pattern(self):
        """Which blocks hold anything but zeros, (row blocks, column blocks) of bool."""
        return np.array([[bool(np.any(self[row, column])) for column in self.columns.names]
                         for row in self.rows.names])

    def same(self, array):
        """An operator of the same blocks with other entries."""
        return BlockMatrix(array, self.rows, self.columns)

    @staticmethod
    def _meet(one, other):
        if one != other:
            raise ShapeError(f'got operators with blocks of {one.sizes} and {other.sizes} rows '
                             f'({", ".join(one.names)}; {", ".join(other.names)}); expected the '
                             'same blocks')
