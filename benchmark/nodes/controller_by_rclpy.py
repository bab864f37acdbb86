# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The controller node whose loop uses rclpy alone, for benchmark.nodes.shortcuts."""

import sys

from robodyn_ros.nodes.controller import main
from robodyn_ros.ros.transport import rcl_ffi

rcl_ffi.library = lambda: None  # so the loop leaves everything to rclpy

if __name__ == '__main__':
    sys.exit(main())
