# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Shared by the commands: arguments that describe a robot, tables and findings of the report.

May import: everything above, without ROS.
"""
