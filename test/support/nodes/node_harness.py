# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Nodes as processes, and a participant that watches them: conditions with deadlines."""

import functools
import os
import threading
import time
from array import array
from pathlib import Path

import numpy as np
from rcl_interfaces.srv import GetParameters  # noqa: F401
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState

from robodyn_ros.ros.controller.simulated_time_session import SimulatedTimeSession
from robodyn_ros.testing.ending import closing_factory
from robodyn_ros.testing.hosting import Hosted, ros_arguments
from robodyn_ros.testing.participant import LATCHED, Participant, wait_until
from robodyn_ros.testing.started_node import SOON, StartedNode

ROOT = Path(__file__).resolve().parents[3]
TWO_LINK = ROOT / 'config' / 'urdf' / 'two_link.urdf'
COLD = 180.0  # [s] allowed for a node that may have to compile everything on a busy machine
PATH = {'PYTHONPATH': os.pathsep.join(filter(None, (str(ROOT), os.environ.get('PYTHONPATH'))))}


class HostedNode(Hosted):
    """A node in this process, with the face of a started one."""

    def __init__(self, name, *arguments):
        super().__init__(name, *arguments)
        HOSTED.append(self)

    def end_well(self):
        """End the node, which must have had nothing to complain of."""
        self.close()
        assert 'Traceback' not in self.output

    def close(self):
        if self in HOSTED:
            HOSTED.remove(self)
        super().close()

    def waits_for(self, time):
        """Whether a controller on simulated time has not run its cycle of that time [ns] yet."""
        session = getattr(self.node, 'session', None)
        return isinstance(session, SimulatedTimeSession) and not session.has_reached(time)

    @property
    def lags(self):
        """Whether a controller on simulated time has had no joint state for a while."""
        session = getattr(self.node, 'session', None)
        if not isinstance(session, SimulatedTimeSession):
            return False
        measured = session.supervisor.measurement
        return measured is not None and session.now() - measured.time > LAG


LAG = 0.04  # [s] of simulated time, a fifth of the timeout of joint states
HOSTED: list[HostedNode] = []  # what runs in this process now


def host():
    """Yield a function that starts nodes in this process, and end what it has started."""

    def hosted(name, *arguments, **parameters):
        arguments += tuple(ros_arguments({'specialise': False, **parameters}))
        return HostedNode(name, *arguments)

    yield from closing_factory(hosted)


MAIN = 'import sys\nfrom robodyn_ros.nodes.{} import main\nsys.exit(main())\n'


class ForkedNode(StartedNode):
    """A node in a fork of a process that has imported it, which takes most of a start.

    Parameters
    ----------
    python : WarmPython
        The process.
    *rest
        As of StartedNode; the command begins with the name of the node.
    """

    def __init__(self, python, *rest):
        self._python = python
        super().__init__(*rest)

    def _begin(self, command, environment):
        name, *arguments = command
        return self._python.start(
            MAIN.format(name), self._log.parent, arguments, environment, self._log, self._log
        )


def from_warm(warm_nodes, node_command):
    """Return the function that starts a node as a fork; where imports would differ, from new."""

    def begin(name, arguments, folder):
        if warm_nodes.serves({**os.environ, **PATH}):
            return ForkedNode(warm_nodes, [name, '--ros-args', *arguments], folder, PATH)
        return StartedNode(node_command(name, *arguments), folder, PATH)

    return begin


def processes(begin, tmp_path_factory):
    """Yield a function that starts nodes as processes, and end what it has started.

    `begin` starts one; it is called with its name, its ROS arguments and a folder.
    """

    def process(name, *arguments, **parameters):
        # kernels of one robot are compiled where a test asks for them
        for key, value in {'specialise': False, **parameters}.items():
            arguments += ('-p', f'{key.replace("__", ".")}:={value}')
        return begin(name, arguments, tmp_path_factory.mktemp(name))

    yield from closing_factory(process)


class Graph(Participant):
    """Our own participant, spun by a thread of its own."""


class FakeArm:
    """Publishes joint states at a rate; `alter(message)` may spoil or skip (False) one.

    Not a simulation: the arm stays where `position` says. It publishes simulated time too, which
    goes on when every hosted controller has run its cycle: a busy machine makes no state late.
    Simulated time is faster than the clock by SPEED, so that no test waits for long.
    """

    SPEED = 2

    def __init__(self, graph, joint_names, position, rate=100.0, topic='joint_states'):
        self.position = list(position)
        self.names = list(joint_names)
        self.alter = None
        self.published = 0
        self.last_time = 0.0
        self._graph = graph
        self._publisher = graph.node.create_publisher(JointState, topic, 1)
        self._clock = graph.node.create_publisher(Clock, '/clock', 1)
        if FakeArm._driver is None:  # time has one source
            FakeArm._driver = self
        self._period, self._stopping = 1.0 / rate, threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def message(self):
        message = JointState(
            name=self.names,
            position=array('d', self.position),
            velocity=array('d', [0.0] * len(self.names)),
        )
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(self.time, 10**9)
        return message

    @property
    def time(self):
        """Simulated time [ns], which no arm of this process turns back."""
        return FakeArm._now

    _now = 10**12
    _driver = None

    def _run(self):
        due, step = time.monotonic(), round(self.SPEED * self._period * 1e9)
        while not self._stopping.wait(max(0.0, due - time.monotonic())):
            due = max(due + self._period, time.monotonic())
            FakeArm._now += step if FakeArm._driver is self else 0
            message = self.message()
            if self.alter is None or self.alter(message) is not False:
                self.last_time = self.time
                self._publisher.publish(message)
                self.published += 1
            if FakeArm._driver is self:
                self._turn_clock()
                if self.alter is None and any(node.lags for node in list(HOSTED)):
                    self._stopping.wait(0.05)  # the middleware has not delivered it yet

    def _turn_clock(self):
        message = Clock(clock=self.message().header.stamp)
        self._clock.publish(message)
        again = time.monotonic() + 0.1
        while any(node.waits_for(self.time) for node in list(HOSTED)):
            if self._stopping.wait(0.0005):
                return
            if time.monotonic() > again:  # the first one to a new listener may get lost
                self._clock.publish(message)
                again += 0.1

    def stop(self):
        self._stopping.set()
        self._thread.join()
        if FakeArm._driver is self:
            FakeArm._driver = None
        self._graph.node.destroy_publisher(self._publisher)
        self._graph.node.destroy_publisher(self._clock)


def nanoseconds(message):
    """Return the stamp of a message [ns]."""
    return message.header.stamp.sec * 10**9 + message.header.stamp.nanosec


def action_answer(client, ask, what):
    """Return the answer to what ask() sends for an ActionClient, by the executor's thread.

    The client drops an answer that another thread takes before the request is noted.
    """
    asked = client._node.executor.create_task(ask)
    wait_until(asked.done, f'a request of {what}')
    answer = asked.result()
    wait_until(answer.done, what)
    return answer.result()


CONTROLLER = '/robodyn_controller'
COMMANDS = '/forward_effort_controller/commands'
JOINTS = ('joint1', 'joint2')
POSTURE = (0.4, -0.7)

# On the wall clock: a slow loop, and an arm whose joint states come late is not dropped.
EASY = {
    'urdf_path': str(TWO_LINK),
    'update_rate': 200,
    'state_timeout': 0.2,
    # the arm of most tests does not move
    'stuck_action': 'warn',
    'following_action': 'warn',
    'robot_compensates_gravity': "'no'",
}
# In this process, on the time of a FakeArm: one cycle for each of its states.
SIMULATED = {**EASY, 'update_rate': 50, 'stale_action': 'zero', 'use_sim_time': True}


class ControllerProbe:
    """What a test sees of a controller: status, commands, state."""

    def __init__(self, graph, commands=COMMANDS, name=CONTROLLER):
        from diagnostic_msgs.msg import DiagnosticArray
        from std_msgs.msg import Float64MultiArray

        from robodyn_msgs.msg import ControllerStatus

        self.graph, self.name = graph, name
        self.statuses = graph.collect(ControllerStatus, f'{name}/status', LATCHED)
        self.commands = graph.collect(Float64MultiArray, commands)
        self.diagnostics = graph.collect(DiagnosticArray, '/diagnostics')

    @functools.cached_property
    def states(self):
        """Reports of each cycle, from the first look on; they take time, few tests need them."""
        from robodyn_msgs.msg import ControllerState

        return self.graph.collect(ControllerState, f'{self.name}/controller_state')

    @property
    def state(self):
        return self.statuses.last.state_name if self.statuses.last else ''

    @property
    def message(self):
        """The sentence of the last status."""
        return self.statuses.last.message if self.statuses.last else ''

    @property
    def effort(self):
        """The efforts commanded last, NaN before any was."""
        last = self.commands.last
        return np.array(last.data) if last else np.array([np.nan])

    def wait_for(self, state, reason=None, timeout=SOON):
        """Return the present status, or the next one, with that state (and reason)."""

        def present():
            last = self.statuses.last
            return (
                last
                if last and last.state_name == state and reason in (None, last.reason)
                else None
            )

        try:
            return wait_until(present, f'{state} {reason or ""}', timeout)
        except AssertionError as error:
            raise AssertionError(f'{error}; the last status was {self.statuses.last}') from None

    def next_status(self):
        """Return a status that is published from now on."""
        last = self.statuses.last
        wait_until(lambda: self.statuses.last is not last, 'a status')
        return self.statuses.last

    def next_command(self):
        """Return a command that is published from now on."""
        count = len(self.commands.messages)
        wait_until(lambda: len(self.commands.messages) > count, 'a command')
        return list(self.commands.messages[-1].data)

    def diagnosed(self, entry):
        """Return what the next report says under that name."""
        name = f'{self.name.strip("/")}: {entry}'
        self.diagnostics.clear()
        report = self.diagnostics.wait(
            lambda message: message.status[0].name.startswith(self.name.strip('/'))
        )
        return next(status for status in report.status if status.name == name)

    def last_refusal(self):
        """Return the sentence about the last reference that was refused."""
        node = getattr(self, 'node', None)
        if isinstance(node, HostedNode):  # a report takes a second
            return node.node.session.last_refusal
        values = {pair.key: pair.value for pair in self.diagnosed('references').values}
        return values['last_refusal']

    def trigger(self, service):
        from std_srvs.srv import Trigger

        return self.graph.call(Trigger, f'{self.name}/{service}')

    def enable(self, wanted=True):
        from std_srvs.srv import SetBool

        return self.graph.call(SetBool, f'{self.name}/enable', SetBool.Request(data=wanted))

    def set(self, **parameters):
        return self.graph.set_parameters(self.name, **parameters)

    def change_state(self, transition):
        """Call for a transition of the lifecycle by label or number; whether it succeeded."""
        from lifecycle_msgs.srv import ChangeState

        request = ChangeState.Request()
        if isinstance(transition, int):
            request.transition.id = transition
        else:
            request.transition.label = transition
        return self.graph.call(ChangeState, f'{self.name}/change_state', request, COLD).success
