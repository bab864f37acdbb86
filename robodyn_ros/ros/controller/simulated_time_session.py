# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Control cycles on /clock: one per period of simulated time, at any speed."""

import time

from rclpy.clock import ClockType
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.serialization import deserialize_message
from rclpy.time import Time
from rosgraph_msgs.msg import Clock

from robodyn_ros.errors import ParameterError
from robodyn_ros.realtime.loop import NANOSECONDS, Counts
from robodyn_ros.ros.common.realtime_parameters import realtime
from robodyn_ros.ros.controller.control_cycle import ControlCycle
from robodyn_ros.ros.controller.controller_parameters import TIMER
from robodyn_ros.ros.controller.controller_session import COMMAND_QOS, ControlSession
from robodyn_ros.ros.controller.state_intake import StateIntake
from robodyn_ros.ros.transport.lock_step_transport import LockStepThread, Mailbox
from robodyn_ros.ros.transport.polled_group import PolledGroup

# Only the newest time is used: a late controller runs all due cycles with the newest state.
CLOCK_QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
WAIT = 1.0  # [s] of wall time between checks for progress
SILENCE = 5.0  # [s] of wall time without progress before it is reported


class ClockThread(LockStepThread):
    """A thread that receives /clock, and counts cycles in simulated time."""

    cycles = missed = elapsed = 0

    @property
    def counts(self) -> Counts:
        """Cycles run, cycles skipped, and simulated time since the first cycle [ns]."""
        return Counts(self.cycles, self.missed, self.elapsed)


class SimulatedCycle(ControlCycle):
    """A control cycle in simulated time."""

    def _elapsed(self, now: float, start: float) -> float:
        return time.perf_counter() - start


class SimulatedTimeSession(ControlSession):
    """One robot under one law, on simulated time.

    A cycle runs at every integer multiple of the period. If /clock advances by several periods at
    once, as many cycles run in sequence. A cycle is skipped if its joint state would be older than
    half of `state_timeout`.

    The thread of the session also sets the clock of the node. The executor would ask all entities
    of the node anew after each message of /clock.
    """

    def __init__(self, *arguments):
        super().__init__(*arguments)  # a session that fails leaves the clock to the executor
        self._relieved = {
            entity: entity.callback_group
            for subscription in self._node.subscriptions
            if subscription.topic_name == '/clock'
            for entity in (subscription, *subscription.event_handlers)
            if not isinstance(entity.callback_group, PolledGroup)
        }
        for entity in self._relieved:
            entity.callback_group = PolledGroup()

    def _make_loop(self, values, changed):
        if values['trigger'] != TIMER:
            raise ParameterError(
                f"Parameter 'trigger' is '{values['trigger']}'; with 'use_sim_time' expected "
                f"'{TIMER}' or 'lock_step'."
            )
        self._time, self._first = 0, 0  # [ns] of the last and of the first cycle
        self._slot = None  # number of the last cycle since time zero
        self._last_progress, self._stalled, self._restarting = time.monotonic(), False, False
        self._step = NANOSECONDS // values['update_rate']
        self._mailbox = Mailbox(self._node, Clock, '/clock', CLOCK_QOS)
        options = {} if self.law.task is None else {'lag': self._lag}
        self.intake = StateIntake(
            self._node,
            self.robot.joint_names,
            self.supervisor.accept_state,
            True,
            clock=self.now,
            **options,
        )
        self.cycle = SimulatedCycle(
            self.supervisor,
            self.intake,
            self._ros_now,
            *self._telemetry(COMMAND_QOS),
            changed,
            self._note,
        )
        self.loop = ClockThread(
            self._mailbox,
            1.0 / values['update_rate'],
            WAIT,
            self._serve,
            self._fault,
            realtime(values),
        )

    def close(self):
        """Release all resources."""
        super().close()
        self._mailbox.close()
        for entity, group in self._relieved.items():
            entity.callback_group = group

    def now(self) -> float:
        """Return the simulated time of the last or current cycle [s]."""
        return 1e-9 * self._time

    def has_reached(self, time: int) -> bool:
        """Return whether the cycle of a simulated time has run, or never will.

        `time`: simulated time [ns].
        """
        done = self._slot is not None and self._slot >= time // self._step
        return done or self._restarting or not self.loop.running

    def until_between_cycles(self) -> float:
        """Return 0: cycles do not follow a clock of this machine."""
        return 0.0

    def _ros_now(self) -> int:
        return self._time

    def _releasing(self) -> bool:
        return super()._releasing() and not (self._restarting or self._stalled)

    # Time.

    def _serve(self, data: bytes | None):
        if self._restarting:
            return
        if data is not None:
            now = Time.from_msg(deserialize_message(data, Clock).clock, ClockType.ROS_TIME)
            self._clock.set_ros_time_override(now)
            self._run_due(now.nanoseconds)
        self._watch()

    def _run_due(self, now: int):
        """Run the cycles that are due at the simulated time `now` [ns]."""
        slot = now // self._step
        if self._slot is None:
            self._slot, self._first = slot - 1, slot * self._step
        if slot < self._slot:
            self._begin_anew(now)
            return
        due, settings = slot - self._slot, self.supervisor.settings
        most = max(1, int(0.5 * settings.state_timeout * NANOSECONDS) // self._step)
        if due > most:
            self.loop.missed += due - most
            self._node.get_logger().warning(
                f'Simulated time went on by {due * self._step * 1e-9:g} s at once; the '
                f'controller leaves {due - most} cycles out.',
                throttle_duration_sec=5.0,
            )
        if due and self._stalled:
            self._node.get_logger().info(f'Simulated time goes on at {1e-9 * now:.9g} s.')
        if due:
            self._last_progress, self._stalled = time.monotonic(), False
        for at in range(slot - min(due, most) + 1, slot + 1):
            self._run_one(at)

    def _run_one(self, slot: int):
        self._time = slot * self._step
        self.loop.cycles += 1
        self.loop.elapsed = self._time - self._first
        now = self.now()
        try:
            self.intake.poll(now)
            self.cycle.run_cycle(now)
        finally:
            self._slot = slot

    def _begin_anew(self, now: int):
        """Restart after a backward jump of time, which invalidates all states."""
        before, self._restarting = 1e-9 * self._time, True
        sources = self._node.count_publishers('/clock')
        more = f" There are {sources} publishers of '/clock'." if sources > 1 else ''
        self._node.executor.create_task(
            self._node.begin_anew,
            f'Simulated time went back from {before:.9g} s to {1e-9 * now:.9g} s.{more}',
        )

    def _watch(self):
        silent = time.monotonic() - self._last_progress
        if silent > SILENCE and not self._stalled:
            self._stalled = True
            where = 'has not begun' if self._slot is None else f'stands at {self.now():.9g} s'
            self._node.get_logger().warning(
                f"Simulated time {where}: nothing new on '/clock' for {silent:.0f} s. The "
                'controller waits.'
            )
