# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The only folder that imports ROS: what both nodes share, and each node's own part."""
