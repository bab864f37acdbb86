# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Middleware calls without Python objects, messages written in place. May import ROS."""
