# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Robots without a fixed base: Jain, chapter 17."""
