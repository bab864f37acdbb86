# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Loads and stores of some lanes of a register, for columns behind the last whole register."""

from llvmlite import ir

from robodyn_ros.compile.numba_private import cgutils
from robodyn_ros.compile.simd.lanes import REGISTER, spread
from robodyn_ros.spatial.row_products import BYTES, LANES

ALIGN = ir.IntType(32)


def lanes_before(builder, count):
    """Return which lanes have a number less than a count."""
    numbers = ir.VectorType(count.type, LANES)
    counts = spread(builder, count, numbers)
    return builder.icmp_signed('<', ir.Constant(numbers, list(range(LANES))), counts)


def load_lanes(builder, address, kept):
    """Return a register of which some lanes are loaded; the others are zero.

    `address` (LLVM value): where its first lane is.
    `kept` (LLVM value): one bit for each lane.
    """
    kind = ir.FunctionType(REGISTER, [address.type, ALIGN, kept.type, REGISTER])
    load = cgutils.get_or_insert_function(builder.module, kind, _name('load'))
    nothing = ir.Constant(REGISTER, [0.0] * LANES)
    return builder.call(load, [address, ALIGN(BYTES), kept, nothing])


def store_lanes(builder, value, address, kept):
    """Store some lanes of a register.

    `value` (LLVM value): the register.
    `address` (LLVM value): where its first lane is stored.
    `kept` (LLVM value): one bit for each lane.
    """
    kind = ir.FunctionType(ir.VoidType(), [REGISTER, address.type, ALIGN, kept.type])
    store = cgutils.get_or_insert_function(builder.module, kind, _name('store'))
    builder.call(store, [value, address, ALIGN(BYTES), kept])


def _name(what):
    """Return the name of an intrinsic of LLVM for some lanes of a register."""
    return f'llvm.masked.{what}.v{LANES}f64.p0'
