# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Craig, Introduction to Robotics, chapter 6. May import: formulations, robot."""
