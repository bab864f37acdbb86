# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulator in lock step: it sends a state, and steps when all have answered."""

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

LONGEST = 3600  # [s] of simulated time per call, at most


class LockStepSimulation(SimulatorSession):
    """A simulated robot that steps when every participant has answered the last state."""

    def __init__(
        self, node, robot: Robot, values: Mapping[str, Any], contacts: Contacts | None = None
    ):
        require_settings(values, executor='single_threaded', speed_factor=1.0, free_base=False)
        if robot.model.nq != robot.model.nv:
            raise ParameterError(
                f"robot '{robot.name}': lock step is for joints of one degree of freedom; "
                'it has spherical or floating joints'
            )
        self._over, self._outcome, self._repeats = Event(), '', 0
        self._remote = self._heard = True  # whether the topics have subscribers
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
            realtime(values),
        )

    def deactivate(self):
        """Stop the simulation and its messages."""
        super().deactivate()
        self._finish('The simulation was deactivated.')

    def close(self):
        """Release all resources."""
        super().close()
        self._link.wake = None
        self._mailbox.close()
        self._node.destroy_publisher(self._publisher)

    @property
    def stands(self) -> bool:
        """Whether the run is at its goal."""
        return self.run.step == self.run.goal

    # Requests; the first three need the lock and a run that stands still.

    def restart_time(self):
        """Do nothing: a reset turns time back."""

    def reset(self):
        """Start a new epoch in the initial state."""
        self._require_standing()
        self.runner.reset()
        self._begin_epoch()

    def set_state(self, position, velocity):
        """Start a new epoch in a given state."""
        self._require_standing()
        self.runner.reset()
        self.runner.set_state(position, velocity)
        self._begin_epoch()

    def advance(self, nanoseconds: int) -> str:
        """Run for a simulated time and stop; return '', or why the run stopped earlier.

        It returns after the last state has been answered. A later request then takes effect with
        the next step.
        """
        steps, rest = divmod(nanoseconds, self.run.period)
        if rest or not 1 <= steps * self.run.period <= LONGEST * NANOSECONDS:
            raise RobodynError(
                f'The duration is {nanoseconds} ns; expected a multiple of the '
                f'period, {self.run.period} ns, up to {LONGEST} s.'
            )
        with self.lock:
            self._look_around()
            self._over.clear()
            self._repeats = 0
            self.run.goal = self.run.step + steps
        self._mailbox.wake()
        self._over.wait()
        if self._outcome and self.values['lock_step.on_silence'] == END:
            # after this call has been answered
            self._node.executor.create_task(signal.raise_signal, signal.SIGTERM)
        return self._outcome

    def _require_standing(self):
        if not self.stands:
            raise RobodynError('The simulation is on its way; expected that it stands.')

    def _begin_epoch(self):
        self.run.restart()
        self._look_around()
        self._report_reset()

    # Steps; under the lock.

    def publish_state(self):
        """Send the state, and the joint states if there are subscribers."""
        run = self.run
        self._measured = self._reading.copy()  # a participant in this process may keep it
        if not self.runner.reading_valid:  # the step needs an answer, even without a measurement
            self._measured[:] = np.nan
        if self._remote:
            self._publisher.publish(self._writer.first(run.epoch, run.step, *self._shown))
        self._published, self._repeats = time.monotonic(), 0
        if self._heard:
            super().publish_state()

    def repeat_states(self):
        """Send the joint states again, and those of later steps, to a node that has just joined.

        It is called from the stepping thread.
        """
        self._heard = True
        super().publish_state()

    @property
    def _shown(self):
        return *self._measured, self.runner.plant.effort

    def _look_around(self):
        """Check for subscribers while the run stands still, since discovery takes time."""
        self._remote = (
            any(name not in self._link for name in self.run.participants)
            or self._publisher.get_subscription_count() > 0
        )
        topics = self._state, self._instruments
        self._heard = self._clock_source.active or any(each.heard for each in topics)

    def _serve(self, data: bytes | None):
        with self.lock:
            if not self.running:
                return
            if data is not None:
                try:
                    self.run.answer(*self._reader.decode(data))
                except ParameterError as error:
                    self._stand(str(error))
            self._go_on()
            if time.monotonic() - self._published > self.values['lock_step.repeat_after']:
                self._repeat()

    def _go_on(self):
        """Take steps as long as all participants answer; call those of this process directly."""
        try:
            while self.running:
                self._ask()
                if not self.run.advance():
                    break
                self.publish_state()
        except ParameterError as error:
            self._stand(str(error))
        if self.run.step == self.run.goal and self.run.complete and not self._over.is_set():
            self._finish('')

    def _ask(self):
        """Ask the participants of this process that have not answered the current state."""
        run, missing = self.run, self.run.missing
        if missing:
            state = ReadState(run.epoch, run.step, run.period, self._measured)
            for name in missing:
                command = self._link.answer_of(name, state)
                if command is not None:
                    run.answer(name, run.epoch, run.step, command)

    def _repeat(self):
        run = self.run
        self._publisher.publish(self._writer.repeat(run.epoch, run.step, *self._shown))
        self._published = time.monotonic()
        self._repeats += 1
        most = self.values['lock_step.repeats']
        if most and self._repeats > most and self.run.missing and not self._over.is_set():
            self._stand(self.silence)

    @property
    def silence(self) -> str:
        """'', or which participants have not answered the current state."""
        run, missing = self.run, self.run.missing
        if not missing:
            return ''
        return (
            f'No answer from {", ".join(missing)} to step {run.step} at {run.time * 1e-9:g} s '
            f'of simulated time, which was sent {1 + self._repeats} times.'
        )

    def _stand(self, sentence: str):
        """Interrupt the run."""
        self.run.goal = self.run.step
        self._finish(sentence)
        self._node.get_logger().error(sentence, throttle_duration_sec=5.0)

    def _finish(self, sentence: str):
        self._outcome = sentence
        self._over.set()
