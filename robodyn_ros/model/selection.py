"""Which joints are commanded, and where all the others are held."""

from collections import Counter
from math import isfinite
from numbers import Real

from robodyn_ros.errors import ModelError, UnknownNameError
from robodyn_ros.model.description import ASKED_TYPES, JOINT_TYPES, MORE_TYPES, ONE_AXIS
from robodyn_ros.model.refusals import LARGEST_LENGTH


def choose(robot, ordered, joints, locked, asked=()):
    """Split the joints that can move into the commanded ones and the held ones.

    robot : name for messages. ordered : joints from base to tip. joints : names to command, in the
    order of q, or None for all that are not locked. locked : name -> angle [rad] or travel [m];
    joints that are neither commanded nor locked are held at 0. asked : names of the floating and
    planar joints that move without being named in `joints`.

    Returns the commanded joints and {name: value} of the held ones. Raises UnknownNameError for a
    name that is not a movable joint, ModelError for a choice that cannot be honoured.
    """
    for joint in ordered:
        _check_type(robot, joint)
    movable = {joint.name: joint for joint in ordered if joint.type != 'fixed'}
    locked = dict(locked or {})
    _check_names(robot, movable, [*(joints or ()), *locked])
    commanded = tuple(joints) if joints is not None else tuple(
        name for name in movable if name not in locked)
    if not commanded:
        raise ModelError(f'robot {robot!r} has no joint left to move; expected at least one '
                         'joint that is not locked')
    for name in commanded:
        _check_commanded(robot, movable[name], name in asked or joints is not None)
    held = {name: _held_value(robot, joint, locked.get(name, 0.0))
            for name, joint in movable.items() if name not in commanded}
    return tuple(movable[name] for name in commanded), held


def _check_names(robot, movable, names):
    for name, times in Counter(names).items():
        if name not in movable:
            raise UnknownNameError(f'robot {robot!r} has no movable joint {name!r} below its '
                                   f'base; valid: {", ".join(movable) or "none"}')
        if times > 1:
            raise ModelError(f'robot {robot!r}: joint {name!r} is chosen {times} times; expected '
                             'each joint to be commanded or locked, once')


def _check_type(robot, joint):
    known = JOINT_TYPES + MORE_TYPES
    if joint.type not in known:
        raise ModelError(f'robot {robot!r}: joint {joint.name!r} has type {joint.type!r}; '
                         f'expected one of {", ".join(known)}')


def _check_commanded(robot, joint, asked):
    lock = f'lock it to hold it still: locked={{{joint.name!r}: 0.0}}'
    if joint.type in ASKED_TYPES and not asked:
        raise ModelError(f'robot {robot!r}: joint {joint.name!r} is {joint.type}, and moves only '
                         f'when asked to; name it in joints, or {lock}')
    if joint.mimic:
        raise ModelError(f'robot {robot!r}: joint {joint.name!r} mimics {joint.mimic!r}, which is '
                         f'not supported; {lock}')


def _held_value(robot, joint, value):
    if joint.type in (*ONE_AXIS, 'helical'):
        most, expected = LARGEST_LENGTH, f'a number of at most {LARGEST_LENGTH:g}'
    else:
        most, expected = 0.0, '0, which holds it still'
    if not (isinstance(value, Real) and isfinite(value) and abs(value) <= most):
        raise ModelError(f'robot {robot!r}: {joint.type} joint {joint.name!r} is locked at '
                         f'{value!r}; expected {expected}')
    return float(value)
