# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The algebra of one body: 3-vectors as tuples of scalars, rotations, rigid and articulated
inertias.

Every function is a plain Python function that Numba can also compile (`primitive`). So the same
source runs in two ways: compiled to machine code, or interpreted on floats, complex numbers
(complex-step derivatives) and recording scalars. Vectors travel as values, matrices live as
columns of a row of a two- dimensional array and are named by (rows, i, column).
"""
