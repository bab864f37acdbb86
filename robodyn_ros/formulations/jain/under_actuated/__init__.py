# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Hinges of which some are driven and some are free: Jain, chapter 16."""
