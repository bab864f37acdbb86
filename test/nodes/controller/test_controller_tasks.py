# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The operational-space inertia of several links: one request, and the topic, over real DDS."""

import math
from array import array
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
messages = pytest.importorskip('robodyn_msgs.msg', reason='robodyn_msgs is not built')

from geometry_msgs.msg import Point
from sensor_msgs.msg import JointState

from robodyn_msgs.srv import GetModelInfo, GetOperationalSpaceInertia
from robodyn_ros import Robot
from robodyn_ros.robot.operational_space_dynamics import AXES
from support.nodes import node_harness as harness
from support.nodes.node_harness import (
    COLD,
    EASY,
    SIMULATED,
    ControllerProbe,
    FakeArm,
    nanoseconds,
    wait_until,
)

pytestmark = pytest.mark.ros

TWO_HANDS = harness.ROOT / 'test' / 'nodes' / 'two_hands.urdf'
ROBOT = Robot.from_urdf(str(TWO_HANDS))
JOINTS, HANDS = ROBOT.joint_names, ('left_hand', 'right_hand')
Q, QD = np.linspace(0.3, 1.1, ROBOT.nv), np.linspace(-0.5, 0.7, ROBOT.nv)
TASK = GetOperationalSpaceInertia.Request
POINTS = (Point(x=0.1, y=-0.2, z=0.05), Point(z=0.3))


@pytest.fixture(scope='module')
def probe(graph, host_shared):
    """Return an inactive controller of a torso with two end effectors, joint states coming."""
    controller = ControllerProbe(graph)
    controller.hosted = host_shared(
        'controller', autostart='false', **{**SIMULATED, 'urdf_path': str(TWO_HANDS)}
    )
    graph.call(GetModelInfo, f'{controller.name}/get_model_info', timeout=COLD)
    assert controller.change_state('configure')
    controller.arm = arm = FakeArm(graph, JOINTS[::-1], Q[::-1])
    controller.wait_for('READY')
    yield controller
    arm.stop()


def ask(probe, **fields):
    state = JointState(name=list(JOINTS), position=array('d', Q), velocity=array('d', QD))
    return probe.graph.call(
        GetOperationalSpaceInertia,
        f'{probe.name}/get_operational_space_inertia',
        TASK(**{'state': state, 'links': list(HANDS), **fields}),
    )


def test_one_request_couples_two_end_effectors(probe):
    """Lambda, J, mu and p of both end effectors, and Lambda couples them."""
    answer = ask(probe, fields=31)
    assert answer.success, answer.message
    m, n = answer.rows, answer.cols
    assert (m, n, answer.rank) == (12, ROBOT.nv, 12)
    assert answer.link == HANDS[0]
    assert list(answer.row_links) == [HANDS[0]] * 6 + [HANDS[1]] * 6
    assert tuple(answer.row_axes) == AXES * 2
    Lambda, J = np.reshape(answer.inertia, (m, m)), np.reshape(answer.jacobian, (m, n))
    expected = np.concatenate([ROBOT.jacobian(Q, hand) for hand in HANDS])
    np.testing.assert_allclose(J, expected, rtol=1e-12, atol=1e-12)
    compliance = J @ np.linalg.solve(ROBOT.mass_matrix(Q), J.T)
    np.testing.assert_allclose(
        np.reshape(answer.inertia_inverse, (m, m)),
        compliance,
        atol=1e-11 * np.abs(compliance).max(),
    )
    assert np.abs(compliance[:6, 6:]).max() > 1e-3  # the end effectors act on each other
    np.testing.assert_allclose(Lambda @ compliance, np.eye(m), atol=1e-8)
    bias = ROBOT.task_space.bias(Q, QD, HANDS)
    np.testing.assert_allclose(answer.task_bias, bias.coriolis, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(answer.task_gravity, bias.gravity, rtol=1e-7, atol=1e-9)


def test_points_and_axes_of_each_link(probe):
    """Points beside the links' origins, other axes for each link, in the axes of the links."""
    axes = [True, True, True, False, False, False] + [False, False, False, False, False, True]
    answer = ask(
        probe,
        points=list(POINTS),
        axes_of_links=axes,
        reference=TASK.REFERENCE_LOCAL,
        fields=TASK.FIELD_JACOBIAN,
    )
    assert answer.success, answer.message
    assert list(answer.row_links) == [*[HANDS[0]] * 3, HANDS[1]]
    assert list(answer.row_axes) == ['x', 'y', 'z', 'rz']
    assert answer.header.frame_id == ''
    J = np.reshape(answer.jacobian, (4, ROBOT.nv))
    left, right = (ROBOT.jacobian(Q, hand) for hand in HANDS)
    R, place = ROBOT.pose(Q, HANDS[0])[:3, :3], POINTS[0]
    lever = R @ (place.x, place.y, place.z)
    moved = left[:3] - np.cross(lever, left[3:], axisb=0).T
    np.testing.assert_allclose(J[:3], R.T @ moved, atol=1e-12)
    np.testing.assert_allclose(
        J[3], (ROBOT.pose(Q, HANDS[1])[:3, :3].T @ right[3:])[2], atol=1e-12
    )
    np.testing.assert_allclose(
        np.reshape(answer.inertia, (4, 4)) @ J @ np.linalg.solve(ROBOT.mass_matrix(Q), J.T),
        np.eye(4),
        atol=1e-9,
    )


def test_requests_of_one_link_are_answered_as_ever(probe):
    """`link` alone, without the new fields: the block of that hand, not coupled to the other."""
    answer = ask(probe, links=[], link=HANDS[1])
    assert answer.success and answer.link == HANDS[1] and answer.rows == 6
    assert set(answer.row_links) == {HANDS[1]}
    np.testing.assert_allclose(
        np.reshape(answer.inertia, (6, 6)),
        ROBOT.operational_space_inertia(Q, HANDS[1]).inertia,
        rtol=1e-9,
    )


@pytest.mark.parametrize(
    'fields, sentence',
    [
        ({'links': ['left_hand', 'nowhere']}, "no link 'nowhere'"),
        ({'link': 'left_hand'}, 'expected either'),
        ({'points': [Point()]}, 'points: got 1; expected 2'),
        ({'points': [Point(), Point(y=math.inf)]}, 'finite'),
        ({'axes_of_links': [True] * 6}, 'axes_of_links: got 6 entries; expected 12'),
        ({'links': ['left_hand'] * 1000}, 'at most 16'),
        ({'point': Point(x=0.1)}, 'expected points, one for each link'),
        ({'links': [], 'points': [Point(x=0.1)]}, 'got some, but no links'),
        ({'links': [], 'axes_of_links': [True] * 6}, 'got some, but no links'),
        ({'points': [Point(), Point(z=1e8)]}, 'expected numbers up to 1000'),
        ({'damping': 1e9}, 'expected numbers up to 100'),
        ({'fields': 1 << 20}, 'fields: got 1048576; expected at most 31'),
        (
            {
                'state': JointState(
                    name=['turn'], position=array('d', [0.1]), velocity=array('d', [1e200])
                ),
                'fields': 31,
            },
            'velocities up to 1e+200; expected at most 1e+09',
        ),
    ],
    ids=[
        'link',
        'both',
        'points',
        'infinite',
        'axes',
        'many',
        'point',
        'points of none',
        'axes of none',
        'far',
        'damped to death',
        'fields',
        'too fast',
    ],
)
def test_what_does_not_fit_is_answered_with_a_sentence(probe, fields, sentence):
    answer = ask(probe, **fields)
    assert not answer.success and sentence in answer.message
    assert not answer.inertia


def test_the_topic_is_off_until_requested_then_comes_every_cycle(probe):
    """With osi_publish_rate = update_rate: one message a cycle, of the latest joint state."""
    inbox = probe.graph.collect(
        messages.OperationalSpaceInertia, f'{probe.name}/operational_space_inertia'
    )
    assert probe.graph.node.count_publishers(f'{probe.name}/operational_space_inertia') == 0
    rate = float(SIMULATED['update_rate'])
    result = probe.set(osi_publish_rate=rate, osi_links=list(HANDS), osi_axes='x y z')
    assert result.successful, result.reason
    wait_until(lambda: len(inbox.messages) > 20, 'messages')
    # a busy machine delivers fewer than are sent, so they are counted where they leave
    tasks = probe.hosted.node._tasks
    loop, publisher, cycles = tasks._loop, tasks._publisher, []
    assert loop.period == pytest.approx(1.0 / rate)
    assert loop.period == pytest.approx(probe.hosted.node.session.loop.period)
    tasks._settings = tasks._settings._replace(timeout=math.inf)  # no state is too old for it

    def publish(message):
        cycles.append(loop.counts.cycles)
        publisher.publish(message)

    tasks._publisher = SimpleNamespace(publish=publish)
    wait_until(lambda: len(cycles) > 20, 'messages')
    tasks._publisher = publisher
    assert set(np.diff(cycles[:20])) == {1}
    message = inbox.last
    m, n = message.rows, message.cols
    assert (m, n, message.rank) == (6, ROBOT.nv, 6)
    assert list(message.joint_names) == list(JOINTS)
    assert list(message.row_links) == [HANDS[0]] * 3 + [HANDS[1]] * 3
    assert tuple(message.row_axes) == ('x', 'y', 'z') * 2
    np.testing.assert_array_equal(message.position, Q)
    task = ROBOT.operational_space_inertia(Q, HANDS, 'x y z')
    for field, expected in (
        ('inertia', task.inertia),
        ('inertia_inverse', task.inverse),
        ('jacobian', task.jacobian),
        ('singular_values', task.singular_values),
        ('consistent_inverse', task.consistent_inverse),
    ):
        np.testing.assert_allclose(
            getattr(message, field),
            expected.ravel(),
            rtol=1e-9,
            atol=1e-9 * np.abs(expected).max(),
        )
    assert 0 <= probe.arm.time - nanoseconds(message) < 20e9
    assert message.header.frame_id == ROBOT.model.body_names[0]


def test_a_node_that_publishes_from_the_start_ends_in_order(graph, start):
    """The topic as a parameter at the start, of the link that tip_link names; SIGINT, exit 0."""
    name = 'publishing'
    node = start(
        'controller',
        '-r',
        f'__node:={name}',
        autostart='false',
        osi_publish_rate=100.0,
        tip_link='left_hand',
        **{**EASY, 'urdf_path': str(TWO_HANDS)},
    )
    probe = ControllerProbe(graph, name=f'/{name}')
    graph.call(GetModelInfo, f'/{name}/get_model_info', timeout=COLD)
    assert probe.change_state('configure')
    inbox = graph.collect(messages.OperationalSpaceInertia, f'/{name}/operational_space_inertia')
    arm = FakeArm(graph, JOINTS, Q)
    message = inbox.wait()
    arm.stop()
    assert set(message.row_links) == {'left_hand'} and message.rows == 6
    np.testing.assert_allclose(
        np.reshape(message.inertia, (6, 6)),
        ROBOT.operational_space_inertia(Q, 'left_hand').inertia,
        rtol=1e-9,
    )
    code, _ = node.stop()
    assert code == 0 and 'Traceback' not in node.output, node.output


@pytest.mark.parametrize(
    'values, sentence',
    [
        ({'osi_links': ['nowhere']}, "no link 'nowhere'"),
        ({'osi_links': ['left_hand', 'left_hand']}, 'each link once'),
        ({'osi_axes': 'x w'}, 'expected some of x y z rx ry rz'),
    ],
    ids=['link', 'twice', 'axes'],
)
def test_parameters_that_do_not_fit_are_refused(probe, values, sentence):
    assert probe.set(osi_publish_rate=50.0).successful
    result = probe.set(**values)
    assert not result.successful and sentence in result.reason


def test_names_of_links_are_judged_though_the_topic_is_off(probe):
    """~/get_operational_space_inertia would refuse every request that names no link."""
    assert probe.set(osi_publish_rate=0.0).successful
    for values in ({'tip_link': 'nowhere'}, {'osi_links': ['left_hand', 'nowhere']}):
        result = probe.set(**values)
        assert not result.successful and "no link 'nowhere'; expected one of" in result.reason


def test_the_topic_can_be_turned_off(probe):
    topic = f'{probe.name}/operational_space_inertia'
    assert probe.set(osi_publish_rate=50.0).successful
    wait_until(lambda: probe.graph.node.count_publishers(topic) == 1, 'a publisher')
    assert probe.set(osi_publish_rate=0.0).successful
    wait_until(lambda: probe.graph.node.count_publishers(topic) == 0, 'no publisher')
