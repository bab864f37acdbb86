# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Descriptions in other formats than URDF: MJCF, and xacro files.

May import: the other modules of model.
"""
