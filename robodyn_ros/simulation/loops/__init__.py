# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Plants whose closed loops change: other independent joints, or other closures.

May import: simulation, robot, model.
"""
