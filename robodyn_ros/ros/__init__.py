# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The only folder that imports ROS: shared parts, and the parts of each node."""
