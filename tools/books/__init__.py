# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pages about the books: what each has, where it stands in the package, and errata."""
