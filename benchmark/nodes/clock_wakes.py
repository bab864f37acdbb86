# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Time of a processor that a controller takes for a message of /clock, by its two threads.

The thread of the session runs the cycle. In turn, the executor of rclpy receives each message too,
as in any other node, or sleeps. The controller holds no arm.
"""

import time
from pathlib import Path

import numpy as np
from rosgraph_msgs.msg import Clock

from benchmark import table
from robodyn_ros.testing.domain import move_to_own_domain
from robodyn_ros.testing.hosting import Hosted, ros_arguments
from robodyn_ros.testing.participant import Participant, wait_until

ARM = Path(__file__).resolve().parents[2] / 'config' / 'urdf' / 'franka_like.urdf'
PERIOD = 1_000_000  # [ns]
ROUNDS, MESSAGES = 7, 300
WAYS = 'the executor receives each message, too', 'the session sets the clock'


class ClockedController:
    """A controller on simulated time, and its clock."""

    def __init__(self):
        given = {'urdf_path': ARM, 'use_sim_time': True, 'specialise': False}
        self._participant, self._time = Participant(), 10**10
        self._hosted = Hosted(
            'controller', *ros_arguments({**given, 'robot_compensates_gravity': "'no'"})
        )
        self._clock = self._participant.publisher(Clock, '/clock')
        wait_until(lambda: self.session is not None, 'a configured controller', 180.0)
        wait_until(lambda: self.session.loop.running, 'a controller that runs')
        self._groups = {each: each.callback_group for each in self.session._relieved}

    @property
    def session(self):
        """The session of the controller."""
        return self._hosted.node.session

    def set_executor_awake(self, awake):
        """Let the executor receive messages of the clock, or leave them to the session."""
        for entity, group in self.session._relieved.items():
            entity.callback_group = group if awake else self._groups[entity]

    def turn(self):
        """Let a period go by, and wait for its cycle."""
        self._time += PERIOD
        message = Clock()
        message.clock.sec, message.clock.nanosec = divmod(self._time, 10**9)
        again = time.monotonic()
        while not self.session.has_reached(self._time):
            if time.monotonic() >= again:  # the first message may get lost
                self._clock.publish(message)
                again += 0.1
            time.sleep(5e-5)
        time.sleep(2e-3)  # the executor may be later than the session

    def times(self):
        """Return the time of a processor that each thread has had [s]."""
        threads = self._hosted._thread, self.session.loop._thread
        return np.array(
            [time.clock_gettime(time.pthread_getcpuclockid(each.ident)) for each in threads]
        )

    def close(self):
        """End the nodes."""
        self._hosted.close()
        self._participant.close()


def measure():
    """Return {way: [executor, session]} in us for each message, medians of rounds in turn."""
    move_to_own_domain()
    controller = ClockedController()
    found = {way: [] for way in WAYS}
    try:
        for _ in range(20):
            controller.turn()
        for _ in range(ROUNDS):
            for way in WAYS:
                controller.set_executor_awake(way == WAYS[0])
                for _ in range(5):
                    controller.turn()
                before = controller.times()
                for _ in range(MESSAGES):
                    controller.turn()
                found[way].append((controller.times() - before) / MESSAGES * 1e6)
    finally:
        controller.close()
    return {way: np.median(times, axis=0).tolist() for way, times in found.items()}


def show(result):
    """Print both ways as a table."""
    table.show(
        'A message of /clock: microseconds of a processor',
        ('way', 'executor', 'session'),
        [(way, *(f'{x:.0f}' for x in result[way])) for way in WAYS],
    )
