# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A simulator, and what its tests say to it: on its own clock, or standing between steps."""

import math
import threading
import time
from array import array

import numpy as np
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import SetBool, Trigger

from robodyn_msgs.srv import StepSimulation
from robodyn_ros.testing.participant import AGAIN
from support.nodes.node_harness import COLD, ROOT, TWO_LINK, wait_until

ARM = ROOT / 'config' / 'urdf' / 'franka_like.urdf'
JOINTS = [f'joint{k}' for k in range(1, 8)]
STATES, COMMANDS = '/joint_states', '/robot_joint_commands'
EFFORTS = '/forward_effort_controller/commands'
NODE = '/robodyn_simulator'
DEEP = QoSProfile(depth=1000, reliability=ReliabilityPolicy.RELIABLE)

#: A body of a URDF, and a robot with a floating, a planar and a revolute joint.
BODY = """<inertial><origin xyz="0.1 {y} -0.05" rpy="0.2 0.1 0.3"/><mass value="{mass}"/>
  <inertia ixx="0.3" iyy="0.4" izz="0.5" ixy="0.02" ixz="-0.01" iyz="0.03"/></inertial>"""
FERRY = f"""<robot name="ferry"><link name="sea"/>
  <link name="hull">{BODY.format(y=0.2, mass=5.0)}</link>
  <link name="mast">{BODY.format(y=-0.1, mass=1.0)}</link>
  <link name="cart">{BODY.format(y=0.1, mass=2.0)}</link>
  <joint name="mast" type="revolute"><parent link="hull"/><child link="mast"/>
    <origin xyz="0.2 0 0.4" rpy="0.1 0.2 0.3"/><axis xyz="0.6 0 0.8"/>
    <limit lower="-2" upper="2" velocity="90" effort="50"/></joint>
  <joint name="swim" type="floating"><parent link="sea"/><child link="hull"/>
    <origin xyz="0.5 -0.4 0.3" rpy="0.3 -0.6 0.9"/></joint>
  <joint name="deck" type="planar"><parent link="hull"/><child link="cart"/>
    <origin xyz="-0.3 0.2 0.1" rpy="-0.2 0.4 0.6"/><axis xyz="0.48 -0.6 0.64"/></joint>
  </robot>"""


class Arm:
    """A simulator, its states, and publishers of commands that it listens to.

    `start` makes it a process of its own, `host` a node of this process.
    """

    def __init__(self, graph, start, urdf=TWO_LINK, **parameters):
        self.graph = graph
        self._wall_time = parameters.get('trigger') != 'command' and not parameters.get(
            'publish_clock'
        )
        self.states = graph.collect(JointState, STATES, DEEP)
        self.process = start('simulator', urdf_path=urdf, **parameters)
        self.first = self.states.wait(what='the first state', timeout=COLD)

    def publisher(self, kind, topic):
        """Return a publisher that the simulator has found."""
        return self.graph.publisher(kind, topic)

    def call(self, kind, name, **fields):
        """Call a service of the simulator."""
        return ask(self.graph, kind, name, **fields)

    def next(self, condition=lambda _: True, what='a new state'):
        """Return the next published state that meets a condition; older ones are dropped. The
        clock of the machine only separates old from new.
        """
        now = time.time_ns() if self._wall_time else 0
        self.states.clear()
        state = self.states.wait(lambda told: nanoseconds(told) >= now and condition(told), what)
        self.states.messages = [old for old in self.states.messages if nanoseconds(old) >= now]
        return state

    def stream(self, publisher, message):
        """Return a started thread that publishes at 200 Hz until its `done` is set."""
        thread = Stream(publisher, message)
        thread.start()
        return thread


class StandingArm(Arm):
    """A simulator in this process, paused: its state changes only where the test takes steps."""

    def __init__(self, graph, host, urdf=TWO_LINK, **parameters):
        super().__init__(graph, host, urdf, **parameters)
        self.pause()
        # the very first answer of a service may get lost, and a step is not to be asked for twice
        assert not self.call(StepSimulation, 'step', steps=0).success

    @property
    def intake(self):
        """What has counted the commands that came."""
        return self.process.node.session.intake

    def pause(self, wanted=True):
        """Pause, or go on by the clock of the machine."""
        assert self.call(SetBool, 'pause', data=wanted).success

    def reset(self):
        """Stand in the initial state."""
        assert self.call(Trigger, 'reset').success

    def say(self, publisher, message):
        """Publish a command, and wait until it was accepted or refused."""
        before, asked = self._heard, -math.inf

        def heard():
            nonlocal asked
            if (
                time.monotonic() > asked + AGAIN
            ):  # the first message to a new listener may get lost
                publisher.publish(message)
                asked = time.monotonic()
            return self._heard > before

        wait_until(heard, f'word of a message on {publisher.topic_name}')

    def ask_for_steps(self, count):
        """Return the answer of ~/step."""
        request = StepSimulation.Request(steps=count)
        return self.graph.call(StepSimulation, f'{NODE}/step', request, timeout=COLD)

    def step(self, count=1):
        """Take steps, and return the state published then."""
        answer = self.ask_for_steps(count)
        assert answer.success, answer.message
        return self.next()

    def obey(self, publisher, message, count):
        """Take steps under a command that is renewed at each twentieth; return the state then."""
        for done in range(0, count, 20):
            self.say(publisher, message)
            state = self.step(min(20, count - done))
        return state

    @property
    def _heard(self):
        return self.intake.accepted + self.intake.empty + self.intake.rejected.total()


class Stream(threading.Thread):
    """Publishes the same message at 200 Hz; `with` ends it."""

    def __init__(self, publisher, message):
        super().__init__(daemon=True)
        self._publisher, self._message, self._done = publisher, message, threading.Event()

    def run(self):
        while not self._done.wait(0.005):
            self._publisher.publish(self._message)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._done.set()
        self.join()


def ask(graph, kind, name, **fields):
    """Call a service of the simulator whose effect is the same twice; see Participant.call."""
    return graph.call(kind, f'{NODE}/{name}', kind.Request(**fields), again=True)


def nanoseconds(state):
    """Return the stamp of a state."""
    return state.header.stamp.sec * 10**9 + state.header.stamp.nanosec


def posture(state):
    """Return position, velocity and effort as arrays; every one full and finite."""
    arrays = [np.array(state.position), np.array(state.velocity), np.array(state.effort)]
    for values in arrays:
        assert len(values) in (0, len(state.name)) and np.all(np.isfinite(values))
    return arrays


def floats(values):
    """Return a Float64MultiArray."""
    return Float64MultiArray(data=array('d', values))
