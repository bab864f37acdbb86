# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""One control cycle: compute the effort for the newest joint state, and publish it."""

import time
from threading import Lock
from typing import Callable

from robodyn_ros.control.supervisor.controller_states import State
from robodyn_ros.control.supervisor.state_buffer import NO_STAMP
from robodyn_ros.control.supervisor.supervisor import Supervisor
from robodyn_ros.realtime.histogram import Histogram
from robodyn_ros.realtime.loop import NANOSECONDS
from robodyn_ros.ros.common.joint_messages import EffortArray, EffortJointState
from robodyn_ros.ros.controller.state_intake import StateIntake
from robodyn_ros.ros.transport.rcl_ffi import BufferPublisher


class ControlCycle:
    """The work of one control cycle; it never logs, and looks nothing up by name.

    `supervisor` (Supervisor): computes and guards the effort.
    `intake` (StateIntake): receives joint states, and measures how long that takes.
    `stamp` (callable): returns the ROS time [ns] for messages.
    `telemetry` (sequence of tuple): publisher and writer of ControllerState and similar messages.
    `every`: cycles from one of these messages to the next.
    `changed` (callable): called after a cycle that changed the supervisor's state or reason. Also
      called if an end effector stays away from its target.
    `failed` (callable): called with an exception that came after the effort was published; the
      loop continues.
    `answers`: whether commands carry the stamp of the joint state that they answer.
    `compute` (Histogram): time of the supervisor's tick [us].
    `tick` (Histogram): time from the beginning of a cycle to the published effort, plus the time
      to receive a new joint state [us].
    `state_age` (Histogram): age of the joint state in use [ms].
    `count`: cycles run.
    `last`: time of the last cycle on the clock of the cycles [s].
    """

    def __init__(
        self,
        supervisor: Supervisor,
        intake: StateIntake,
        stamp: Callable[[], int],
        telemetry=(),
        every: int = 1,
        changed: Callable[[], None] = lambda: None,
        failed: Callable[[Exception], None] = lambda _: None,
        answers: bool = False,
    ):
        self._output: tuple[EffortArray | EffortJointState, BufferPublisher] | None = None
        self.compute, self.tick, self.state_age = Histogram(), Histogram(), Histogram()
        self.count, self.last = 0, 0.0
        self._supervisor, self._intake, self._stamp = supervisor, intake, stamp
        self._telemetry, self._every, self._until_telemetry = telemetry, every, 0
        self._changed, self._published, self._failed = changed, None, failed
        self._command_stamp = self._state_stamp if answers else stamp
        self._used = None  # the joint state of the last cycle
        self._lock = Lock()  # with trigger joint_states, the watchdog runs cycles too

    @property
    def output(self):
        """Writer and BufferPublisher of the efforts while the node is active, else None."""
        return self._output

    @output.setter
    def output(self, output):
        with self._lock:  # so that no cycle publishes to a publisher about to be closed
            self._output = output

    def run_cycle(self, now: float):
        """Run a cycle with the newest joint state.

        `now`: time at which the cycle began [s].
        """
        with self._lock:
            supervisor = self._supervisor
            start = time.perf_counter()
            supervisor.tick(now)
            computed = time.perf_counter()
            output = self._output if supervisor.publishing else None
            active = output is not None
            if output is not None:
                writer, publisher = output
                writer.fill(supervisor.command, self._command_stamp)
                publisher.publish()
            try:
                self._record(now, self._elapsed(now, start), computed - start, active)
            except Exception as error:  # a failing report must not stop the arm
                self._failed(error)

    def _state_stamp(self) -> int:
        measured = self._supervisor.measurement
        seconds, rest = measured.stamp if measured else NO_STAMP
        return NANOSECONDS * seconds + rest

    def _elapsed(self, now: float, start: float) -> float:
        """Return the time since the beginning of the cycle [s].

        `now`: that beginning on the clock of the cycles [s].
        `start`: the same by perf_counter, for cycles on a simulated clock [s].
        """
        return time.monotonic() - now

    def _record(self, now, tick, compute, active):
        """Update counts and reports, after the effort is published."""
        self.count += 1
        self.last = now
        measured = self._supervisor.measurement
        if measured is not self._used:
            self._used = measured
            tick += self._intake.receive_time
        self.tick.add(tick * 1e6)
        self.compute.add(compute * 1e6)
        self._notify_changes()
        if active:
            self.state_age.add((now - measured.time) * 1e3)
            self._report()

    def _notify_changes(self):
        supervisor, progress = self._supervisor, self._supervisor.task_progress
        stays_away = progress is not None and progress.stays_away
        summary = supervisor.state, supervisor.reason, supervisor.joint, stays_away
        if summary != self._published:
            self._published = summary
            self._changed()

    def run_cycle_if_late(self, now: float):
        """Run a cycle if no joint state has triggered one in time.

        `now`: monotonic time [s].
        """
        supervisor = self._supervisor
        late = now - self.last > supervisor.settings.state_timeout
        if late or supervisor.state is State.STALE or not supervisor.active:
            self.run_cycle(now)

    def _report(self):
        self._until_telemetry -= 1
        if self._until_telemetry <= 0:
            self._until_telemetry = self._every
            for publisher, writer in self._telemetry:
                if self._is_wanted(publisher):
                    publisher.publish(writer.fill(self._stamp()))

    def _is_wanted(self, publisher) -> bool:
        """Return whether to publish a message."""
        return True
