# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rotors of geared motors: separate bodies that follow their joints, or reflected inertia.

A motor is mounted on the parent link of its joint. Its rotor turns gear_ratio times as fast, about
an axis of the mount (Jain 2011, chapter 12). The exact model is a body that follows the joint,
whose spin couples with the rotation of its mount. The reflected model adds only gear_ratio^2 times
its inertia at the joint (section 12.3.1).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from robodyn_ros.errors import ModelError, require_names, short_repr
from robodyn_ros.model import joint_types
from robodyn_ros.model.arithmetic import product
from robodyn_ros.model.description import Inertial, Joint, Link, Placement, RobotDescription
from robodyn_ros.model.rotation_matrix import unit_axis
from robodyn_ros.model.validate import LARGEST_LENGTH, SHORTEST_AXIS

#: Models of rotors.
EXACT, REFLECTED = 'exact', 'reflected'


@dataclass(frozen=True, eq=False)
class Rotor:
    """The rotor of the motor of a joint.

    `inertia`: inertia about its own axis, before the gear [kg m^2].
    `gear_ratio`: rotor angle per joint angle, or per travel [rad/m]; negative for opposite
      directions. By default that of the description, or 1.
    `axis`: axis in axes of the mount; that of the joint by default.
    `mass`: mass, if not included in the mount [kg].
    `position`: centre of mass in the frame of the mount [m]; the joint's origin by default.
    `across`: inertia about axes normal to its own [kg m^2], if not included in the mount.
    """

    inertia: float
    gear_ratio: float | None = None
    axis: np.ndarray | None = None
    mass: float = 0.0
    position: np.ndarray | None = None
    across: float = field(default=0.0)

    __repr__ = short_repr


def known_rotors(
    description: RobotDescription, rotors: Mapping[str, Rotor] | None = None
) -> dict[str, Rotor]:
    """Return the rotors of a robot: those of its description, and others in their place.

    `rotors`: by name of the driven joint.
    Returns rotors with inertia or mass and their gear ratios, by joint name.
    Raises ModelError: for an impossible rotor.
    Raises UnknownNameError: for a joint that does not exist.
    """
    robot = f'robot {description.name!r}'
    joints, found = {joint.name: joint for joint in description.joints}, {}
    for name, rotor in {**description.rotors, **(rotors or {})}.items():
        require_names(robot, 'joint', [name], joints, ' for a rotor')
        if rotor.gear_ratio is None:
            described = description.rotors.get(name, rotor).gear_ratio
            rotor = replace(rotor, gear_ratio=1.0 if described is None else described)
        _check(f'{robot}: the rotor of joint {name!r}', joints[name], rotor)
        if max(rotor.inertia, rotor.mass, rotor.across) > 0.0:
            found[name] = rotor
    return found


def with_rotors(
    description: RobotDescription,
    rotors: Mapping[str, Rotor] | None = None,
    rotor_model: str = EXACT,
) -> RobotDescription:
    """Return a description with the rotors as bodies, or as inertia at their joints.

    `rotor_model`: bodies that follow their joints (Jain 2011, sections 12.2 and 12.4), or their
      reflected inertia alone (section 12.3.1).
    Returns with links and joints `<joint>_rotor`, or with more `rotor_inertia`; it has no
      `rotors`.
    Raises ModelError: for another model, or an impossible rotor.
    Raises UnknownNameError: for a joint that does not exist.
    """
    if rotor_model not in (EXACT, REFLECTED):
        raise ModelError(
            f'robot {description.name!r}: rotors are {rotor_model!r}; expected {EXACT!r} or '
            f'{REFLECTED!r}'
        )
    known = known_rotors(description, rotors)
    if rotor_model == REFLECTED:
        return replace(
            description,
            joints=tuple(_reflected(joint, known.get(joint.name)) for joint in description.joints),
            rotors={},
        )
    bodies = [
        _body(joint, known[joint.name]) for joint in description.joints if joint.name in known
    ]
    return replace(
        description,
        links=(*description.links, *(link for link, _ in bodies)),
        joints=(*description.joints, *(joint for _, joint in bodies)),
        rotors={},
    )


def _check(where, joint, rotor):
    """Refuse a rotor with impossible numbers, or at a joint of several velocities."""
    if joint.type == 'fixed' or len(joint_types.velocity_names(joint)) > 1:
        raise ModelError(f'{where} drives a {joint.type} joint; expected one of one velocity')
    for what, value in (
        ('inertia', rotor.inertia),
        ('mass', rotor.mass),
        ('inertia across', rotor.across),
    ):
        if not 0.0 <= value < np.inf:
            raise ModelError(f'{where} has {what} {value:g}; expected 0 or more')
    if not 0.0 < abs(rotor.gear_ratio) <= LARGEST_LENGTH:
        raise ModelError(
            f'{where} has gear ratio {rotor.gear_ratio:g}; expected one other than 0, of at most '
            f'{LARGEST_LENGTH:g}'
        )
    for what, vector in (('axis', rotor.axis), ('position', rotor.position)):
        if vector is not None and (np.shape(vector) != (3,) or not np.isfinite(vector).all()):
            raise ModelError(f'{where} has {what} {vector}; expected three numbers')
    if rotor.axis is not None and not np.max(np.abs(rotor.axis)) >= SHORTEST_AXIS:
        raise ModelError(f'{where} has axis {rotor.axis}; expected a direction')


def _reflected(joint, rotor):
    """Return the joint with gear_ratio^2 J added to its inertia."""
    if rotor is None:
        return joint
    more = rotor.gear_ratio * rotor.gear_ratio * rotor.inertia
    return replace(joint, rotor_inertia=joint.rotor_inertia + more)


def _body(joint, rotor):
    """Return the link of a rotor, and its mimic joint."""
    axis = product(joint.placement.rotation, unit_axis(np.asarray(joint.axis, float)))
    if rotor.axis is not None:
        axis = unit_axis(np.asarray(rotor.axis, float))
    place = joint.placement.translation if rotor.position is None else rotor.position
    name, along = f'{joint.name}_rotor', np.outer(axis, axis)
    inertia = rotor.inertia * along + rotor.across * (np.eye(3) - along)
    body = Link(name, Inertial(rotor.mass, np.zeros(3), inertia), is_rotor=True)
    follows = Joint(
        name,
        'continuous',
        joint.parent,
        name,
        Placement(translation=np.array(place, float)),
        axis,
        mimic=joint.name,
        multiplier=rotor.gear_ratio,
    )
    return body, follows
