# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""References: trajectories, their sampling, targets of the end effector.

May import: robot, compile.
"""
