# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the launch files share: checks before the start. May import ROS."""
