# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Robots that no base holds: Jain, chapter 17."""
