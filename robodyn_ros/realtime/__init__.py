# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Periodic loops, their operating-system requests and their measurements. No ROS.

May import: errors, numpy.
"""
