# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""MJCF, as the compiler of MuJoCo reads it.

    text or file -> compiled.compile_mjcf -> Compiled -> reader.describe -> RobotDescription
                                                      -> geoms.shapes -> what is drawn

May import: the other modules of model; of sources, the shapes.
"""
