# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The controller in lock step: it answers each state once, at the time of its stamp."""

import math
import signal
import time
from collections import Counter

import numpy as np
from rclpy.qos import QoSProfile

from robodyn_msgs.msg import LockStepCommand, LockStepState
from robodyn_ros.errors import RobodynError
from robodyn_ros.ros.common.realtime_parameters import realtime
from robodyn_ros.ros.controller.control_cycle import ControlCycle
from robodyn_ros.ros.controller.controller_session import ControlSession
from robodyn_ros.ros.transport.local_link import LocalLoop, local_link
from robodyn_ros.ros.transport.lock_step_transport import (
    END,
    QOS,
    CommandWriter,
    LockStepThread,
    Mailbox,
    ReadState,
    StateReader,
)

NANOSECONDS = 1_000_000_000
WAIT = 1.0  # [s] of wall time between checks for silence
SILENCE = 5.0  # [s] of wall time without a state before it is reported


class LockStepIntake:
    """Statistics of the received states, with the interface of a StateIntake for reports.

    `topic`: full name of the topic of the states.
    """

    def __init__(self, topic: str):
        self.topic, self.kind, self.receive_time = topic, 'robodyn_msgs/msg/LockStepState', 0.0
        self.accepted, self.detail = 0, ''
        self.rejected: Counter[str] = Counter()

    def close(self):
        """Do nothing: this intake holds no resources."""


class LockStepCycle(ControlCycle):
    """A control cycle at the time of a stamp.

    `*arguments`: arguments of ControlCycle.
    """

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.tick = self.compute  # a cycle ends before its answer is sent

    def run_cycle(self, now: float):
        """Run a cycle with the newest state; only one thread runs them, and none publishes here.

        `now`: simulated time [s].
        """
        start, supervisor = time.perf_counter(), self._supervisor
        supervisor.tick(now)
        self.compute.add((time.perf_counter() - start) * 1e6)
        self.count += 1
        self.last = now
        self._notify_changes()
        if supervisor.publishing:
            self._report()

    def _is_wanted(self, publisher) -> bool:
        return publisher.get_subscription_count() > 0


class LockStepSession(ControlSession):
    """One robot under one law, in lock step with a simulator.

    The received states drive the law. Only the watchdog for missing states reads the system clock.
    """

    def _make_loop(self, values, changed):
        """Create publisher, intake, cycle and loop for lock step."""
        node, n = self._node, self.robot.nv
        self._time = 0  # simulated time of the state in use [ns]
        self._period = round(NANOSECONDS / values['update_rate'])
        self._state_period, self._every = 0, 1  # [ns] of the states, and how many to a cycle
        self._answered, self._effort = None, None  # (epoch, step) of the last answer, its efforts
        self._last_received, self._silence_reported = time.monotonic(), False
        self._restarting, self.dropped = False, 0  # dropped: number of outdated states
        self._states = StateReader(self.robot.joint_names)
        self._writer, self._no_command = CommandWriter(node.get_name(), n), np.full(n, np.nan)
        self._answers = node.create_publisher(
            LockStepCommand, values['lock_step.command_topic'], QOS
        )
        topic = values['lock_step.state_topic']
        self._link = link = local_link(node, topic)
        self._mailbox = None if link.wake else Mailbox(node, LockStepState, topic)
        self.intake = LockStepIntake(node.resolve_topic_name(topic))
        self.cycle = LockStepCycle(
            self.supervisor,
            self.intake,
            self._ros_now,
            *self._telemetry(QoSProfile(depth=1000)),
            changed,
            self._note,
        )
        period = 1.0 / values['update_rate']
        if self._mailbox is None:
            self.loop = LocalLoop(link, node.get_name(), self._respond, period)
        else:
            self.loop = LockStepThread(
                self._mailbox,
                period,
                WAIT,
                self._serve,
                self._fault,
                realtime(values, binds_process=True),
            )

    # Life cycle.

    def activate(self):
        """Start commanding the robot with the next step."""
        refusal = self.supervisor.activate(self.now())
        if refusal:
            raise RobodynError(refusal)
        self._activated = time.monotonic()
        self._before = self.totals
        self.pause.__enter__()
        self.cycle.output = self._answers

    def deactivate(self):
        """Brake the arm and ramp the effort to its weight, from the next step on."""
        self.left_moving = ''
        if self.cycle.output is None:
            return
        self.supervisor.deactivate()
        if self.supervisor.publishing:
            self.left_moving = 'The next steps brake the arm, and then it commands nothing.'
        self._final = self.counts
        self.cycle.output = None
        self.pause.__exit__()

    def close(self):
        """Release all resources."""
        super().close()
        if self._mailbox is not None:
            self._mailbox.close()
        self._node.destroy_publisher(self._answers)

    @property
    def epoch(self) -> int | None:
        """Epoch of the last answered state; None before the first."""
        return self._answered[0] if self._answered else None

    def now(self) -> float:
        """Return the simulated time of the state in use [s]."""
        return 1e-9 * self._time

    def rivals(self):
        """Return no names: each answer names its participant, so none can intrude."""
        return []

    def receiver_problem(self):
        """Return '': a simulator in lock step waits for each answer."""
        return ''

    def until_between_cycles(self) -> float:
        """Return 0: there are no periodic cycles to avoid."""
        return 0.0

    def _ros_now(self) -> int:
        return self._time

    # Steps.

    def _serve(self, data: bytes | None):
        if data is None:
            self._watch()
            return
        self._last_received, self._silence_reported = time.monotonic(), False
        try:
            state = self._states.decode(data)
        except RobodynError as refusal:  # the state gets no answer
            self._node.get_logger().error(str(refusal), throttle_duration_sec=5.0)
            return
        effort = self._respond(state)
        if effort is not None:
            self._answers.publish(self._writer.fill(state.epoch, state.step, effort))

    def _respond(self, state: ReadState) -> np.ndarray | None:
        """Return the efforts (n,) [N m or N] for a state, or None for no answer."""
        key = state.epoch, state.step
        if self._answered is not None and state.epoch > self._answered[0]:
            self._begin_anew()
            return None
        if self._answered is not None and key < self._answered:
            self.dropped += 1
            return None
        if key != self._answered:
            try:
                self._effort = self._compute(state)
            except RobodynError as refusal:
                self._node.get_logger().error(str(refusal), throttle_duration_sec=5.0)
                return None
            except Exception as error:
                self._fault(error)
                return None
            self._answered = key
        return self._effort

    def _compute(self, state: ReadState) -> np.ndarray:
        """Run a cycle if one is due; between cycles the command is constant."""
        if state.period != self._state_period:
            self._every = self._states_of_a_cycle(state.period)
            self._state_period = state.period
        if self._link.is_shared:  # what others sent before their answers, at the time before
            for subscription in self._subscriptions:
                subscription.take_waiting()
        self._time = state.step * state.period
        if state.step % self._every == 0:
            now = 1e-9 * self._time
            if not math.isnan(state.state.item(0)):  # NaN stands for a lost measurement
                self._accept(state.state, now, divmod(self._time, NANOSECONDS))
            self.cycle.run_cycle(now)
        supervisor = self.supervisor
        # The supervisor may change its command in place between steps.
        return supervisor.command.copy() if supervisor.publishing else self._no_command

    def _states_of_a_cycle(self, period: int) -> int:
        """Return how many states of a period [ns] there are in each cycle."""
        every, rest = divmod(self._period, period)
        if rest:
            raise RobodynError(
                f'The controller has a period of {self._period} ns and the '
                f'simulator one of {period} ns; expected a multiple of it.'
            )
        return every

    def _accept(self, state: np.ndarray, now: float, stamp: tuple[int, int]):
        reason = self.supervisor.accept_state(state, now, 0.0, stamp)
        if reason:
            self.intake.rejected[reason] += 1
        else:
            self.intake.accepted += 1

    def _begin_anew(self):
        """Configure the node anew, because a new epoch has begun."""
        if not self._restarting:
            self._restarting = True
            self._node.executor.create_task(
                self._node.begin_anew, 'The simulation in lock step has been reset.'
            )

    def _watch(self):
        silent = time.monotonic() - self._last_received
        if silent > SILENCE and not self._silence_reported:
            self._silence_reported = True
            self._node.get_logger().warning(
                f"No state has come on '{self.intake.topic}' for {silent:.0f} s; expected one "
                f'after step {self._answered[1] if self._answered else "none"}.'
            )
            # Before the first state, the simulator may not have been started yet.
            if self._answered and self._values['lock_step.on_silence'] == END:
                self._node.executor.create_task(signal.raise_signal, signal.SIGTERM)
