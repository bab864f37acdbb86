# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The controller's side of ROS: session, references, states, status. May import ros.common."""
