# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Commands of a node under test, one message for each joint state."""

import queue
import time
from typing import Callable

import numpy as np
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from robodyn_ros.errors import ParameterError
from robodyn_ros.ros.simulator.command_intake import NamedCommands, OrderedCommands, stamp_of
from robodyn_ros.ros.transport.lock_step_transport import ReadState
from robodyn_ros.simulation.command_modes import Command
from robodyn_ros.simulation.plant import Plant

KINDS = {'float64_multi_array': Float64MultiArray, 'joint_state': JointState}
QOS = QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT)
AGAIN = 0.2  # [s] of wall time before the first joint state is repeated


class TopicCommands:
    """Answer states of lock step with commands from a topic.

    The node under test answers each joint state once. A JointState is dropped if its stamp is
    neither zero nor that of the joint state. Refused messages are logged, and are not answers.

    Parameters
    ----------
    node : rclpy Node
        Owner of the subscription; another thread spins it.
    logger : rclpy logger
        Where refused messages are logged.
    plant : Plant
        The commanded plant.
    topic, kind, quantity : str
        Name, one of KINDS, and the quantity of a Float64MultiArray: one of QUANTITIES.
    every : int
        Steps between answered states.
    patience : float
        Longest wait for an answer in wall time [s].
    repeat_states : callable
        Repeats the joint state.
    is_advancing : callable
        Returns whether simulated time advances. Else no command is waited for.
    """

    def __init__(
        self,
        node,
        logger,
        plant: Plant,
        topic: str,
        kind: str,
        quantity: str,
        every: int,
        patience: float,
        repeat_states: Callable[[], None],
        is_advancing: Callable[[], bool],
    ):
        self._every, self._patience, self._repeat_states = every, patience, repeat_states
        self._is_advancing, self._has_repeated = is_advancing, False
        self._commands: queue.SimpleQueue = queue.SimpleQueue()
        self._logger, self._begun = logger, False
        nothing = np.full(plant.model.nv, np.nan)
        self._command = Command(nothing, np.zeros_like(nothing))
        named = KINDS[kind] is JointState
        self._reader = NamedCommands(plant) if named else OrderedCommands(plant, quantity)
        self._node = node
        self._subscription = node.create_subscription(KINDS[kind], topic, self._commands.put, QOS)
        self._topic = self._subscription.topic_name

    def answer(self, state: ReadState) -> Command | None:
        """Return the command for a state; wait for the command if it is due.

        If the measurement was lost, the last command holds. While simulated time stands still,
        there is no command yet.

        Parameters
        ----------
        state : ReadState
            State of a lock step.

        Raises
        ------
        ParameterError
            If no command arrives in time.
        """
        if np.isnan(state.state[0, 0]):  # a lost measurement is not sent
            return self._command
        if not self._is_advancing():
            return None
        if state.step % self._every == 0 or not self._begun:
            self._command = self._wait(state)
        return self._command

    def _wait(self, state):
        deadline = time.monotonic() + self._patience
        refused = ''
        while (left := deadline - time.monotonic()) > 0.0:
            try:
                message = self._commands.get(timeout=min(left, AGAIN))
            except queue.Empty:
                if not self._begun:  # the node under test may have joined after it was sent
                    self._has_repeated = True
                    self._repeat_states()
                continue
            command, refused = self._read(message, state)
            if command is not None:
                self._begin()
                return command
        why = f'the last one was refused: {refused}' if refused else ''
        if not self._node.count_publishers(self._topic):
            domain = self._node.context.get_domain_id()
            why = why or f'no node of the ROS domain {domain} publishes there.'
        raise ParameterError(
            f"No command came on '{self._topic}' within {self._patience:g} s for the joint "
            f'state at {1e-9 * state.time:g} s; {why or "expected one for each joint state."}'
        )

    def _begin(self):
        """Drop the answers to repeated joint states before the first one."""
        if not self._begun:
            self._begun = True
            time.sleep(AGAIN * self._has_repeated)
            while self._has_repeated and not self._commands.empty():
                self._commands.get()

    def _read(self, message, state):
        stamp = stamp_of(message)
        if stamp not in (0, state.time):
            reason = f'it answers the joint state at {1e-9 * stamp:g} s'
            self._logger.warning(
                f"A command on '{self._topic}' is refused: {reason}.", throttle_duration_sec=1.0
            )
            return None, reason
        command, reason = self._reader.command_of(message)
        if command is None:
            reason = f'{reason}: {self._reader.describe(message)}'
            self._logger.warning(f"A command on '{self._topic}' is refused: {reason}.")
        return command, reason
