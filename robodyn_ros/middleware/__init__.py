# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""ROS from outside: messages as bytes, parameter files, environment of the middleware.

Nothing here imports ROS, so that it can be read and tested without. May import: compile, spatial.
"""
