# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The end effector under operational-space control, in lock step: an eight, a stretch,
nonsense."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from geometry_msgs.msg import (
    Accel,
    AccelStamped,
    Point,
    Pose,
    PoseStamped,
    Quaternion,
    Twist,
    TwistStamped,
    Vector3,
    Wrench,
    WrenchStamped,
)
from rclpy.time import Time

from robodyn_msgs.msg import ControllerState, TaskState
from robodyn_ros import Robot
from support import examples
from support.nodes.node_harness import (
    COLD,
    CONTROLLER,
    ROOT,
    SIMULATED,
    ControllerProbe,
    nanoseconds,
    wait_until,
)

example = examples.load('move_an_end_effector')

pytestmark = pytest.mark.ros
pytest_plugins = ['robodyn_ros.testing.fixtures']

URDF = ROOT / 'config' / 'urdf' / 'ur_like.urdf'
ROBOT = Robot.from_urdf(str(URDF))
RATE = 250
AHEAD = 0.04  # [s] by which a target of the eight is sent before its time
STREAM = 0.01  # [s] between two targets
LAW = {
    'update_rate': RATE,
    'state_publish_rate': float(RATE),
    'law': 'operational_space',
    'operational_space__frame': 'flange',
}
TARGETS = {
    'target_pose': PoseStamped,
    'target_twist': TwistStamped,
    'target_acceleration': AccelStamped,
    'target_wrench': WrenchStamped,
}
PAGE = (Path(__file__).resolve().parents[3] / 'doc' / 'nodes' / 'controller.md').read_text()


class EndEffector:
    """A simulated arm whose controller moves its end effector; all messages about it are kept."""

    def __init__(self, start):
        self.arm = start(URDF, LAW, update_rate=2 * RATE, initial_position=list(example.STRETCH))
        self.tasks = self.arm.record(TaskState, f'{CONTROLLER}/task_state')
        self.states = self.arm.record(ControllerState, f'{CONTROLLER}/controller_state')
        self.efforts = []
        self.advance(1.0)  # so that there is a time before now

    @property
    def task(self):
        """The task state of the last cycle."""
        return self.tasks.last

    def advance(self, seconds):
        """Let time pass, until the messages of the last cycle are there."""
        for _ in range(round(seconds * RATE)):
            self.efforts.append(self.arm.advance(1.0 / RATE).effort)
        now = round(1e9 * self.arm.time)
        for inbox in (self.tasks, self.states):
            wait_until(lambda box=inbox: box.last and nanoseconds(box.last) >= now, 'its end')

    def advance_until(self, condition, what):
        """Advance until a condition is true."""
        end = self.arm.time + 30.0
        while not condition():
            assert self.arm.time < end, f'{what}: the status is {self.arm.status}'
            self.advance(STREAM * 2.0)

    def clear(self):
        """Drop all recorded messages."""
        self.tasks.clear()
        self.states.clear()

    def pose(self, position, orientation, frame='base_link', at=None):
        pose = Pose(
            position=Point(**xyz(position)),
            orientation=Quaternion(**xyz(orientation[:3]), w=float(orientation[3])),
        )
        return self._send('target_pose', PoseStamped(pose=pose), frame, at)

    def twist(self, linear, angular=(0.0, 0.0, 0.0), frame='base_link', at=None):
        twist = Twist(linear=Vector3(**xyz(linear)), angular=Vector3(**xyz(angular)))
        return self._send('target_twist', TwistStamped(twist=twist), frame, at)

    def acceleration(self, linear, at=None):
        accel = Accel(linear=Vector3(**xyz(linear)))
        return self._send('target_acceleration', AccelStamped(accel=accel), 'base_link', at)

    def wrench(self, force, frame='base_link', at=None):
        wrench = Wrench(force=Vector3(**xyz(force)))
        return self._send('target_wrench', WrenchStamped(wrench=wrench), frame, at)

    def _send(self, name, message, frame, at):
        """Publish a target in a frame, for a simulated time [s] or for now; '' or its refusal."""
        message.header.frame_id = frame
        if at is not None:
            message.header.stamp = Time(seconds=at).to_msg()
        return self.arm.send(name, message)


def xyz(values):
    return dict(zip('xyz', map(float, values)))


@pytest.fixture
def end_effector(controlled_robot):
    made = EndEffector(controlled_robot)
    assert made.arm.status == 'HOLD ACTIVATED'
    yield made
    assert 'Traceback' not in made.arm.log
    efforts = np.array(made.efforts[1:])  # before the first one nothing was commanded
    assert np.isfinite(efforts).all()
    assert abs(np.diff(efforts, axis=0)).max() <= 1000.0 / RATE + 1e-9  # max_effort_rate


def test_the_end_effector_holds_where_it_is(end_effector):
    state = end_effector.task
    expected = ROBOT.pose(example.STRETCH, 'flange')
    assert state.end_effector == 'flange' and state.header.frame_id == 'base_link'
    for position in (state.target_position, state.reference_position, state.measured_position):
        np.testing.assert_allclose(position, expected[:3, 3], atol=1e-9)
    assert np.linalg.norm(state.reference_orientation) == pytest.approx(1.0)
    assert list(state.shares) == [1.0] * 6 and not any(state.reference_wrench)


@pytest.mark.parametrize('told', [('twist',), ()], ids=['pose and twist', 'pose'])
def test_the_end_effector_follows_a_figure_eight(end_effector, told):
    """Targets come at 100 Hz, 40 ms ahead. By the stamps of the simulator the arm reaches them in
    time."""
    pose, duration = ROBOT.pose(example.STRETCH, 'flange'), 5.0
    eight = example.eight_about(pose[:3, 3], duration, 0.11, 0.05, 0.25, 2.0)
    end_effector.clear()
    begin, missed = end_effector.arm.time, []
    for t in np.arange(0.0, duration, STREAM):
        position, velocity = eight(t + AHEAD)
        assert end_effector.pose(position, example.quaternion(pose), at=begin + t + AHEAD) == ''
        if told:
            assert end_effector.twist(velocity, at=begin + t + AHEAD) == ''
        place = ROBOT.pose(end_effector.arm.position, 'flange')[:3, 3]
        missed.append(np.linalg.norm(place - eight(end_effector.arm.time - begin)[0]))
        end_effector.advance(STREAM)
    end_effector.advance_until(lambda: end_effector.arm.status.startswith('HOLD'), 'HOLD')
    errors = np.linalg.norm(
        [state.pose_error[:3] for state in end_effector.tasks.messages], axis=1
    )
    way = np.array([state.measured_position for state in end_effector.tasks.messages])
    wanted = np.array([eight(t)[0] for t in np.arange(0.0, duration, STREAM)])
    assert len(way) >= RATE * duration
    np.testing.assert_allclose(np.ptp(way, axis=0), np.ptp(wanted, axis=0), rtol=1e-3, atol=2e-5)
    # A torque acts for a whole period, in which the end effector is led on by 0.7 mm at most.
    assert max(missed) < 1e-4 and errors.max() < 1e-4
    assert errors[-1] < 5e-6


def test_a_stretch_beyond_reach_and_back(end_effector):
    """Farther than the arm reaches: it stretches, gives the direction up, and comes back."""
    home = list(end_effector.task.target_position), list(end_effector.task.target_orientation)
    end_effector.clear()
    assert end_effector.pose(example.beyond(ROBOT), home[1]) == ''
    assert end_effector.arm.status == 'ACTIVE FOLLOWING'
    end_effector.advance_until(
        lambda: end_effector.arm.status == 'HOLD TARGET_NOT_REACHED', 'the stretch'
    )
    assert np.linalg.norm(end_effector.task.pose_error[:3]) > 0.05, 'it was within reach'
    assert end_effector.pose(*home) == ''
    assert end_effector.arm.status == 'ACTIVE FOLLOWING'
    end_effector.advance_until(lambda: end_effector.arm.status == 'HOLD TARGET_REACHED', 'home')
    assert min(min(state.shares) for state in end_effector.tasks.messages) < 0.5
    assert all(np.isfinite(state.measured_velocity).all() for state in end_effector.tasks.messages)
    end_effector.advance(2.0)
    assert np.linalg.norm(end_effector.task.pose_error[:3]) < 1e-9
    assert end_effector.arm.status == 'HOLD TARGET_REACHED'


def test_a_twist_in_axes_of_the_end_effector_ends_by_itself(end_effector):
    start = end_effector.task
    for _ in range(30):
        assert end_effector.twist((0.0, 0.0, -0.05), frame='flange') == ''
        end_effector.advance(STREAM * 2)
    end_effector.advance_until(
        lambda: end_effector.arm.status == 'HOLD REFERENCE_TIMEOUT', 'its end'
    )
    end_effector.advance(1.0)
    assert abs(np.array(end_effector.task.reference_velocity)).max() < 1e-9
    moved = np.subtract(end_effector.task.reference_position, start.reference_position)
    axis = ROBOT.pose(example.STRETCH, 'flange')[:3, 2]
    # 0.6 s of targets and the timeout of 0.1 s, at 0.05 m/s once it has that speed
    assert 0.03 < -moved @ axis < 0.05 * 0.7
    assert np.abs(moved - axis * (axis @ moved)).max() < 1e-9


def test_a_wrench_is_a_term_of_its_own(end_effector):
    end_effector.clear()
    for _ in range(20):
        assert end_effector.wrench((0.0, 0.0, 5.0)) == ''
        end_effector.advance(STREAM * 2)
    assert list(end_effector.task.reference_wrench) == [0.0, 0.0, 5.0, 0.0, 0.0, 0.0]
    state = end_effector.states.last
    J = ROBOT.jacobian(np.array(state.measured_position), 'flange')
    np.testing.assert_allclose(state.other, 5.0 * J[2], rtol=1e-9, atol=1e-9)
    end_effector.advance_until(
        lambda: end_effector.arm.status == 'HOLD REFERENCE_TIMEOUT', 'its end'
    )
    assert not any(end_effector.task.reference_wrench)


@pytest.mark.parametrize(
    ('send', 'sentence'),
    [
        (
            lambda end_effector: end_effector.pose((0.5, 0.0, 0.5), (0, 0, 0, 1), 'map'),
            "got 'map'; expected 'base_link', the base",
        ),
        (
            lambda end_effector: end_effector.pose(
                (0.5, 0.0, 0.5), (0, 0, 0, 1), at=end_effector.arm.time - 0.5
            ),
            'before now; expected at most 0.1 s (reference_timeout) before it',
        ),
        (
            lambda end_effector: end_effector.pose(
                (0.5, 0.0, 0.5), (0, 0, 0, 1), at=end_effector.arm.time + 60.0
            ),
            'after now; expected',
        ),
        (
            lambda end_effector: end_effector.acceleration((0.0, 0.0, 9.0)),
            'acceleration: got 9 m/s^2; expected at',
        ),
        (
            lambda end_effector: end_effector.pose((0.5, 0.0, 0.5), (0, 0, 0, 1), ''),
            "got ''; expected 'base_link'",
        ),
        (
            lambda end_effector: end_effector.pose((0.5, float('nan'), 0.5), (0, 0, 0, 1)),
            'expected finite numbers',
        ),
        (
            lambda end_effector: end_effector.pose((0.5, 0.0, 0.5), (0, 0, 0, 0)),
            'expected length 1',
        ),
        (
            lambda end_effector: end_effector.twist((0.0, 3.0, 0.0)),
            'got 3 m/s; expected at most 0.25 m/s',
        ),
        (lambda end_effector: end_effector.wrench((float('inf'), 0.0, 0.0)), 'wrench: got'),
    ],
    ids=[
        'frame',
        'late',
        'early',
        'acceleration',
        'no frame',
        'NaN',
        'no orientation',
        'too fast',
        'infinite',
    ],
)
def test_impossible_targets_are_refused_with_a_sentence(end_effector, send, sentence):
    before = end_effector.task
    assert sentence in send(end_effector)
    end_effector.advance(0.1)
    assert end_effector.arm.status == 'HOLD ACTIVATED'
    assert list(end_effector.task.target_position) == list(before.target_position)


def test_parameters_of_the_law_change_live_within_bounds(end_effector):
    """Arrays, live, of the right length; the frame only before configure."""

    def set_(**values):
        return end_effector.arm.participant.set_parameters(CONTROLLER, **values)

    for value in ([1.0], [-1.0] * 6, [1.0] * 5 + [2.0]):
        assert not set_(operational_space__axes=value).successful
    refused = set_(operational_space__stiffness=[400.0] * 5)
    assert not refused.successful and 'must have 6 entries' in refused.reason
    assert set_(operational_space__stiffness=[400.0, 400.0, 500.0, 400.0, 400.0, 400.0]).successful
    frame = set_(operational_space__frame='tool0')
    assert not frame.successful and 'takes effect at configure' in frame.reason
    end_effector.advance(0.1)
    assert end_effector.arm.status == 'HOLD ACTIVATED'


def test_every_interface_of_the_law_is_on_its_page(end_effector):
    node, name = end_effector.arm.participant.node, CONTROLLER.strip('/')
    expected = {
        **{topic: kind.__name__ for topic, kind in TARGETS.items()},
        'task_state': 'TaskState',
    }

    def ours():
        topics = node.get_subscriber_names_and_types_by_node(name, '/')
        topics += node.get_publisher_names_and_types_by_node(name, '/')
        return {
            topic.rsplit('/', 1)[1]: kinds[0].split('/')[-1]
            for topic, kinds in topics
            if topic.startswith(f'{CONTROLLER}/ta')
        }

    wait_until(lambda: len(ours()) >= len(expected), 'the graph to know the node')
    assert ours() == expected
    for topic, kind in expected.items():
        assert any(f'`~/{topic}`' in line and kind in line for line in PAGE.splitlines()), topic


def test_a_frame_that_does_not_exist_is_refused_at_configure(host, graph):
    """With the frames there are; the node lives."""
    probe = ControllerProbe(graph, '/other/commands', '/other')
    node = host(
        'controller',
        '-r',
        '__node:=other',
        **{
            **SIMULATED,
            'urdf_path': str(URDF),
            'law': 'operational_space',
            'operational_space__frame': 'nose',
            'command_topic': '/other/commands',
        },
    )
    status = probe.statuses.wait(lambda status: 'nose' in status.message, timeout=COLD)
    assert 'valid: base_link' in status.message and node.running
