# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which joints follow which: the mimic elements of a URDF, chains of them resolved."""

from dataclasses import dataclass

from robodyn_ros.errors import ModelError, UnlockedError
from robodyn_ros.model import joint_types
from robodyn_ros.model.validate import LARGEST_LENGTH


@dataclass(frozen=True)
class Following:
    """A joint at `ratio` times the position of its leader, plus `shift` [rad or m].

    The leader follows no other joint.
    """

    leader: str
    ratio: float = 1.0
    shift: float = 0.0


def followers(robot, movable, locked):
    """Resolve the joints that follow others, through any number of joints between.

    robot : name for messages. movable : {name: Joint}. locked : names of joints that are held, and
    then follow nothing. Returns {name: Following}. Raises ModelError for cycles of followers, a
    fixed leader, and joints with several velocities.
    """
    return {
        name: _resolved(robot, movable, locked, joint)
        for name, joint in movable.items()
        if joint.mimic and name not in locked
    }


def _resolved(robot, movable, locked, joint):
    """Return the Following of one joint."""
    ratio, shift, way = 1.0, 0.0, [joint.name]
    while joint.mimic and joint.name not in locked:
        where = f'robot {robot!r}: joint {joint.name!r} mimics {joint.mimic!r}'
        hold = 'expected it locked to hold it still: '
        for what, value in (('multiplier', joint.multiplier), ('offset', joint.offset)):
            if not abs(value) <= LARGEST_LENGTH:
                raise ModelError(
                    f'{where} with {what} {value:g}; expected at most {LARGEST_LENGTH:g}'
                )
        if joint.mimic in way:
            raise UnlockedError(
                f'{where}, a loop of joints that mimic one another; {hold}', (joint.name,)
            )
        if joint.mimic not in movable:
            raise UnlockedError(
                f'{where}, which is no movable joint below the base; {hold}', (joint.name,)
            )
        leader = movable[joint.mimic]
        for each in (joint, leader):
            if len(joint_types.velocity_names(each)) > 1:
                raise UnlockedError(
                    f'{where}, but {each.name!r} is {each.type}; {hold}', (joint.name,)
                )
        ratio, shift = ratio * joint.multiplier, ratio * joint.offset + shift
        way.append(leader.name)
        joint = leader
    return Following(joint.name, ratio, shift)


def common_limit(limit, followers):
    """Return the Limit of a leader within which its followers stay within theirs.

    followers : (Following, Limit) of each. A follower whose range leaves the leader none is left
    out, and its number is in the second result. The effort is the leader's own: its motor moves
    them all.
    """
    lower, upper, velocity, apart = limit.lower, limit.upper, limit.velocity, []
    for k, (way, own) in enumerate(followers):
        if way.ratio == 0.0:
            continue
        ends = sorted((end - way.shift) / way.ratio for end in (own.lower, own.upper))
        if max(lower, ends[0]) < min(upper, ends[1]):
            lower, upper = max(lower, ends[0]), min(upper, ends[1])
        else:
            apart.append(k)
        velocity = min(velocity, own.velocity / abs(way.ratio))
    return type(limit)(lower, upper, velocity, limit.effort), apart
