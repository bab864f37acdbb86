# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Couplings: joints that follow several others linearly, such as those of a differential."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from robodyn_ros.errors import ModelError, require_names, short_repr
from robodyn_ros.model.description import RobotDescription


@dataclass(frozen=True)
class Coupling:
    """A joint at a constant linear function of other joints: a gear train of several inputs.

    Two motors that move a wrist by a bevel differential of ratio n are at n (pitch + roll) and
    n (pitch - roll). A mimic joint has one leader instead.

    `joint`: the joint that follows, without a coordinate of its own.
    `follows`: ratio to each joint that it follows [rad or m per rad or m].
    `offset`: position of the joint when those are at zero [rad or m].
    """

    joint: str
    follows: Mapping[str, float]
    offset: float = 0.0

    __repr__ = short_repr


def with_couplings(description: RobotDescription, couplings: Sequence[Coupling]):
    """Return a description with coupled joints.

    `description`: links and joints.
    `couplings`: one for each joint that follows others.
    Raises UnknownNameError: for a joint that does not exist.
    Raises ModelError: for a joint that follows others already, or nothing; for anything but
      couplings.
    """
    if not couplings:
        return description  # where a joint's name may still occur twice, and is refused later
    where = f'robot {description.name!r}'
    if not all(isinstance(coupling, Coupling) for coupling in couplings):
        raise ModelError(
            f'{where}: got couplings that are no Coupling; expected such objects, or the path of '
            'their file as closures'
        )
    joints = {joint.name: joint for joint in description.joints}
    for coupling in couplings:
        require_names(where, 'joint', [coupling.joint], joints, ' to couple')
        joint = joints[coupling.joint]
        if joint.mimic or joint.follows or not coupling.follows:
            already = joint.mimic or ', '.join(joint.follows) or 'no joint'
            raise ModelError(
                f'{where}: the coupled joint {joint.name!r} follows {already}; expected one '
                'coupling with some joints, and no mimic element'
            )
        joints[joint.name] = replace(joint, follows=dict(coupling.follows), offset=coupling.offset)
    return replace(description, joints=tuple(joints.values()))
