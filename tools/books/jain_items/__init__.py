# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Items of Jain's chapters, with their functions and tests; shown in doc/books/jain.md."""
