# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Our nodes around a real ros2_control, whose hardware is two topics of the simulator."""

import numpy as np
import pytest

yaml = pytest.importorskip('yaml')  # comes with ROS
pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robodyn_ros import Robot
from robodyn_ros.testing.participant import wait_until
from support.nodes.arm_states import rows_of, send_until
from support.nodes.controller_manager import ControllerManager, missing
from support.nodes.node_harness import COLD, EASY, JOINTS, ROOT, TWO_LINK, ControllerProbe

FORWARD, POSITION = 'forward_effort_controller', 'forward_position_controller'
VELOCITY = 'forward_velocity_controller'
THEIRS, BROADCASTER = 'joint_trajectory_controller', 'joint_state_broadcaster'
HARDWARE = 'joint_state_topic_hardware_interface'
ABSENT = missing(
    ('controller_manager', BROADCASTER, 'forward_command_controller', HARDWARE, THEIRS)
)
pytestmark = [
    pytest.mark.ros,
    pytest.mark.slow,
    pytest.mark.skipif(bool(ABSENT), reason=f'not installed: {", ".join(ABSENT)}'),
]

AGAIN = 8.0  # [s]
START, GOAL = (0.2, -0.3), (0.4, -0.6)
RATES = (0.2, -0.3)  # [rad/s] from START to GOAL in a second
STIFFNESS = (100.0, 10.0)  # [N m/rad] of their controller, stable with delays of 40 ms
#: As config/ros2_control/effort_topic_system.xacro prints it for all three commands.
SYSTEM = f"""<ros2_control name="two_link" type="system"><hardware>
  <plugin>{HARDWARE}/JointStateTopicSystem</plugin>
  <param name="joint_commands_topic">robot_joint_commands</param>
  <param name="joint_states_topic">robot_joint_states</param>
  <param name="trigger_joint_command_threshold">-1</param></hardware>""" + ''.join(
    f"""<joint name="{joint}">
  <command_interface name="effort"/><command_interface name="position"/>
  <command_interface name="velocity"/>
  <state_interface name="position"/><state_interface name="velocity"/>
  <state_interface name="effort"/></joint>"""
    for joint in JOINTS
)
PARAMETERS = f"""
controller_manager:
  ros__parameters:
    update_rate: 200
    {BROADCASTER}: {{type: {BROADCASTER}/JointStateBroadcaster}}
    {FORWARD}: {{type: forward_command_controller/ForwardCommandController}}
    {POSITION}: {{type: forward_command_controller/ForwardCommandController}}
    {VELOCITY}: {{type: forward_command_controller/ForwardCommandController}}
    {THEIRS}: {{type: {THEIRS}/JointTrajectoryController}}
{FORWARD}: {{ros__parameters: {{joints: [joint1, joint2], interface_name: effort}}}}
{POSITION}: {{ros__parameters: {{joints: [joint1, joint2], interface_name: position}}}}
{VELOCITY}: {{ros__parameters: {{joints: [joint1, joint2], interface_name: velocity}}}}
{THEIRS}:
  ros__parameters:
    joints: [joint1, joint2]
    command_interfaces: [effort]
    state_interfaces: [position, velocity]
    gains: {{joint1: {{p: {STIFFNESS[0]}, d: 31.0}}, joint2: {{p: {STIFFNESS[1]}, d: 1.9}}}}
"""


class Around:
    """A simulator, and a controller manager whose hardware it is."""

    def __init__(self, graph, start, folder):
        self.graph, self.folder = graph, folder
        self.robot = Robot.from_urdf(TWO_LINK)
        self.joints = graph.collect(JointState, '/joint_states')
        self.commands = graph.collect(JointState, '/robot_joint_commands')
        simulator = ROOT / 'config' / 'ros2_control' / 'simulator.yaml'
        self.simulator = start(
            'simulator', '--params-file', simulator, urdf_path=TWO_LINK, update_rate=200,
            initial_position=list(START),
        )  # fmt: skip
        states = graph.collect(JointState, '/robot_joint_states')
        wait_until(lambda: states.last, 'a state of the simulator', COLD)
        self.parameters = folder / 'controllers.yaml'
        self.parameters.write_text(PARAMETERS)
        self.manager = None

    def start_manager(self, *active):
        """Start a controller manager with all its controllers, of which some are active."""
        text = TWO_LINK.read_text().replace('</robot>', f'{SYSTEM}</ros2_control></robot>')
        self.manager = ControllerManager(self.graph, text, self.parameters, self.folder)
        for name in (BROADCASTER, FORWARD, POSITION, VELOCITY, THEIRS):
            assert self.manager.load(name), self.manager.node.output
        assert self.manager.switch(start=[BROADCASTER]), self.manager.node.output
        wait_until(lambda: np.isfinite(self.posture()).all(), 'the first state of the system')
        assert not active or self.manager.switch(start=active), self.manager.node.output

    def posture(self):
        """Return positions in a state that the broadcaster publishes from now on."""
        count = len(self.joints.messages)
        wait_until(lambda: len(self.joints.messages) > count, 'a joint state')
        return rows_of([self.joints.messages[-1]], JOINTS)[0, 0]

    def arrives(self, goal, within, publisher, message):
        """Send the arm to a posture until it is at rest near it."""

        def there():
            off = np.abs(self.posture() - goal).max()
            return off < within and np.abs(self.joints.last.velocity).max() < 1e-3

        send_until(there, f'the arm at rest at {goal}', publisher, message, AGAIN)

    def states(self):
        """Return positions, velocities and efforts since the last clearing, a row for each."""
        return rows_of(list(self.joints.messages), JOINTS)


def path_to(goal):
    """Return a trajectory of a second."""
    point = JointTrajectoryPoint(positions=list(goal), velocities=[0.0] * len(goal))
    point.time_from_start.sec = 1
    return JointTrajectory(joint_names=JOINTS, points=[point])


@pytest.fixture(scope='module')
def around(graph, start_shared, tmp_path_factory):
    """Return the simulator with a controller manager, and no controller of torque yet."""
    around = Around(graph, start_shared, tmp_path_factory.mktemp('around'))
    around.start_manager()
    yield around
    around.manager.close()


@pytest.fixture(scope='module')
def probe(around, graph, start_shared):
    """Return what a test sees of our controller, which takes the arm over from its drives."""
    assert around.manager.switch(start=[FORWARD])
    probe = ControllerProbe(graph)
    probe.node = start_shared('controller', **EASY)
    probe.wait_for('HOLD', timeout=COLD)
    probe.next_command()
    assert graph.set_parameters('/robodyn_simulator', command_modes=['effort']).successful
    probe.path = graph.publisher(JointTrajectory, f'{probe.name}/joint_trajectory')
    return probe


def test_their_controller_moves_our_arm(around, graph):
    """A PD without a model sags by gravity over stiffness, and no more."""
    assert around.manager.switch(start=[THEIRS])
    send = graph.publisher(JointTrajectory, f'/{THEIRS}/joint_trajectory')
    posture = np.array(GOAL)
    for _ in range(20):
        posture = GOAL - around.robot.gravity_torque(posture) / STIFFNESS
    around.arrives(posture, 2e-3, send, path_to(GOAL))
    assert around.manager.switch(stop=[THEIRS])


def test_positions_are_commanded_through_the_same_system(around, graph):
    """The system commands every interface for ever: the simulator says which one counts."""
    assert around.manager.switch(start=[POSITION])
    assert graph.set_parameters('/robodyn_simulator', command_modes=['position']).successful
    send = graph.publisher(Float64MultiArray, f'/{POSITION}/commands')
    around.arrives(START, 2e-3, send, Float64MultiArray(data=list(START)))


def test_velocities_are_commanded_through_the_same_system(around, graph):
    """Both joints keep their rates, and rest where they are when the rates become zero."""
    assert around.manager.switch(start=[VELOCITY], stop=[POSITION])
    assert graph.set_parameters('/robodyn_simulator', command_modes=['velocity']).successful
    send = graph.publisher(Float64MultiArray, f'/{VELOCITY}/commands')
    begin = around.posture()
    around.joints.clear()
    send_until(
        lambda: (around.posture() - begin)[0] > GOAL[0] - START[0],
        f'an arm that moves at {RATES}', send, Float64MultiArray(data=list(RATES)), AGAIN,
    )  # fmt: skip
    moving = [(q, rate) for q, rate, _ in around.states() if 0.05 < (q - begin)[0] < 0.2]
    for _, rate in moving:
        np.testing.assert_allclose(rate, RATES, rtol=0.02)
    way = moving[-1][0] - moving[0][0]
    np.testing.assert_allclose(way / way[0], np.divide(RATES, RATES[0]), rtol=0.02)
    send_until(
        lambda: around.posture() is not None and np.abs(around.joints.last.velocity).max() < 1e-3,
        'an arm at rest', send, Float64MultiArray(data=[0.0, 0.0]), AGAIN,
    )  # fmt: skip
    begin = around.posture()
    around.joints.clear()
    wait_until(lambda: len(around.joints.messages) > 40, 'states of an arm at rest')
    assert np.abs(around.states()[:, 0] - begin).max() < 1e-3
    assert list(around.commands.last.position) == list(START)  # which no joint follows


def test_our_controller_follows_through_theirs(around, probe):
    """States by the broadcaster, efforts by forward_effort_controller."""
    around.arrives(GOAL, 5e-3, probe.path, path_to(GOAL))
    probe.wait_for('HOLD')


def test_without_their_controller_the_last_effort_stays(around, probe):
    """ForwardCommandController leaves its last effort: the arm drifts, and is caught again."""
    assert around.manager.switch(stop=[FORWARD])
    left = probe.next_command()
    probe.path.publish(path_to(np.array(GOAL) + 0.02))
    wait_until(lambda: np.abs(probe.effort - left).max() > 0.1, 'another effort of ours')
    around.commands.clear()
    wait_until(lambda: len(around.commands.messages) > 20, 'commands to the robot')
    assert all(
        message.effort == around.commands.last.effort for message in around.commands.messages
    )
    assert around.commands.last.effort != probe.effort.tolist()
    assert around.manager.switch(start=[FORWARD])
    probe.wait_for('HOLD')
    around.arrives(START, 5e-3, probe.path, path_to(START))


def test_a_killed_manager_is_noticed_and_replaced(around, probe):
    """States stay away: STALE; with a new controller manager the arm is held where it is."""
    around.manager.node.kill()
    probe.wait_for('STALE', 'STATE_TIMEOUT')
    around.manager.close()
    around.start_manager(FORWARD)
    probe.wait_for('HOLD', 'STATE_RECOVERED')
    probe.path.publish(path_to(around.posture()))
    probe.wait_for('ACTIVE')


def test_a_lost_robot_is_noticed_behind_their_broadcaster(around, probe, graph):
    """It repeats the last state with fresh stamps, and the file for this side detects that."""
    path = ROOT / 'config' / 'ros2_control' / 'controller.yaml'
    told = yaml.safe_load(path.read_text())['/**/robodyn_controller']['ros__parameters']
    probe.wait_for('HOLD')
    assert graph.set_parameters(probe.name, **told).successful
    around.joints.clear()
    wait_until(lambda: len(around.joints.messages) > 200, 'states of an arm at rest')
    assert probe.state == 'HOLD'
    around.simulator.kill()
    around.joints.clear()
    probe.wait_for('STALE', 'STATE_STUCK')
    assert len(around.joints.messages) > 20
    assert len(np.unique(around.states()[-20:, 0], axis=0)) == 1
