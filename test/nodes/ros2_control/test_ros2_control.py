# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The plug-ins of robodyn_control within a real controller_manager, on their simulated robot."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from ament_index_python.packages import get_package_prefix
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robodyn_msgs.msg import ControllerState, ControllerStatus, OperationalSpaceInertia
from robodyn_msgs.srv import GetOperationalSpaceInertia, SetPayload
from robodyn_ros import Robot
from robodyn_ros.control.plugin_files import plugin_files
from robodyn_ros.testing.participant import LATCHED, wait_until
from support.c_libraries import run
from support.nodes.arm_states import rows_of
from support.nodes.controller_manager import ControllerManager, missing
from support.nodes.node_harness import TWO_LINK

ABSENT = missing(('controller_manager', 'robodyn_control', 'joint_state_broadcaster'))
HAS_ABOVE = not missing(('joint_trajectory_controller',))
pytestmark = [
    pytest.mark.ros,
    pytest.mark.slow,
    pytest.mark.skipif(bool(ABSENT), reason=f'not installed: {", ".join(ABSENT)}'),
]

LAW, GRAVITY, ABOVE = 'computed_torque', 'gravity_compensation', 'joint_trajectory_controller'
GOAL = (0.4, -0.6)


chained = pytest.mark.skipif(not HAS_ABOVE, reason='no joint_trajectory_controller installed')


class Arm:
    """What a test sees of the arm within ros2_control."""

    def __init__(self, graph, folder):
        files = plugin_files(TWO_LINK.read_text(), folder, trajectories=HAS_ABOVE)
        text = files.parameters.read_text().replace('update_rate: 1000', 'update_rate: 200')
        text = text.replace("robot_compensates_gravity: 'no'", OWN_PARAMETERS)
        files.parameters.write_text(text)
        self.graph, self.robot = graph, Robot.from_urdf(files.description)
        self.joints = graph.collect(JointState, '/joint_states')
        self.statuses = graph.collect(ControllerStatus, f'/{LAW}/status', LATCHED)
        self.states = graph.collect(ControllerState, f'/{LAW}/controller_state')
        self.inertias = graph.collect(OperationalSpaceInertia, f'/{LAW}/operational_space_inertia')
        self.path = graph.node.create_publisher(JointTrajectory, f'/{ABOVE}/joint_trajectory', 1)
        self.manager = ControllerManager(graph, files.description, files.parameters, folder)

    def next(self, kind='position'):
        """Return a quantity of the joints in a state that comes from now on."""
        count = len(self.joints.messages)
        wait_until(lambda: len(self.joints.messages) > count, 'a joint state')
        row = rows_of([self.joints.messages[-1]], self.robot.joint_names)[0]
        return row[('position', 'velocity', 'effort').index(kind)]

    def wait_for(self, state, reason=None):
        """Wait for a status."""
        return wait_until(
            lambda: (
                (last := self.statuses.last)
                and (last.state_name, reason or last.reason) == (state, last.reason)
                and last
            ),
            f'{state} {reason or ""}; the last was {self.statuses.last}',
        )

    def go_to(self, goal, seconds=1):
        """Send a trajectory to the controller above, and wait until the arm has arrived."""
        point = JointTrajectoryPoint(positions=list(goal), velocities=[0.0] * len(goal))
        point.time_from_start.sec = seconds
        self.path.publish(JointTrajectory(joint_names=self.robot.joint_names, points=[point]))
        wait_until(lambda: np.abs(self.next() - goal).max() < 2e-3, f'the arm at {goal}')


#: In place of the line that it begins with.
OWN_PARAMETERS = "robot_compensates_gravity: 'no'\n    osi_publish_rate: 50.0"


def test_a_description_that_is_another_is_refused(graph, tmp_path):
    """The dynamics were emitted from another text: the simulated robot does not start."""
    files = plugin_files(TWO_LINK.read_text(), tmp_path, trajectories=False)
    other = files.description.replace('<robot', '<!-- another -->\n<robot', 1)
    manager = ControllerManager(graph, other, files.parameters, tmp_path)
    try:
        manager.wait_for('SHA-256')
    finally:
        manager.close()


def test_a_million_updates_allocate_lock_and_write_nothing(tmp_path):
    """The class that the controller manager calls, with references, telemetry and Lambda."""
    files = plugin_files(TWO_LINK.read_text(), tmp_path, trajectories=False)
    description, parameters = tmp_path / 'arm.urdf', tmp_path / 'parameters.yaml'
    description.write_text(files.description)
    text = files.parameters.read_text()
    parameters.write_text(text.replace("robot_compensates_gravity: 'no'", OWN_PARAMETERS))
    program = Path(get_package_prefix('robodyn_control'), 'lib', 'robodyn_control', 'cycle_cost')
    told = run([program, description, parameters, LAW, 1_000_000])
    assert f'{LAW}: 0 allocations, 0 locks, 0 writes' in told


@pytest.fixture(scope='module')
def arm(graph, tmp_path_factory):
    """Return an arm that is held by the plug-in, the trajectory controller configured above."""
    folder = tmp_path_factory.mktemp('ros2_control')
    arm = Arm(graph, Path(folder))
    for name in ('joint_state_broadcaster', LAW, GRAVITY, *[ABOVE] * HAS_ABOVE):
        assert arm.manager.load(name), arm.manager.node.output
    assert arm.manager.switch(start=['joint_state_broadcaster', LAW]), arm.manager.node.output
    yield arm
    arm.manager.close()


def test_the_arm_is_held_where_it_was(arm):
    """Without a controller above the posture of the activation is held, gravity carried.

    No state between brakes and law shows an arm that falls for a cycle.
    """
    arm.wait_for('HOLD')
    arm.next()
    moved = [np.abs((*state.position, *state.velocity)).max() for state in arm.joints.messages]
    assert max(moved) < 1e-9
    wait_until(lambda: arm.states.last, 'a controller state')
    np.testing.assert_allclose(
        arm.states.last.gravity, arm.robot.gravity_torque(arm.states.last.measured_position),
        rtol=0.0, atol=1e-9,
    )  # fmt: skip
    assert arm.states.last.header.frame_id == 'base_link'


@chained
def test_it_follows_the_trajectory_controller_above(arm):
    """References by ros2_control, chained; without a controller above the arm stays there."""
    assert arm.manager.switch(start=[ABOVE])
    arm.wait_for('ACTIVE', 'FOLLOWING')
    arm.go_to(GOAL)
    assert arm.manager.switch(stop=[ABOVE])
    arm.wait_for('HOLD')
    assert np.abs(arm.next() - GOAL).max() < 5e-3


@chained
def test_it_begins_where_it_is_after_a_pause(arm):
    """What the controller above wrote before the pause is forgotten: no reference is refused."""
    assert arm.manager.switch(start=[ABOVE])
    arm.go_to(GOAL)
    assert arm.manager.switch(start=[GRAVITY], stop=[ABOVE, LAW])
    assert arm.manager.switch(start=[LAW], stop=[GRAVITY])
    before = arm.wait_for('HOLD').rejected_messages
    held = arm.next()
    assert arm.manager.switch(start=[ABOVE])
    arm.wait_for('ACTIVE', 'FOLLOWING')
    assert np.abs(arm.next() - held).max() < 5e-3
    arm.go_to((0.0, 0.0))
    assert arm.statuses.last.rejected_messages == before
    assert arm.manager.switch(stop=[ABOVE])


def test_a_stop_is_latched_and_a_reset_ends_it(arm):
    """The services of the node, seen by the next cycle."""
    call = arm.graph.call
    assert call(Trigger, f'/{LAW}/stop').success
    arm.wait_for('FAULT', 'STOPPED')
    assert call(Trigger, f'/{LAW}/reset').success
    arm.wait_for('HOLD', 'RESET')


def test_deactivated_it_leaves_the_safe_torque(arm):
    """The last effort is the gravity torque: no cycle follows that could ramp to it."""
    assert arm.manager.switch(stop=[LAW])
    efforts = arm.joints.messages
    wait_until(
        lambda: len(efforts) > 10 and all(m.effort == efforts[-1].effort for m in efforts[-10:]),
        'an effort that stays',
    )
    effort, q = arm.next('effort'), arm.next()
    np.testing.assert_allclose(effort, arm.robot.gravity_torque(q), rtol=0.0, atol=0.5)
    assert arm.manager.switch(start=[LAW])
    arm.wait_for('HOLD', 'ACTIVATED')


def test_operational_space_inertia_is_that_of_the_robot(arm):
    """The topic and the service, each at the state that it names."""
    wait_until(lambda: arm.inertias.last, 'an operational-space inertia')
    told = arm.inertias.last
    expected = arm.robot.operational_space_inertia(np.array(told.position), told.row_links[0])
    assert told.rank == expected.rank == 2 and told.rows == 6
    close = dict(rtol=0.0, atol=1e-9 * np.abs(expected.inertia).max())
    np.testing.assert_allclose(np.reshape(told.inertia, (6, 6)), expected.inertia, **close)
    request = GetOperationalSpaceInertia.Request(axes=[True, False, True, False, False, False])
    request.state.name, request.state.position = list(arm.robot.joint_names), [0.3, 0.9]
    answer = arm.graph.call(
        GetOperationalSpaceInertia, f'/{LAW}/get_operational_space_inertia', request
    )
    assert answer.success, answer.message
    expected = arm.robot.operational_space_inertia(np.array([0.3, 0.9]), answer.link, 'x z')
    np.testing.assert_allclose(np.reshape(answer.inertia, (2, 2)), expected.inertia, rtol=1e-9)
    request.link = 'hand'
    answer = arm.graph.call(
        GetOperationalSpaceInertia, f'/{LAW}/get_operational_space_inertia', request
    )
    assert not answer.success and 'no link hand' in answer.message


def carried(mass, com=(0.05, 0.0, 0.1), moment=0.02, frame='tool0', ramp=0.2):
    """Return the request of a payload, or of none."""
    request = SetPayload.Request()
    request.payload.header.frame_id = frame
    body = request.payload.inertia
    body.m, body.ixx, body.iyy, body.izz = mass, moment, moment, moment
    body.com.x, body.com.y, body.com.z = com
    request.ramp.nanosec = int(1e9 * ramp)
    return request


def test_a_payload_is_compensated_and_part_of_lambda(arm):
    """Over a ramp while it is active, at once when it is activated with one."""

    def attach(**payload):
        return arm.graph.call(SetPayload, f'/{LAW}/set_payload', carried(**payload))

    def compensates(robot):
        arm.states.clear()
        last = wait_until(lambda: arm.states.last, 'a controller state')
        weight = robot.gravity_torque(np.array(last.measured_position))
        return np.abs(last.gravity - weight).max() < 1e-9

    loaded = arm.robot.with_payload('tool0', 1.5, [0.05, 0.0, 0.1], 0.02 * np.eye(3))
    assert attach(mass=1.5).success
    wait_until(lambda: compensates(loaded), 'the weight of the payload')
    request = GetOperationalSpaceInertia.Request(axes=[True, False, True, False, False, False])
    answer = arm.graph.call(
        GetOperationalSpaceInertia, f'/{LAW}/get_operational_space_inertia', request
    )
    expected = loaded.operational_space_inertia(np.array(answer.position), answer.link, 'x z')
    np.testing.assert_allclose(np.reshape(answer.inertia, (2, 2)), expected.inertia, rtol=1e-9)
    for wrong, words in (
        ({'mass': 1.5, 'frame': 'hand'}, "has no frame 'hand'"),
        ({'mass': -1.0}, 'mass is -1 kg'),
        ({'mass': 500.0}, 'to hold it in the measured posture'),
    ):
        answer = attach(**wrong)
        assert not answer.success and words in answer.message
    assert arm.manager.switch(stop=[LAW])
    assert attach(mass=0.0, com=(0.0, 0.0, 0.0), moment=0.0, ramp=60.0).success
    assert arm.manager.switch(start=[LAW])
    assert compensates(arm.robot)
