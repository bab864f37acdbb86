# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closed loops of a robot: their assembly, and the wrenches of their closures.

May import: robot, compile, algorithms, model.
"""
