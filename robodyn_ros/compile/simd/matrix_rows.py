# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The rows of an array in machine code."""

from llvmlite import ir

from robodyn_ros.spatial.row_products import BYTES


class Rows:
    """The rows of an array, and the addresses of their entries.

    `context`, `builder`, `kind`, `value`: as in numba.
    """

    def __init__(self, context, builder, kind, value):
        array = context.make_array(kind)(context, builder, value)
        self._builder, self._stride = builder, builder.extract_value(array.strides, 0)
        self._data = builder.bitcast(array.data, ir.IntType(8).as_pointer())

    def at(self, row, column, kind):
        """Return a pointer to what begins at a row and column.

        `row`, `column`, `kind`: LLVM values of both numbers, and the LLVM type of what begins
          there.
        """
        build = self._builder
        offset = build.add(build.mul(row, self._stride), build.mul(column, column.type(BYTES)))
        return build.bitcast(build.gep(self._data, [offset]), kind.as_pointer())
