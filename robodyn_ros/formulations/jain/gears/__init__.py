# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Geared links: motors that are carried by one link and drive the next; Jain, chapter 12."""
