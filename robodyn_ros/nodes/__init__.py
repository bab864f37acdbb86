# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The two processes: the controller and the simulated hardware. May import: ros."""
