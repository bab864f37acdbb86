# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The robot as one body: centre of mass, momentum, composite and articulated body inertias.

May import: algorithms.core, spatial, model.layout.
"""
