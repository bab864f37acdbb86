# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The controller node whose executor polls at 100 Hz, for benchmark.nodes.shortcuts."""

import sys

from robodyn_ros.nodes import controller

controller.SLOW_POLL = 0.01  # [s] period of polling, in place of an executor that is woken

if __name__ == '__main__':
    sys.exit(controller.main())
