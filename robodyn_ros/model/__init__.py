# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the robot is: URDF or DH text -> description -> frozen arrays.

    urdf.parse, dh.describe -> RobotDescription -> build.build -> RobotModel

`layout` says what the columns of the arrays mean, `validate` refuses what no robot can be, and
`lint` warns of what hardly any robot is. Only numpy is needed here.
"""
