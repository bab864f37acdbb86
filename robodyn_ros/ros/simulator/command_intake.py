# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Receive commands of efforts, positions and velocities from the topics for the plant."""

from collections import Counter
from typing import Callable, Sequence

import numpy as np
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from robodyn_ros.compile import warm_up
from robodyn_ros.errors import ShapeError
from robodyn_ros.middleware.trajectory_cdr import MAX_BYTES
from robodyn_ros.ros.common.joint_messages import (
    DUPLICATE_JOINT,
    EMPTY,
    MAX_NAMES,
    TOO_MANY_NAMES,
    UNKNOWN_JOINT,
    UNREADABLE,
    WRONG_LENGTH,
)
from robodyn_ros.ros.transport.checked_messages import KERNELS, decode_checked
from robodyn_ros.ros.transport.polled_group import PolledGroup
from robodyn_ros.simulation.command_modes import PLURAL, QUANTITIES, UNCHANGED, Command
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.runner import NANOSECONDS
from robodyn_ros.simulation.spring_plant import SpringPlant

OUT_OF_RANGE = 'OUT_OF_RANGE'  # infinite, or too large for any motor
WRONG_MODE = 'WRONG_MODE'  # a quantity that the joint does not accept
AMBIGUOUS = 'AMBIGUOUS'  # several quantities for one joint
OLD_STAMP = 'OLD_STAMP'  # the answer to a state that is not the newest
COMMANDED_BY_NAME = 'COMMANDED_BY_NAME'  # ros2_control commands the joint, by its name

#: Simulated time for which a message by name blocks ordered commands of its joints [ns].
BLOCKING_TIME = 100_000_000

UNSTAMPED = (
    'A command without a stamp triggers a step, whichever state it answers. So the run may not be '
    'repeatable. Send a JointState with the stamp of the state that it answers, or give simulator '
    "and controller the 'trigger' lock_step."
)

Outcome = tuple[Command | None, str]


class NamedCommands:
    """Read commands by joint name from a JointState.

    The format is that of JointStateTopicSystem. Each array is in the order of the names. It has an
    entry for every name, or only for the named joints that accept its quantity. NaN means not
    commanded. Joints that are not named are left to other commands.

    `plant` (Plant or SpringPlant): the commanded plant.
    """

    def __init__(self, plant: Plant | SpringPlant):
        self._plant = plant
        self._index = {name: k for k, name in enumerate(plant.model.joint_names)}
        self._names: list[str] = []
        self._rows: list[int] = []
        self._columns: list[int] = []
        self._reason = EMPTY

    def command_of(self, message: JointState) -> Outcome:
        """Return the command in a message.

        Returns `command` (Command or None): the command; None if the message is refused.
        Returns `reason` (str): why it is refused; '' if it is accepted.
        """
        names, arrays = message.name, [getattr(message, each) for each in QUANTITIES]
        if len(names) > MAX_NAMES:
            return None, TOO_MANY_NAMES
        if not any(arrays):
            return None, EMPTY
        if any(len(given) > len(names) for given in arrays):
            return None, WRONG_LENGTH
        if names != self._names:
            self._locate(names)
        if self._reason:
            return None, self._reason
        values = np.full((len(QUANTITIES), len(self._index)), np.nan)
        for quantity, given in enumerate(arrays):
            if given and not self._write_row(given, quantity, values[quantity]):
                return None, WRONG_LENGTH
        return self._command(values)

    def joints_of(self, message: JointState) -> list[int]:
        """Return the indices of the joints that the message read last has names of.

        `message`: the message that `command_of` has read.
        """
        return self._rows if message.name == self._names else []

    def describe(self, message: JointState) -> str:
        """Return the details of a refused message, for its report."""
        sizes = (f'{len(getattr(message, each))} {PLURAL[each]}' for each in QUANTITIES)
        return f'{len(message.name)} names and {", ".join(sizes)}; {_modes(self._plant)}'

    def _write_row(self, given, quantity, row):
        """Write an array of the message by joint; return whether its length fits."""
        if len(given) == len(self._names):
            row[self._rows] = np.frombuffer(given)[self._columns]
            return True
        accepting = [k for k in self._rows if self._plant.accepted_quantities[k, quantity]]
        if len(given) != len(accepting):
            return False
        row[accepting] = np.frombuffer(given)
        return True

    def _command(self, values) -> Outcome:
        given = ~np.isnan(values)
        taken = given & (self._plant.accepted_quantities.T > 0.0)
        number = taken.sum(axis=0)
        if number.max() > 1:
            return None, AMBIGUOUS
        if (given.any(axis=0) & (number == 0)).any():
            return None, WRONG_MODE
        if not number.any():
            return None, EMPTY
        if (np.abs(values) > self._plant.command_bounds[:, np.newaxis])[taken].any():
            return None, OUT_OF_RANGE
        quantity, mode = taken.argmax(axis=0), np.full(len(number), UNCHANGED)
        mode[self._rows] = quantity[self._rows]
        return Command(values[quantity, np.arange(len(number))], mode), ''

    def _locate(self, names: list[str]):
        known = [(self._index[name], k) for k, name in enumerate(names) if name in self._index]
        self._names, self._reason = list(names), ''
        self._rows, self._columns = [row for row, _ in known], [column for _, column in known]
        if len(set(names)) != len(names):
            self._reason = DUPLICATE_JOINT
        elif not known:
            self._reason = UNKNOWN_JOINT


class OrderedCommands:
    """Read commands of one quantity from a Float64MultiArray, as ForwardCommandController does.

    The array has one entry for each joint, or for each that accepts the quantity, in the robot's
    order. NaN means not commanded.

    `plant` (Plant or SpringPlant): the commanded plant.
    `quantity`: one of QUANTITIES.
    """

    def __init__(self, plant: Plant | SpringPlant, quantity: str):
        self._plant, self._quantity = plant, quantity
        self._code = QUANTITIES.index(quantity)

    def command_of(self, message: Float64MultiArray) -> Outcome:
        """Return the command in a message.

        Returns `command` (Command or None): the command; None if the message is refused.
        Returns `reason` (str): why it is refused; '' if it is accepted.
        """
        accepting = self._plant.accepted_quantities[:, self._code] > 0.0
        value, mode = np.full(len(accepting), np.nan), np.where(accepting, self._code, UNCHANGED)
        if len(message.data) == len(accepting):
            value[:] = np.frombuffer(message.data)
        elif len(message.data) == accepting.sum() > 0:
            value[accepting] = np.frombuffer(message.data)
        else:
            return None, WRONG_LENGTH
        if not np.isnan(value[~accepting]).all():
            return None, WRONG_MODE
        if np.any(np.abs(value) > self._plant.command_bounds[self._code]):
            return None, OUT_OF_RANGE
        return (None, EMPTY) if np.isnan(value).all() else (Command(value, mode), '')

    def describe(self, message: Float64MultiArray) -> str:
        """Return the details of a refused message, for its report."""
        plant = self._plant
        return (
            f'{len(message.data)} {PLURAL[self._quantity]} for {plant.model.nv} joints; '
            f'{_modes(plant)}'
        )


Reader = NamedCommands | OrderedCommands


class CommandIntake:
    """Receive commands from all topics; the newest command of a joint is in force.

    A message by name blocks ordered commands of its joints for a while, also by NaN. Otherwise the
    efforts of a controller behind ros2_control would reach the robot directly, too.

    A command is accepted or rejected as a whole, and counted. A command for no joint is neither:
    ros2_control sends it while no controller is active.

    `node` (rclpy Node): the node that subscribes.
    `topics` (sequence of str): topic of the JointState, then of one Float64MultiArray for each of
      QUANTITIES; '' for none.
    `plant` (Plant or SpringPlant): the commanded plant.
    `command` (callable): called with each accepted Command.
    `polled`: whether the loop takes the messages, which is cheaper than the executor.
    `time` (callable): returns the simulated time [ns].
    `delivered` (callable or None): called after each well-formed message that the executor
      delivered.
    `newest` (callable or None): returns the stamp [ns] of the newest state, if each command
      answers a state.
    `accepted`, `empty`: numbers of accepted commands, and of commands for no joint.
    `rejected` (Counter): number of rejected commands by reason.
    `detail`: explanation of the last rejection.
    """

    def __init__(
        self,
        node,
        topics: Sequence[str],
        plant: Plant | SpringPlant,
        command: Callable[[Command], None],
        polled: bool,
        time: Callable[[], int],
        delivered: Callable[[], None] | None = None,
        newest: Callable[[], int] | None = None,
    ):
        warm_up(KERNELS)
        self.accepted = self.empty = 0
        self.rejected: Counter[str] = Counter()
        self.detail = ''
        self._node, self._command, self._delivered = node, command, delivered
        self._newest, self._logger = newest, node.get_logger()
        self._time, self._plant = time, plant
        self._blocked_until = np.zeros(plant.model.nv, dtype=np.int64)  # [ns], by joint
        # Where commands trigger the steps, none may be lost. Otherwise best effort is compatible
        # with any publisher.
        qos = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
        if delivered:
            qos = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)
        group = PolledGroup() if polled else None
        readers = NamedCommands(plant), *(OrderedCommands(plant, each) for each in QUANTITIES)
        self._inputs = []
        for topic, reader in zip(topics, readers):
            if topic:
                kind = JointState if reader is readers[0] else Float64MultiArray
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

    def receive(self, message, reader: Reader):
        """Accept a message, or count its refusal.

        `reader`: reader for this type of message.
        """
        stamp = stamp_of(message)
        newest = self._newest() if self._newest else stamp
        if stamp not in (0, newest):
            self._reject(
                OLD_STAMP,
                f'it answers the state at {1e-9 * stamp:.9g} s; the newest is that at '
                f'{1e-9 * newest:.9g} s',
            )
            self._logger.warning(
                f'A command takes no step: {self.detail}.', throttle_duration_sec=1.0
            )
            return
        command, reason = reader.command_of(message)
        if isinstance(reader, NamedCommands):
            if command is not None or reason == EMPTY:
                self._blocked_until[reader.joints_of(message)] = self._time() + BLOCKING_TIME
        elif command is not None and (kept := self._blocked_joints(command)):
            self._reject(
                COMMANDED_BY_NAME,
                f'{", ".join(kept)} have commands by name too, and those count. End one of the '
                'two publishers, or set the parameter of its topic to nothing',
            )
            self._logger.warning(
                f'A command in the order of joints is refused: {self.detail}.',
                throttle_duration_sec=1.0,
            )
            return
        if command is not None:
            self._command(command)
            self.accepted += 1  # last, so that the counted command is already in force
        elif reason == EMPTY:
            self.empty += 1
        else:
            self._reject(reason, reader.describe(message))
            return
        if self._newest and not stamp:
            self._logger.warning(UNSTAMPED, once=True)
        if self._delivered:
            self._delivered()

    def _blocked_joints(self, command: Command) -> list[str]:
        """Return the joints that an ordered command may not move, as they are commanded by name.

        Blocked joints that it does not command are removed from it.
        """
        commanded = ~np.isnan(command.value)
        kept = self._time() < self._blocked_until
        command.mode[kept & ~commanded] = UNCHANGED
        names = self._plant.model.joint_names
        return [names[joint] for joint in np.flatnonzero(kept & commanded)]

    def release_joints(self):
        """Accept ordered commands for all joints again."""
        self._blocked_until[:] = 0

    def close(self):
        """Stop receiving."""
        for subscription, _, _ in self._inputs:
            self._node.destroy_subscription(subscription)

    def _decode(self, data: bytes, kind, reader: Reader):
        try:
            message = decode_checked(data, kind, MAX_BYTES)
        except ShapeError as error:
            self._reject(UNREADABLE, str(error))
            return
        self.receive(message, reader)

    def _reject(self, reason: str, detail: str):
        self.rejected[reason] += 1
        self.detail = f'{reason}: {detail}'


def stamp_of(message) -> int:
    """Return the stamp of a command."""
    if not isinstance(message, JointState):
        return 0
    return message.header.stamp.sec * NANOSECONDS + message.header.stamp.nanosec


def _modes(plant: Plant | SpringPlant) -> str:
    """Return a phrase with the quantity that each joint accepts."""
    modes = plant.command_modes
    if len(set(modes)) == 1:
        return f'every joint takes {modes[0]}'
    return ', '.join(f'{n} takes {mode}' for n, mode in zip(plant.model.joint_names, modes))
