# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sub-graphs, aggregated bodies and constraint embedding: Jain, chapters 14 and 15."""
