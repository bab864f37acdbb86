# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The session of a simulator while it is configured for one robot."""

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
from robodyn_ros.model.contacts import Contacts
from robodyn_ros.realtime.loop import PeriodicLoop
from robodyn_ros.realtime.os_requests import CollectorPause, settle_memory
from robodyn_ros.robot.background_compiler import picklable_model
from robodyn_ros.robot.robot import Robot
from robodyn_ros.ros.common.joint_messages import set_stamp
from robodyn_ros.ros.common.realtime_parameters import realtime, require_granted
from robodyn_ros.ros.common.session_kernels import SessionKernels
from robodyn_ros.ros.simulator.clock_source import ClockSource
from robodyn_ros.ros.simulator.command_intake import CommandIntake
from robodyn_ros.ros.simulator.sensor_parameters import make_instruments
from robodyn_ros.ros.simulator.sensor_topics import SensorTopics
from robodyn_ros.ros.simulator.simulated_plant import (
    make_faults,
    make_plant,
    make_sensor,
    plant_kernels,
    simulated_robot,
)
from robodyn_ros.ros.simulator.simulator_parameters import COMMAND_TOPICS, TIMER
from robodyn_ros.ros.simulator.state_publisher import state_topics
from robodyn_ros.ros.transport.bounded_subscription import SMALL, BoundedSubscription, decoder_for
from robodyn_ros.ros.transport.lock_step_transport import LOCK_STEP
from robodyn_ros.simulation.elastic.elastic_plant import ElasticPlant
from robodyn_ros.simulation.flexible.flexible_plant import FlexiblePlant
from robodyn_ros.simulation.loops.passing_plant import PassingPlant
from robodyn_ros.simulation.runner import Runner
from robodyn_ros.simulation.specialised_step import specialised_step

LONGEST_STEP = 60  # [s] largest simulated time of one request of steps
MOST_SUBSTEPS = 300_000  # of one such request, which blocks other requests for seconds
LATCHED_QOS = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)

CATCH_UP = 0.05  # [s] largest simulated time per tick; further due steps are lost
FULL_SPEED_PERIOD = 1e-6  # [s] period of a loop that runs as fast as possible
REPEAT = 0.2  # [s] without a step before the state is repeated, if commands trigger steps


class SimulatorSession:
    """One simulated robot: plant, loop, and their topics.

    `node` (Simulator): the node that owns the topics.
    `robot` (Robot): the described robot; the simulated one may differ.
    `values` (mapping of str to object): the node's parameters by name.
    `contacts` (Contacts or None): shapes that touch obstacles.
    `runner` (Runner): the plant and its clock; use it under `lock`.
    `values` (mapping of str to object): parameters in force, by name.
    `timed`: whether the clock triggers the steps; otherwise commands do.
    `running`: whether the session is active.
    `lost`: due steps that were skipped because the machine was too slow.
    """

    def __init__(
        self, node, robot: Robot, values: Mapping[str, Any], contacts: Contacts | None = None
    ):
        robot = simulated_robot(values, robot)
        plant = make_plant(values, robot, contacts)
        warm_up(plant_kernels(values, contacts, robot))
        self.lock = Lock()
        is_flexible = isinstance(plant, FlexiblePlant)
        elastic = plant.elastic if isinstance(plant, ElasticPlant) else ()
        instruments = make_instruments(values, robot, elastic)
        self.runner = Runner(plant, make_sensor(values, robot), values['update_rate'], instruments)
        self.lost = self.refused_wrenches = 0
        self.faults: list[Exception] = []  # exceptions of the loop, for the node to report
        self.pause = CollectorPause()
        self._node, self._clock, self.running = node, node.get_clock(), False
        self._next_step = None  # kernel that waits for a reset
        self.adopt(values)
        timed = self.timed = values['trigger'] == TIMER
        self._simulated_stamps = values['publish_clock'] or not timed
        self._full_speed = values['speed_factor'] == 0.0
        self._frame_id = values['frame_id'] or robot.model.body_names[0]
        is_published = (
            values['publish_modes'] if is_flexible else elastic and values['publish_other_side']
        )
        other = plant if isinstance(plant, (ElasticPlant, FlexiblePlant)) else None
        extra_joints = (lambda: other.other_side) if other and is_published else None
        all_joints = plant.all_joints if isinstance(plant, PassingPlant) else None
        self._state = state_topics(
            node, robot.model, values, self._frame_id, extra_joints, all_joints
        )
        self._instruments = SensorTopics(node, instruments, robot.joint_names)
        self._ticks_done, self._published, self._stamp = 0, 0.0, 0
        self._reset_notify = node.create_publisher(Header, '~/reset_notify', LATCHED_QOS)
        self._clock_source = ClockSource(node, self.lock)
        topics = [values[name] for name in COMMAND_TOPICS]
        self.intake = CommandIntake(
            node,
            topics,
            plant,
            self.runner.command,
            timed,
            lambda: self.runner.time,
            None if timed else self._step,
            None if timed else lambda: self._stamp,
        )
        self._wrench = BoundedSubscription(
            node,
            WrenchStamped,
            '~/external_wrench',
            decoder_for(WrenchStamped, self._receive_wrench, self._refuse_wrench),
            10,
            SMALL,
            self._refuse_wrench,
        )
        self.loop = self._make_loop(values)
        self.kernels = SessionKernels(
            node,
            robot.name,
            values['specialise'] and not is_flexible,
            functools.partial(
                specialised_step,
                picklable_model(plant.stepped_model),
                plant.settings.integrator,
                contacts=contacts,
                led_joints=robot.model.has_loops,
            ),
            self._use_kernel,
            lambda: self._next_step is not None,
            values['lock_step.specialise'] and values['trigger'] == LOCK_STEP,
        )

    def _make_loop(self, values):
        tick = self._tick if self.timed else self._repeat
        return PeriodicLoop(self._period(), tick, self._fault, realtime(values))

    # Life cycle.

    def activate(self):
        """Start running, and publish the state at once."""
        if isinstance(self.loop, PeriodicLoop):  # no pause costs a cycle of simulated time
            settle_memory()
        self.pause.__enter__()
        self._ticks_done, self.running = 0, True
        with self.lock:
            self.publish_state()
        self.loop.start()
        for sentence in self.loop.warnings:
            self._node.get_logger().warning(sentence)
        try:
            require_granted(self.loop, self.values)
        except RobodynError:
            self.deactivate()
            raise

    def deactivate(self):
        """Stop the simulation and its messages."""
        if self.running:
            self.running = False
            self.loop.stop()
            self.pause.__exit__()

    def close(self):
        """Release all resources."""
        self.deactivate()
        self.kernels.close()
        self.intake.close()
        self._wrench.close()
        self._state.close()
        self._instruments.close()
        self._clock_source.close()
        self._node.destroy_publisher(self._reset_notify)

    def adopt(self, values: Mapping[str, Any]):
        """Apply changed parameters between two steps."""
        faults = make_faults(values, self.runner.plant.model)
        with self.lock:
            self.runner.plant.injected_faults = self.runner.sensor.faults = faults
            self.runner.plant.command_modes = values['command_modes']
            self.values = values

    def keep_clock(self) -> str:
        """Publish /clock if the parameters request it and no other node does.

        Returns '', or why /clock is not published.
        """
        return self._clock_source.start_or_yield() if self.values['publish_clock'] else ''

    @property
    def is_halted(self) -> bool:
        """Whether the simulation waits for requests of steps."""
        return self.runner.paused

    @property
    def most_steps(self) -> int:
        """Largest number of steps of one request."""
        return most_steps(self.values['update_rate'], self.values['substeps'])

    # Steps; under the lock.

    def restart_time(self):
        """Set simulated time back to zero; the state stays."""
        self.runner.steps = 0
        self.publish_state()

    def reset(self):
        """Reset and publish the state; kernels that waited for a reset take effect."""
        self.runner.reset()
        self._replace_kernel()
        self._report_reset()

    def set_state(self, position, velocity):
        """Set and publish the state; kernels that waited for a reset take effect."""
        self.runner.set_state(position, velocity)
        self._replace_kernel()
        self._report_reset()

    def publish_state(self):
        """Publish the measured state, unless the sensor lost it."""
        self._published = time.monotonic()
        runner = self.runner
        simulated = runner.time
        stamp = simulated if self._simulated_stamps else self._clock.now().nanoseconds
        if runner.reading_valid:
            sensor, self._stamp = runner.sensor, stamp
            self._state.publish(stamp, sensor.position, sensor.velocity, runner.plant.effort)
        self._instruments.publish(stamp)
        self._clock_source.publish(simulated)  # last, as it triggers a cycle that reads the state

    def last_published(self) -> tuple[JointState, MultiDOFJointState]:
        """Return the last published state; empty messages if the measurement was lost."""
        if not self.runner.reading_valid:
            return JointState(), MultiDOFJointState()
        return copy.deepcopy(self._state.messages)

    def _report_reset(self):
        notice = Header(frame_id=self._frame_id)
        set_stamp(
            notice.stamp,
            self.runner.time if self._simulated_stamps else self._clock.now().nanoseconds,
        )
        self._reset_notify.publish(notice)
        self.intake.release_joints()
        self.publish_state()

    # Triggers.

    def _tick(self, _now: float):
        """Take the due steps: a robot does not wait for a late computer."""
        self.intake.poll()
        ticks = self.loop.counts.cycles + self.loop.counts.missed
        due, self._ticks_done = ticks - self._ticks_done, ticks
        most = 1 if self._full_speed else max(1, round(CATCH_UP * self.values['update_rate']))
        if due > most:
            self.lost += 0 if self._full_speed else due - most
            due = most
        with self.lock:
            self.runner.advance(due)
            self.publish_state()

    def _step(self):
        """Take one step, triggered by a command."""
        with self.lock:
            if self.running:
                self.runner.advance()
                self.publish_state()

    def _repeat(self, now: float):
        """Repeat the state under the same stamp, for a controller that missed it."""
        with self.lock:
            if now - self._published > REPEAT:
                self.publish_state()

    def _period(self) -> float:
        if not self.timed:
            return REPEAT
        speed = self.values['update_rate'] * self.values['speed_factor']
        return 1.0 / speed if speed else FULL_SPEED_PERIOD

    def _fault(self, error: Exception):
        if len(self.faults) < 100:
            self.faults.append(error)

    # Kernels.

    def _use_kernel(self, kernel):
        """Use this kernel for the steps; it waits for a reset if commands trigger them.

        Kernels differ in rounding. So a repeatable run, by commands or step by step, keeps its
        first kernel.
        """
        with self.lock:
            runner, self._next_step = self.runner, kernel
            if runner.steps == 0 or (self.timed and not runner.paused):
                self._replace_kernel()

    def _replace_kernel(self):
        if self._next_step is not None:
            self.runner.plant.replace_kernel(self._next_step)
            self._next_step = None

    # Wrenches.

    def apply_wrench(self, message: WrenchStamped, duration: float):
        """Apply a wrench; the caller holds the lock.

        `message`: wrench in the frame of its header [N, N m].
        `duration`: simulated time for which it acts [s].
        Raises RobodynError: if the wrench is invalid.
        """
        force, torque = message.wrench.force, message.wrench.torque
        wrench = force.x, force.y, force.z, torque.x, torque.y, torque.z
        self.runner.plant.apply_wrench(message.header.frame_id[:200], wrench, duration)

    def _receive_wrench(self, message: WrenchStamped):
        duration = self.values['external_wrench_timeout'] or float('inf')
        try:
            with self.lock:
                self.apply_wrench(message, duration)
        except RobodynError as error:
            self._refuse_wrench(str(error))

    def _refuse_wrench(self, sentence: str):
        self.refused_wrenches += 1
        self._node.get_logger().warning(
            f'An external wrench is refused: {sentence}', throttle_duration_sec=1.0
        )


def most_steps(update_rate: int, substeps: int) -> int:
    """Return the largest number of steps of ~/step.

    `update_rate`: steps per second of simulated time [Hz].
    `substeps`: substeps of a step.
    """
    return max(1, min(LONGEST_STEP * update_rate, MOST_SUBSTEPS // substeps))
