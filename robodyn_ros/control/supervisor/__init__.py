# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The supervisor decides every published torque: states, guards and limits.

May import: robot, compile, control.reference, realtime.histogram.
"""
