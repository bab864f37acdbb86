# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The model of a robot: URDF or DH text -> description -> frozen arrays.

    urdf.parse, dh.describe -> RobotDescription -> build.build -> RobotModel

`layout` defines the columns of the arrays, `validate` refuses impossible values, and `lint` warns
of implausible ones. Only numpy is needed here.
"""
