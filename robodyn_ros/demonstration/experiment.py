# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Run simulator and controller as two processes that track a motion, and record it."""

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import rclpy
from builtin_interfaces.msg import Duration
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import WrenchStamped
from rclpy.qos import DurabilityPolicy, QoSProfile
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robodyn_msgs.msg import ControllerState, ControllerStatus
from robodyn_ros.control.laws.law import TERMS
from robodyn_ros.demonstration.disturbance import Count, Disturbance, ReferenceLost, disturbances
from robodyn_ros.errors import RobodynError
from robodyn_ros.robot import child_process

CONTROLLER, SIMULATOR = '/robodyn_controller', '/robodyn_simulator'
NODES = {name: f'robodyn_ros.nodes.{name}' for name in ('controller', 'simulator')}
KNOT = 0.1  # [s] between points of the trajectory
DIGITS = 9  # decimal places of the trajectory
PATIENCE = 180.0  # [s] without news of the controller, such as its progress of compiling
REPORTED = 30.0  # [s] in which a running node reports on its loop twice
PR_SET_PDEATHSIG = 1
USUAL = ('', 'ACTIVATED', 'FOLLOWING', 'TRAJECTORY_END')  # reasons in a run without faults
SERIES = ('reference_position', 'measured_position', 'measured_velocity', *TERMS, 'effort')


@dataclass
class Record:
    """The result of one run: time series, and figures of the nodes.

    `time`: times of the samples [s].
    `series`: {name in SERIES: (k, nv) ndarray}.
    `states`: state of the controller, see ControllerStatus.msg.
    `status`: last status of the controller.
    `cycles`, `missed`: cycles run, and cycles missed.
    `seconds`: length of the run [s].
    `cpu_share`: processor time of the controller as a share of a core.
    `disturbances`: intervals in which the nodes missed cycles.
    `pushes`: (time [s], force (3,) [N]).
    """

    time: np.ndarray
    series: dict[str, np.ndarray]
    states: np.ndarray
    status: ControllerStatus
    cycles: int
    missed: int
    seconds: float
    cpu_share: float
    disturbances: tuple[Disturbance, ...] = ()
    pushes: list[tuple[float, np.ndarray]] = field(default_factory=list)

    @property
    def disturbed(self):
        """Time in which a node missed cycles [s]."""
        return sum(each.end - each.begin for each in self.disturbances)

    @property
    def rate(self):
        """Cycles per second [Hz]."""
        return self.cycles / self.seconds


class Experiment:
    """The two nodes of one run, and a third node that communicates with them, as a context.

    `urdf` (str or path): description of the arm.
    `controller`, `simulator` (dict): parameters by name.
    `progress` (callable): called with (state in a word, share done).
    `modules` (dict): {'controller' and 'simulator': module to run}.
    """

    def __init__(
        self, urdf, controller, simulator, progress=lambda word, share: None, modules=NODES
    ):
        self._modules = modules
        self._parameters = {
            'controller': {'urdf_path': str(urdf), **controller},
            'simulator': {'urdf_path': str(urdf), **simulator},
        }
        self._progress = progress
        self._processes = {}
        self._logs = {}
        self._status = None
        self._states = None  # a list while recording
        self._complaint = ''  # why the controller left the trajectory
        self._refusal = ''  # of the trajectory
        self._environment = None  # of the nodes; None for that of this process
        self._kernels = {}  # by node: its report on kernels
        self._counts = {}  # by node: the reports on its loop
        self._signal, self._handlers = None, {}  # the received signal, the previous handlers

    def __enter__(self):
        # These signals must not end this process before it has ended the nodes.
        self._handlers = {
            number: signal.signal(number, self._hear_signal)
            for number in (signal.SIGTERM, signal.SIGHUP)
        }
        self._context = rclpy.Context()
        rclpy.init(context=self._context)
        self._node = rclpy.create_node(
            'robodyn_demo', context=self._context, start_parameter_services=False
        )
        self._executor = rclpy.executors.SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._node.create_subscription(
            ControllerStatus, f'{CONTROLLER}/status', self._take_status, latched
        )
        self._node.create_subscription(
            ControllerState, f'{CONTROLLER}/controller_state', self._take_state, 1000
        )
        self._node.create_subscription(DiagnosticArray, '/diagnostics', self._take_report, 10)
        self._trajectory = self._node.create_publisher(
            JointTrajectory, f'{CONTROLLER}/joint_trajectory', 1
        )
        self._wrench = self._node.create_publisher(
            WrenchStamped, f'{SIMULATOR}/external_wrench', 10
        )
        self._folder = tempfile.TemporaryDirectory(prefix='robodyn_demo_')
        try:
            self._counts = {name: [Count(time.time(), 0, 0)] for name in self._parameters}
            for name in ('simulator', 'controller'):
                self._start(name)
            self._wait_until(lambda: self._state_name in ('ACTIVE', 'HOLD'))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in reversed(self._processes.values()):
            process.send_signal(signal.SIGINT)
        for process in self._processes.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(5.0)
            process.kill()
        self._executor.shutdown()
        self._node.destroy_node()
        rclpy.shutdown(context=self._context)
        self._folder.cleanup()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._check_signal()

    def track(self, motion, joint_names):
        """Send a motion as one trajectory, and record until it has ended.

        Returns the run.
        Raises RobodynError: if the controller does not follow to the end.
        """
        message = trajectory_message(motion, joint_names)
        self._wait_until(lambda: self._trajectory.get_subscription_count() > 0)
        record = self._record(
            motion.duration, 'tracking', begin=lambda: self._trajectory.publish(message)
        )
        self._require_following(record, motion)
        return record

    def _require_following(self, record, motion):
        """Raise an error unless the controller followed the motion."""
        following = record.states == ControllerStatus.ACTIVE
        if not following[record.time < 0.95 * motion.duration].all():
            raise _lost(
                f'the controller left the trajectory: {self._complaint}',
                record.disturbances,
                self._tails(),
            )

    def push(self, frame, force, duration):
        """Push a frame, and record.

        `force` (callable): called with the time [s]; returns the force (3,) in the axes of the
          frame [N].
        `duration`: length of the run [s].
        Returns the run, with its pushes.
        """
        pushes = []

        def act(t):
            message = WrenchStamped()
            message.header.frame_id = frame
            f = force(t)
            message.wrench.force.x, message.wrench.force.y, message.wrench.force.z = map(float, f)
            self._wrench.publish(message)
            pushes.append((t, f))

        self._wait_until(lambda: self._wrench.get_subscription_count() > 0)
        record = self._record(duration, 'pushing', act=act)
        record.pushes = pushes
        return record

    def settle(self):
        """Wait until both nodes have finished compiling.

        Returns {node: its report on the kernels in use}.
        """
        self._kernels.clear()
        self._wait_until(
            lambda: (
                len(self._kernels) == 2
                and not any('specialising' in text for text in self._kernels.values())
            )
        )
        return dict(self._kernels)

    @property
    def _state_name(self):
        return self._status.state_name if self._status else ''

    def _start(self, name):
        """Start the process of a node."""
        path = Path(self._folder.name) / f'{name}.log'
        arguments = [
            part
            for key, value in self._parameters[name].items()
            for part in ('-p', f'{key}:={_text(value)}')
        ]
        with path.open('w') as log:
            self._processes[name] = child_process.start(
                self._modules[name],
                '--ros-args',
                *arguments,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=self._environment,
                preexec_fn=_end_with_parent,
            )
        self._logs[name] = path

    def _record(self, duration, word, begin=None, act=None):
        """Record states for a duration, from the first one of an ACTIVE controller.

        begin() is called once, act(t) about a hundred times a second.
        """
        self._hear_counts()
        for counts in self._counts.values():
            del counts[:-1]
        before, self._states, self._complaint = self._figures(), [], ''
        if begin:
            begin()
        self._wait_until(lambda: self._states)
        start = time.monotonic()
        while (t := time.monotonic() - start) < duration and self._state_name != 'FAULT':
            self._check()
            if act:
                act(t)
            self._executor.spin_once(timeout_sec=0.01)
            self._progress(word, t / duration)
        messages, self._states = self._states, None
        first = _seconds(messages[0].header.stamp)
        if self._state_name == 'FAULT':
            raise self._fault(first)
        seconds, cycles, missed, cpu = (b - a for a, b in zip(before, self._figures()))
        self._hear_counts()
        if len(messages) < 2:
            raise RobodynError(
                f'received {len(messages)} messages on {CONTROLLER}/controller_state '
                f'within {duration:.0f} s; expected hundreds'
            )
        stamps = np.array([_seconds(m.header.stamp) for m in messages])
        return Record(
            stamps - first,
            {name: np.array([getattr(m, name) for m in messages]) for name in SERIES},
            np.array([m.state for m in messages]),
            self._status,
            cycles,
            missed,
            seconds,
            cpu / seconds,
            self._disturbances(first),
        )

    def _disturbances(self, start):
        """Return the disturbances of recent reports, in seconds after the start."""
        return disturbances(
            {
                node: [each._replace(time=each.time - start) for each in counts]
                for node, counts in self._counts.items()
            }
        )

    def _figures(self):
        """Return time, cycles and missed cycles of the next status, and the processor time."""
        before = self._status.header.stamp
        self._wait_until(lambda: self._status.header.stamp != before)
        stamp = self._status.header.stamp
        cpu = self._cpu('controller')
        return _seconds(stamp), self._status.cycles, self._status.missed, cpu

    def _cpu(self, name):
        """Return the processor time [s] of a node."""
        return processor_time(self._processes[name].pid)

    def _hear_counts(self):
        """Wait for a report of each node on its loop."""
        before = {name: len(counts) for name, counts in self._counts.items()}
        self._wait_until(lambda: all(len(self._counts[name]) > before[name] for name in before))

    def _wait_until(self, condition):
        """Spin until a condition holds; raise an error if no news arrive for PATIENCE."""
        deadline, news = time.monotonic() + PATIENCE, None
        while not condition():
            self._check()
            if self._state_name == 'FAULT':
                raise self._fault(self._counts['controller'][0].time)
            if self._refusal:
                raise RobodynError(f'the controller refuses the trajectory: {self._refusal}')
            if news != (news := self._status and self._status.message):
                deadline = time.monotonic() + PATIENCE
            if time.monotonic() > deadline:
                raise RobodynError(
                    f'the controller made no progress for {PATIENCE:.0f} s; '
                    f'its last status: {news}\n' + self._tails()
                )
            self._executor.spin_once(timeout_sec=0.05)
            self._progress('starting', 0.0)

    def _fault(self, start):
        """Return the exception for a FAULT, after the nodes have reported missed cycles."""
        sentence = f'the controller is in FAULT: {self._status.message}'
        # two reports, since the first may have been sent before the fault
        known = {name: len(counts) + 1 for name, counts in self._counts.items()}
        deadline = time.monotonic() + REPORTED
        while time.monotonic() < deadline and any(
            len(self._counts[name]) <= count for name, count in known.items()
        ):
            self._check()
            self._executor.spin_once(timeout_sec=0.05)
        return _lost(sentence, self._disturbances(start), self._tails())

    def _hear_signal(self, number, _):
        """Keep the number of a signal; `_check_signal` acts on it."""
        self._signal = number

    def _check_signal(self):
        """End this process if a signal has arrived."""
        if self._signal:
            raise SystemExit(128 + self._signal)  # exit code of a shell

    def _check(self):
        """Raise an error if a node has ended."""
        self._check_signal()
        for name, process in self._processes.items():
            if process.poll() is not None:
                raise RobodynError(
                    f'the {name} ended with exit code {process.returncode}\n' + self._tails()
                )

    def _tails(self):
        """Return the last lines of both logs."""
        return '\n'.join(
            f'--- {name}\n' + '\n'.join(path.read_text().splitlines()[-15:])
            for name, path in self._logs.items()
        )

    def _take_report(self, message):
        """Keep the numbers of a diagnostic message."""
        for status in message.status:
            name, _, subject = status.name.partition(': ')
            if subject == 'loop':
                values = {pair.key: pair.value for pair in status.values}
                self._counts[name.removeprefix('robodyn_')].append(
                    Count(
                        _seconds(message.header.stamp),
                        int(values['cycles']),
                        int(values['missed']),
                    )
                )
            if subject == 'references':
                self._refusal = next(x.value for x in status.values if x.key == 'last_refusal')
        self._kernels |= {
            status.name.partition(':')[0]: pair.value
            for status in message.status
            for pair in status.values
            if pair.key == 'kernels'
        }

    def _take_status(self, message):
        """Keep a status, and the reason why the controller left the trajectory."""
        self._status = message
        if not self._complaint and message.reason not in USUAL:
            self._complaint = message.message

    def _take_state(self, message):
        """Record a state, from the first one of an ACTIVE controller."""
        if self._states or self._states == [] and message.state == ControllerStatus.ACTIVE:
            self._states.append(message)


_libc = ctypes.CDLL(None)


def _end_with_parent():
    """Make a child process end with its parent, even after SIGKILL."""
    with contextlib.suppress(AttributeError):  # Linux only
        _libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def trajectory_message(motion, joint_names):
    """Return a motion as one trajectory, rounded to digits that every processor computes alike."""
    knots = range(1, round(motion.duration / KNOT) + 1)
    rows = motion.at(np.array([k * KNOT for k in knots]))
    points = [
        JointTrajectoryPoint(
            positions=q, velocities=qd, accelerations=qdd, time_from_start=_duration(k)
        )
        for k, q, qd, qdd in zip(knots, *(np.round(x, DIGITS).tolist() for x in rows))
    ]
    return JointTrajectory(joint_names=list(joint_names), points=points)


def _duration(knot):
    seconds, nanoseconds = divmod(knot * round(KNOT * 1e9), 10**9)
    return Duration(sec=seconds, nanosec=nanoseconds)


def _lost(sentence, found, tails):
    """Return the error of a failed run; its class says whether a busy machine was the cause."""
    if not found:
        return RobodynError(f'{sentence}\n{tails}')
    return ReferenceLost(f'{sentence} The machine was busy: {"; ".join(map(str, found))}.')


def _seconds(stamp):
    return stamp.sec + 1e-9 * stamp.nanosec


def _text(value):
    """Return a parameter's value as JSON, which is valid YAML."""
    return json.dumps(value, default=lambda array: array.tolist())


def processor_time(process):
    """Return the time that a process has run, in itself and in the kernel [s].

    `process`: its number.
    """
    fields = Path(f'/proc/{process}/stat').read_text().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')
