# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Everything that connects the package to ROS: shared parts, and the parts of each node.

Every file imports ROS, or builds on another file here that does. Outside, only nodes/, testing/,
demonstration/ and cli/ import ROS.
"""
