# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Robots for integration tests: simulated, alone or under our controller, in lock step.

Simulated time advances only by calls of the test, so results do not depend on the machine.
"""

import contextlib
import time
from typing import Any, Callable, Mapping, NamedTuple

import numpy as np
from geometry_msgs.msg import WrenchStamped
from rclpy.parameter import Parameter
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robodyn_ros.errors import short_repr
from robodyn_ros.ros.transport.local_link import local_link
from robodyn_ros.ros.transport.lock_step_transport import ReadState
from robodyn_ros.ros.transport.rcl_ffi import octets_of
from robodyn_ros.simulation.command_modes import CODES, Command
from robodyn_ros.testing.context import end_context, new_context
from robodyn_ros.testing.hosting import Hosted, ros_arguments
from robodyn_ros.testing.nodes_under_test import NodesUnderTest
from robodyn_ros.testing.participant import ALL, Inbox, Participant, plain, wait_until
from robodyn_ros.testing.topic_commands import KINDS, TopicCommands

NANOSECONDS = 1_000_000_000
START = 180.0  # [s] of wall time; a first start may compile
TEST = 'test'  # name of the test as a participant
#: [s] Fast DDS drops what it sends to a new listener before the first answer of that one.
HANDSHAKE = 0.1


class RobotState(NamedTuple):
    """The true state of a simulated robot; each array is (n,), in the order of its joints.

    Parameters
    ----------
    time : float
        Simulated time [s].
    position : (n,) ndarray
        Positions [rad or m].
    velocity : (n,) ndarray
        Velocities [rad/s or m/s].
    effort : (n,) ndarray
        Acting efforts [N m or N].
    """

    time: float  # simulated [s]
    position: np.ndarray  # [rad | m]
    velocity: np.ndarray  # [rad/s | m/s]
    effort: np.ndarray  # acting [N m | N]

    def __repr__(self):
        return short_repr(self)


class SimulatedRobot:
    """A simulated robot that steps when its controller has answered the last state.

    Parameters
    ----------
    urdf : str or path
        Path of the robot's description.
    command_topic : str
        Topic of the commands of a node under test, which answers each joint state; '' if the test
        calls `command`.
    command_type : str
        'float64_multi_array' or 'joint_state'.
    quantity : str
        Quantity of a Float64MultiArray: 'effort', 'position' or 'velocity'. The joints take it by
        the parameter `command_modes`.
    every : int
        Steps between joint states that the node under test answers.
    patience : float
        Longest wait for an answer, in wall time [s].
    **parameters
        Of the simulator, with two underscores for a dot.

    Attributes
    ----------
    participant : Participant
        Node of the test: publishers, inboxes, services.
    simulator : Hosted
        The simulator.
    joint_names : list of str
        The joints.

    Raises
    ------
    AssertionError
        If the simulator refuses a parameter, or does not know it; the message says why.
    ValueError
        For an unknown type of command or quantity.
    """

    def __init__(
        self,
        urdf,
        *,
        command_topic: str = '',
        command_type: str = 'float64_multi_array',
        quantity: str = 'effort',
        every: int = 1,
        patience: float = 20.0,
        **parameters: Any,
    ):
        self._events: list[tuple[int, Callable[[], None]]] = []
        self._tested = NodesUnderTest()
        _one_of('command_type', command_type, KINDS)
        _one_of('quantity', quantity, CODES)
        self._context = context = new_context()
        self._closing = contextlib.ExitStack()
        self._closing.callback(end_context, context)
        with contextlib.ExitStack() as failure:
            failure.callback(self.close)
            self.participant = Participant()
            self._closing.callback(self.participant.close)
            self._tested.exchange.join(self.participant.node)
            values = {
                'urdf_path': urdf,
                'trigger': 'lock_step',
                'joint_states_topic': 'joint_states',
                'lock_step__participants': [TEST],
                'specialise': False,
                **parameters,
            }
            self.simulator = self._host('simulator', values)
            self._await(lambda: self._active(self.simulator))
            _refuse_unknown(self.simulator, values)
            self.joint_names = list(self._session.runner.plant.model.joint_names)
            nothing = np.full(len(self.joint_names), np.nan)
            self._command = Command(nothing, np.zeros_like(nothing))
            if command_topic:
                commands = TopicCommands(
                    self.participant.node,
                    self.simulator.node.get_logger(),
                    self._session.runner.plant,
                    command_topic,
                    command_type,
                    quantity,
                    every,
                    patience,
                    self._session.repeat_states,
                    lambda: self._tested.is_advancing,
                )
                self._join(TEST, commands.answer)
            elif TEST in values['lock_step__participants']:
                self._join(TEST, self._answer)
            failure.pop_all()

    def __repr__(self):
        name = self._session.runner.plant.model.name
        return f'<{type(self).__name__} {name!r} at t = {self.time:.6g} s>'

    # State.

    @property
    def state(self) -> RobotState:
        """The current true state."""
        run, plant = self._session.run, self._session.runner.plant
        return RobotState(
            run.time / NANOSECONDS, plant.q.copy(), plant.qd.copy(), plant.effort.copy()
        )

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.state.time

    @property
    def position(self) -> np.ndarray:
        """True positions (n,) [rad | m]."""
        return self.state.position

    @property
    def velocity(self) -> np.ndarray:
        """True velocities (n,) [rad/s | m/s]."""
        return self.state.velocity

    @property
    def torque(self) -> np.ndarray:
        """Acting efforts (n,) [N m | N]."""
        return self.state.effort

    @property
    def log(self) -> str:
        """The log of the simulator."""
        return self.simulator.output

    # Time.

    def advance(self, seconds: float) -> RobotState:
        """Advance simulated time.

        Parameters
        ----------
        seconds : float
            Duration of an integer number of steps [s].

        Returns
        -------
        RobotState
            The state at the end.

        Raises
        ------
        AssertionError
            If the run ends earlier; the message says why.
        ValueError
            For a negative duration, or one that is not finite.
        """
        if not (np.isfinite(seconds) and seconds >= 0.0):
            raise ValueError(f'got {seconds} s to advance; expected 0 or more, and finite')
        end = self._session.run.time + round(seconds * NANOSECONDS)
        while True:
            now = self._session.run.time
            for event in [event for event in self._events if event[0] <= now]:
                self._events.remove(event)
                event[1]()
            if now >= end:
                return self.state
            until = min([end, *(time for time, _ in self._events)])
            sentence = self._tested.advance(until - now)
            assert not sentence, f'{sentence}\n{self.log}'

    def step(self, count: int = 1) -> RobotState:
        """Take steps; return the state at the end.

        Parameters
        ----------
        count : int
            Number of steps.
        """
        return self.advance(count * self._session.run.period / NANOSECONDS)

    def advance_until(
        self, condition: Callable[[], Any], what: str, most: float = 60.0, by: float = 0.01
    ):
        """Advance until a condition is true, and return its value.

        Parameters
        ----------
        condition : callable
            Evaluated while the simulation stands still.
        what : str
            Name of the awaited event, for the message.
        most : float
            Longest simulated time [s].
        by : float
            Simulated time between checks [s].

        Raises
        ------
        AssertionError
            If it does not become true.
        """
        end = self.time + most
        while not (value := condition()):
            assert self.time < end, f'{what}: not within {most} s of simulated time\n{self.log}'
            self.advance(by)
        return value

    def at(self, time: float, action: Callable[[], Any]):
        """Call a function at a simulated time, between two steps.

        Parameters
        ----------
        time : float
            Simulated time [s].
        action : callable
            The function, without arguments.

        Raises
        ------
        ValueError
            If that time has passed.
        """
        if not time >= self.time:
            raise ValueError(f'got {time} s for an action; expected at least {self.time:g} s, now')
        self._events.append((round(time * NANOSECONDS), action))

    def during(self, begin: float, end: float, **parameters: Any):
        """Set parameters of the simulator between two simulated times.

        Losing 30 % of the states: `during(1.0, 2.0, fault__dropped_states=0.3)`.

        Parameters
        ----------
        begin, end : float
            Simulated times [s]. At the end the earlier values return.
        **parameters
            Of the simulator, with two underscores for a dot.

        Raises
        ------
        ValueError
            If the begin has passed, or is not before the end.
        AssertionError
            For an unknown parameter.
        """
        if not begin < end:
            raise ValueError(f'got {begin} s to {end} s; expected a begin before the end')
        _refuse_unknown(self.simulator, parameters)
        before = {
            name: self.simulator.node.parameters[name.replace('__', '.')] for name in parameters
        }
        self.at(begin, lambda: self.set_parameters(**parameters))
        self.at(end, lambda: self.set_parameters(**before))

    def lose_states(self, share: float, begin: float, end: float):
        """Drop a share of the joint states between two simulated times.

        Parameters
        ----------
        share : float
            Share of the states, 0 to 1.
        begin, end : float
            Simulated times [s].
        """
        self.during(begin, end, fault__dropped_states=float(share))

    # Actions of a test on the robot, while it stands still.

    def command(self, value: np.ndarray | Mapping[str, float], quantity: str = ''):
        """Command the robot from the next step on, until the next command.

        Parameters
        ----------
        value : (n,) array_like or dict
            Efforts, positions or velocities [N m | N, rad | m, rad/s | m/s], by the mode of each
            joint. Of all joints, or of some by name. NaN: not commanded.
        quantity : str
            'effort', 'position' or 'velocity', for joints whose command mode is 'any'.

        Raises
        ------
        ValueError
            For an unknown joint or quantity, or another number of values.
        """
        if quantity:
            _one_of('quantity', quantity, CODES)
        if isinstance(value, Mapping):
            unknown = set(value) - set(self.joint_names)
            if unknown:
                raise ValueError(
                    f'got commands of {sorted(unknown)}; expected some of {self.joint_names}'
                )
            values = np.array([value.get(name, np.nan) for name in self.joint_names], dtype=float)
        else:
            values = np.array(value, dtype=float)
        if values.shape != (len(self.joint_names),):
            raise ValueError(
                f'got commands of shape {values.shape}; expected one for each of '
                f'{self.joint_names}'
            )
        with self._session.lock:  # the current state has already been answered
            command = self._session.runner.plant.command_with_modes(values)
            if quantity:
                command.mode[:] = CODES[quantity]
            self._command = command
            self._session.run.withdraw(TEST)

    def push(self, frame: str, force=(0.0, 0.0, 0.0), torque=(0.0, 0.0, 0.0), duration=np.inf):
        """Apply a wrench to a frame for a simulated time.

        Parameters
        ----------
        frame : str
            Name of a link or joint.
        force, torque : (3,) sequence of float
            The wrench [N, N m] in axes of the frame.
        duration : float
            Simulated time [s]; without end by default.

        Raises
        ------
        ValueError
            If the force or the torque has not three numbers.
        RobodynError
            For an unknown frame, a number that is not finite, or a duration that is not positive.
        """
        if np.shape(force) != (3,) or np.shape(torque) != (3,):
            raise ValueError(f'got the force {force} and torque {torque}; expected three each')
        message = WrenchStamped()
        message.header.frame_id = frame
        for part, values in ((message.wrench.force, force), (message.wrench.torque, torque)):
            part.x, part.y, part.z = map(float, values)
        with self._session.lock:
            self._session.apply_wrench(message, duration)

    def set_state(self, position, velocity=None):
        """Set the state; simulated time restarts.

        Parameters
        ----------
        position : (n,) array_like
            Positions [rad or m].
        velocity : (n,) array_like, optional
            Velocities [rad/s or m/s]; those of the initial state by default.
        """
        with self._session.lock:
            self._session.set_state(position, velocity)
        self._settle()
        self._tested.calm()

    def displace(self, position, velocity=None):
        """Change the state without a restart of time.

        The controller sees a jump, such as a slipped encoder.

        Parameters
        ----------
        position : (n,) array_like
            Positions [rad or m].
        velocity : (n,) array_like, optional
            Velocities [rad/s or m/s], unchanged by default.
        """
        with self._session.lock:
            self._session.runner.plant.set_state(position, velocity)

    def reset(self):
        """Return to the initial state; simulated time restarts."""
        with self._session.lock:
            self._session.reset()
        self._settle()
        self._tested.calm()

    def set_parameters(self, **parameters: Any):
        """Set parameters of the simulator.

        Parameters
        ----------
        **parameters
            Values by name, with two underscores for a dot.

        Raises
        ------
        AssertionError
            If they are refused, with the reason.
        """
        _set(self.simulator, parameters)

    # Other topics.

    def record(self, kind, topic: str) -> Inbox:
        """Return an inbox that receives every further message of a topic of this robot.

        A message may arrive after `advance` has returned; `Inbox.wait` waits for it.

        Parameters
        ----------
        kind : message type
            Type of the topic.
        topic : str
            Name of the topic.
        """
        name = self.participant.node.resolve_topic_name(topic)

        def listeners():
            return {
                publisher: publisher.get_subscription_count()
                for hosted in self._tested.hosted
                for publisher in hosted.node.publishers
                if publisher.topic_name == name
            }

        before = listeners()
        inbox = self.participant.collect(kind, topic, ALL)

        def heard():  # each finds the other at its own time
            found = any(count > before.get(each, 0) for each, count in listeners().items())
            return found and inbox.subscription.get_publisher_count() > 0

        wait_until(heard, f'a publisher of {name} and its listener to find each other')
        time.sleep(HANDSHAKE)
        return inbox

    # Other nodes.

    def spin(self, node):
        """Run a node under test in a thread of this process, until the robot is closed.

        Each step waits until its callbacks have ended, and the controller has received what they
        sent. Its clock and timers follow simulated time. What a callback raises, `advance` raises.

        Parameters
        ----------
        node : rclpy Node
            The node.

        Returns
        -------
        rclpy Node
            The node, which has been discovered.

        Raises
        ------
        AssertionError
            If the node is in another domain, refuses `use_sim_time` or is not discovered in time.
        """
        spun = self._tested.add(node)
        self._closing.callback(spun.close)
        self._tested.begin(spun)
        return node

    def close(self):
        """End all started nodes and threads, in reverse order, even if one hangs or raises.

        Raises
        ------
        AssertionError
            If a thread hangs, with its name and its stack.
        """
        self._closing.close()

    @property
    def _session(self):
        return self.simulator.node.session

    def _host(self, name: str, values: Mapping[str, Any]) -> Hosted:
        arguments = ros_arguments(values)
        prepare = self._tested.exchange.join
        hosted = Hosted(name, *arguments, context=self._context, prepare=prepare)
        self._tested.hosted.append(hosted)
        self._closing.callback(hosted.close)
        return hosted

    def _answer(self, _: ReadState) -> Command:
        return self._command

    def _join(self, name, answer):
        node = self.simulator.node
        local_link(node, node.parameters['lock_step.state_topic']).join(name, answer)

    def _active(self, hosted: Hosted) -> bool:
        complaint = hosted.node.complaint
        assert not complaint, complaint
        return hosted.node.phase == 'active'

    def _settle(self):
        """Wait until all participants know the new epoch."""

    def _await(self, condition):
        try:
            wait_until(condition, 'the start of the nodes', START)
        except AssertionError:
            self.close()
            raise


class ControlledRobot(SimulatedRobot):
    """A simulated robot under our controller, both in this process.

    Parameters
    ----------
    urdf : str or path
        Path of the robot's description.
    controller : dict, optional
        Parameters of the controller.
    **parameters
        Of the simulator, as of SimulatedRobot.

    Attributes
    ----------
    controller : Hosted
        The controller.
    """

    def __init__(self, urdf, controller: Mapping[str, Any] | None = None, **parameters: Any):
        name = 'robodyn_controller'
        self._publishers: dict = {}
        super().__init__(urdf, **{'lock_step__participants': [name], **parameters})
        values = {
            'urdf_path': urdf,
            'trigger': 'lock_step',
            'robot_compensates_gravity': "'no'",
            'update_rate': self.simulator.node.parameters['update_rate'],
            'specialise': False,
            'lock_step__specialise': self.simulator.node.parameters['lock_step.specialise'],
            **(controller or {}),
        }
        with contextlib.ExitStack() as failure:
            failure.callback(self.close)
            self.controller = self._host('controller', values)
            self._settle()
            _refuse_unknown(self.controller, values)
            failure.pop_all()

    def __repr__(self):
        return f'{super().__repr__()[:-1]}: {self.status}>'

    @property
    def status(self) -> str:
        """State and reason of the controller, as 'HOLD ACTIVATED'."""
        session = self.controller.node.session
        return f'{session.supervisor.state.name} {session.supervisor.reason}'.strip()

    @property
    def log(self) -> str:
        """The log of both nodes."""
        return f'{self.simulator.output}\n{self.controller.output}'

    @property
    def reference(self) -> np.ndarray:
        """Positions, velocities and accelerations (3, n) of the controller's reference."""
        return self.controller.node.session.supervisor.reference.copy()

    def go_to(self, position, seconds: float):
        """Send the controller a posture, as a trajectory of one point at rest.

        Parameters
        ----------
        position : (n,) array_like
            Target posture [rad | m].
        seconds : float
            Simulated duration of the motion [s].

        Raises
        ------
        AssertionError
            If it is refused, with the reason.
        """
        rest = [0.0] * len(self.joint_names)
        point = JointTrajectoryPoint(
            positions=[float(x) for x in position], velocities=rest, accelerations=rest
        )
        whole, part = divmod(round(seconds * NANOSECONDS), NANOSECONDS)
        point.time_from_start.sec, point.time_from_start.nanosec = whole, part
        trajectory = JointTrajectory(joint_names=self.joint_names, points=[point])
        refusal = self.controller.node.session.follow(octets_of(trajectory))
        assert not refusal, refusal

    def send(self, topic: str, message) -> str:
        """Publish a reference to the controller, and wait until it accepts or refuses it.

        Parameters
        ----------
        topic : str
            Of the controller, such as 'joint_trajectory', 'reference' or 'target_pose'.
        message : ROS message
            The reference.

        Returns
        -------
        str
            '', or the reason of a refusal.
        """
        node = self.controller.node
        if topic not in self._publishers:
            name = f'{node.get_fully_qualified_name()}/{topic}'
            self._publishers[topic] = self.participant.publisher(type(message), name, 10)

        def judged():
            return node.session.accepted_references + node.session.refused_references

        before, refused = judged(), node.session.refused_references
        self._publishers[topic].publish(message)
        wait_until(lambda: judged() > before, f'the controller to take a message of {topic}')
        return node.session.last_refusal if node.session.refused_references > refused else ''

    def set_controller(self, **parameters: Any):
        """Set parameters of the controller.

        Parameters
        ----------
        **parameters
            Values by name, with two underscores for a dot.

        Raises
        ------
        AssertionError
            If they are refused, with the reason.
        """
        _set(self.controller, parameters)

    def _settle(self):
        def commands():
            session = self.controller.node.session
            return (
                self._active(self.controller)
                and session.supervisor.active
                and (session.epoch in (None, self._session.run.epoch))
            )

        if hasattr(self, 'controller'):
            self._await(commands)


def _one_of(what: str, value: str, known):
    if value not in known:
        raise ValueError(f'got {value!r} for {what}; expected one of {", ".join(known)}')


def _refuse_unknown(hosted: Hosted, parameters: Mapping[str, Any]):
    """Refuse names that a node does not know: a misspelt one would have no effect."""
    for name in (name.replace('__', '.') for name in parameters):
        assert hosted.node.has_parameter(name), (
            f'{hosted.node.get_name()}: {hosted.node.parameters.unknown_name_sentence(name)}'
        )


def _set(hosted: Hosted, parameters: Mapping[str, Any]):
    _refuse_unknown(hosted, parameters)
    result = hosted.node.set_parameters_atomically(
        [
            Parameter(name, value=plain(value))
            for name, value in ((key.replace('__', '.'), x) for key, x in parameters.items())
        ]
    )
    assert result.successful, result.reason
