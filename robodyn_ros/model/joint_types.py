# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Every joint type as a chain of bodies, each with one velocity; see doc/robots/joints.md."""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import short_repr
from robodyn_ros.model.arithmetic import product
from robodyn_ros.model.description import Joint, Limit, Placement
from robodyn_ros.model.layout import BALL_X, BALL_Y, BALL_Z, HELICAL, PRISMATIC, REVOLUTE
from robodyn_ros.model.rotation_matrix import about_axis, from_quaternion, unit_axis, z_to_axis

#: Names of velocities and positions of a joint that has several.
VELOCITIES = {
    'cylindrical': ('slide', 'turn'),
    'universal': ('first', 'second'),
    'planar': ('x', 'y', 'turn'),
    'spherical': ('wx', 'wy', 'wz'),
    'floating': ('x', 'y', 'z', 'wx', 'wy', 'wz'),
}
QUATERNION = ('qx', 'qy', 'qz', 'qw')
POSITIONS = VELOCITIES | {'spherical': QUATERNION, 'floating': ('x', 'y', 'z', *QUATERNION)}
KINDS = {'prismatic': PRISMATIC, 'helical': HELICAL}  # with one velocity, except revolute ones

#: Rotation with the columns y, z, x. It moves the z axis to x; applied twice, to y.
CYCLE = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
ALONG = (CYCLE, product(CYCLE, CYCLE), np.eye(3))  # z along x, y and z
BALL = tuple(zip((BALL_X, BALL_Y, BALL_Z), ALONG))
#: Quaternion of no rotation.
NO_TURN = (0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class JointCoordinates:
    """A moving joint and its coordinates.

    `joint`: its description.
    `positions`, `velocities`: its indices in q and in qd.
    """

    joint: Joint
    positions: slice
    velocities: slice

    __repr__ = short_repr


def velocity_names(joint):
    """Return the names of the velocities of a joint; a single one has the joint's name."""
    return _names(joint, VELOCITIES)


def position_names(joint):
    """Return the names of the positions of a joint, four for each quaternion."""
    return _names(joint, POSITIONS)


def _names(joint, within):
    """Return the name of a joint, or one for each of its several coordinates."""
    if joint.type not in within:
        return (joint.name,)
    return tuple(f'{joint.name}.{name}' for name in within[joint.type])


def limits(joint):
    """Return a Limit for every velocity of a joint.

    A single Limit of a joint with several velocities applies to each of them. It then limits speed
    and effort only, not the position.
    """
    limit, count = joint.limit, len(velocity_names(joint))
    if isinstance(limit, tuple):
        return limit
    return (limit if count == 1 else Limit(velocity=limit.velocity, effort=limit.effort),) * count


def elements(joint):
    """Return type and axes of the bodies of a moving joint, from its parent to its child.

    Returns types of robodyn_ros.model.layout, and axes (3, 3) of the bodies in those of the joint
      at q = 0, z along the motion.
    """
    if joint.type == 'spherical':
        return BALL
    if joint.type == 'floating':
        return (*((PRISMATIC, axes) for axes in ALONG), *BALL)
    axes = z_to_axis(unit_axis(joint.axis))
    if joint.type == 'planar':
        along_x, along_y = (product(axes, turned) for turned in ALONG[:2])
        return (PRISMATIC, along_x), (PRISMATIC, along_y), (REVOLUTE, axes)
    if joint.type == 'cylindrical':
        return (PRISMATIC, axes), (REVOLUTE, axes)
    if joint.type == 'universal':
        return (REVOLUTE, axes), (REVOLUTE, z_to_axis(unit_axis(joint.second_axis)))
    return ((KINDS.get(joint.type, REVOLUTE), axes),)


def neutral(joint):
    """Return the position of a joint at which the frame of its child coincides with its own."""
    count = len(position_names(joint))
    return (0.0,) * (count - 4) + NO_TURN if has_quaternion(joint) else (0.0,) * count


def has_quaternion(joint):
    """Return whether the last four positions of a joint are a quaternion."""
    return joint.type in ('spherical', 'floating')


def displacement(joint, position):
    """Return the placement of the child link in the joint at a position.

    `position` (sequence of float): all positions of the joint, with a unit quaternion.
    """
    if tuple(position) == neutral(joint):
        return Placement()
    if has_quaternion(joint):
        return Placement(from_quaternion(*position[-4:]), np.array((*position[:-4], 0, 0, 0)[:3]))
    placement = Placement()
    for (kind, axes), value in zip(elements(joint), position):
        travel = value * axes[:, 2]
        if kind == PRISMATIC:
            placement = placement @ Placement(translation=travel)
        else:
            pitch = joint.pitch if kind == HELICAL else 0.0
            placement = placement @ Placement(about_axis(axes[:, 2], value), pitch * travel)
    return placement
