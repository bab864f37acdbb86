# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Shared parts of lock step: topics, messages as bytes, and a thread that waits for a topic."""

import struct
import threading
import time
from typing import Any, Mapping, NamedTuple, Sequence

import numpy as np
from rclpy.impl.implementation_singleton import rclpy_implementation as _rclpy
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.serialization import deserialize_message, serialize_message

from robodyn_msgs.msg import LockStepCommand, LockStepState
from robodyn_ros.errors import ParameterError, RobodynError
from robodyn_ros.realtime.histogram import Histogram
from robodyn_ros.realtime.loop import Counts
from robodyn_ros.ros.common.parameter_table import ParamSpec, topic_name
from robodyn_ros.ros.transport.polled_group import PolledGroup

LOCK_STEP = 'lock_step'  # value of the parameter `trigger`
HOLD, END = 'hold', 'end'  # reactions to a stuck run: the run halts, or the process ends
# The nodes need a depth of one only; a recording subscriber may lag by the whole depth.
QOS = QoSProfile(depth=1000, reliability=ReliabilityPolicy.RELIABLE)
# A state without an answer is repeated, so the nodes need not acknowledge messages to each other.
READ_QOS = QoSProfile(depth=1000, reliability=ReliabilityPolicy.BEST_EFFORT)
MOST_KNOWN = 16  # layouts of answers that are read in place; others are deserialised
ARRAYS = 'effort', 'position', 'velocity'  # fields of an answer
NOTHING = np.empty(0)
Quantities = tuple[np.ndarray, ...]  # of ARRAYS, each (n,) or empty; NaN for no command
_HEADER = 4  # bytes before the first field, from which plain CDR aligns
_MARK = 0x5A17C3B96E2D480F  # an integer that occurs nowhere else in a message

COMMON_PARAMETERS = (
    ParamSpec(
        'lock_step.specialise',
        'bool',
        False,
        '',
        'Compile code for this robot before the first step, and use no other. The first time that '
        'takes several seconds.',
    ),
    ParamSpec(
        'lock_step.state_topic',
        'string',
        'lock_step/state',
        '',
        'Topic of the states of lock step (robodyn_msgs/LockStepState).',
        judge=topic_name,
    ),
    ParamSpec(
        'lock_step.command_topic',
        'string',
        'lock_step/command',
        '',
        'Topic of the answers of lock step (robodyn_msgs/LockStepCommand).',
        judge=topic_name,
    ),
)


def on_silence(what: str) -> ParamSpec:
    """Return the parameter that sets the reaction to silence.

    `what`: description of the parameter.
    """
    return ParamSpec('lock_step.on_silence', 'string', HOLD, '', what, choices=(HOLD, END))


LOCK_STEP_PARAMETERS = (
    *COMMON_PARAMETERS,
    ParamSpec(
        'lock_step.participants',
        'string[]',
        ('robodyn_controller',),
        '',
        'Names of the participants that answer every state; a controller has the name of its '
        'node.',
    ),
    ParamSpec(
        'lock_step.repeat_after',
        'float',
        0.2,
        's',
        'Wall time after which an unanswered state is repeated.',
        lower=0.001,
        upper=60.0,
    ),
    ParamSpec(
        'lock_step.repeats',
        'int',
        150,
        '',
        'Repetitions of a state before the run counts as stuck; 0: no limit.',
        lower=0,
        upper=1_000_000,
    ),
    on_silence('Reaction to a stuck run: it halts and ~/advance says why, or the process ends.'),
)


def require_settings(values: Mapping[str, Any], **needed):
    """Refuse parameters that lock step does not support.

    `**needed`: values that lock step requires, by name of the parameter.
    Raises ParameterError: if a parameter has another value.
    """
    for name, value in needed.items():
        if values[name] != value:
            raise ParameterError(
                f"Parameter '{name}' is {values[name]}; in lock step it must stay at {value}."
            )


class MessageBytes:
    """A message serialised once, whose numbers are read and written in place.

    `message` (ROS message): message with its strings and array sizes, which never change.
    `integers` (sequence of str): fields of type uint64.
    `arrays` (sequence of str): fields of type float64[].
    `buffer` (bytearray): the serialised message.
    `offsets` (dict of str to int): offset of each field in the buffer [bytes].
    Raises RobodynError: if the middleware serialises in an unexpected format.
    """

    def __init__(self, message, integers: Sequence[str], arrays: Sequence[str]):
        self.buffer, self.offsets = bytearray(serialize_message(message)), {}
        for name in integers:
            self.offsets[name] = self._find(message, name, _MARK, struct.pack('=Q', _MARK))
        for name in arrays:
            size = len(getattr(message, name))
            marks = np.random.default_rng(0).uniform(1e100, 1e200, size)
            self.offsets[name] = self._find(message, name, marks.tolist(), marks.tobytes())

    def _find(self, message, name, value, wanted):
        before = getattr(message, name)
        setattr(message, name, value)
        data = serialize_message(message)
        setattr(message, name, before)
        if len(data) != len(self.buffer) or data.count(wanted) != 1:
            raise RobodynError(
                f'The middleware does not keep {name} of '
                f'{type(message).__name__} in one piece; expected plain CDR.'
            )
        return data.index(wanted)

    def view(self, name: str, size: int) -> np.ndarray:
        """Return a writable view of an array in the buffer.

        `name`: field of type float64[].
        `size`: its number of entries.
        """
        return np.frombuffer(self.buffer, float, size, self.offsets[name])

    def write(self, name: str, value: int):
        """Write an integer into the buffer.

        `name`: field of type uint64.
        `value`: the integer.
        """
        struct.pack_into('=Q', self.buffer, self.offsets[name], value)

    def decode(self, name: str, data: bytes) -> int:
        """Return an integer of another message of the same layout.

        `name`: field of type uint64.
        `data`: the other message.
        """
        return struct.unpack_from('=Q', data, self.offsets[name])[0]


class StateWriter:
    """Serialise the states of lock step.

    `joint_names` (sequence of str): the n joints of the robot, in its order.
    `period`: simulated time of a step [ns].
    """

    def __init__(self, joint_names: Sequence[str], period: int):
        self._first, self._repeat = (
            _StateShape(joint_names, period, repeat) for repeat in (False, True)
        )

    def first(self, epoch: int, step: int, *state: np.ndarray) -> bytes:
        """Return a state for its first transmission.

        `epoch`: identifier of the run, which grows with every reset.
        `step`: number of the step.
        """
        return self._first.fill(epoch, step, *state)

    def repeat(self, epoch: int, step: int, *state: np.ndarray) -> bytes:
        """Return a state for a repeated transmission.

        `epoch`: identifier of the run, which grows with every reset.
        `step`: number of the step.
        """
        return self._repeat.fill(epoch, step, *state)


class _StateShape:
    """A serialised LockStepState, marked as a repetition or not."""

    def __init__(self, joint_names, period, repeat):
        n, fields = len(joint_names), ('position', 'velocity', 'effort')
        message = LockStepState(
            joint_names=list(joint_names),
            period=period,
            repeat=repeat,
            **dict.fromkeys(fields, [0.0] * n),
        )
        self._message = MessageBytes(message, ('epoch', 'step'), fields)
        self._views = [self._message.view(name, n) for name in fields]

    def fill(self, epoch, step, *state):
        self._message.write('epoch', epoch)
        self._message.write('step', step)
        for view, values in zip(self._views, state):
            view[:] = values
        return bytes(self._message.buffer)


class ReadState(NamedTuple):
    """A state as it was received.

    `epoch`: identifier of the run, which grows with every reset.
    `step`: number of the step.
    `period`: simulated time of a step [ns].
    `state`: positions [rad or m] and velocities [rad/s or m/s].
    """

    epoch: int
    step: int
    period: int
    state: np.ndarray

    @property
    def time(self) -> int:
        """Simulated time [ns]."""
        return self.step * self.period


class StateReader:
    """Read LockStepStates of one simulator for one robot.

    `joint_names` (sequence of str): the robot's joints, in its order, which is that of the
      simulator.
    """

    def __init__(self, joint_names: Sequence[str]):
        self._names, self._epoch = list(joint_names), -1
        self._shape: MessageBytes | None = None

    def decode(self, data: bytes) -> ReadState:
        """Return the state in a message.

        `data`: the serialised LockStepState.
        Raises RobodynError: if the state does not fit this robot.
        """
        shape = self._shape
        if (
            shape is None
            or len(data) != len(shape.buffer)
            or (shape.decode('epoch', data) != self._epoch)
        ):
            shape = self._learn(data)
        n = len(self._names)
        state = np.empty((2, n))
        state[0] = np.frombuffer(data, float, n, shape.offsets['position'])
        state[1] = np.frombuffer(data, float, n, shape.offsets['velocity'])
        return ReadState(
            self._epoch, shape.decode('step', data), shape.decode('period', data), state
        )

    def _learn(self, data):
        message = deserialize_message(data, LockStepState)
        names = list(message.joint_names)
        if names != self._names or {len(message.position), len(message.velocity)} != {len(names)}:
            raise RobodynError(
                f'A state of lock step is of the joints {names[:20]}; expected '
                f'{self._names}, in this order.'
            )
        self._epoch = message.epoch
        self._shape = MessageBytes(message, ('epoch', 'step', 'period'), ('position', 'velocity'))
        return self._shape


class CommandWriter:
    """Serialise the answers of one participant of lock step.

    `participant`: name of the participant.
    `size`: number of efforts.
    """

    def __init__(self, participant: str, size: int):
        self._message = MessageBytes(
            LockStepCommand(participant=participant, effort=[0.0] * size),
            ('epoch', 'step'),
            ('effort',),
        )
        self._effort = self._message.view('effort', size)

    def fill(self, epoch: int, step: int, effort: np.ndarray) -> bytes:
        """Return the answer to a state.

        `epoch`: identifier of the run, which grows with every reset.
        `step`: number of the step.
        `effort`: efforts [N m or N]; NaN for no command.
        """
        self._message.write('epoch', epoch)
        self._message.write('step', step)
        self._effort[:] = effort
        return bytes(self._message.buffer)


class CommandReader:
    """Read the answers of any participant; layouts are learned for speed."""

    def __init__(self):
        self._known: list[_CommandShape] = []

    def decode(self, data: bytes) -> tuple[str, int, int, Quantities]:
        """Return the content of an answer.

        `data`: the serialised LockStepCommand.
        Returns `participant` (str): name of the participant.
        Returns `epoch` (int): identifier of the run, which grows with every reset.
        Returns `step` (int): number of the step.
        Returns `arrays` (tuple of ndarray): efforts, positions and velocities, each (n,) or empty.
        """
        for shape in self._known:
            if shape.fits(data):
                return shape.decode(data)
        message = deserialize_message(data, LockStepCommand)
        if len(self._known) < MOST_KNOWN:
            shape = _CommandShape(message, data)
            if shape.fits(data):
                self._known.append(shape)
        arrays = tuple(np.array(getattr(message, name)) for name in ARRAYS)
        return message.participant, message.epoch, message.step, arrays


class _CommandShape:
    """The layout of the answers of one participant, which command the same quantities.

    `message` (LockStepCommand): one of the answers.
    `data` (bytes): the same answer, serialised.
    """

    def __init__(self, message, data):
        self._name, self._encoded = message.participant, message.participant.encode() + b'\0'
        self._sizes = tuple(len(getattr(message, name)) for name in ARRAYS)
        filled = [name for name, size in zip(ARRAYS, self._sizes) if size]
        self._message = MessageBytes(message, ('epoch', 'step'), filled)
        self._start = bytes(self._message.buffer).find(self._encoded)
        # Sizes are compared too: the length is the same when another array is filled.
        self._counts, at = [], self._start + len(self._encoded)
        for size in self._sizes:
            at += (_HEADER - at) % 4
            self._counts.append(at)
            at += 4
            if size:
                at += (_HEADER - at) % 8 + 8 * size
        # The received length: the same message serialised here may have more padding.
        self._length = max(len(data), at)

    def fits(self, data):
        return (
            len(data) == self._length
            and data.startswith(self._encoded, self._start)
            and all(
                struct.unpack_from('=I', data, at)[0] == size
                for at, size in zip(self._counts, self._sizes)
            )
        )

    def decode(self, data):
        message = self._message
        arrays = tuple(
            np.frombuffer(data, float, size, message.offsets[name]) if size else NOTHING
            for name, size in zip(ARRAYS, self._sizes)
        )
        return self._name, message.decode('epoch', data), message.decode('step', data), arrays


class Mailbox:
    """A topic whose messages a separate thread awaits, without the executor.

    `node` (rclpy Node): owner of the subscription.
    `kind` (type): message type.
    `topic`: name of the topic.
    `qos` (QoSProfile): quality of service.
    """

    def __init__(self, node, kind, topic: str, qos: QoSProfile = READ_QOS):
        self._node, self._kind = node, kind
        self._subscription = node.create_subscription(
            kind, topic, lambda _: None, qos, callback_group=PolledGroup(), raw=True
        )
        self.topic = self._subscription.topic_name
        self._wake = node.create_guard_condition(lambda: None, callback_group=PolledGroup())
        self._waits = _rclpy.WaitSet(1, 1, 0, 0, 0, 0, node.context.handle)

    def next_message(self, timeout: float) -> bytes | None:
        """Wait for the oldest message.

        `timeout`: longest wait [s].
        Returns the serialised message; None after the timeout.
        """
        handle, waits = self._subscription.handle, self._waits
        with handle:
            waits.clear_entities()
            waits.add_subscription(handle)
            waits.add_guard_condition(self._wake.handle)
            waits.wait(round(timeout * 1e9))
            taken = handle.take_message(self._kind, True)
        return None if taken is None else taken[0]

    def wake(self):
        """Let a waiting thread continue at once."""
        self._wake.trigger()

    def close(self):
        """Destroy the subscription; no thread may wait then."""
        self._node.destroy_subscription(self._subscription)
        self._node.destroy_guard_condition(self._wake)


class LockStepThread:
    """A thread that serves a mailbox, with the interface of a PeriodicLoop for reports.

    `mailbox` (Mailbox): source of the messages.
    `period`: simulated time of a step [s].
    `timeout`: longest wait for a message [s].
    `serve` (callable): called with each message, or with None after a timeout.
    `on_fault` (callable): called with the exception that `serve` raised.
    `realtime` (RealTime): requests to the operating system for the thread.
    """

    def __init__(self, mailbox: Mailbox, period: float, timeout: float, serve, on_fault, realtime):
        self.period, self.wake_latency, self.tick_time = period, Histogram(), Histogram()
        self.faults, self.warnings = 0, ()
        self._mailbox, self._timeout, self._serve = mailbox, timeout, serve
        self._on_fault, self._realtime = on_fault, realtime
        self._applied = threading.Event()
        self._served, self._begin, self._stopping, self._thread = 0, 0, False, None

    @property
    def counts(self) -> Counts:
        """Messages served, none missed, and time since the start [ns]."""
        return Counts(self._served, 0, time.monotonic_ns() - self._begin if self._begin else 0)

    @property
    def running(self) -> bool:
        """Whether the thread is alive."""
        return self._thread is not None and self._thread.is_alive()

    def start(self):
        """Start the thread."""
        self._stopping, self._begin = False, time.monotonic_ns()
        self._thread = threading.Thread(target=self._main, name='robodyn_lock_step', daemon=True)
        self._thread.start()
        self._applied.wait()

    def stop(self):
        """End the thread after its current message, and wait for it."""
        self._stopping = True
        if self.running and self._thread is not threading.current_thread():
            self._mailbox.wake()
            self._thread.join()

    def _main(self):
        self.warnings = self._realtime.apply()
        self._applied.set()
        while not self._stopping:
            data = self._mailbox.next_message(self._timeout)
            begin = time.perf_counter()
            try:
                self._serve(data)
            except Exception as error:
                self.faults += 1
                self._on_fault(error)
            if data is not None:
                self._served += 1
                self.tick_time.add((time.perf_counter() - begin) * 1e6)
