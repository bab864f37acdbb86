# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Angeles, Fundamentals of Robotic Mechanical Systems, chapter 7.

May import: formulations, robot.
"""
