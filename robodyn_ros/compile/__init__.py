# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Machine code: the only door to Numba's compiler.

`@kernel` turns a plain annotated function into a `Kernel`. It is compiled once, for the one
signature of its annotations, or comes from a private cache on disk where that is sound. `generic`
holds the recursions compiled for any robot.
"""

from robodyn_ros.compile.kernel import Kernel, kernel, warm_up
from robodyn_ros.compile.self_test import known_answers

__all__ = ['Kernel', 'kernel', 'known_answers', 'warm_up']
