# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of the dynamics, by the joint states and by the inertial parameters.

May import: algorithms.core, algorithms.variants, spatial, model.layout.
"""
