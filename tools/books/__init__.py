# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pages about the books: their contents, where these stand in the package, and errata."""
