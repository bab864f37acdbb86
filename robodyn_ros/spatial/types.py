# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Argument types of kernels, used as annotations.

They document the shape and fix the compiled signature. The model's arrays are read-only, so a
kernel that writes to the model does not compile.
"""

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numba import from_dtype, types

from robodyn_ros.spatial.work import WORK

if TYPE_CHECKING:  # type checkers see the types of the arguments, not those of Numba
    Topology: TypeAlias = np.ndarray
    Table: TypeAlias = np.ndarray
    Constant: TypeAlias = np.ndarray
    Vector: TypeAlias = np.ndarray
    Matrix: TypeAlias = np.ndarray
    Work: TypeAlias = np.ndarray
    Stack: TypeAlias = np.ndarray
    Block: TypeAlias = np.ndarray
    Indices: TypeAlias = np.ndarray
    Octets: TypeAlias = np.ndarray
    Flags: TypeAlias = np.ndarray
    Integer: TypeAlias = int
    Scalar: TypeAlias = float
    Boolean: TypeAlias = bool
else:
    Topology = types.Array(types.int64, 2, 'C', readonly=True)  # (nb, 5)   see model/layout.py
    Table = types.Array(types.float64, 2, 'C', readonly=True)  # (nb, 28)  see model/layout.py
    Constant = types.Array(types.float64, 1, 'C', readonly=True)  # (k,)
    Vector = types.Array(types.float64, 1, 'C')  # (n,)
    Matrix = types.Array(types.float64, 2, 'C')  # (n, m)
    Work = types.Array(from_dtype(WORK), 1, 'C')  # (rows,)  see spatial/work.py
    Stack = types.Array(types.float64, 3, 'C')  # (k, n, m)
    Block = types.Array(types.float64, 4, 'C')  # (k, n, m, l)
    Indices = types.Array(types.int64, 1, 'C', readonly=True)  # (k,)
    Octets = types.Array(types.uint8, 1, 'C', readonly=True)  # (k,)
    Flags = types.Array(types.boolean, 1, 'C')  # (n,)
    Integer = types.int64
    Scalar = types.float64
    Boolean = types.boolean


def record(names):
    """Return the Numba type of a NamedTuple of arrays.

    `names` (type): NamedTuple class whose annotations are types of this file.
    """
    return types.NamedTuple(tuple(names.__annotations__.values()), names)
