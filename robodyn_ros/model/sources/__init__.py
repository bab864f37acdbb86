# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Descriptions beyond plain URDF: MJCF, xacro files, packages, and the shapes of links.

May import: the other modules of model.
"""
