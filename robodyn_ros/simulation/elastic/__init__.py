# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Plants with elastic joints: springs between motors and links.

May import: simulation, robot, model.
"""
