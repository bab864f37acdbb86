# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""References: joint trajectories and targets of the end effector, and how they are sampled.

May import: robot, compile.
"""
