# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Shared parts of both nodes: parameters, messages, lifecycle, services. May import ROS."""
