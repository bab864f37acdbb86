# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closed chains and other constraints on a tree: Jain, chapter 11."""
