# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""SimulatedRobot within a real controller_manager: each command interface, gravity and limits.

Time is simulated, and waits for each cycle. So every period is the same on a busy machine, too.
"""

import threading
import time

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from robodyn_ros import Robot
from robodyn_ros.control.plugin_files import PREFIX, plugin_files
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import PlantSettings
from robodyn_ros.testing.participant import wait_until
from support.nodes.arm_states import rows_of, send_until
from support.nodes.controller_manager import ControllerManager, missing
from support.nodes.node_harness import JOINTS, TWO_LINK, nanoseconds

BROADCASTER = 'joint_state_broadcaster'
ABSENT = missing(
    ('controller_manager', 'robodyn_control', BROADCASTER, 'forward_command_controller')
)
pytestmark = [
    pytest.mark.ros,
    pytest.mark.slow,
    pytest.mark.skipif(bool(ABSENT), reason=f'not installed: {", ".join(ABSENT)}'),
]

KINDS = ('effort', 'velocity', 'position')
EFFORT, VELOCITY, POSITION = (f'forward_{kind}_controller' for kind in KINDS)
RATE, STEPS = 200, 4  # [Hz] of cycles, and steps of a cycle
START, GOAL = (0.2, -0.3), (0.5, -0.6)
RATES = (0.4, -0.8)  # [rad/s]
LIMITS, STOP = (100.0, 50.0), -1.0  # [N m] of the motors, and [rad] the lower stop of joint2
SWING = 100  # states of a swing from rest
AGAIN, INACTIVE = 0.1, 0.02  # [s] until time is told again, and without a broadcaster goes on
RESENT = 1.0  # [s] until a command is sent again
SETTLED = 5e-4  # [s] in which their publisher returns, which drops a state until it has
JOINT2 = 'lower="-6.283185307179586" upper="6.283185307179586" velocity="20" effort="50"'


def described(folder, further=''):
    """Return the arm with a nearer stop, on SimulatedRobot with all its interfaces.

    further : parameters of the hardware, as text.
    """
    joints = ''.join(
        f'<joint name="{joint}">'
        + ''.join(f'<command_interface name="{kind}"/>' for kind in KINDS)
        + f'<state_interface name="position"><param name="initial_value">{start}</param>'
        '</state_interface><state_interface name="velocity"/><state_interface name="effort"/>'
        '</joint>'
        for joint, start in zip(JOINTS, START)
    )
    system = f"""<ros2_control name="two_link" type="system"><hardware>
      <plugin>robodyn_control/SimulatedRobot</plugin>
      <param name="dynamics_library">{folder}/build/lib{PREFIX}_dynamics.so</param>
      <param name="steps">{STEPS}</param>{further}</hardware>{joints}</ros2_control>"""
    nearer = f'lower="{STOP}" upper="1.0" velocity="20" effort="50"'
    text = TWO_LINK.read_text().replace(JOINT2, nearer)
    return text.replace('</robot>', f'{system}</robot>')


def parameters():
    """Return the parameters of the controller manager and its controllers, as YAML."""
    types = ''.join(
        f'    forward_{kind}_controller: '
        '{type: forward_command_controller/ForwardCommandController}\n'
        for kind in KINDS
    )
    own = ''.join(
        f'forward_{kind}_controller: '
        f'{{ros__parameters: {{joints: [joint1, joint2], interface_name: {kind}}}}}\n'
        for kind in KINDS
    )
    return (
        f'controller_manager:\n  ros__parameters:\n    update_rate: {RATE}\n'
        '    use_sim_time: true\n'
        f'    {BROADCASTER}: {{type: {BROADCASTER}/JointStateBroadcaster}}\n{types}{own}'
    )


class Time:
    """Simulated time that goes on by a period when the cycle of the last one has been seen."""

    def __init__(self, graph, states):
        self.waits = False  # for each cycle, as the broadcaster is active
        self._now, self._states = 10**9, states
        self._publisher = graph.node.create_publisher(Clock, '/clock', 1)
        self._graph, self._stopping = graph, threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while not self._stopping.is_set():
            self._now += 10**9 // RATE
            self._turn()

    def _turn(self):
        begin, told = time.monotonic(), 0
        while not self._stopping.wait(0.0002):
            waited = time.monotonic() - begin
            if waited >= AGAIN * told:
                if told:  # their sleep may miss a message, and wakes up by a change only
                    self._tell(self._now - 1)
                self._tell(self._now)
                told += 1
            last = self._states.last
            if last is not None and nanoseconds(last) == self._now:
                self._stopping.wait(SETTLED)
                return
            if waited > (10 * AGAIN if self.waits else INACTIVE):
                return

    def _tell(self, now):
        message = Clock()
        message.clock.sec, message.clock.nanosec = divmod(now, 10**9)
        self._publisher.publish(message)

    def stop(self):
        """End it."""
        self._stopping.set()
        self._thread.join()
        self._graph.node.destroy_publisher(self._publisher)


def aligned(messages, model):
    """Return the cycle of each message in a model, and its states, up to the end of the model.

    States before the first message may be lost.
    """
    times, states = np.array([nanoseconds(each) for each in messages]), rows_of(messages, JOINTS)
    begin = np.abs(model[:10, 0] - states[0, 0]).max(axis=1).argmin()
    cycles = begin + (times - times[0]) * RATE // 10**9
    return cycles[cycles < len(model)], states[cycles < len(model)]


def simulator(robot, start, mode, values, cycles):
    """Return the states of the simulator of Python from rest, a row for each cycle."""
    settings = PlantSettings(
        'semi_implicit_euler', STEPS, command_modes=(mode,), command_timeout=np.inf
    )
    plant, rows = Plant(robot, settings, START), []  # gains are of the inertia in START
    plant.set_state(start)
    for _ in range(cycles):
        rows.append([plant.q.copy(), plant.qd.copy(), plant.effort.copy()])
        plant.step(np.array(values), 1.0 / RATE)
    return np.array(rows)


class Arm:
    """SimulatedRobot within a controller manager."""

    def __init__(self, graph, folder, further):
        text = described(folder, further)
        plugin_files(text, folder, trajectories=False)
        path = folder / 'parameters.yaml'
        path.write_text(parameters())
        self.graph, self.robot = graph, Robot.from_urdf(text)
        self.joints = graph.collect(JointState, '/joint_states', 1000)
        self.time = Time(graph, self.joints)
        self.manager = ControllerManager(graph, text, path, folder)

    def start(self):
        """Load all controllers, and activate the broadcaster."""
        for name in (BROADCASTER, EFFORT, VELOCITY, POSITION):
            assert self.manager.load(name), self.manager.node.output
        assert self.manager.switch(start=[BROADCASTER]), self.manager.node.output
        wait_until(lambda: self.joints.last, 'a joint state')
        self.time.waits = True

    def close(self):
        """End the controller manager and its time."""
        self.manager.close()
        self.time.stop()

    def switch(self, start, stop=()):
        """Switch controllers, and forget the states before."""
        assert self.manager.switch(start=[start], stop=stop), self.manager.node.output
        self.joints.clear()

    def states(self):
        """Return positions, velocities and efforts of the states so far, a row for each."""
        return rows_of(list(self.joints.messages), JOINTS)

    def place(self, condition):
        """Return the number of the first state that satisfies a condition, from 1 on, or 0."""
        return next((k for k, state in enumerate(self.states(), 1) if condition(*state)), 0)

    def wait_for(self, condition, what):
        """Return the states from the first one that satisfies a condition."""
        first = wait_until(lambda: self.place(condition), what)
        return self.states()[first - 1 :]

    def rest(self):
        """Return the first state from now on in which the arm is at rest."""
        self.joints.clear()
        return self.wait_for(lambda q, qd, _: np.abs(qd).max() < 1e-9, 'an arm at rest')[0]

    def command(self, controller, values, condition, what):
        """Command the joints until a state satisfies a condition; return the states since."""
        publisher = self.graph.publisher(Float64MultiArray, f'/{controller}/commands')
        message = Float64MultiArray(data=list(values))
        first = send_until(lambda: self.place(condition), what, publisher, message, RESENT)
        return self.states()[first - 1 :]

    def swing(self):
        """Load the released arm by a constant effort; return its cycles and its states in them."""
        self.switch(EFFORT)
        self.command(EFFORT, self.pull(), lambda q, qd, _: qd.any(), 'an arm that moves')
        wait_until(lambda: self.states()[:, 1].any(axis=1).sum() > SWING, 'a swing')
        messages = list(self.joints.messages)
        moving = rows_of(messages, JOINTS)[:, 1].any(axis=1)
        first = int(np.argmax(moving))
        np.testing.assert_array_equal(rows_of(messages, JOINTS)[:first, 0], [START] * first)
        return aligned([m for m, moves in zip(messages, moving) if moves], self.model())

    def follow(self, controller, values, mode, cycles):
        """Command an arm at rest; return its cycles, its states, and those of the simulator."""
        rest = self.rest()
        self.joints.clear()
        self.command(
            controller, values, lambda q, qd, _: np.abs(qd).max() > 1e-6, 'an arm that moves'
        )
        messages = [m for m in self.joints.messages if np.abs(m.velocity).max() > 1e-6]
        begin, last = nanoseconds(messages[0]), cycles * 10**9 // RATE
        wait_until(lambda: nanoseconds(self.joints.last) > begin + last, 'an arm that follows')
        after = [m for m in self.joints.messages if nanoseconds(m) >= begin]
        model = simulator(self.robot, rest[0], mode, values, cycles)
        return *aligned(after, model), model

    def pull(self):
        """Return an effort that lifts the first link and lets the second one sink [N m]."""
        return self.robot.gravity_torque(np.array(START)) + (1.0, -0.5)

    def model(self):
        """Return the states of a swing by the dynamics of Python, a row for each cycle.

        The stop takes the speed of joint2 by an impulse, which acts on both joints.
        """
        q, qd, rows, h = np.array(START), np.zeros(2), [], 1.0 / (RATE * STEPS)
        for _ in range(SWING):
            rows.append([q, qd, self.pull()])
            for _ in range(STEPS):
                qd = qd + h * self.robot.forward_dynamics(q, qd, self.pull())
                impulse = self.robot.mass_matrix_inverse(q)[:, 1]
                excess = max(0.0, (STOP - q[1]) / h - qd[1])
                qd = qd + impulse / impulse[1] * excess
                q = np.maximum(q + h * qd, (-np.inf, STOP))
        return np.array(rows)


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    """Return a folder for dynamics and output."""
    return tmp_path_factory.mktemp('simulated_robot')


@pytest.fixture(scope='module')
def arms(graph, folder):
    """Return the function that starts an arm; the one before ends first."""
    running = []

    def started(further=''):
        for arm in running:
            arm.close()
        running[:] = [Arm(graph, folder, further)]
        running[0].start()
        return running[0]

    yield started
    for arm in running:
        arm.close()


@pytest.fixture(scope='module')
def arm(arms):
    """Return an arm that no controller has commanded yet."""
    return arms()


@pytest.fixture(scope='module')
def swung(arm):
    """Return cycles and states of the first swing."""
    return arm.swing()


def test_a_constant_effort_moves_it_by_its_dynamics(arm, swung):
    """Gravity, effort and a stop act in equal semi-implicit steps, from rest at the brakes."""
    cycles, states = swung
    model = arm.model()
    assert model[:, 0, 1].min() == STOP
    assert len(cycles) > SWING // 2
    np.testing.assert_allclose(states, model[cycles], rtol=0.0, atol=1e-9)


def test_more_effort_than_its_motors_have_is_cut(arm, swung):
    """The effort that acts is the limit of each joint."""
    limits = LIMITS[0], -LIMITS[1]
    arm.command(EFFORT, (1e3, -1e3), lambda q, qd, effort: (effort == limits).all(), 'the limits')


def test_a_position_is_reached_without_an_error_of_weight(arm, swung):
    """The drive carries the weight of the arm, as that of the simulator does."""
    arm.switch(POSITION, stop=[EFFORT])
    states = arm.command(
        POSITION, GOAL,
        lambda q, qd, _: np.abs(q - GOAL).max() < 1e-9 and np.abs(qd).max() < 1e-9,
        f'the arm at {GOAL}',
    )  # fmt: skip
    for q, _, effort in states:
        np.testing.assert_allclose(effort, arm.robot.gravity_torque(q), rtol=0.0, atol=1e-5)


def test_a_position_is_approached_as_by_the_simulator(arm, swung):
    """With motors at their limits on the way."""
    cycles, states, model = arm.follow(POSITION, START, 'position', 60)
    assert len(cycles) > 30
    np.testing.assert_allclose(states, model[cycles], rtol=0.0, atol=1e-6)
    assert (np.abs(states[:, 2]) == LIMITS).any(axis=0).all()


def test_a_velocity_is_kept_up_to_the_stop_as_by_the_simulator(arm, swung):
    """At its stop a joint rests exactly, its motor at its limit; the other joint moves on."""
    arm.switch(VELOCITY, stop=[POSITION])
    cycles, states, model = arm.follow(VELOCITY, RATES, 'velocity', 300)
    assert len(cycles) > 150
    np.testing.assert_allclose(states, model[cycles], rtol=0.0, atol=1e-6)
    np.testing.assert_allclose(states[cycles == 100, 1], [RATES], rtol=0.0, atol=0.01)
    q, qd, effort = states[-1]
    assert q[1] == STOP and qd[1] == 0.0 and effort[1] < arm.robot.gravity_torque(q)[1] - 1.0


def test_without_a_controller_of_velocities_the_arm_stops(arm, swung):
    """The drives hold it where it is, and carry its weight."""
    assert arm.manager.switch(stop=[VELOCITY]), arm.manager.node.output
    held = arm.rest()
    arm.joints.clear()
    wait_until(lambda: len(arm.joints.messages) > 20, 'states')
    for q, _, effort in arm.states():
        np.testing.assert_allclose(q, held[0], rtol=0.0, atol=1e-6)
        np.testing.assert_allclose(effort[0], arm.robot.gravity_torque(q)[0], atol=1e-3)


def test_after_a_switch_to_efforts_the_last_ones_act(arm, swung):
    """So the arm does not fall until its controller is told an effort."""
    before = arm.states()[-1, 2]
    arm.switch(EFFORT)
    wait_until(lambda: len(arm.joints.messages) > 10, 'states')
    efforts = arm.states()[:, 2]
    assert (efforts == efforts[-1]).all()
    np.testing.assert_allclose(efforts[-1], before, rtol=0.0, atol=1.0)
    arm.command(
        EFFORT, (0.0, 0.0), lambda q, qd, effort: not effort.any() and qd[0] < -0.5, 'a fall'
    )


def test_the_same_commands_move_it_bit_for_bit_alike(arms, swung):
    """With equal periods, another controller manager repeats the swing."""
    cycles, states = arms().swing()
    _, first, second = np.intersect1d(cycles, swung[0], return_indices=True)
    assert len(first) > SWING // 2
    np.testing.assert_array_equal(states[first], swung[1][second])


def test_kinematic_drives_move_all_joints_but_the_stuck_one(arms):
    """A joint is where it was commanded to the last bit; the other keeps its position."""
    given = {'drive.kinematic': 'true', 'fault.stuck_joints': JOINTS[1], 'fault.begin': '0.0'}
    arm = arms(''.join(f'<param name="{name}">{text}</param>' for name, text in given.items()))
    arm.switch(POSITION)
    there = (GOAL[0], START[1])
    arm.command(POSITION, GOAL, lambda q, qd, _: tuple(q) == there and not qd.any(), f'{there}')
    assert (arm.states()[:, 0, 1] == START[1]).all()


@pytest.mark.parametrize(
    'name, text, sentence',
    [
        ('fault.stuck_joints', 'wheel', 'fault.stuck_joints: got wheel'),
        ('fault.effort_loss', '0.1', 'fault.effort_loss: got'),
        ('payload.frame', 'hand', 'has no frame'),
    ],
)
def test_parameters_that_do_not_fit_are_refused(graph, folder, name, text, sentence):
    text = described(folder, f'<param name="{name}">{text}</param>')
    plugin_files(text, folder, trajectories=False)
    path = folder / 'parameters.yaml'
    path.write_text(parameters())
    manager = ControllerManager(graph, text, path, folder)
    try:
        manager.wait_for(sentence)
    finally:
        manager.close()
