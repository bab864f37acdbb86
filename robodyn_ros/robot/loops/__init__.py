# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closed loops of a robot: how they are closed, and the wrenches that keep them so."""
