# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whatever comes in, the controller lives, says why it refuses, and commands only safe efforts."""

import math

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robodyn_ros import Robot
from support.nodes import node_harness as harness
from support.nodes.node_harness import (
    COLD,
    JOINTS,
    POSTURE,
    SIMULATED,
    ControllerProbe,
    FakeArm,
    nanoseconds,
)

pytestmark = pytest.mark.ros

ROBOT = Robot.from_urdf(str(harness.TWO_LINK))
GRAVITY = ROBOT.gravity_torque(np.array(POSTURE))
LIMITS = np.array([100.0, 50.0])  # [N m] of the description
RATE, PERIOD = 250.0, 1.0 / SIMULATED['update_rate']


@pytest.fixture(scope='module')
def probe(graph, host_shared):
    controller = ControllerProbe(graph)
    controller.states.clear()  # from now on
    controller.node = host_shared('controller', **SIMULATED, max_effort_rate=[RATE])
    return controller


@pytest.fixture
def arm(graph, probe):
    """Return an arm at POSTURE, which the controller holds."""
    fake = FakeArm(graph, JOINTS, POSTURE)
    harness.wait_until(lambda: probe.state in ('HOLD', 'STALE', 'FAULT'), 'a state', COLD)
    if probe.state == 'FAULT':
        assert probe.trigger('reset').success
    probe.wait_for('HOLD')
    assert probe.enable(False).success and probe.enable(True).success
    probe.wait_for('HOLD', 'ACTIVATED')
    probe.commands.clear()
    yield fake
    harness.wait_until(lambda: len(probe.commands.messages) > 1, 'commands to judge')
    fake.stop()
    efforts = np.array([message.data for message in probe.commands.messages])
    assert probe.node.running, probe.node.output
    assert 'Traceback' not in probe.node.output
    assert np.isfinite(efforts).all()
    assert (abs(efforts) <= LIMITS).all()
    # One tick may advance time by three periods at most, and so the effort by three steps.
    assert abs(np.diff(efforts, axis=0)).max() <= 3.0 * RATE * PERIOD + 1e-9


def rejections(probe):
    return probe.statuses.last.rejected_messages


def spoil(**fields):
    def alter(message):
        for field, value in fields.items():
            setattr(message, field, value(message) if callable(value) else value)

    return alter


@pytest.mark.parametrize(
    'alter',
    [
        spoil(position=[math.nan, 0.0]),
        spoil(position=[0.0, math.inf]),
        spoil(velocity=[-math.inf, 0.0]),
        spoil(position=[1e308, 0.0]),
        spoil(velocity=[]),
        spoil(velocity=[0.0]),
        spoil(position=[]),
        spoil(position=[0.0] * 3),
        spoil(name=[]),
        spoil(name=['joint1']),
        spoil(name=['joint1', 'elbow']),
        spoil(name=['joint1', 'joint1']),
        spoil(name=['a', 'b']),
        spoil(name=['joint1', 'joint2', 'joint2'], position=[0.0] * 3, velocity=[0.0] * 3),
    ],
    ids=[
        'NaN',
        'inf',
        'infinite velocity',
        '1e308',
        'no velocity',
        'short velocity',
        'no position',
        'long position',
        'no names',
        'a joint missing',
        'another joint',
        'a joint twice',
        'other joints',
        'contradiction',
    ],
)
def test_a_bad_joint_state_is_refused_and_the_controller_recovers(probe, arm, alter):
    before = rejections(probe)
    arm.alter = alter
    probe.wait_for('STALE', 'STATE_TIMEOUT')
    harness.wait_until(lambda: rejections(probe) > before, 'a counted rejection')
    arm.alter = None
    probe.wait_for('HOLD', 'STATE_RECOVERED')
    harness.wait_until(lambda: np.allclose(probe.effort, GRAVITY), 'gravity torque')


def test_single_bad_messages_among_good_ones_do_no_harm(probe, arm):
    count = iter(range(10**9))
    before = rejections(probe)
    arm.alter = lambda message: (
        spoil(position=[math.nan] * 2)(message) if next(count) % 2 else None
    )
    harness.wait_until(lambda: rejections(probe) > before + 20, 'rejections')
    assert probe.state == 'HOLD'
    np.testing.assert_allclose(probe.next_command(), GRAVITY)


def test_order_and_extra_joints_do_not_matter(probe, arm):
    def shuffle(message):
        values = dict(zip(message.name, message.position)) | {'gripper': 9.0, 'rail': math.nan}
        names = sorted(values, key=lambda name: hash((name, next(turn) // 50)))
        message.name = names
        message.position = [values[name] for name in names]
        message.velocity = [0.0] * len(names)

    turn = iter(range(10**9))
    before = rejections(probe)
    arm.alter = shuffle
    sent = arm.published
    harness.wait_until(lambda: arm.published > sent + 200, 'messages')
    np.testing.assert_allclose(probe.next_command(), GRAVITY)
    assert probe.state == 'HOLD'
    assert rejections(probe) == before


@pytest.mark.parametrize('stamp', [(0, 0), (-5, 0), (1, 4_000_000_000), (2**31 - 1, 0)])
def test_stamps_do_not_matter(probe, arm, stamp):
    def alter(message):
        message.header.stamp.sec, message.header.stamp.nanosec = stamp

    arm.alter = alter
    sent = arm.published
    harness.wait_until(lambda: arm.published > sent + 60, 'messages')
    assert probe.state == 'HOLD'
    np.testing.assert_allclose(probe.next_command(), GRAVITY)
    assert probe.trigger('reset').success


def test_a_position_jump_is_held_at_the_new_posture(probe, arm):
    arm.position = [POSTURE[0] + 4.0, POSTURE[1]]
    probe.wait_for('HOLD', 'POSITION_JUMP')
    expected = ROBOT.gravity_torque(np.array(arm.position))
    harness.wait_until(lambda: np.allclose(probe.effort, expected), 'its gravity')
    arm.position = list(POSTURE)
    harness.wait_until(lambda: np.allclose(probe.effort, GRAVITY), 'gravity torque')


def test_stale_states_lead_to_gravity_then_to_nothing(probe, arm):
    probe.states.clear()
    arm.alter = lambda message: False
    probe.wait_for('STALE', 'STATE_TIMEOUT')
    harness.wait_until(lambda: not any(probe.effort), 'zero effort')
    # Silence is not safe: the zeros are published again and again.
    assert probe.next_command() == [0.0, 0.0]
    gone = [
        nanoseconds(state) - arm.last_time
        for state in probe.states.messages
        if not np.allclose(state.effort, GRAVITY)
    ]
    # The timeout (0.2 s) and the hold (0.1 s), both of which rounding may end a cycle early;
    # not every cycle is published.
    assert 0.3e9 - 2e9 * PERIOD <= min(gone) < 0.4e9
    arm.alter = None
    probe.wait_for('HOLD', 'STATE_RECOVERED')


# ------------------------------------------------------------------------------------ references


def point(positions, seconds, velocities=(), accelerations=()):
    result = JointTrajectoryPoint(
        positions=list(positions), velocities=list(velocities), accelerations=list(accelerations)
    )
    result.time_from_start.sec = int(seconds)
    result.time_from_start.nanosec = round((seconds - int(seconds)) * 1e9)
    return result


def trajectory(*points, names=JOINTS):
    return JointTrajectory(joint_names=list(names), points=list(points))


@pytest.fixture
def send(graph):
    """Return a function that publishes a reference once there is a subscriber."""
    made = []

    def publish(message, topic='joint_trajectory'):
        name = f'{harness.CONTROLLER}/{topic}'
        if not made or made[-1][0] != name:
            made.append((name, graph.node.create_publisher(JointTrajectory, name, 10)))
        harness.wait_until(made[-1][1].get_subscription_count, f'a subscriber of {name}')
        made[-1][1].publish(message)

    yield publish
    for _, publisher in made:
        graph.node.destroy_publisher(publisher)


NEAR = (POSTURE[0] + 0.05, POSTURE[1] - 0.05)


def test_a_trajectory_is_followed_to_its_end_and_held(probe, arm, send):
    probe.states.clear()
    names = JOINTS[::-1]
    send(trajectory(point(NEAR[::-1], 1.0, (0.0, 0.0), (0.0, 0.0)), names=names))
    probe.wait_for('ACTIVE', 'FOLLOWING')
    probe.wait_for('HOLD', 'TRAJECTORY_END')
    harness.wait_until(
        lambda: not any(probe.states.last.reference_velocity), 'a state as late as the status'
    )  # which does not wait for its turn
    reference = np.array([state.reference_position for state in probe.states.messages])
    np.testing.assert_allclose(probe.states.last.reference_position, NEAR, rtol=1e-12)
    assert (np.diff(reference[:, 0]) >= -1e-12).all() and (np.diff(reference[:, 1]) <= 1e-12).all()
    moving = [state for state in probe.states.messages if any(state.reference_velocity)]
    assert len(moving) > 20
    assert max(abs(np.array([state.reference_acceleration for state in moving])).max(axis=0)) > 0.1
    for state in probe.states.messages[::10]:
        assert tuple(state.joint_names) == JOINTS
        assert state.header.frame_id == 'base_link'
        np.testing.assert_allclose(
            state.position_error, np.subtract(state.reference_position, state.measured_position)
        )
        terms = [
            state.feedback,
            state.inertia,
            state.coriolis,
            state.gravity,
            state.friction,
            state.other,
        ]
        np.testing.assert_allclose(np.sum(terms, axis=0), state.effort_unlimited, atol=1e-12)


@pytest.mark.parametrize(
    'message, sentence',
    [
        (trajectory(point(NEAR, 1.0), names=('joint1', 'elbow')), "lacks the joints ['joint2']"),
        (trajectory(point(NEAR, 1.0), names=('joint1', 'joint1')), 'names a joint twice'),
        (trajectory(point((*NEAR, 0.0), 1.0), names=(*JOINTS, 'elbow')), 'expected'),
        (trajectory(point(NEAR[:1], 1.0)), 'positions'),
        (trajectory(point((), 1.0)), 'positions'),
        (trajectory(point(NEAR, 1.0, velocities=(0.0,))), 'velocities'),
        (
            trajectory(point(NEAR, 1.0, accelerations=(0.0, 0.0))),
            'accelerations without velocities',
        ),
        (trajectory(point((math.nan, 0.0), 1.0)), 'finite'),
        (trajectory(point((math.inf, 0.0), 1.0)), 'finite'),
        (trajectory(point(NEAR, 1.0, (math.nan, 0.0))), 'finite'),
        (trajectory(point(NEAR, 2.0), point(NEAR, 1.0)), 'strictly increasing'),
        (trajectory(point(NEAR, 1.0), point(NEAR, 1.0)), 'strictly increasing'),
        (trajectory(point(NEAR, -1.0)), 'time_from_start'),
        (trajectory(point((40.0, 0.0), 10.0)), 'joint1'),
        (trajectory(point((POSTURE[0] + 3.0, POSTURE[1]), 0.01)), 'joint1'),
        (trajectory(point(NEAR, 1.0, (0.5, 0.0))), 'last'),
    ],
    ids=[
        'unknown joint',
        'joint twice',
        'extra joint',
        'short',
        'no positions',
        'short velocities',
        'no velocities',
        'NaN',
        'inf',
        'NaN velocity',
        'time goes back',
        'same time',
        'negative time',
        'beyond a limit',
        'too fast',
        'moving at the end',
    ],
)
def test_a_bad_trajectory_is_refused_whole(probe, arm, send, message, sentence):
    before = rejections(probe)
    probe.states.clear()
    send(message)
    harness.wait_until(lambda: rejections(probe) > before, 'a counted refusal')
    assert sentence in probe.last_refusal()
    assert probe.state == 'HOLD'
    probe.states.wait()
    positions = np.array([state.reference_position for state in probe.states.messages])
    assert (positions == positions[0]).all()


def test_a_trajectory_without_points_stops_a_motion(probe, arm, send):
    """As the controllers of ROS 1 did; the next one is followed."""
    send(trajectory(point(NEAR, 300.0)))
    probe.wait_for('ACTIVE', 'FOLLOWING')
    before = rejections(probe)
    send(trajectory())
    probe.wait_for('HOLD', 'HOLD_REQUESTED')
    send(trajectory(point(NEAR, 0.1), point(NEAR, 0.2, (0.0, 0.0))))  # of mixed fields
    probe.wait_for('HOLD', 'TRAJECTORY_END')
    assert rejections(probe) == before


def test_joints_that_are_missing_hold_if_the_parameter_says_so(probe, arm, send):
    probe.set(allow_partial_joints_goal=True)
    try:
        send(trajectory(point(NEAR[1:], 0.2), names=JOINTS[1:]))
        probe.wait_for('ACTIVE', 'FOLLOWING')
        probe.wait_for('HOLD', 'TRAJECTORY_END')
        expected = POSTURE[0], NEAR[1]
        harness.wait_until(
            lambda: np.allclose(probe.states.last.reference_position, expected), 'its end'
        )
    finally:
        probe.set(allow_partial_joints_goal=False)


def test_an_impossible_stamp_is_refused(probe, arm, send):
    before = rejections(probe)
    message = trajectory(point(NEAR, 1.0))
    message.header.stamp.sec = -5
    send(message)
    harness.wait_until(lambda: rejections(probe) > before, 'a counted refusal')


def test_a_refused_trajectory_leaves_the_running_one_alone(probe, arm, send):
    send(trajectory(point(NEAR, 3.0)))
    probe.wait_for('ACTIVE', 'FOLLOWING')
    before = rejections(probe)
    send(trajectory(point((math.nan, 0.0), 1.0)))
    harness.wait_until(lambda: rejections(probe) > before, 'a counted refusal')
    assert probe.state == 'ACTIVE'
    probe.wait_for('HOLD', 'TRAJECTORY_END')
    harness.wait_until(
        lambda: np.allclose(probe.states.last.reference_position, NEAR, rtol=1e-9, atol=0.0),
        'its end',
    )


def test_streamed_targets_are_followed_and_their_end_is_a_hold(probe, arm, send):
    for k in range(20):
        send(trajectory(point((POSTURE[0] + 0.001 * k, POSTURE[1]), 0.0)), 'reference')
        probe.next_command()
    probe.statuses.wait(lambda status: status.reason == 'REFERENCE_TIMEOUT', 'a timeout')
    probe.wait_for('HOLD')
    assert max(state.reference_position[0] for state in probe.states.messages) > POSTURE[0] + 0.01


def test_a_target_of_two_points_is_refused(probe, arm, send):
    before = rejections(probe)
    send(trajectory(point(NEAR, 1.0), point(NEAR, 2.0)), 'reference')
    harness.wait_until(lambda: rejections(probe) > before, 'a counted refusal')
    assert probe.state == 'HOLD'


# --------------------------------------------------------------------------- parameters and stops


@pytest.mark.parametrize(
    'values',
    [
        {'gains__joint1__p': math.nan},
        {'gains__joint1__p': -1.0},
        {'gains__joint1__d': 1e9},
        {'gains__joint1__p': 'stiff'},
        {'gains__joint1__p': [1.0, 2.0]},
        {'effort_limits': [1.0]},
        {'effort_limits': [1.0] * 100_000},
        {'effort_limits': [1.0, math.nan]},
        {'effort_limits': ['a', 'b']},
        {'effort_limits': [100.0, 50.5]},
        {'velocity_limits': [1e3, 1e3]},
        {'overspeed': 1e5},
        {'max_effort_rate': [1e5]},
        {'gains__joint1__p': 1e5},
        {'raise_limits_live': True},
        {'max_effort_rate': [0.0]},
        {'state_timeout': math.inf},
        {'update_rate': 500},
        {'law': 'pd'},
        {'joints': ['joint1']},
        {'stale_action': 'fall'},
        {'gains__joint1__p': 0.0, 'gains__joint2__p': 0.0},
    ],
    ids=lambda values: next(iter(values)),
)
def test_bad_parameters_are_refused_and_nothing_changes(probe, arm, values):
    result = probe.set(gains__joint2__d=13.0, **values)
    assert not result.successful
    assert result.reason
    assert probe.state == 'HOLD'
    # Not even the good part was taken over.
    answer = probe.graph.call(
        harness.GetParameters,
        f'{probe.name}/get_parameters',
        harness.GetParameters.Request(names=['gains.joint2.d']),
    )
    assert answer.values[0].double_value == 20.0


def test_gains_act_at_once(probe, arm, send):
    send(trajectory(point(NEAR, 0.5)))
    probe.wait_for('HOLD', 'TRAJECTORY_END')
    error = np.subtract(NEAR, POSTURE)
    M = ROBOT.mass_matrix(np.array(POSTURE))
    for gain in (100.0, 50.0):
        assert probe.set(gains__joint1__p=gain, gains__joint2__p=int(gain)).successful
        expected = GRAVITY + gain * M @ error
        harness.wait_until(lambda: np.allclose(probe.effort, expected), 'that effort')
    assert probe.set(gains__joint1__p=100.0, gains__joint2__p=100.0).successful


def test_switched_off_terms_are_not_commanded(probe, arm):
    assert probe.set(compensate__gravity=False).successful
    harness.wait_until(lambda: np.allclose(probe.effort, 0.0), 'no gravity torque')
    assert probe.set(compensate__gravity=True).successful
    harness.wait_until(lambda: np.allclose(probe.effort, GRAVITY), 'gravity torque')


def test_effort_limits_clamp_and_are_reported(probe, arm):
    assert probe.set(effort_limits=[5.0, 1.0]).successful
    harness.wait_until(
        lambda: np.allclose(abs(np.array(probe.effort)), [5.0, 1.0]), 'clamped efforts'
    )
    probe.states.clear()
    assert list(probe.states.wait().effort_limited) == [True, True]
    assert probe.set(effort_limits=[]).successful
    harness.wait_until(lambda: np.allclose(probe.effort, GRAVITY), 'gravity torque')


def test_stop_is_latched_until_reset(probe, arm, send):
    assert probe.trigger('stop').success
    status = probe.wait_for('FAULT', 'STOPPED')
    assert status.message
    np.testing.assert_allclose(probe.next_command(), GRAVITY)  # the arm is not dropped
    before = rejections(probe)
    send(trajectory(point(NEAR, 1.0)))
    harness.wait_until(lambda: rejections(probe) > before, 'a refusal')
    last = probe.next_status().last_refusal
    assert last == 'the controller is in FAULT (STOPPED) and takes no reference; reset it first'
    answer = probe.enable(True)
    assert not answer.success and answer.message.startswith('FAULT: ')
    assert '~/reset' in answer.message and probe.state == 'FAULT'
    assert not probe.trigger('hold').success
    assert probe.trigger('reset').success
    assert probe.wait_for('HOLD', 'RESET').last_refusal == ''


def test_what_was_refused_in_a_fault_is_forgotten_with_it(probe, arm):
    assert probe.trigger('stop').success and probe.enable(False).success
    answer = probe.enable(True)
    assert not answer.success and 'Cannot activate: the controller is in FAULT' in answer.message
    harness.wait_until(lambda: 'Cannot activate' in probe.message, 'the refusal')
    assert probe.trigger('reset').success
    told = probe.wait_for('READY', 'RESET').message
    assert told == 'The fault has been reset.'
    assert probe.enable(True).success


def test_a_motion_is_stopped_by_the_service(probe, arm, send):
    send(trajectory(point(NEAR, 5.0)))
    probe.wait_for('ACTIVE', 'FOLLOWING')
    answer = probe.trigger('hold')
    assert answer.success and 'stopped by request' in answer.message
    probe.wait_for('HOLD', 'HOLD_REQUESTED')
    answer = probe.trigger('hold')
    assert answer.success and 'held already' in answer.message


@pytest.mark.parametrize('topic', ['joint_trajectory', 'reference'])
def test_a_refused_reference_is_told_by_the_status_at_once(graph, probe, arm, topic):
    publisher = graph.node.create_publisher(JointTrajectory, f'{probe.name}/{topic}', 1)
    harness.wait_until(publisher.get_subscription_count, 'the controller')
    publisher.publish(trajectory(point((9.0, 9.0), 1.0)))
    harness.wait_until(lambda: probe.statuses.last.last_refusal, 'the refusal')
    assert 'joint joint1' in probe.statuses.last.last_refusal and probe.state == 'HOLD'
    graph.node.destroy_publisher(publisher)
    assert probe.enable(False).success and probe.enable(True).success
    assert probe.next_status().last_refusal == ''
