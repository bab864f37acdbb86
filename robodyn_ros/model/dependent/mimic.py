# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joints that follow others: mimic and coupled joints, with chains of them resolved."""

from collections.abc import Mapping
from dataclasses import dataclass

from robodyn_ros.errors import ModelError, UnlockedError, short_repr
from robodyn_ros.model import joint_types
from robodyn_ros.model.validate import LARGEST_LENGTH


@dataclass(frozen=True)
class Following:
    """A joint at the sum of `ratios` times the positions of its leaders, plus `shift`.

    `ratios`: ratio to each leader, by name. Leaders follow no other joints.
    `shift`: position when all leaders are at zero [rad or m].
    """

    ratios: Mapping[str, float]
    shift: float = 0.0

    __repr__ = short_repr


def leaders_of(joint):
    """Return the joints that a mimic or coupled joint follows."""
    return {joint.mimic: joint.multiplier} if joint.mimic else dict(joint.follows)


def followers(robot, movable, locked):
    """Resolve the joints that follow others, through any number of joints between.

    `robot`: name for messages.
    `movable` (dict): {name: Joint}.
    `locked` (collection of str): names of joints that are held, and then follow nothing.
    Returns following by name of the joint.
    Raises ModelError: for cycles of followers, a fixed leader, and joints with several velocities.
    """
    return {
        name: _resolved(robot, movable, locked, joint)
        for name, joint in movable.items()
        if leaders_of(joint) and name not in locked
    }


def _resolved(robot, movable, locked, joint):
    """Return the Following of one joint."""
    ratios: dict[str, float] = {}
    shift, left = 0.0, [(joint, 1.0, ())]
    while left:
        joint, ratio, path = left.pop()
        leaders = {} if joint.name in locked else leaders_of(joint)
        if not leaders:
            ratios[joint.name] = ratios.get(joint.name, 0.0) + ratio
            continue
        shift += ratio * joint.offset
        for name, multiplier in leaders.items():
            _check(robot, movable, joint, name, multiplier, path)
            left.append((movable[name], ratio * multiplier, (*path, joint.name)))
    return Following(ratios, shift)


def _check(robot, movable, joint, leader, multiplier, path):
    """Refuse a leader that a joint cannot follow; `path` are the joints that follow the joint."""
    verb = 'mimics' if joint.mimic else 'follows'
    where = f'robot {robot!r}: joint {joint.name!r} {verb} {leader!r}'
    hold = 'expected it locked to hold it still: '
    for what, value in (('multiplier', multiplier), ('offset', joint.offset)):
        if not abs(value) <= LARGEST_LENGTH:
            raise ModelError(f'{where} with {what} {value:g}; expected at most {LARGEST_LENGTH:g}')
    if leader in (*path, joint.name):
        raise UnlockedError(
            f'{where}, a loop of joints that {verb[:-1]} one another; {hold}', (joint.name,)
        )
    if leader not in movable:
        raise UnlockedError(
            f'{where}, which is no movable joint below the base; {hold}', (joint.name,)
        )
    for each in (joint, movable[leader]):
        if len(joint_types.velocity_names(each)) > 1:
            raise UnlockedError(
                f'{where}, but {each.name!r} is {each.type}; {hold}', (joint.name,)
            )


def common_limit(limit, followers):
    """Return the limit of a leader within which its followers stay within theirs.

    A follower is left out if its range leaves none to the leader. The effort is that of the
    leader, whose motor moves them all.

    `limit` (Limit): limit of the leader.
    `followers` (sequence of tuple): ratio, shift [rad or m] and Limit of each follower.
    Returns the limit, and the numbers of the followers that are left out.
    """
    lower, upper, velocity, apart = limit.lower, limit.upper, limit.velocity, []
    for k, (ratio, shift, own) in enumerate(followers):
        if ratio == 0.0:
            continue
        ends = sorted((end - shift) / ratio for end in (own.lower, own.upper))
        if max(lower, ends[0]) < min(upper, ends[1]):
            lower, upper = max(lower, ends[0]), min(upper, ends[1])
        else:
            apart.append(k)
        velocity = min(velocity, own.velocity / abs(ratio))
    return type(limit)(lower, upper, velocity, limit.effort), apart
