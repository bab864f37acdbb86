# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Plants whose links hang on springs behind their motors.

May import: simulation, robot, model.
"""
