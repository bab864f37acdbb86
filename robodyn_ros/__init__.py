# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rigid-body dynamics for robots: fast recursions under a friendly face, and the ROS 2 nodes that
use them.

    spatial -> model -> algorithms -> compile -> codegen -> robot
    robot -> formulations, identification, control, simulation -> ros -> nodes

Everything but `ros` and `nodes` works without ROS.
"""

from robodyn_ros.errors import RobodynError
from robodyn_ros.robot.capsules import Capsule
from robodyn_ros.robot.examples import example
from robodyn_ros.robot.inverse_kinematics import InverseKinematics
from robodyn_ros.robot.operational_space import OperationalSpaceInertia
from robodyn_ros.robot.robot import Robot
from robodyn_ros.spatial import se3

__all__ = [
    'Capsule',
    'InverseKinematics',
    'OperationalSpaceInertia',
    'RobodynError',
    'Robot',
    '__version__',
    'example',
    'se3',
]
__version__ = '0.2.0'
