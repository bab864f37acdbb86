# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Machine code: the only folder that calls Numba's compiler.

`@kernel` turns a plain annotated function into a `Kernel`. It is compiled once for the signature
of its annotations, or loaded from a private cache on disk. `generic` has the recursions compiled
for any robot.
"""

from robodyn_ros.compile.kernel import Kernel, kernel, warm_up
from robodyn_ros.compile.self_test import known_answers

__all__ = ['Kernel', 'kernel', 'known_answers', 'warm_up']
