# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""`ros2 launch robodyn_ros ros2_control.launch.py`: up, along a path, killed, up again, down."""

import os
import re
import signal
import sys

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robodyn_msgs.msg import ControllerStatus
from robodyn_ros.testing.participant import LATCHED, wait_until
from support.nodes.arm_states import rows_of, send_until
from support.nodes.controller_manager import missing
from support.nodes.node_harness import PATH, SOON, TWO_LINK, StartedNode

NEEDED = ('ros2launch', 'robodyn_ros', 'controller_manager', 'robodyn_control')
ABSENT = missing((*NEEDED, 'joint_state_broadcaster', 'joint_trajectory_controller'))
pytestmark = [
    pytest.mark.ros,
    pytest.mark.slow,
    pytest.mark.skipif(bool(ABSENT), reason=f'not installed: {", ".join(ABSENT)}'),
]

LAW, GRAVITY, ABOVE = 'computed_torque', 'gravity_compensation', 'joint_trajectory_controller'
FOLLOWS = 'ACTIVE', 'FOLLOWING'
JOINTS, GOAL = ('joint1', 'joint2'), (0.3, -0.4)
PATIENCE = 2.0  # [s] between trajectories: longer than one lasts
#: What the launch file needs of robot_state_publisher: the description, latched.
DESCRIPTION_PUBLISHER = f"""#!{sys.executable}
import rclpy
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String

rclpy.init()
node = rclpy.create_node('robot_state_publisher')
latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
text = node.declare_parameter('robot_description', '').value
node.create_publisher(String, 'robot_description', latched).publish(String(data=text))
try:
    rclpy.spin(node)
except (KeyboardInterrupt, rclpy.executors.ExternalShutdownException):
    pass
"""


@pytest.fixture(scope='module')
def environment(tmp_path_factory):
    """Provide a robot_state_publisher, where none is installed one that sends no transforms."""
    with pytest.MonkeyPatch.context() as patch:
        if missing(('robot_state_publisher',)):
            prefix = tmp_path_factory.mktemp('prefix')
            index = prefix / 'share' / 'ament_index' / 'resource_index' / 'packages'
            program = prefix / 'lib' / 'robot_state_publisher' / 'robot_state_publisher'
            for folder in (index, program.parent):
                folder.mkdir(parents=True)
            (index / 'robot_state_publisher').touch()
            program.write_text(DESCRIPTION_PUBLISHER)
            program.chmod(0o755)
            patch.setenv('AMENT_PREFIX_PATH', f'{prefix}{os.pathsep}', prepend=os.pathsep)
        yield


class Launched:
    """The launch file, and what a test sees of the arm."""

    def __init__(self, graph, folder, controller=LAW, trajectories=True):
        slower = folder / 'slower.yaml'  # where cycles last long, tests are short of processors
        slower.write_text('controller_manager: {ros__parameters: {update_rate: 200}}\n')
        given = {
            'description_file': TWO_LINK,
            'controller': controller,
            'trajectories': str(trajectories).lower(),
            'params_file': slower,
            'folder': folder / 'arm',
        }
        self.statuses = graph.collect(ControllerStatus, f'/{controller}/status', LATCHED)
        self.states = graph.collect(JointState, '/joint_states')
        self.path = graph.node.create_publisher(JointTrajectory, f'/{ABOVE}/joint_trajectory', 1)
        self.launch = StartedNode(
            ['ros2', 'launch', 'robodyn_ros', 'ros2_control.launch.py']
            + [f'{name}:={value}' for name, value in given.items()],
            folder,
            PATH,
        )

    def wait_until_it(self, *status):
        """Wait until the controllers are active, and the log of the launch states it."""

        def is_so():
            assert self.launch.running, self.launch.output
            last = self.statuses.last
            return last and (last.state_name, last.reason)[: len(status)] == status

        wait_until(is_so, f'an arm in {status}', SOON)
        self.launch.wait_for_output('[spawner-3]: process has finished cleanly')

    def go_to(self, goal):
        """Send a trajectory until the arm moves, and wait until it has arrived."""
        point = JointTrajectoryPoint(positions=list(goal), velocities=[0.0, 0.0])
        point.time_from_start.sec = 1
        path = JointTrajectory(joint_names=JOINTS, points=[point])
        nearer = self.distance(goal) - 1e-3
        send_until(
            lambda: self.distance(goal) < nearer,
            f'an arm on its way to {goal}', self.path, path, PATIENCE,
        )  # fmt: skip
        wait_until(lambda: self.distance(goal) < 2e-3, f'the arm at {goal}')

    def distance(self, goal):
        """Return how far the joint farthest from a goal is from it [rad]."""
        return np.abs(rows_of([self.states.last], JOINTS)[0, 0] - goal).max()

    def process(self, name):
        """Return the number of a process that the launch has started."""
        line = rf'\[{name}-\d\]: process started with pid \[(\d+)\]'
        return int(re.findall(line, self.launch.output)[-1])


def test_it_is_launched_follows_is_killed_and_is_launched_again(graph, environment, tmp_path):
    """A killed controller manager ends the launch, by name; the next one holds the arm again."""
    first = Launched(graph, tmp_path)
    try:
        first.wait_until_it(*FOLLOWS)
        first.go_to(GOAL)
        os.kill(first.process('ros2_control_node'), signal.SIGKILL)
        wait_until(lambda: not first.launch.running, 'the end of the launch', SOON)
        assert 'ros2_control_node-2 has ended with code -9' in first.launch.output
    finally:
        first.launch.close()
    second = Launched(graph, tmp_path)
    try:
        second.wait_until_it(*FOLLOWS)
        assert second.distance((0.0, 0.0)) < 1e-6  # the simulated robot begins anew
        second.go_to(GOAL)
        second.launch.end_well()
    finally:
        second.launch.close()


@pytest.mark.parametrize('controller, state', [(LAW, 'HOLD'), (GRAVITY, 'ACTIVE')])
def test_it_is_launched_without_a_controller_above(
    graph, environment, tmp_path, controller, state
):
    """The plug-in alone holds the arm where the simulated robot begins."""
    launched = Launched(graph, tmp_path, controller, trajectories=False)
    try:
        launched.wait_until_it(state)
        count = len(launched.states.messages)
        wait_until(lambda: len(launched.states.messages) > count + 100, 'joint states')
        assert launched.distance((0.0, 0.0)) < 1e-9
        assert np.abs(launched.states.last.effort).max() > 1.0  # it carries its weight
        launched.launch.end_well()
    finally:
        launched.launch.close()
