# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The decorator of everything that runs inside a kernel."""

from numba.extending import register_jitable

#: Leaves the function plain Python where Python calls it, and compiles it into the caller where a
#: kernel calls it.
primitive = register_jitable
#: The same, for what would cost more to call than to repeat, but is too long for the compiler to
#: see that.
inlined = register_jitable(forceinline=True)
