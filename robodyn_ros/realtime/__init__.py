# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Periodic loops, what they ask of the operating system, and what they measure. No ROS.

May import: errors, numpy.
"""
