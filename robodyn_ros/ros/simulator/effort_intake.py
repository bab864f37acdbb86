# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Receive effort commands from the topics for the plant."""

from collections import Counter
from typing import Callable, Sequence

import numpy as np
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from robodyn_ros.compile import warm_up
from robodyn_ros.errors import ShapeError
from robodyn_ros.ros.common.joint_messages import (
    DUPLICATE_JOINT,
    EMPTY,
    MAX_BYTES,
    MAX_NAMES,
    TOO_MANY_NAMES,
    UNKNOWN_JOINT,
    UNREADABLE,
    WRONG_LENGTH,
)
from robodyn_ros.ros.transport.polled_group import PolledGroup
from robodyn_ros.ros.transport.readable import KERNELS, decoded
from robodyn_ros.simulation.step import LARGEST_EFFORT

OUT_OF_RANGE = 'OUT_OF_RANGE'  # not finite, or beyond any motor


class NamedEfforts:
    """Read efforts by joint name from a JointState; NaN and missing joints mean no command.

    The format is that of JointStateTopicSystem. `effort` is as long as `name`, or has entries only
    for the effort-controlled joints in the order of `name`. These are the robot's joints.
    """

    def __init__(self, joint_names: Sequence[str]):
        self._place = {name: k for k, name in enumerate(joint_names)}
        self._names: list[str] = []
        self._rows, self._columns, self._reason = [], [], EMPTY

    def read(self, message: JointState) -> tuple[np.ndarray | None, str]:
        """Return the command (n,) [N m | N] and '', or None and the reason."""
        names, given = message.name, message.effort
        if len(names) > MAX_NAMES:
            return None, TOO_MANY_NAMES
        if not given:
            return None, EMPTY
        if len(given) > len(names):
            return None, WRONG_LENGTH
        if names != self._names:
            self._locate(names)
        if self._reason:
            return None, self._reason
        if len(given) == len(names):
            efforts = np.frombuffer(given)[self._columns]
        elif len(given) == len(self._rows):
            efforts = np.frombuffer(given)
        else:
            return None, WRONG_LENGTH
        command = np.full(len(self._place), np.nan)
        command[self._rows] = efforts
        if np.any(np.abs(command) > LARGEST_EFFORT):
            return None, OUT_OF_RANGE
        return (None, EMPTY) if np.all(np.isnan(command)) else (command, '')

    def describe(self, message: JointState) -> str:
        """What is to be said about a refused message."""
        return f'{len(message.name)} names and {len(message.effort)} efforts'

    def _locate(self, names: list[str]):
        known = [(self._place[name], k) for k, name in enumerate(names) if name in self._place]
        self._names, self._reason = list(names), ''
        self._rows, self._columns = [row for row, _ in known], [column for _, column in known]
        if len(set(names)) != len(names):
            self._reason = DUPLICATE_JOINT
        elif not known:
            self._reason = UNKNOWN_JOINT


class OrderedEfforts:
    """Read finite efforts in the robot's joint order from a Float64MultiArray."""

    def __init__(self, joint_names: Sequence[str]):
        self._size = len(joint_names)

    def read(self, message: Float64MultiArray) -> tuple[np.ndarray | None, str]:
        """Return the command (n,) [N m | N] and '', or None and the reason."""
        if len(message.data) != self._size:
            return None, WRONG_LENGTH
        command = np.array(message.data)
        if not np.all(np.abs(command) <= LARGEST_EFFORT):
            return None, OUT_OF_RANGE
        return command, ''

    def describe(self, message: Float64MultiArray) -> str:
        """What is to be said about a refused message."""
        return f'{len(message.data)} efforts for {self._size} joints'


class EffortIntake:
    """Receive effort commands from either topic; the newest counts.

    A command is accepted or rejected as a whole, and counted. A command for no joint is neither:
    ros2_control sends it while no controller is active.

    Args:
      node: the node that subscribes.
      topics: of the JointState and of the Float64MultiArray; '' for none.
      joint_names: the robot's joints, in its order.
      command: called with each accepted command (n,) [N m | N].
      polled: whether the loop takes the messages, which is cheaper than the executor.
      delivered: called after each well-formed message that the executor delivered.

    """

    def __init__(
        self,
        node,
        topics: Sequence[str],
        joint_names: Sequence[str],
        command: Callable[[np.ndarray], None],
        polled: bool,
        delivered: Callable[[], None] | None = None,
    ):
        warm_up(KERNELS)
        self.accepted = self.empty = 0
        self.rejected: Counter[str] = Counter()
        self.detail = ''  # sentence about the last rejection
        self._node, self._command, self._delivered = node, command, delivered
        # In lock step no command may be lost. Otherwise best effort is compatible with any
        # publisher.
        qos = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
        if delivered:
            qos = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)
        group = PolledGroup() if polled else None
        self._inputs = []
        for topic, kind, reader in zip(
            topics,
            (JointState, Float64MultiArray),
            (NamedEfforts(joint_names), OrderedEfforts(joint_names)),
        ):
            if topic:
                subscription = node.create_subscription(
                    kind,
                    topic,
                    lambda data, kind=kind, reader=reader: self._decode(data, kind, reader),
                    qos,
                    callback_group=group,
                    raw=True,
                )
                self._inputs.append((subscription, kind, reader))

    def poll(self):
        """Take the newest message of each topic, if any."""
        for subscription, kind, reader in self._inputs:
            with subscription.handle:
                taken = subscription.handle.take_message(kind, True)
            if taken is not None:
                self._decode(taken[0], kind, reader)

    def receive(self, message, reader: NamedEfforts | OrderedEfforts):
        """Accept a message or count its refusal."""
        command, reason = reader.read(message)
        if command is not None:
            self.accepted += 1
            self._command(command)
        elif reason == EMPTY:
            self.empty += 1
        else:
            self._reject(reason, reader.describe(message))
            return
        if self._delivered:
            self._delivered()

    def close(self):
        """Stop receiving."""
        for subscription, _, _ in self._inputs:
            self._node.destroy_subscription(subscription)

    def _decode(self, data: bytes, kind, reader: NamedEfforts | OrderedEfforts):
        try:
            message = decoded(data, kind, MAX_BYTES)
        except ShapeError as error:
            self._reject(UNREADABLE, str(error))
            return
        self.receive(message, reader)

    def _reject(self, reason: str, detail: str):
        self.rejected[reason] += 1
        self.detail = f'{reason}: {detail}'
