# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kinematics and dynamics of any tree: one recursion per file, plain functions over arrays.

May import: spatial, model.layout.
"""
