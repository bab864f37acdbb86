# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot with more than its description has: springs, beams, friction, a free base."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from robodyn_ros.model.extended.elastic_joints import ElasticJoint, with_elastic_joints
from robodyn_ros.model.extended.flexible_links import FlexibleLink, with_flexible_links
from robodyn_ros.model.extended.free_base import with_free_base
from robodyn_ros.model.extended.joint_friction import JointFriction, with_joint_friction
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.model.sources import elastic_joint_file, friction_file
from robodyn_ros.robot.robot_view import View

if TYPE_CHECKING:
    from robodyn_ros.robot.robot import Robot


class Extended(View):
    """New robots with springs, beams, friction or a free base; this one does not change."""

    def with_free_base(self) -> Robot:
        """Return a new robot whose base moves freely, on a first joint 'free_base'.

        Returns
        -------
        Robot
            As `from_urdf` with `free_base`, with the loads and other changes of this one.

        Raises
        ------
        ModelError
            For a robot with loops, or with a free base already.
        """
        return _robot(with_free_base(self._robot.model))

    def with_elastic_joints(
        self, joints: Mapping[str, ElasticJoint] | str | os.PathLike[str]
    ) -> Robot:
        """Return a new robot with a spring between motor and link of joints.

        Its dynamics are without the springs, whose torques -k delta - d deltadot are those of the
        joints `<joint>_deflection`. A `Plant` applies them; `ElasticPlant` steps this robot under
        commands to its motors.

        Parameters
        ----------
        joints : mapping of str to ElasticJoint, or path
            By name of the joint; or a YAML file of them.

        Returns
        -------
        Robot
            See `robodyn_ros.model.extended.elastic_joints.with_elastic_joints`.

        Raises
        ------
        UnknownNameError, ModelError
            For joints that cannot be elastic.
        """
        found = elastic_joint_file.elastic_joints_of(joints)
        return _robot(with_elastic_joints(self._robot.model, found))

    def with_flexible_links(self, links: Mapping[str, FlexibleLink]) -> Robot:
        """Return a new robot with links that are elastic beams: rigid pieces and springs.

        Its dynamics are without the springs, whose torques -k q - d qd are those of their joints
        `<link>_bend_y_1` and so on, in `model.springs`. A `Plant` applies them.

        Parameters
        ----------
        links : mapping of str to FlexibleLink
            By name of the link.

        Returns
        -------
        Robot
            See `robodyn_ros.model.extended.flexible_links.with_flexible_links`.

        Raises
        ------
        UnknownNameError, ModelError
            For links that cannot be elastic.
        """
        return _robot(with_flexible_links(self._robot.model, links))

    def with_joint_friction(
        self, joints: Mapping[str, JointFriction] | str | os.PathLike[str]
    ) -> Robot:
        """Return a new robot with static, low-speed or position-dependent friction of joints.

        A `Plant` of it has this friction, control laws feed it forward, and `identify` seeks the
        amplitudes of its curves.

        Parameters
        ----------
        joints : mapping of str to JointFriction, or path
            By name of the joint; or a YAML file of them.

        Returns
        -------
        Robot
            See `robodyn_ros.model.extended.joint_friction`.

        Raises
        ------
        UnknownNameError, ModelError
            For friction that is not possible.
        """
        found = friction_file.joint_friction_of(joints)
        return _robot(with_joint_friction(self._robot.model, found))


def _robot(model: RobotModel) -> Robot:
    """Return a robot over a model."""
    from robodyn_ros.robot.robot import Robot  # it imports this module

    return Robot(model)
