# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Take, check and publish serialised messages; lock step between nodes. May import ROS."""
