# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What frames of a robot do under forces: compliance, operational-space inertia, wrenches.

May import: algorithms.core, algorithms.mass_matrix, spatial, model.layout.
"""
