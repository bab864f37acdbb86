# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulated arm and its controller, watched."""

import math
import random
import time

from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from tools.soak.nodes import URDF, Node
from tools.soak.watcher import COMMANDS, LATCHED, NAME

JOINTS = ('joint1', 'joint2')
START = 900.0  # [s] for a node that compiles on a busy machine
STANDING = ('HOLD', 'ACTIVE')


class Arm:
    """Both nodes, and the failures of a part.

    Parameters
    ----------
    folder : path
        Folder for their logs.
    watcher : Watcher
        The watcher.
    seed : int
        Seed of the messages.
    given : dict
        Parameters of the controller.
    simulated : dict
        Parameters of the simulated arm.
    """

    def __init__(self, folder, watcher, seed, given=(), simulated=()):
        self.folder, self.watcher, self.rng = folder, watcher, random.Random(seed)
        self.failures, self.given, self.simulated = [], dict(given), dict(simulated)
        self.latest, self.done, self._refusal = math.inf, None, ''
        # latched, for nodes without a file of the description
        watcher.send(String, 'robot_description', String(data=URDF.read_text()), LATCHED)
        self.simulator, self.controller = self.make('simulator'), self.make('controller')
        self.expect(watcher.wait(lambda: watcher.state in STANDING, START), 'it did not stand')

    @property
    def nodes(self):
        """{name: Node} of both processes."""
        return {'controller': self.controller, 'simulator': self.simulator}

    def make(self, name, forked=False):
        """Start the simulated arm, or a controller that becomes active by itself."""
        topics = {
            'joint_states_topic': 'joint_states',
            'effort_command_topic': COMMANDS,
            **self.simulated,
        }
        law = {
            'law': 'computed_torque',
            'autostart': 'true',
            'robot_compensates_gravity': "'no'",
            **self.given,
        }
        return Node(name, self.folder, forked=forked, **(topics if name == 'simulator' else law))

    def replace(self, name, forked=False):
        """Kill a node and start another in its place."""
        getattr(self, name).kill()
        setattr(self, name, self.make(name, forked))

    def turns(self, count):
        """Yield 0 to count - 1 until the time is over; `done` is their number."""
        for self.done in range(1, count + 1):
            yield self.done - 1
            if time.monotonic() > self.latest:
                return

    def expect(self, condition, sentence):
        """Note a failure."""
        if not condition:
            self.failures.append(f'{sentence}, state {self.watcher.state}')

    def expect_alive(self):
        """Expect both processes to run, efforts within limit and rate, and no exception."""
        for node in self.nodes.values():
            self.expect(node.lives, f'{node.log.name} has ended')
            self.expect('Traceback' not in node.output(), node.log.name)
        self.expect(self.watcher.beyond == 0, f'{self.watcher.beyond} efforts beyond a limit')
        self.expect(self.watcher.leaps == 0, f'{self.watcher.leaps} efforts beyond the rate')

    def expect_good(self):
        """Expect both processes to run, and the arm to be commanded."""
        self.expect_alive()
        before = self.watcher.efforts
        self.expect(self.watcher.wait(lambda: self.watcher.efforts > before), 'it is silent')

    def close(self):
        """End both nodes."""
        for node in self.nodes.values():
            self.expect(node.end() == 0, f'{node.log.name} did not end well')

    def recover(self):
        """Reset a stop or a fault, and enable; repeat while a late state prevents it."""
        self.expect(self.watcher.wait(self._enabled), f'no recovery: {self._refusal}')

    def _enabled(self):
        if self.watcher.state not in STANDING:
            self.watcher.call(Trigger, f'{NAME}/reset')
            answer = self.watcher.call(SetBool, f'{NAME}/enable', SetBool.Request(data=True))
            self._refusal = answer.message if answer else 'enable has no answer'
            self.watcher.wait(lambda: self.watcher.state in STANDING, 1.0)
        return self.watcher.state in STANDING

    def trajectory(self, points=3):
        """Return a trajectory near the middle of the range."""
        found = JointTrajectory(joint_names=list(JOINTS))
        for k in range(points):
            positions = [self.rng.uniform(-0.3, 0.3) for _ in JOINTS]
            point = JointTrajectoryPoint(positions=positions)
            point.time_from_start.sec = k + 1
            found.points.append(point)
        return found
