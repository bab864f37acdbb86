# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Plants whose links bend by modes.

May import: simulation, robot, codegen, compile, model.
"""
