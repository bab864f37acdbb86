# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The mass matrix without forming it: factors, inverse, solves, products.

May import: algorithms.core, algorithms.task_space (compliances), spatial, model.layout.
"""
