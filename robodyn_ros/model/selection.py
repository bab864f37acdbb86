# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Select the commanded joints, and the positions of the locked ones."""

from collections import Counter
from collections.abc import Mapping
from math import sqrt
from numbers import Real

from robodyn_ros.errors import ModelError, ParameterError, UnlockedError, require_names
from robodyn_ros.model import joint_types
from robodyn_ros.model.dependent.mimic import Following, followers
from robodyn_ros.model.description import ASKED_TYPES, JOINT_TYPES, MORE_TYPES
from robodyn_ros.model.rotation_matrix import SHORTEST
from robodyn_ros.model.validate import LARGEST_LENGTH


def split_joints(robot, ordered, joints, locked):
    """Split the movable joints into commanded ones, their followers, and locked ones.

    `robot`: name for messages.
    `ordered` (sequence of Joint): joints from base to tip.
    `joints` (sequence of str or None): names to command, in the order of q. None for all that are
      not locked and follow no other.
    `locked` (mapping): position of each locked joint: a number, or one for each position of the
      joint. Joints that are neither commanded nor locked are locked at 0, and followers of locked
      joints accordingly.
    Returns the commanded joints, {name: Following} of their followers, and {name: position} of the
      locked ones. Each position is a tuple, with unit quaternions.
    Raises UnknownNameError: for a name that is not a movable joint.
    Raises ModelError: for joints that cannot be commanded or locked as asked.
    """
    for joint in ordered:
        _check_type(robot, joint)
    movable = {joint.name: joint for joint in ordered if joint.type != 'fixed'}
    locked = {} if locked is None else locked
    if not isinstance(locked, Mapping):
        raise ModelError(
            f'robot {robot!r}: locked is {locked!r}; expected {{joint: position}}, '
            "such as {'joint1': 0.0}"
        )
    if isinstance(joints, str):
        raise ModelError(
            f'robot {robot!r}: joints is {joints!r}; expected names of joints, such '
            f'as [{joints!r}]'
        )
    _check_names(robot, movable, [*(joints or ()), *locked])
    following = followers(robot, movable, locked)
    commanded = (
        tuple(joints)
        if joints is not None
        else tuple(name for name in movable if name not in locked and name not in following)
    )
    if joints is None:
        _refuse_unasked(robot, [movable[name] for name in commanded if not movable[name].moves])
    _refuse_followers(robot, {name: following[name] for name in commanded if name in following})
    moving = {
        name: {leader: ratio for leader, ratio in follower.ratios.items() if leader in commanded}
        for name, follower in following.items()
    }
    held = {
        name: _held_position(robot, joint, locked.get(name, 0.0))
        for name, joint in movable.items()
        if name not in commanded and name not in following
    }
    led = {}
    for name, follower in following.items():
        still = [leader for leader in follower.ratios if leader not in commanded]
        shift = sum(
            (follower.ratios[leader] * held[leader][0] for leader in still), follower.shift
        )
        if moving[name]:
            led[name] = Following(moving[name], shift)
        else:
            held[name] = (shift,)
    return tuple(movable[name] for name in commanded), led, held


def _check_names(robot, movable, names):
    """Refuse names that are unknown or occur twice."""
    for name, times in Counter(names).items():
        require_names(f'robot {robot!r}', 'movable joint', [name], movable, ' below its base')
        if times > 1:
            raise ModelError(
                f'robot {robot!r}: joint {name!r} is chosen {times} times; expected '
                'each joint to be commanded or locked, once'
            )


def _check_type(robot, joint):
    """Refuse a joint of an unknown type."""
    known = JOINT_TYPES + MORE_TYPES
    if joint.type not in known:
        raise ModelError(
            f'robot {robot!r}: joint {joint.name!r} has type {joint.type!r}; '
            f'expected one of {", ".join(known)}'
        )


def _refuse_unasked(robot, joints):
    """Refuse floating and planar joints that are not asked for; name them all."""
    found = [joint for joint in joints if joint.type in ASKED_TYPES]
    if found:
        who = ', '.join(f'joint {joint.name!r} is {joint.type}' for joint in found)
        them = 'them' if len(found) > 1 else 'it'
        raise UnlockedError(
            f'robot {robot!r}: {who}, and moves only when asked to; name {them} in joints, or '
            f'lock {them} to hold {them} still: ',
            tuple(joint.name for joint in found),
        )


def _refuse_followers(robot, following):
    """Refuse commanded joints that follow others; name them all, since grippers have many."""
    if following:
        who = ', '.join(
            f'joint {name!r} {"mimics" if len(follower.ratios) == 1 else "follows"} '
            f'{" and ".join(map(repr, follower.ratios))}'
            for name, follower in following.items()
        )
        raise ModelError(
            f'robot {robot!r}: {who}, and moves with it; expected only joints that follow no other'
        )


def _held_position(robot, joint, value):
    """Return the position of a locked joint, with all of its numbers."""
    neutral = joint_types.neutral(joint)
    if isinstance(value, Real):
        position = (float(value),) if len(neutral) == 1 else neutral if value == 0.0 else ()
    else:
        position = _floats(value)
    if len(position) != len(neutral) or not all(abs(x) <= LARGEST_LENGTH for x in position):
        several = [name.rpartition('.')[2] for name in joint_types.position_names(joint)]
        expected = (
            'a number'
            if len(several) == 1
            else (
                f'0, where its links coincide, or {len(several)} numbers '
                f'({", ".join(several)}), each'
            )
        )
        raise ModelError(
            f'robot {robot!r}: {joint.type} joint {joint.name!r} is locked at '
            f'{value!r}; expected {expected} of at most {LARGEST_LENGTH:g}'
        )
    if not joint_types.has_quaternion(joint):
        return position
    x, y, z, w = position[-4:]
    length = sqrt(x * x + y * y + z * z + w * w)
    if length < SHORTEST:
        raise ModelError(
            f'robot {robot!r}: {joint.type} joint {joint.name!r} is locked at '
            f'{value!r}, whose quaternion has length {length:.3g}; expected a unit '
            'quaternion qx, qy, qz, qw'
        )
    return (*position[:-4], *(x / length for x in position[-4:]))


def _floats(values):
    """Return the numbers of a sequence, or none for anything else."""
    try:
        return () if isinstance(values, str) else tuple(float(x) for x in values)
    except (TypeError, ValueError):
        return ()


def parse_locked(text):
    """Return the name and the position of a locked joint.

    `text`: `name`, `name=0.3` or `name=0.1 0.2 0.3`.
    Raises ParameterError: for anything else.
    """
    name, _, position = text.partition('=')
    try:
        numbers = tuple(map(float, position.split())) or (0.0,)
    except ValueError:
        raise ParameterError(
            f"{text!r}; expected a joint's name, 'name=position', or the numbers "
            'of its position with spaces between them'
        ) from None
    return name.strip(), numbers[0] if len(numbers) == 1 else numbers
