# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""ROS interface of the simulated hardware: session, efforts, states. May import ros.common."""
