# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Commands of efforts, positions and velocities, on the topics of ros2_control."""

from array import array

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from robodyn_ros import Robot
from support.nodes.node_harness import TWO_LINK
from support.nodes.simulated_arm import COMMANDS, EFFORTS, NODE, StandingArm, floats, posture

pytestmark = pytest.mark.ros

POSITIONS = '/forward_position_controller/commands'
VELOCITIES = '/forward_velocity_controller/commands'
JOINTS = ['joint1', 'joint2']
START = np.array([0.4, -0.7])
ONE, TWO = [0.6, -0.5], [0.5, -0.3]  # [rad] set-points
NAN = float('nan')


@pytest.fixture(scope='module')
def shared(graph, host_shared):
    """Return a simulated arm for the tests of this module."""
    arm = StandingArm(
        graph, host_shared, TWO_LINK, initial_position=list(START), command_timeout=2.0
    )
    yield arm
    arm.process.end_well()


@pytest.fixture
def arm(shared):
    """Return the same arm after a reset, at rest in effort mode."""
    shared.reset()
    yield shared
    choose(shared)


def choose(arm, *modes):
    """Set the command modes, which the simulator must accept."""
    answer = arm.graph.set_parameters(NODE, command_modes=list(modes))
    assert answer.successful, answer.reason


def test_each_topic_has_its_quantity(arm):
    """The arm is where the positions say, as fast as the velocities say, and gives the efforts."""
    choose(arm, 'any')
    arm.say(arm.publisher(Float64MultiArray, POSITIONS), floats(ONE))
    position, velocity, _ = posture(arm.step(400))
    np.testing.assert_allclose(position, ONE, atol=1e-3)
    np.testing.assert_allclose(velocity, 0.0, atol=1e-2)
    arm.say(arm.publisher(Float64MultiArray, VELOCITIES), floats([0.3, NAN]))
    after, velocity, _ = posture(arm.step(200))
    assert velocity[0] == pytest.approx(0.3, abs=2e-3) and velocity[1] == 0.0
    assert after[0] > position[0] + 0.04
    arm.say(arm.publisher(Float64MultiArray, EFFORTS), floats([1.5, -0.5]))
    assert posture(arm.step())[2].tolist() == [1.5, -0.5]


def test_the_message_of_ros2_control_moves_joints_in_mixed_modes(arm):
    """Short arrays, one for each interface; a number that the joint does not take is refused."""
    choose(arm, 'position', 'effort')
    publisher = arm.publisher(JointState, COMMANDS)
    message = JointState(name=['joint2', 'joint1'], position=[ONE[0]], effort=[0.7])
    arm.say(publisher, message)
    position, _, effort = posture(arm.step(400))
    assert position[0] == pytest.approx(ONE[0], abs=1e-3) and effort[1] == 0.7
    refused = arm.intake.rejected['WRONG_MODE']
    arm.say(publisher, JointState(name=['joint1'], effort=[1.0]))
    assert arm.intake.rejected['WRONG_MODE'] == refused + 1
    assert 'joint1 takes position, joint2 takes effort' in arm.intake.detail
    assert posture(arm.step())[2][1] == 0.7


def test_two_topics_command_one_arm(arm):
    """What comes on both between two steps counts, each for its own joint."""
    choose(arm, 'position', 'effort')
    arm.say(arm.publisher(Float64MultiArray, POSITIONS), floats([START[0] + 0.1]))
    arm.say(arm.publisher(Float64MultiArray, EFFORTS), floats([0.9]))
    _, velocity, effort = posture(arm.step())
    assert velocity[0] > 0.0 and effort[0] > 0.0 and effort[1] == 0.9


def test_nan_leaves_a_joint_to_its_brake(arm):
    """Before the first command and after it, by name and in order."""
    choose(arm, 'position')
    by_name, in_order = (
        arm.publisher(JointState, COMMANDS),
        arm.publisher(Float64MultiArray, POSITIONS),
    )
    arm.say(by_name, JointState(name=JOINTS, position=array('d', [NAN, TWO[1]])))
    position, _, _ = posture(arm.step(200))
    assert position[0] == START[0] and abs(position[1] - TWO[1]) < 0.01
    arm.say(in_order, floats([START[0] + 0.2, NAN]))
    stopped = posture(arm.step(20))[0]
    after = posture(arm.step(100))[0]
    assert after[1] == stopped[1] and abs(after[0] - START[0]) > 0.1


def test_modes_are_switched_without_a_jump(arm):
    """From efforts to positions and back, while the arm is held; wrong modes are refused."""
    weight = Robot.from_urdf(TWO_LINK).gravity_torque(START)
    arm.say(arm.publisher(Float64MultiArray, EFFORTS), floats(weight))
    arm.step(50)
    choose(arm, 'position')
    position, velocity, effort = posture(arm.step())
    np.testing.assert_allclose(position, START, atol=1e-9)
    np.testing.assert_allclose(velocity, 0.0, atol=1e-7)
    np.testing.assert_allclose(effort, weight, rtol=1e-6)
    position, _, effort = posture(arm.step(300))
    np.testing.assert_allclose(position, START, atol=1e-9)
    choose(arm, 'effort')
    assert posture(arm.step())[2].tolist() == effort.tolist()
    for modes, words in ((['torque'], 'must be one of'), (['effort'] * 3, '0 or 1 or 2 entries')):
        answer = arm.graph.set_parameters(NODE, command_modes=modes)
        assert not answer.successful and words in answer.reason, answer.reason
