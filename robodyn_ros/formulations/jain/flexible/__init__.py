# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Links that bend, by modes or node by node: Jain, chapter 13."""
