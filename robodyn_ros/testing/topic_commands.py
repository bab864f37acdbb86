# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Efforts of a node under test, one message for each joint state."""

import queue
import time
from typing import Callable, Sequence

import numpy as np
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from robodyn_ros.errors import ParameterError
from robodyn_ros.ros.simulator.effort_intake import NamedEfforts, OrderedEfforts
from robodyn_ros.ros.transport.lock_step import ReadState

KINDS = {
    'float64_multi_array': (Float64MultiArray, OrderedEfforts),
    'joint_state': (JointState, NamedEfforts),
}
QOS = QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT)
AGAIN = 0.2  # [s] of wall time before the first joint state is repeated


class TopicCommands:
    """Answer states of lock step with efforts from a topic.

    The node under test answers each joint state once. A JointState is dropped if its stamp is
    neither zero nor that of the joint state. Refused messages are logged, and are not answers.

    Parameters
    ----------
    node : rclpy Node
        Owner of the subscription; another thread spins it.
    joint_names : sequence of str
        The robot's joints.
    topic, kind : str
        Name, and one of KINDS.
    every : int
        Steps between answered states.
    patience : float
        Longest wait for an answer in wall time [s].
    retell : callable
        Repeats the joint state.
    """

    def __init__(
        self,
        node,
        joint_names: Sequence[str],
        topic: str,
        kind: str,
        every: int,
        patience: float,
        retell: Callable[[], None],
    ):
        self._every, self._patience, self._retell = every, patience, retell
        self._commands: queue.SimpleQueue = queue.SimpleQueue()
        self._logger, self._begun = node.get_logger(), False
        self._effort = np.empty(0)
        message, reader = KINDS[kind]
        self._reader, self._node = reader(joint_names), node
        self._subscription = node.create_subscription(message, topic, self._commands.put, QOS)
        self._topic = self._subscription.topic_name

    def answer(self, state: ReadState) -> np.ndarray:
        """Return the efforts (n,) for a state; wait for them if they are due.

        If the measurement was lost, the last efforts hold.

        Raises
        ------
        ParameterError
            If none arrive in time.
        """
        if np.isnan(state.state[0, 0]):  # a lost measurement is not sent
            return self._effort if self._begun else np.full(state.state.shape[1], np.nan)
        if state.step % self._every == 0 or not self._begun:
            self._effort = self._wait(state)
        return self._effort

    def _wait(self, state):
        deadline = time.monotonic() + self._patience
        refused = ''
        while (left := deadline - time.monotonic()) > 0.0:
            try:
                message = self._commands.get(timeout=min(left, AGAIN))
            except queue.Empty:
                if not self._begun:  # the node under test may have joined after it was sent
                    self._retell()
                continue
            effort, refused = self._read(message, state)
            if effort is not None:
                self._begin()
                return effort
        why = f' the last one was refused: {refused}' if refused else ''
        raise ParameterError(
            f"No effort command came on '{self._topic}' within {self._patience:g} s for the joint "
            f'state at {1e-9 * state.time:g} s;{why or " expected one for each joint state."}'
        )

    def _begin(self):
        """Drop the answers to repeated joint states before the first one."""
        if not self._begun:
            self._begun = True
            time.sleep(AGAIN)
            while not self._commands.empty():
                self._commands.get()

    def _read(self, message, state):
        if isinstance(message, JointState):
            stamp = message.header.stamp.sec * 1_000_000_000 + message.header.stamp.nanosec
            if stamp not in (0, state.time):
                return None, f'it answers the joint state at {1e-9 * stamp:g} s'
        effort, reason = self._reader.read(message)
        if effort is None:
            reason = f'{reason}: {self._reader.describe(message)}'
            self._logger.warning(f"A command on '{self._topic}' is refused: {reason}.")
        return effort, reason
