# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The ControllerState message: serialised once, refilled from the supervisor."""

import numpy as np

from robodyn_msgs.msg import ControllerState
from robodyn_ros.control.laws.law import TERMS
from robodyn_ros.control.supervisor.supervisor import Supervisor
from robodyn_ros.ros.transport.cdr import OutgoingMessage

REFERENCE = ('reference_position', 'reference_velocity', 'reference_acceleration')
OTHERS = (
    'measured_position',
    'measured_velocity',
    'position_error',
    'velocity_error',
    'effort_unlimited',
    'effort',
)
FLAGS = ('rate_limited', 'effort_limited', 'position_guarded')


class StateWriter:
    """Fill one ControllerState repeatedly.

    `supervisor` (Supervisor): source of the values.
    `base_link`: frame of the header.
    """

    def __init__(self, supervisor: Supervisor, base_link: str):
        names = list(supervisor.joint_names)
        message = ControllerState(law=supervisor.law.name, joint_names=names)
        message.header.frame_id = base_link
        self._message = OutgoingMessage(
            message,
            dict.fromkeys((*REFERENCE, *OTHERS, *TERMS), len(names)),
            {'state': 1, **dict.fromkeys(FLAGS, [True] * len(names))},
        )
        doubles, octets = self._message.doubles, self._message.octets
        self._reference, self._terms = (
            [doubles[name] for name in group] for group in (REFERENCE, TERMS)
        )
        self._q, self._qd, self._e, self._ed, self._unlimited, self._effort = (
            doubles[name] for name in OTHERS
        )
        self._state, self._flags = octets['state'], [(name, octets[name]) for name in FLAGS]
        self._supervisor = supervisor

    def fill(self, nanoseconds: int) -> bytes:
        """Return the serialised message of the cycle that has just run.

        `nanoseconds`: ROS time of the cycle [ns].
        """
        supervisor = self._supervisor
        self._message.set_stamp(nanoseconds)
        self._state[0] = supervisor.state
        for row, value in zip(self._reference, supervisor.reference):
            row[:] = value
        for row, value in zip(self._terms, supervisor.terms):
            row[:] = value
        self._q[:], self._qd[:] = supervisor.q, supervisor.qd
        np.subtract(self._reference[0], self._q, out=self._e)
        np.subtract(self._reference[1], self._qd, out=self._ed)
        self._unlimited[:], self._effort[:] = supervisor.unlimited, supervisor.command
        for name, octets in self._flags:
            octets[:] = getattr(supervisor, name)
        return self._message.bytes()
