# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The interface of a robot: about twenty methods, and views for the rest. Check, allocate, call.

May import: model, spatial, algorithms, compile, codegen.
"""

from robodyn_ros.robot.robot import Robot

__all__ = ['Robot']
