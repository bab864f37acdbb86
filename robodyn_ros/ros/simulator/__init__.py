# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulated hardware's side of ROS: session, efforts, states. May import ros.common."""
