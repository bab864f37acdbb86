# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The joint state of a service request: the latest, a given one, or a mixture of both."""

from typing import NamedTuple, Sequence

import numpy as np
from builtin_interfaces.msg import Time
from sensor_msgs.msg import JointState

from robodyn_ros.control.supervisor.state_buffer import Measurement
from robodyn_ros.errors import RobodynError, ShapeError, UnknownNameError, shorten
from robodyn_ros.ros.common.joint_messages import MAX_NAMES

LARGEST = 1e9  # [rad or m, rad/s or m/s] of a request, as forces grow with its square


class RequestedState(NamedTuple):
    """The joint state for which a request is answered.

    `q`: joint positions [rad or m].
    `qd`: joint velocities [rad/s or m/s].
    `stamp`: stamp of the joint state.
    `note`: note for the caller; '' for none.
    """

    q: np.ndarray
    qd: np.ndarray
    stamp: Time
    note: str


def requested_state(
    request: JointState, joint_names: Sequence[str], latest: Measurement | None
) -> RequestedState:
    """Return the joint state of a request; joints that it does not name keep their latest state.

    `request`: positions of some joints, possibly none. Without velocities these are at rest.
    `joint_names`: the n joints of the robot, in its order.
    `latest`: latest measured state, None before the first. Unnamed joints are at zero then.
    Raises RobodynError: if there is no state, or the request does not fit the robot.
    """
    given = len(request.name)
    if given > MAX_NAMES:
        raise ShapeError(f'The state names {given} joints; at most {MAX_NAMES} are accepted.')
    if given == 0:
        if latest is None:
            raise RobodynError(
                'There is no joint state yet; name the joints in the request to '
                'ask about a given state.'
            )
        return RequestedState(latest.q, latest.qd, _time(latest), '')
    if len(request.position) != given or len(request.velocity) not in (0, given):
        raise ShapeError(
            f'The state has {given} names, {len(request.position)} positions and '
            f'{len(request.velocity)} velocities; expected as many of each, or no '
            'velocities.'
        )
    return _merge(request, joint_names, latest)


def _merge(request, joint_names, latest):
    index = {name: k for k, name in enumerate(joint_names)}
    unknown = [name for name in request.name if name not in index]
    if unknown or len(set(request.name)) != len(request.name):
        raise UnknownNameError(
            f'The state names the joints {shorten(list(request.name))}; '
            f'expected each at most once, of {list(joint_names)}.'
        )
    q = np.zeros(len(index)) if latest is None else latest.q.copy()
    qd = np.zeros(len(index)) if latest is None else latest.qd.copy()
    where = [index[name] for name in request.name]
    q[where] = request.position
    qd[where] = request.velocity if request.velocity else 0.0
    largest = np.abs((q[where], qd[where])).max(axis=1)
    if np.isfinite(largest).all() and (largest > LARGEST).any():
        raise ShapeError(
            f'The state has positions up to {largest[0]:g} and velocities up to '
            f'{largest[1]:g}; expected at most {LARGEST:g}.'
        )
    others = [name for name in joint_names if name not in set(request.name)]
    if not others:
        return RequestedState(q, qd, request.header.stamp, '')
    source = 'at zero, as there is no joint state' if latest is None else 'from the joint state'
    stamp = request.header.stamp if latest is None else _time(latest)
    return RequestedState(q, qd, stamp, f'Joints {", ".join(others)} are {source}.')


def _time(latest: Measurement) -> Time:
    seconds, nanoseconds = latest.stamp
    return Time(sec=seconds, nanosec=nanoseconds)
