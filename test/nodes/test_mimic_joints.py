# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A gripper whose second finger follows the first, in the simulator and the controller."""

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from robodyn_msgs.srv import GetDynamics, SetJointState
from robodyn_ros import Robot
from support.nodes import node_harness as harness
from support.nodes.node_harness import COLD, SIMULATED, FakeArm
from support.nodes.simulated_arm import COMMANDS, EFFORTS, StandingArm, floats

pytestmark = pytest.mark.ros
pytest_plugins = ['robodyn_ros.testing.fixtures']

FINGER = """<joint name="{name}" type="prismatic"><parent link="forearm"/><child link="{name}"/>
  <origin xyz="0 0.02 0.3"/><axis xyz="0.6 {y} 0"/>
  <limit lower="0" upper="0.1" velocity="1" effort="20"/>{more}</joint>
  <link name="{name}"><inertial><origin xyz="0 0 0.02"/><mass value="0.3"/>
  <inertia ixx="2e-4" iyy="2e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
MIMIC = '<mimic joint="left" multiplier="-0.5" offset="0.01"/>'
POSTURE = (0.3, 0.4, 0.02)


@pytest.fixture(scope='module')
def gripper(tmp_path_factory):
    """Return the path of a URDF: the arm of two links with two fingers."""
    text = harness.TWO_LINK.read_text()
    tip = Robot.from_urdf(text).model.body_names[-1]
    fingers = FINGER.format(name='left', y=0.8, more='') + FINGER.format(
        name='right', y=-0.8, more=MIMIC
    )
    path = tmp_path_factory.mktemp('gripper') / 'gripper.urdf'
    path.write_text(
        text.replace('</robot>', fingers.replace('"forearm"', f'"{tip}"') + '</robot>')
    )
    return path


def test_the_simulator_publishes_all_joints_and_takes_efforts_of_leaders(graph, host, gripper):
    """The state of the follower is at its ratio, also after a state was set by all names."""
    arm = StandingArm(graph, host, gripper, initial_position=list(POSTURE), no_command='hold')
    robot = Robot.from_urdf(gripper)
    assert list(arm.first.name) == list(robot.all_joint_names)
    np.testing.assert_allclose(arm.first.position, robot.expand(POSTURE)[0], atol=1e-12)
    q = (0.1, -0.2, 0.015)
    wanted = JointState(name=list(robot.all_joint_names), position=robot.expand(q)[0].tolist())
    assert arm.call(SetJointState, 'set_joint_state', state=wanted).success
    np.testing.assert_allclose(arm.next().position, robot.expand(q)[0], atol=1e-12)
    publisher = arm.publisher(Float64MultiArray, EFFORTS)
    arm.say(publisher, floats([0.0, 0.0, 1.0]))
    state = arm.step(50)
    left, right = (state.position[list(state.name).index(name)] for name in ('left', 'right'))
    graph.node.destroy_publisher(publisher)  # a controller wants to be the only one
    assert left != q[2] and right == pytest.approx(-0.5 * left + 0.01, abs=1e-12)


def test_a_gripper_closes_by_position_while_the_arm_takes_efforts(graph, host, gripper):
    """The message of ros2_control names both fingers and has a number for the one that leads."""
    arm = StandingArm(
        graph,
        host,
        gripper,
        initial_position=list(POSTURE),
        command_modes=['effort', 'effort', 'position'],
    )
    names = list(arm.first.name)
    publisher = arm.publisher(JointState, COMMANDS)
    message = JointState(name=names, position=[0.005], effort=[0.3, -0.2])
    state = arm.obey(publisher, message, 300)
    left, right = (state.position[names.index(name)] for name in ('left', 'right'))
    assert left == pytest.approx(0.005, abs=2e-3)  # the arm swings, and the drive gives way
    assert right == pytest.approx(-0.5 * left + 0.01, abs=1e-12)
    assert [state.effort[names.index(name)] for name in names[:2]] == [0.3, -0.2]
    # at its stop, which is that of the other finger, it pushes as hard as it can, and no harder
    state = arm.obey(publisher, JointState(name=names, position=[0.5], effort=[0.3, -0.2]), 400)
    assert state.position[names.index('left')] == pytest.approx(0.02, abs=1e-9)
    assert state.effort[names.index('left')] == pytest.approx(20.0)
    graph.node.destroy_publisher(publisher)


def test_the_controller_holds_the_gripper_by_the_joints_that_lead(graph, host, probe, gripper):
    """It reads all joints, commands three, and its service returns three."""
    robot = Robot.from_urdf(gripper)
    names, position = list(robot.all_joint_names), robot.expand(POSTURE)[0].tolist()
    arm = FakeArm(graph, names, position)
    try:
        host('controller', **{**SIMULATED, 'urdf_path': gripper, 'effort_limits': [80.0] * 3})
        probe.wait_for('HOLD', timeout=COLD)
        np.testing.assert_allclose(probe.next_command(), robot.gravity_torque(POSTURE), rtol=1e-9)
        probe.states.clear()
        np.testing.assert_allclose(probe.states.wait().measured_position, POSTURE, atol=1e-12)
        request = GetDynamics.Request()
        request.state.name, request.state.position = names, position
        answer = graph.call(GetDynamics, f'{probe.name}/get_dynamics', request, again=True)
        M = np.array(answer.mass_matrix).reshape(3, 3)
        np.testing.assert_allclose(M, robot.mass_matrix(POSTURE), rtol=1e-12)
    finally:
        arm.stop()


def test_the_controller_holds_the_simulated_gripper(controlled_robot, gripper):
    arm = controlled_robot(gripper, {'effort_limits': [80.0] * 3}, initial_position=list(POSTURE))
    state = arm.advance(1.0)
    assert arm.status == 'HOLD ACTIVATED'
    np.testing.assert_allclose(state.position, POSTURE, atol=1e-3)
    weight = Robot.from_urdf(gripper).gravity_torque(state.position)
    np.testing.assert_allclose(state.effort, weight, rtol=1e-3)
