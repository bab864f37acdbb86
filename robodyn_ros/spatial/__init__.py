# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The algebra of one body: 3-vectors, rotations, rigid and articulated inertias.

Every function is a plain Python function that Numba can also compile (`primitive`). So the same
source runs compiled to machine code, or interpreted. Interpreted code works on floats, complex
numbers (complex-step derivatives) and recording scalars. Vectors are passed as tuples of scalars.
Matrices are entries of a field of a row, or of any array, from entry k on.
"""
