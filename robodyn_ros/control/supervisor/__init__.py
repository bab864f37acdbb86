# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Responsible for every published torque: states, guards, limits.

May import: robot, compile, control.reference, realtime.histogram.
"""
