"""Which joints are commanded, and where all the others are held."""

from math import isfinite

from robodyn_ros.errors import ModelError, UnknownNameError
from robodyn_ros.model.description import MOVING_TYPES
from robodyn_ros.model.report import NOTE, WARNING, Finding


def choose(robot, ordered, joints, locked):
    """Split the joints that can move into the commanded ones and the held ones.

    robot : name for messages. ordered : joints from base to tip. joints : names to command, in the
    order of q, or None for all that are not locked. locked : name -> angle [rad] or travel [m];
    joints that are neither commanded nor locked are held at 0.

    Returns (names of the commanded joints, {name: value} of the held ones, findings). Raises
    UnknownNameError for a name that is not a movable joint, ModelError for a choice or a joint
    type that cannot be honoured.
    """
    movable = {joint.name: joint for joint in ordered if joint.type != 'fixed'}
    locked = dict(locked or {})
    _check_names(robot, movable, joints, locked)
    commanded = tuple(joints) if joints is not None else tuple(
        name for name in movable if name not in locked)
    if not commanded:
        raise ModelError(f'robot {robot!r} has no joint left to move; expected at least one '
                         'revolute, continuous or prismatic joint that is not locked')
    for name in commanded:
        _check_commanded(robot, movable[name])
    held = {name: _held_value(robot, movable[name], locked.get(name, 0.0))
            for name in movable if name not in commanded}
    findings = [finding for name, value in held.items()
                for finding in _doubts(movable[name], value, commanded)]
    return commanded, held, findings


def _check_names(robot, movable, joints, locked):
    names = list(locked) if joints is None else [*joints, *locked]
    for name in names:
        if name not in movable:
            raise UnknownNameError(f'robot {robot!r} has no movable joint {name!r} below its '
                                   f'base; valid: {", ".join(movable)}')
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ModelError(f'robot {robot!r}: joint {repeated[0]!r} is chosen more than once; '
                         'expected each joint to be commanded or locked, once')


def _check_commanded(robot, joint):
    if joint.type not in MOVING_TYPES:
        raise ModelError(
            f'robot {robot!r}: joint {joint.name!r} is {joint.type}; expected revolute, continuous '
            f'or prismatic, or lock it to hold it still: locked={{{joint.name!r}: 0.0}}')
    if joint.mimic:
        raise ModelError(
            f'robot {robot!r}: joint {joint.name!r} mimics {joint.mimic!r}, which is not '
            f'supported; lock it to hold it still: locked={{{joint.name!r}: 0.0}}')


def _held_value(robot, joint, value):
    valid = isinstance(value, (int, float)) and isfinite(value)
    if joint.type not in MOVING_TYPES and value != 0:
        valid = False
    if not valid:
        expected = 'a finite number' if joint.type in MOVING_TYPES else '0, which holds it still'
        raise ModelError(f'robot {robot!r}: {joint.type} joint {joint.name!r} is locked at '
                         f'{value!r}; expected {expected}')
    return float(value)


def _doubts(joint, value, commanded):
    subject = f'joint {joint.name!r}'
    if joint.type in ('revolute', 'prismatic'):
        lower, upper = joint.limit.lower, joint.limit.upper
        if not lower <= value <= upper:
            yield Finding(NOTE, subject,
                          f'is locked at {value:g}, outside its range {lower:g} .. {upper:g}')
    if joint.mimic in commanded:
        yield Finding(WARNING, subject, f'follows {joint.mimic!r} on the robot, but is held at '
                      f'{value:g} in this model')
    if joint.type in ('floating', 'planar'):
        yield Finding(NOTE, subject, f'is {joint.type} and held still')
