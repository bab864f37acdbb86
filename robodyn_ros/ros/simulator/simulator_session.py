# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""All that exists while the simulator is configured for one robot."""

import copy
import functools
import time
from threading import Lock
from typing import Any, Mapping

from geometry_msgs.msg import WrenchStamped
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState, MultiDOFJointState
from std_msgs.msg import Header

from robodyn_ros.compile import warm_up
from robodyn_ros.errors import RobodynError
from robodyn_ros.realtime.loop import PeriodicLoop
from robodyn_ros.realtime.os_requests import CollectorPause, settle_memory
from robodyn_ros.robot.background_compiler import portable
from robodyn_ros.robot.robot import Robot
from robodyn_ros.ros.common.joint_messages import set_stamp
from robodyn_ros.ros.common.realtime_parameters import realtime, require_granted
from robodyn_ros.ros.common.session_kernels import SessionKernels
from robodyn_ros.ros.simulator.clock_source import ClockSource
from robodyn_ros.ros.simulator.effort_intake import EffortIntake
from robodyn_ros.ros.simulator.simulated_plant import (
    make_faults,
    make_plant,
    make_sensor,
    simulated_robot,
)
from robodyn_ros.ros.simulator.simulator_parameters import TIMER
from robodyn_ros.ros.simulator.state_publisher import state_topics
from robodyn_ros.simulation.plant import KERNELS
from robodyn_ros.simulation.runner import Runner
from robodyn_ros.simulation.specialised_step import specialised_step

LATCHED_QOS = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)

CATCH_UP = 0.05  # [s] of simulated time at most in one tick; what is beyond is lost
AT_ONCE = 1e-6  # [s] period of a loop that runs as fast as it can
REPEAT = 0.2  # [s] without a step after which the state is published again, in lock step


class SimulatorSession:
    """One simulated robot: plant, loop, and the topics of both.

    Args:
      node: the node whose topics they are.
      robot: as described; the simulated one may differ.
      values: of the node's parameters, by name.

    Attributes:
      runner: the plant and its clock; use it under `lock`.
      values: of the parameters, in force.
      timed: whether the clock starts the steps, not the commands.
      running: whether it is active.
      lost: steps that were due but not taken because the machine was too slow.

    """

    def __init__(self, node, robot: Robot, values: Mapping[str, Any]):
        robot = simulated_robot(values, robot)
        plant = make_plant(values, robot)
        warm_up(KERNELS)
        self.lock = Lock()
        self.runner = Runner(plant, make_sensor(values, robot), values['update_rate'])
        self.lost = self.refused_wrenches = 0
        self.faults: list[Exception] = []  # exceptions out of the loop, for the node to report
        self.pause = CollectorPause()
        self._node, self._clock, self.running = node, node.get_clock(), False
        self._next_step = None  # a kernel that waits for a reset
        self.adopt(values)
        timed = self.timed = values['trigger'] == TIMER
        self._simulated_stamps = values['publish_clock'] or not timed
        self._at_once = values['speed_factor'] == 0.0
        self._frame_id = values['frame_id'] or robot.model.body_names[0]
        self._state = state_topics(node, robot.model, values, self._frame_id)
        self._slots, self._told = 0, 0.0
        self._reset_notify = node.create_publisher(Header, '~/reset_notify', LATCHED_QOS)
        self._clock_source = ClockSource(node, self.lock)
        topics = values['joint_commands_topic'], values['effort_command_topic']
        # To the events executor callback groups mean nothing: it delivers every message.
        self._polled = timed and values['executor'] != 'events'
        self.intake = EffortIntake(
            node,
            topics,
            robot.joint_names,
            self.runner.command,
            self._polled,
            None if timed else self._step,
        )
        self._wrench = node.create_subscription(WrenchStamped, '~/external_wrench', self._push, 10)
        self.loop = self._make_loop(values)
        self.kernels = SessionKernels(
            node,
            robot.name,
            values['specialise'] and not robot.model.has_loops,
            functools.partial(specialised_step, portable(robot.model)),
            self._use,
            lambda: self._next_step is not None,
        )

    def _make_loop(self, values):
        tick = self._tick if self.timed else self._repeat
        return PeriodicLoop(self._period(), tick, self._fault, realtime(values))

    # Life.

    def activate(self):
        """Begin to run, and tell the state at once."""
        settle_memory()
        self.pause.__enter__()
        self._slots, self.running = 0, True
        with self.lock:
            self.tell()
        self.loop.start()
        for sentence in self.loop.warnings:
            self._node.get_logger().warning(sentence)
        try:
            require_granted(self.loop, self.values)
        except RobodynError:
            self.deactivate()
            raise

    def deactivate(self):
        """Stand still, and say nothing."""
        if self.running:
            self.running = False
            self.loop.stop()
            self.pause.__exit__()

    def close(self):
        """Give everything back."""
        self.deactivate()
        self.kernels.close()
        self.intake.close()
        self._node.destroy_subscription(self._wrench)
        self._state.close()
        self._clock_source.close()
        self._node.destroy_publisher(self._reset_notify)

    def adopt(self, values: Mapping[str, Any]):
        """Take over changed parameters, between two steps."""
        faults = make_faults(values, self.runner.plant.model)
        with self.lock:
            self.runner.plant.broken = self.runner.sensor.faults = faults
            self.values = values

    def keep_clock(self) -> str:
        """Publish /clock if that is wanted and nobody else does; '' or what stands against it."""
        return self._clock_source.look() if self.values['publish_clock'] else ''

    # Steps; under the lock.

    def reset(self):
        """Begin anew, and tell; kernels that waited for it are now in force."""
        self.runner.reset()
        self._take_kernel()
        self._tell_of_reset()

    def set_state(self, position, velocity):
        """Put the robot into a state, and tell; kernels as above."""
        self.runner.set_state(position, velocity)
        self._take_kernel()
        self._tell_of_reset()

    def tell(self):
        """Publish the state as it was measured, unless that was lost on the way."""
        self._told = time.monotonic()
        runner = self.runner
        simulated = runner.time
        stamp = simulated if self._simulated_stamps else self._clock.now().nanoseconds
        if runner.reading_valid:
            sensor = runner.sensor
            self._state.publish(stamp, sensor.position, sensor.velocity, runner.plant.effort)
        self._clock_source.tell(simulated)  # after the state: a cycle on /clock looks for it

    def last_told(self) -> tuple[JointState, MultiDOFJointState]:
        """The state as it was published last; empty messages where the reading was lost."""
        if not self.runner.reading_valid:
            return JointState(), MultiDOFJointState()
        return copy.deepcopy(self._state.messages)

    def _tell_of_reset(self):
        notice = Header(frame_id=self._frame_id)
        set_stamp(
            notice.stamp,
            self.runner.time if self._simulated_stamps else self._clock.now().nanoseconds,
        )
        self._reset_notify.publish(notice)
        self.tell()

    # Triggers.

    def _tick(self, _now: float):
        """Take the steps that are due: a robot does not wait for a computer that is late."""
        if self._polled:
            self.intake.poll()
        slots = self.loop.counts.cycles + self.loop.counts.missed
        due, self._slots = slots - self._slots, slots
        most = 1 if self._at_once else max(1, round(CATCH_UP * self.values['update_rate']))
        if due > most:
            self.lost += 0 if self._at_once else due - most
            due = most
        with self.lock:
            self.runner.advance(due)
            self.tell()

    def _step(self):
        """Take one step, in lock step."""
        with self.lock:
            if self.running:
                self.runner.advance()
                self.tell()

    def _repeat(self, now: float):
        """Tell the state again, for a commander that came late or missed it; same stamp."""
        with self.lock:
            if now - self._told > REPEAT:
                self.tell()

    def _period(self) -> float:
        if not self.timed:
            return REPEAT
        speed = self.values['update_rate'] * self.values['speed_factor']
        return 1.0 / speed if speed else AT_ONCE

    def _fault(self, error: Exception):
        if len(self.faults) < 100:
            self.faults.append(error)

    # Kernels.

    def _use(self, kernel):
        """Take steps with this kernel, at once where the clock makes the steps.

        Its last bits differ, so a run that can be repeated, in lock step or step by step, keeps
        the kernel it began with.
        """
        with self.lock:
            runner, self._next_step = self.runner, kernel
            if runner.steps == 0 or (self.timed and not runner.paused):
                self._take_kernel()

    def _take_kernel(self):
        if self._next_step is not None:
            self.runner.plant.use(self._next_step)
            self._next_step = None

    # Wrenches.

    def apply_wrench(self, message: WrenchStamped, duration: float):
        """Let a wrench act for a simulated time [s]; under the lock. Raises RobodynError."""
        force, torque = message.wrench.force, message.wrench.torque
        wrench = force.x, force.y, force.z, torque.x, torque.y, torque.z
        self.runner.plant.apply_wrench(message.header.frame_id[:200], wrench, duration)

    def _push(self, message: WrenchStamped):
        duration = self.values['external_wrench_timeout'] or float('inf')
        try:
            with self.lock:
                self.apply_wrench(message, duration)
        except RobodynError as error:
            self.refused_wrenches += 1
            self._node.get_logger().warning(
                f'An external wrench is refused: {error}', throttle_duration_sec=1.0
            )
