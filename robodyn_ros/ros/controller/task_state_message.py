# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The TaskState message: serialised once, refilled from the task of an end effector."""

from robodyn_msgs.msg import TaskState
from robodyn_ros.control.reference.task_reference import (
    ACCELERATION,
    ERROR,
    FORCE,
    MOMENT,
    POSITION,
    QUATERNION,
    SPIN,
    SPIN_RATE,
    TURN,
    VELOCITY,
    TaskReference,
)
from robodyn_ros.ros.transport.cdr import OutgoingMessage

# Fields of the message, and the one or two rows of a TaskReference's array that fill them.
TARGET = {'target_position': (POSITION,), 'target_orientation': (QUATERNION,)}
REFERENCE = {
    'reference_position': (POSITION,),
    'reference_orientation': (QUATERNION,),
    'reference_velocity': (VELOCITY, SPIN),
    'reference_acceleration': (ACCELERATION, SPIN_RATE),
    'reference_wrench': (FORCE, MOMENT),
}
MEASURED = {
    'measured_position': (POSITION,),
    'measured_orientation': (QUATERNION,),
    'measured_velocity': (VELOCITY, SPIN),
    'pose_error': (ERROR, TURN),
}


class TaskStateWriter:
    """Fill one TaskState repeatedly.

    `task` (TaskReference): the task that the law follows.
    """

    def __init__(self, task: TaskReference):
        message = TaskState(end_effector=task.end_effector)
        message.header.frame_id = task.base
        fields = {**TARGET, **REFERENCE, **MEASURED}
        sizes = {name: sum(map(_width, rows)) for name, rows in fields.items()}
        self._message = OutgoingMessage(message, {**sizes, 'shares': 6})
        out = self._message.doubles
        self._copies = [(out['shares'], task.shares)]
        for table, part in (
            (task.target, TARGET),
            (task.state, REFERENCE),
            (task.measured, MEASURED),
        ):
            for name, rows in part.items():
                self._copies += [
                    (out[name][3 * k : 3 * k + _width(row)], table[row, : _width(row)])
                    for k, row in enumerate(rows)
                ]

    def fill(self, nanoseconds: int) -> bytes:
        """Return the serialised message of the cycle that has just run.

        `nanoseconds`: ROS time of the cycle [ns].
        """
        self._message.set_stamp(nanoseconds)
        for out, values in self._copies:
            out[:] = values
        return self._message.bytes()


def _width(row):
    return 4 if row == QUATERNION else 3
