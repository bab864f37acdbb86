# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulator in lock step: it sends a state, and steps when all participants have answered."""

import signal
import time
from threading import Event
from typing import Any, Mapping

import numpy as np

from robodyn_msgs.msg import LockStepCommand, LockStepState
from robodyn_ros.errors import ParameterError, RobodynError
from robodyn_ros.model.contacts import Contacts
from robodyn_ros.robot.robot import Robot
from robodyn_ros.ros.common.realtime_parameters import realtime
from robodyn_ros.ros.simulator.simulator_parameters import COMMAND_TOPICS
from robodyn_ros.ros.simulator.simulator_session import SimulatorSession
from robodyn_ros.ros.transport.local_link import local_link
from robodyn_ros.ros.transport.lock_step_transport import (
    END,
    QOS,
    CommandReader,
    LockStepThread,
    Mailbox,
    ReadState,
    StateWriter,
    require_settings,
)
from robodyn_ros.simulation.lock_step import LockStep
from robodyn_ros.simulation.runner import NANOSECONDS

LONGEST = 3600  # [s] largest simulated time of one call


class LockStepSimulation(SimulatorSession):
    """A simulated robot that steps when every participant has answered the last state.

    `node` (Simulator): the node that owns the topics.
    `robot` (Robot): the described robot; the simulated one may differ.
    `values` (mapping of str to object): the node's parameters by name.
    `contacts` (Contacts or None): shapes that touch obstacles.
    Raises ParameterError: if a parameter or a joint does not fit lock step.
    """

    def __init__(
        self, node, robot: Robot, values: Mapping[str, Any], contacts: Contacts | None = None
    ):
        require_settings(values, speed_factor=1.0, free_base=False)
        if robot.model.nq != robot.model.nv:
            raise ParameterError(
                f"robot '{robot.name}': lock step is for joints of one degree of freedom; "
                'it has spherical or floating joints'
            )
        self._ended, self._reason, self._repeats = Event(), '', 0
        self._remote = self._has_subscribers = True  # for lock step, and for the joint states
        self._measured = np.empty((2, robot.nv))
        super().__init__(
            node,
            robot,
            {**values, **dict.fromkeys(COMMAND_TOPICS, ''), 'specialise': False},
            contacts,
        )

    def _make_loop(self, values):
        self.run = LockStep(
            self.runner, values['update_rate'], values['lock_step.participants'], time.time_ns()
        )
        self._reader = CommandReader()
        self._reading = self.runner.sensor.reading.reshape(2, -1)
        self._writer = StateWriter(self.runner.plant.model.joint_names, self.run.period)
        self._publisher = self._node.create_publisher(
            LockStepState, values['lock_step.state_topic'], QOS
        )
        self._mailbox = Mailbox(self._node, LockStepCommand, values['lock_step.command_topic'])
        self._link = local_link(self._node, values['lock_step.state_topic'])
        self._link.wake = self._mailbox.wake
        return LockStepThread(
            self._mailbox,
            1.0 / values['update_rate'],
            values['lock_step.repeat_after'],
            self._serve,
            self._fault,
            realtime(values, binds_process=True),
        )

    def deactivate(self):
        """Stop the simulation and its messages."""
        super().deactivate()
        self._end_run('The simulation was deactivated.')

    def close(self):
        """Release all resources."""
        super().close()
        self._link.wake = None
        self._mailbox.close()
        self._node.destroy_publisher(self._publisher)

    @property
    def is_halted(self) -> bool:
        """Whether the run has reached its goal."""
        return self.run.step == self.run.goal

    # Requests; all but `advance` need the lock and a halted run.

    def restart_time(self):
        """Do nothing: only a reset sets the time back in lock step."""

    def reset(self):
        """Start a new epoch in the initial state."""
        self._require_halted()
        self.runner.reset()
        self._begin_epoch()

    def set_state(self, position, velocity):
        """Start a new epoch in a given state."""
        self._require_halted()
        self.runner.reset()
        self.runner.set_state(position, velocity)
        self._begin_epoch()

    def advance(self, nanoseconds: int) -> str:
        """Run for a simulated time and halt.

        It returns after the last state has been answered. A later request then takes effect with
        the next step.

        `nanoseconds`: simulated time [ns], a multiple of the period.
        Returns '', or why the run halted earlier.
        Raises RobodynError: if the duration is invalid.
        """
        steps, rest = divmod(nanoseconds, self.run.period)
        if rest or not 1 <= steps * self.run.period <= LONGEST * NANOSECONDS:
            raise RobodynError(
                f'The duration is {nanoseconds} ns; expected a multiple of the '
                f'period, {self.run.period} ns, up to {LONGEST} s.'
            )
        with self.lock:
            self._check_subscribers()
            self._ended.clear()
            self._repeats = 0
            self.run.goal = self.run.step + steps
        self._mailbox.wake()
        self._ended.wait()
        if self._reason and self.values['lock_step.on_silence'] == END:
            # A task, so that the caller gets its answer first.
            self._node.executor.create_task(signal.raise_signal, signal.SIGTERM)
        return self._reason

    def _require_halted(self):
        if not self.is_halted:
            raise RobodynError('The simulation is running; expected it to be halted.')

    def _begin_epoch(self):
        self.run.restart()
        self._check_subscribers()
        self._report_reset()

    # Steps; under the lock.

    def publish_state(self):
        """Publish the state for lock step, and the joint states if there are subscribers."""
        run = self.run
        self._measured = self._reading.copy()  # as a participant in this process may keep it
        if (
            not self.runner.reading_valid
        ):  # a lost measurement: the step needs an answer all the same
            self._measured[:] = np.nan
        if self._remote:
            self._publisher.publish(self._writer.first(run.epoch, run.step, *self._state_values))
        self._published, self._repeats = time.monotonic(), 0
        if self._has_subscribers:
            super().publish_state()

    def repeat_states(self):
        """Publish joint states now and in later steps, for a node that has just joined.

        It is called from the stepping thread.
        """
        self._has_subscribers = True
        super().publish_state()

    @property
    def _state_values(self):
        return *self._measured, self.runner.plant.effort

    def _check_subscribers(self):
        """Check for subscribers while the run is halted, since discovery takes time."""
        self._link.is_shared = any(name not in self._link for name in self.run.participants)
        self._remote = self._link.is_shared or self._publisher.get_subscription_count() > 0
        topics = self._state, self._instruments
        self._has_subscribers = self._clock_source.active or any(
            each.has_subscribers for each in topics
        )

    def _serve(self, data: bytes | None):
        with self.lock:
            if not self.running:
                return
            if data is not None:
                try:
                    self.run.answer(*self._reader.decode(data))
                except ParameterError as error:
                    self._interrupt(str(error))
            self._step_while_answered()
            if time.monotonic() - self._published > self.values['lock_step.repeat_after']:
                self._repeat()

    def _step_while_answered(self):
        """Take steps as long as all participants answer."""
        try:
            while self._settle():
                self._ask_local_participants()
                if not (self.run.complete and self._settle() and self.run.advance()):
                    break
                self.publish_state()
        except ParameterError as error:
            self._interrupt(str(error))
        if self.run.step == self.run.goal and self.run.complete and not self._ended.is_set():
            self._end_run('')

    def _settle(self) -> bool:
        """Let nodes react to state or answers, with requests too; return whether to go on."""
        if self._link.settle is not None:
            self.lock.release()
            try:
                self._link.settle()
            finally:
                self.lock.acquire()
        return self.running

    def _ask_local_participants(self):
        """Call the participants of this process, when all others have answered.

        So a controller answers after it has received what the others sent before their answers.
        Only the first state it answers at once, as it becomes active by it.
        """
        run, missing, link = self.run, self.run.missing, self._link
        waits = link.is_shared and run.goal and any(name not in link for name in missing)
        if missing and not waits:
            state = ReadState(run.epoch, run.step, run.period, self._measured)
            for name in missing:
                command = self._link.answer_of(name, state)
                if command is not None:
                    run.accept(name, command)

    def _repeat(self):
        run = self.run
        self._publisher.publish(self._writer.repeat(run.epoch, run.step, *self._state_values))
        self._published = time.monotonic()
        self._repeats += 1
        most = self.values['lock_step.repeats']
        if most and self._repeats > most and self.run.missing and not self._ended.is_set():
            self._interrupt(self.silence)

    @property
    def silence(self) -> str:
        """'', or a sentence about participants that have not answered the current state."""
        run, missing = self.run, self.run.missing
        if not missing:
            return ''
        topic, nobody = self._mailbox.topic, ''
        if not self._node.count_publishers(topic):
            domain = self._node.context.get_domain_id()
            nobody = f" No node of the ROS domain {domain} publishes on '{topic}'."
        return (
            f'No answer from {", ".join(missing)} to step {run.step} at {run.time * 1e-9:g} s '
            f'of simulated time, which was sent {1 + self._repeats} times.{nobody}'
        )

    def _interrupt(self, sentence: str):
        """Halt the run before its goal."""
        self.run.goal = self.run.step
        self._end_run(sentence)
        self._node.get_logger().error(sentence, throttle_duration_sec=5.0)

    def _end_run(self, sentence: str):
        self._reason = sentence
        self._ended.set()
