# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""MJCF, as the compiler of MuJoCo reads it: `reader.parse` returns a description.

    text or file -> compiled.compile_mjcf -> Compiled -> reader.parse -> RobotDescription

May import: the other modules of model, but sources.
"""
