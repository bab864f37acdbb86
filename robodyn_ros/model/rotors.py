# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rotors of geared motors: bodies of their own that follow their joints, or their reflection.

A motor is mounted on the link that carries its joint. Its rotor turns gear_ratio times as fast,
about an axis of the mount (Jain 2011, chapter 12). Exactly, it is a body that follows the joint:
its spin couples with the turning of its mount. Reflected, it is gear_ratio^2 times its inertia at
the joint, and nothing else (section 12.3.1).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from robodyn_ros.errors import ModelError, UnknownNameError
from robodyn_ros.model import joint_types
from robodyn_ros.model.description import Inertial, Joint, Link, Placement, RobotDescription
from robodyn_ros.model.rotation_matrix import unit_axis
from robodyn_ros.model.validate import LARGEST_LENGTH, SHORTEST_AXIS

#: Ways to compute with rotors.
EXACT, REFLECTED = 'exact', 'reflected'


@dataclass(frozen=True, eq=False)
class Rotor:
    """The rotor of the motor of a joint.

    Parameters
    ----------
    inertia : float
        About its own axis, before the gear [kg m^2].
    gear_ratio : float
        Turns of the rotor by turns of the joint, or by its travel [rad/m]; negative where it turns
        the other way.
    axis : (3,) array_like, optional
        Its axis in axes of the mount; that of the joint by default.
    mass : float
        Its mass where the mount does not count it yet [kg].
    position : (3,) array_like, optional
        Its centre of mass in the frame of the mount [m]; the joint's origin by default.
    across : float
        Its inertia about axes across its own [kg m^2], where the mount does not count it yet.
    """

    inertia: float
    gear_ratio: float = 1.0
    axis: np.ndarray | None = None
    mass: float = 0.0
    position: np.ndarray | None = None
    across: float = field(default=0.0)


def with_rotors(
    description: RobotDescription, rotors: Mapping[str, Rotor], way: str = EXACT
) -> RobotDescription:
    """Return a description with rotors.

    Parameters
    ----------
    description : RobotDescription
        The robot without them.
    rotors : mapping of str to Rotor
        By the name of the joint that each drives.
    way : {'exact', 'reflected'}
        Bodies that follow their joints (Jain 2011, sections 12.2 and 12.4), or their reflected
        inertia alone (section 12.3.1).

    Returns
    -------
    RobotDescription
        With links and joints `<joint>_rotor`, or with more `rotor_inertia`.

    Raises
    ------
    ModelError
        For another way, or a rotor that is impossible.
    UnknownNameError
        For a joint that does not exist.
    """
    robot = f'robot {description.name!r}'
    if way not in (EXACT, REFLECTED):
        raise ModelError(f'{robot}: rotors are {way!r}; expected {EXACT!r} or {REFLECTED!r}')
    known = {joint.name: joint for joint in description.joints}
    for name, rotor in rotors.items():
        if name not in known:
            raise UnknownNameError(
                f'{robot} has no joint {name!r} for a rotor; valid: {", ".join(known)}'
            )
        _check(f'{robot}: the rotor of joint {name!r}', known[name], rotor)
    if way == REFLECTED:
        return replace(
            description,
            joints=tuple(_reflected(joint, rotors.get(joint.name)) for joint in known.values()),
        )
    bodies = [_body(known[name], rotor) for name, rotor in rotors.items()]
    return replace(
        description,
        links=(*description.links, *(link for link, _ in bodies)),
        joints=(*description.joints, *(joint for _, joint in bodies)),
    )


def _check(where, joint, rotor):
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
    """Return the joint with gear_ratio^2 J more at it."""
    if rotor is None:
        return joint
    more = rotor.gear_ratio * rotor.gear_ratio * rotor.inertia
    return replace(joint, rotor_inertia=joint.rotor_inertia + more)


def _body(joint, rotor):
    """Return the link of a rotor, and the joint by which it follows."""
    axis = joint.placement.rotation @ unit_axis(np.asarray(joint.axis, float))
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
