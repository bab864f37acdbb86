# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""ROS interface of the controller: session, references, states, status. May import ros.common."""
