# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The experiment in lock step: its figures depend only on simulated time."""

import os
import time

import numpy as np

from robodyn_msgs.srv import Advance, ApplyWrench
from robodyn_ros.demonstration.experiment import (
    SERIES,
    SIMULATOR,
    Experiment,
    Record,
    trajectory_message,
)
from robodyn_ros.errors import RobodynError

NANOSECONDS = 1_000_000_000
PERIOD = 1_000_000  # [ns] of a step
EVERY = 5  # steps between two states of the controller
REPEAT = 1.0  # [s] before a service request is repeated
CHUNK = 500_000_000  # [ns] per call, so that the queues can hold all states
PUSH_EVERY = 20_000_000  # [ns] between forces


class LockStepExperiment(Experiment):
    """An experiment on simulated time: the same bits on every run and every processor.

    `urdf` (str or path): description of the arm.
    `controller`, `simulator` (dict): parameters by name.
    `progress` (callable): called with (state in a word, share done).
    """

    def __init__(self, urdf, controller, simulator, progress=lambda word, share: None):
        both = {'trigger': 'lock_step', 'update_rate': NANOSECONDS // PERIOD}
        rates = {'state_publish_rate': float(NANOSECONDS // (PERIOD * EVERY))}
        super().__init__(urdf, {**controller, **both, **rates}, {**simulator, **both}, progress)
        self._environment = {**os.environ, 'ROBODYN_REPRODUCIBLE': '1'}

    def __enter__(self):
        super().__enter__()
        self._clients = {
            kind: self._node.create_client(kind, f'{SIMULATOR}/{name}')
            for kind, name in ((Advance, 'advance'), (ApplyWrench, 'apply_wrench'))
        }
        try:
            for kind, client in self._clients.items():
                self._connect(client, kind)
        except BaseException:
            self.__exit__()
            raise
        return self

    def track(self, motion, joint_names):
        """Send a motion as one trajectory, and record until it has ended.

        Returns the run.
        Raises RobodynError: if the controller does not follow to the end.
        """
        self._wait_until(lambda: self._trajectory.get_subscription_count() > 0)
        self._trajectory.publish(trajectory_message(motion, joint_names))
        self._wait_until(lambda: self._state_name == 'ACTIVE')
        record = self._run(round(motion.duration * NANOSECONDS), CHUNK, 'tracking')
        self._require_following(record, motion)
        return record

    def push(self, frame, force, duration):
        """Push a frame, and record.

        `force` (callable): called with the time [s]; returns the force (3,) in the axes of the
          frame [N].
        `duration`: length of the run [s].
        Returns the run, with its pushes.
        """
        pushes = []

        def act(begin):
            request, t = ApplyWrench.Request(), begin / NANOSECONDS
            request.wrench.header.frame_id = frame
            f, linear = force(t), request.wrench.wrench.force
            linear.x, linear.y, linear.z = map(float, f)
            self._call(request, ApplyWrench)
            pushes.append((t, f))

        record = self._run(round(duration * NANOSECONDS), PUSH_EVERY, 'pushing', act)
        record.pushes = pushes
        return record

    def _run(self, duration, chunk, word, act=lambda begin: None):
        """Advance by a duration [ns] in chunks, call act(start [ns]) before each, and record."""
        self._states, self._complaint = [], ''
        start, cpu = time.monotonic(), self._cpu('controller')
        for begin in range(0, duration, chunk):
            act(begin)
            request = Advance.Request()
            request.duration.sec, request.duration.nanosec = divmod(
                min(chunk, duration - begin), NANOSECONDS
            )
            step = self._call(request, Advance).step
            self._wait_until(lambda: not self._misses(step))
            self._progress(word, (begin + chunk) / duration)
        seconds, cpu = time.monotonic() - start, self._cpu('controller') - cpu
        messages, self._states = self._states, None
        steps = np.array([_step(message) for message in messages])
        if np.any(np.diff(steps) != EVERY):
            raise RobodynError(
                f'received {len(steps)} states of {(steps[-1] - steps[0]) // EVERY + 1}; expected '
                'all of them'
            )
        return Record(
            (steps - steps[0]) * (PERIOD / NANOSECONDS),
            {name: np.array([getattr(m, name) for m in messages]) for name in SERIES},
            np.array([m.state for m in messages]),
            self._status,
            duration // PERIOD,
            0,
            seconds,
            cpu / seconds,
        )

    def _misses(self, step):
        """Return whether a ControllerState up to this step is still missing."""
        return not self._states or _step(self._states[-1]) <= step - EVERY

    def _connect(self, client, kind):
        """Send an empty request until it is refused, since the first answers may get lost."""
        self._wait_until(client.service_is_ready)
        answers = []
        while not any(answer.done() for answer in answers):
            answers.append(client.call_async(kind.Request()))
            again = time.monotonic() + REPEAT
            self._wait_until(lambda a=answers[-1], t=again: a.done() or time.monotonic() > t)

    def _call(self, request, kind):
        """Call a service, and return its response; raise an error if it refuses."""
        client = self._clients[kind]
        future = client.call_async(request)
        self._wait_until(future.done)
        response = future.result()
        if not response.success:
            raise RobodynError(
                f'{client.srv_name} of {SIMULATOR} refused: {response.message}\n{self._tails()}'
            )
        return response


def _step(message):
    """Return the number of the step of a message."""
    stamp = message.header.stamp
    return (stamp.sec * NANOSECONDS + stamp.nanosec) // PERIOD
