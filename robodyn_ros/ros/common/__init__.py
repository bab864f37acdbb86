# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What both nodes share: parameters, messages, lifecycle, services. May import ROS."""
