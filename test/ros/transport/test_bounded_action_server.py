# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Goals are bounded by their bytes, and no Python object is made of their points."""

import ctypes
import json
from pathlib import Path

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from support.nodes import action_type  # noqa: E402

action_type.provide()

from ament_index_python import get_package_share_directory  # noqa: E402
from control_msgs.action import FollowJointTrajectory  # noqa: E402
from control_msgs.msg import JointTolerance  # noqa: E402
from rclpy.action import ActionClient, CancelResponse  # noqa: E402
from rclpy.executors import SingleThreadedExecutor  # noqa: E402
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint  # noqa: E402

from robodyn_ros.middleware.trajectory_cdr import MAX_BYTES  # noqa: E402
from robodyn_ros.ros.common.process import end_executor  # noqa: E402
from robodyn_ros.ros.controller.reference_messages import TrajectoryReader  # noqa: E402
from robodyn_ros.ros.transport import bounded_action_server  # noqa: E402
from robodyn_ros.ros.transport.bounded_action_server import BoundedActionServer  # noqa: E402
from robodyn_ros.ros.transport.bounded_subscription import SMALL  # noqa: E402

NAMES = ['shoulder', 'elbow']
#: Hash of FollowJointTrajectory of control_msgs 5, which depends on all fields and their types.
REAL = 'RIHS01_738ebcb7a2d7cfa42f9f1001cc99ce3a4383d1cfe508015d9be8485e4b1c66f6'
SOON = 60.0  # [s] for what would never come


class Bench:
    """A server that accepts every goal, and its client, in one executor."""

    def __init__(self):
        self.context = rclpy.Context()
        rclpy.init(context=self.context)
        self.node = rclpy.create_node('bench', context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.goals, self.refused = [], []
        self.server = BoundedActionServer(
            self.node,
            FollowJointTrajectory,
            'follow',
            self.begin,
            self.refused.append,
            self.execute,
            lambda _: CancelResponse.ACCEPT,
        )
        self.client = ActionClient(self.node, FollowJointTrajectory, 'follow')
        self.wait(lambda: self.client.server_is_ready() or None)

    def begin(self, goal, trajectory):
        self.goals.append((goal, trajectory.copy()))
        return True

    def execute(self, handle):
        handle.succeed()
        return FollowJointTrajectory.Result(error_string=f'{len(handle.request.path_tolerance)}')

    def wait(self, find):
        for _ in range(round(SOON / 0.05)):
            if (found := find()) is not None:
                return found
            self.executor.spin_once(timeout_sec=0.05)
        raise AssertionError('it did not come')

    def ask(self, future):
        return self.wait(lambda: future.result() if future.done() else None)

    def close(self):
        self.server.destroy()
        self.client.destroy()
        end_executor(self.executor)
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)


@pytest.fixture(params=['its own functions', 'rclpy'])
def bench(request, monkeypatch):
    """A server that takes its goals, and one for which rclpy does."""
    if request.param == 'rclpy':
        monkeypatch.setattr(bounded_action_server, 'goal_functions', lambda: None)
    made = Bench()
    yield made
    made.close()


def goal(points, frame='', tolerances=1):
    rng = np.random.default_rng(points)
    trajectory = JointTrajectory(joint_names=NAMES)
    trajectory.header.frame_id = frame
    for k in range(points):
        point = JointTrajectoryPoint(positions=rng.uniform(-1.0, 1.0, 2).tolist())
        point.time_from_start.sec = k + 1
        trajectory.points.append(point)
    tolerance = JointTolerance(name='elbow', position=0.25)
    return FollowJointTrajectory.Goal(
        trajectory=trajectory, path_tolerance=[tolerance] * tolerances
    )


@pytest.mark.parametrize('frame', ['', 'a', 'ab', 'abc', 'abcd', 'abcdefgh'])
def test_goals_come_as_they_were_sent(bench, frame):
    """Whatever the length of the text before, which decides how numbers are aligned."""
    sent = goal(7, frame)
    handle = bench.ask(bench.client.send_goal_async(sent))
    assert handle.accepted
    ((given, octets),) = bench.goals
    assert given.path_tolerance == sent.path_tolerance
    assert given.trajectory.joint_names == NAMES and given.trajectory.header.frame_id == frame
    read = TrajectoryReader(NAMES).read_bytes(octets, 0)
    assert read.positions.tolist() == [list(each.positions) for each in sent.trajectory.points]
    assert read.times.tolist() == [float(k + 1) for k in range(7)]
    result = bench.ask(handle.get_result_async())
    assert result.result.error_string == '1'


def test_a_goal_without_points_is_given_as_such(bench):
    assert bench.ask(bench.client.send_goal_async(goal(0))).accepted
    assert bench.goals[0][0].trajectory.points == []


def test_an_identity_is_accepted_once(bench):
    from unique_identifier_msgs.msg import UUID

    identity = UUID(uuid=list(range(16)))
    first = bench.ask(bench.client.send_goal_async(goal(3), goal_uuid=identity))
    bench.ask(first.get_result_async())
    again = bench.ask(bench.client.send_goal_async(goal(3), goal_uuid=identity))
    assert (first.accepted, again.accepted, len(bench.goals)) == (True, False, 1)


@pytest.fixture
def decoded(monkeypatch):
    """Sizes of what was decoded."""
    sizes, true = [], bounded_action_server.deserialize_message
    monkeypatch.setattr(
        bounded_action_server,
        'deserialize_message',
        lambda data, kind: sizes.append(len(data)) or true(data, kind),
    )
    return sizes


@pytest.fixture
def bounded():
    made = Bench()
    yield made
    made.close()


def test_row_9_the_points_of_a_goal_are_never_decoded(bounded, decoded):
    assert bounded.ask(bounded.client.send_goal_async(goal(20_000))).accepted
    assert len(decoded) == 1 and decoded[0] < 1000
    assert bounded.goals[0][0].trajectory.points == []
    assert TrajectoryReader(NAMES).read_bytes(bounded.goals[0][1], 0).times.size == 20_000


@pytest.mark.parametrize('points, tolerances', [(60_000, 0), (1, 1000)])
def test_row_9_a_large_goal_is_refused_with_nothing_of_it_decoded(
    bounded, decoded, points, tolerances
):
    large = goal(points, tolerances=tolerances)
    assert not bounded.ask(bounded.client.send_goal_async(large)).accepted
    assert decoded == [] and bounded.goals == []
    assert f'at most {MAX_BYTES} are accepted, and {SMALL} besides' in bounded.refused[0]
    assert bounded.ask(bounded.client.send_goal_async(goal(2))).accepted


def test_a_goal_that_is_no_text_is_refused_with_a_sentence(bounded, monkeypatch):
    def fails(data, kind):
        raise UnicodeDecodeError('utf-8', b'\xff', 0, 1, 'invalid start byte')

    monkeypatch.setattr(bounded_action_server, 'deserialize_message', fails)
    assert not bounded.ask(bounded.client.send_goal_async(goal(2))).accepted
    assert bounded.refused[0].startswith('It cannot be read: ')


def test_row_9_goals_are_taken_without_the_gil(bounded):
    """The loop goes on while a large goal is copied out of the middleware."""
    python_api = 0x4  # FUNCFLAG_PYTHONAPI of ctypes: the GIL is kept
    port = bounded.server._port
    assert not any(call._flags_ & python_api for call in (port._take, port._serialise, port._send))
    assert ctypes.PyDLL(None).Py_IncRef._flags_ & python_api


def test_a_type_of_another_layout_is_left_to_rclpy(monkeypatch):
    """Without the goal's identity, the points would be sought at a wrong place."""

    class Shifted(ctypes.Structure):
        _fields_ = bounded_action_server._GoalPrefix._fields_[1:]

    monkeypatch.setattr(bounded_action_server, '_GoalPrefix', Shifted)
    bench = Bench()
    try:
        assert bench.server._port is None
        assert bench.ask(bench.client.send_goal_async(goal(3))).accepted
        assert len(bench.goals[0][0].trajectory.points) == 3
    finally:
        bench.close()


def test_the_action_is_that_of_the_real_control_msgs():
    """The hash of the types is that of control_msgs 5 of Jazzy: either end may have either."""
    folder = Path(get_package_share_directory('control_msgs'))
    if '<version>0.0.0<' not in (folder / 'package.xml').read_text():
        pytest.skip('the real control_msgs is installed')
    known = json.loads((folder / 'action' / 'FollowJointTrajectory.json').read_text())
    hashes = {each['type_name']: each['hash_string'] for each in known['type_hashes']}
    assert hashes['control_msgs/action/FollowJointTrajectory'] == REAL
