"""Rigid-body dynamics for robots: fast recursions under a friendly face, and the ROS 2 nodes that
use them.

    model -> spatial -> recursions -> kernels -> Robot -> control, simulation -> ros -> nodes

Everything up to `Robot`, `control` and `simulation` works without ROS.
"""
from robodyn_ros.errors import RobodynError
from robodyn_ros.frame_quantities import OperationalSpaceInertia
from robodyn_ros.robot import Robot

__all__ = ['OperationalSpaceInertia', 'RobodynError', 'Robot']
