# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Dynamics at frames of a robot: compliance, operational-space inertia, wrenches.

May import: algorithms.core, algorithms.mass_matrix, spatial, model.layout.
"""
