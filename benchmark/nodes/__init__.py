# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The nodes: control cycle, middleware, lock step, and ros2_control."""
