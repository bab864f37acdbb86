# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Independent computations of the same quantities; they share no code with the package."""
