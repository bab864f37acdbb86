# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A palletizer with closed loops under both nodes, in lock step: a file beside the URDF."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from geometry_msgs.msg import Point, Pose, PoseStamped, Quaternion
from sensor_msgs.msg import JointState

from robodyn_msgs.msg import ControllerState, TaskState
from robodyn_msgs.srv import GetDynamics
from robodyn_ros import Robot
from support.compare import agree
from support.nodes.node_harness import COLD, CONTROLLER, ROOT, SIMULATED, FakeArm, wait_until
from support.referees.loop_gaps import loop_gaps
from support.robots.mechanisms import palletizer

pytestmark = pytest.mark.ros
pytest_plugins = ['robodyn_ros.testing.fixtures']

URDF, CLOSURES = (ROOT / 'config' / 'mechanisms' / f'palletizer.{end}' for end in ('urdf', 'yaml'))
GOAL = (0.6, 1.2, -0.6, 0.3)  # [rad] of turn, shoulder, flange, crank


def test_the_controller_moves_the_simulated_palletizer(controlled_robot):
    """It begins where the loops close, tracks, and holds the weight of all that moves.

    What is left is the step h of the integrator: e'' + 20 e' + 100 e = 20 h a / 2, see
    test_rotors. Of a quintic a is 10 / sqrt(3) of way / time^2 at most. All joint states are of
    all joints and close the loops. In the last one the plate is level.
    """
    robot = Robot.from_urdf(URDF, closures=CLOSURES)
    arm = controlled_robot(URDF, {'closures_path': str(CLOSURES)}, closures_path=str(CLOSURES))
    assert arm.joint_names == list(robot.joint_names) == ['turn', 'shoulder', 'flange', 'crank']
    np.testing.assert_array_equal(arm.position, robot.model.closed_posture)
    states = arm.record(JointState, 'joint_states')
    arm.go_to(GOAL, 2.0)
    worst = 0.0
    while arm.time < 2.5:
        arm.advance(0.05)
        worst = max(worst, np.abs(arm.reference[0] - arm.position).max())
    assert arm.status.startswith('HOLD') or arm.status.startswith('ACTIVE')
    fastest = 10.0 / np.sqrt(3.0) * np.abs(GOAL - robot.model.closed_posture).max() / 2.0**2
    assert worst < 0.2 * 0.5 * 1e-3 * fastest
    arm.advance(1.0)
    np.testing.assert_allclose(arm.position, GOAL, atol=1e-6)
    weight = robot.gravity_torque(arm.position)
    np.testing.assert_allclose(arm.torque, weight, atol=1e-6 * np.abs(weight).max())
    tree, referee = Robot.from_urdf(URDF), palletizer()
    assert len(states.messages) > 100
    for message in states.messages:
        last = dict(zip(message.name, message.position))
        assert np.abs(loop_gaps(referee, last)).max() < 1e-12
    theta = [last[name] for name in tree.joint_names]
    up = tree.pose(theta, 'plate')[:3, 2]
    np.testing.assert_allclose(up, (0.0, 0.0, 1.0), atol=1e-12)


def test_operational_space_control_moves_the_tool_of_the_palletizer(controlled_robot):
    """Three translations and the turn about the vertical, as the loops keep the plate level.

    The pose is that of the tree without closures, at the joints of the last message.
    """
    law = {
        'law': 'operational_space',
        'operational_space__frame': 'tool0',
        'operational_space__axes': [1.0, 1.0, 1.0, 0.0, 0.0, 1.0],
        'operational_space__heaviest': 1e4,  # [kg] the arm weighs more than 50
    }
    arm = controlled_robot(
        URDF, {'closures_path': str(CLOSURES), **law}, closures_path=str(CLOSURES)
    )
    states = arm.record(JointState, 'joint_states')
    tasks = arm.record(TaskState, f'{CONTROLLER}/task_state')
    arm.advance(0.5)
    wait_until(lambda: tasks.last is not None, 'its task')
    start = Robot.from_urdf(URDF, closures=CLOSURES).pose(arm.position, 'tool0')
    place = start[:3, 3] + (-0.1, 0.15, 0.1)
    pose = Pose(
        position=Point(**dict(zip('xyz', map(float, place)))),
        orientation=Quaternion(**dict(zip('xyzw', map(float, tasks.last.target_orientation)))),
    )
    target = PoseStamped(pose=pose)
    target.header.frame_id = 'base_link'
    assert arm.send('target_pose', target) == ''
    assert arm.status == 'ACTIVE FOLLOWING'
    while arm.status != 'HOLD TARGET_REACHED':
        assert arm.time < 20.0, arm.status
        arm.advance(0.1)
    arm.advance(2.0)
    q = dict(zip(states.last.name, states.last.position))
    tree = Robot.from_urdf(URDF)
    reached = tree.pose([q[name] for name in tree.joint_names], 'tool0')
    np.testing.assert_allclose(reached, _at(start, place), atol=1e-7)
    assert np.abs(loop_gaps(palletizer(), q)).max() < 1e-12


def test_the_adaptive_law_learns_a_load_of_the_palletizer(controlled_robot):
    """At rest the learnt torque and the gains carry the weight of the load, J^T m g.

    The gains alone would err by that weight over the gain. The law still learns a little, so one
    percent is left.
    """
    robot, mass = Robot.from_urdf(URDF, closures=CLOSURES), 20.0
    gain = 36.0 * np.diag(robot.mass_matrix(GOAL))  # critically damped, 6 rad/s
    gains = {
        f'gains__{joint}__{kind}': float(value)
        for joint, p in zip(robot.joint_names, gain)
        for kind, value in (('p', p), ('d', p / 3.0))
    }
    law = {
        'law': 'adaptive_computed_torque',
        'adaptive_computed_torque__rate': 1.0,
        'max_start_error': 1.0,
    }
    arm = controlled_robot(
        URDF,
        {'closures_path': str(CLOSURES), **law, **gains},
        closures_path=str(CLOSURES),
        payload__frame='tool0',
        payload__mass=mass,
    )
    told = arm.record(ControllerState, f'{CONTROLLER}/controller_state')
    arm.go_to(GOAL, 2.0)
    arm.advance(8.0)
    assert arm.status == 'HOLD TRAJECTORY_END'
    weight = mass * 9.81 * robot.jacobian(arm.position, 'tool0')[2]
    error = arm.reference[0] - arm.position
    np.testing.assert_allclose(told.last.other + gain * error, weight, atol=1e-2 * weight.max())
    assert np.abs(error).max() < 0.3 * (weight / gain).max()


def _at(pose, place):
    """Return a pose moved to another place."""
    moved = pose.copy()
    moved[:3, 3] = place
    return moved


def test_get_dynamics_answers_for_the_independent_joints(graph, host, probe):
    """The request is of all joints in any order, and not of the state of the arm."""
    robot = Robot.from_urdf(URDF, closures=CLOSURES)
    q = robot.model.closed_posture + (0.1, -0.2, 0.15, 0.1)
    qd, qdd = np.array((0.3, -0.4, 0.5, 0.2)), np.array((1.0, -2.0, 0.5, 3.0))
    names, tau = list(robot.all_joint_names), np.array((5.0, -30.0, 2.0, 20.0))
    positions, velocities = robot.expand(q, qd)[:2]
    arm = FakeArm(graph, names, robot.expand(robot.model.closed_posture)[0].tolist())
    try:
        host('controller', **{**SIMULATED, 'urdf_path': str(URDF), 'closures_path': str(CLOSURES)})
        probe.wait_for('HOLD', timeout=COLD)
        request = GetDynamics.Request(fields=63, acceleration=qdd.tolist(), effort=tau.tolist())
        request.state.name = names[::-1]
        request.state.position = positions[::-1].tolist()
        request.state.velocity = velocities[::-1].tolist()
        answer = graph.call(GetDynamics, f'{probe.name}/get_dynamics', request, again=True)
    finally:
        arm.stop()
    assert answer.success and list(answer.joint_names) == list(robot.joint_names)
    for found, expected in (
        (answer.position, q),
        (answer.mass_matrix, robot.mass_matrix(q).ravel()),
        (answer.coriolis, robot.bias_torque(q, qd) - robot.gravity_torque(q)),
        (answer.gravity, robot.gravity_torque(q)),
        (answer.effort, robot.inverse_dynamics(q, qd, qdd)),
        (answer.forward_acceleration, robot.forward_dynamics(q, qd, tau)),
    ):
        agree(found, expected, tolerance=1e-11)


@pytest.mark.parametrize('name', ['controller', 'simulator'])
def test_a_file_that_closes_nothing_is_refused(host, tmp_path, monkeypatch, name):
    """By one sentence, with the name of the file; the node waits for another one."""
    monkeypatch.chdir(tmp_path)  # long paths are shortened in sentences
    path = Path('loops.yaml')
    path.write_text('closures: {pin: {a: {link: drive_rod}}}')
    clock = SIMULATED if name == 'controller' else {}
    node = host(name, **{**clock, 'urdf_path': str(URDF), 'closures_path': str(path)})
    node.wait_for_output("file 'loops.yaml': closure 'pin' has", COLD)
    assert 'expected at least a and b' in node.output and node.running
    assert 'Traceback' not in node.output
