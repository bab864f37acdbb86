# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Plants with flexible links, whose deformation is a sum of modes.

May import: simulation, robot, codegen, compile, model.
"""
