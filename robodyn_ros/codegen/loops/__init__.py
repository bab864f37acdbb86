# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closed loops in code for one robot.

May import: codegen.tape, compile, algorithms, model.
"""
