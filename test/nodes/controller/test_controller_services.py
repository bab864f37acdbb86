# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The services answer from the model, for the latest state or a given one, or say why not."""

import math
from array import array

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from geometry_msgs.msg import Point
from sensor_msgs.msg import JointState

from robodyn_msgs.srv import GetDynamics, GetModelInfo, GetOperationalSpaceInertia
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
Q, QD = np.array((0.3, 0.9)), np.array((0.5, -0.4))
TASK = GetOperationalSpaceInertia.Request
LINK, TOOL = ROBOT.model.body_names[-1], 'tool0'


@pytest.fixture(scope='module')
def probe(graph, host_shared):
    """Return an inactive controller that has no joint state yet."""
    controller = ControllerProbe(graph)
    controller.node = host_shared('controller', autostart='false', **SIMULATED)
    # which says that it is there, and is found by the graph: an answer may get lost before
    controller.wait_for('WAIT_MODEL', timeout=COLD)
    answer = graph.call(GetModelInfo, f'{controller.name}/get_model_info', again=True)
    assert not answer.success and answer.message
    assert controller.change_state('configure')
    return controller


@pytest.fixture(scope='module')
def fed(graph, probe):
    """Return the same controller, with joint states coming."""
    arm = probe.arm = FakeArm(graph, JOINTS[::-1], POSTURE[::-1])
    probe.wait_for('READY')
    yield probe
    arm.stop()


def ask(probe, kind, name, **fields):
    return probe.graph.call(kind, f'{probe.name}/{name}', kind.Request(**fields))


def dynamics(probe, **fields):
    return ask(probe, GetDynamics, 'get_dynamics', **fields)


def inertia(probe, **fields):
    return ask(probe, GetOperationalSpaceInertia, 'get_operational_space_inertia', **fields)


def state(names=JOINTS, q=Q, qd=QD):
    return JointState(name=list(names), position=array('d', q), velocity=array('d', qd))


def test_model_info_lists_joints_limits_and_masses(probe):
    answer = ask(probe, GetModelInfo, 'get_model_info')
    assert answer.success and answer.message == ''
    assert answer.name == ROBOT.name
    assert tuple(answer.joint_names) == JOINTS
    assert tuple(answer.link_names) == tuple(ROBOT.frames)
    assert answer.base_link == ROBOT.model.body_names[0]
    assert list(answer.effort_limit) == [100.0, 50.0]
    assert list(answer.velocity_limit) == [20.0, 20.0]
    assert list(answer.upper) == [2.0 * math.pi] * 2
    assert answer.gravity.z == -9.81
    assert answer.total_mass == pytest.approx(sum(answer.body_mass))
    # The centres of mass stand in the links' own frames, as in the description.
    pose = [ROBOT.pose(Q, name) for name in answer.body_names]
    height = [(X @ (com.x, com.y, com.z, 1.0))[2] for X, com in zip(pose, answer.body_com)]
    potential = 9.81 * np.dot(answer.body_mass, height)
    zero = [ROBOT.pose(np.zeros(2), name) for name in answer.body_names]
    at_zero = 9.81 * np.dot(
        answer.body_mass,
        [(X @ (com.x, com.y, com.z, 1.0))[2] for X, com in zip(zero, answer.body_com)],
    )
    expected = ROBOT.energy(Q, QD)[1] - ROBOT.energy(np.zeros(2), QD)[1]
    assert potential - at_zero == pytest.approx(expected, rel=1e-12)


def test_without_joint_states_a_state_must_be_given(probe):
    for answer in (dynamics(probe), inertia(probe)):
        assert not answer.success
        assert 'no joint state yet' in answer.message
    answer = dynamics(probe, state=state(JOINTS[:1], Q[:1], QD[:1]))
    assert answer.success
    assert answer.message == 'Joints joint2 are at zero, as there is no joint state.'
    assert list(answer.position) == [Q[0], 0.0]


def test_dynamics_of_a_given_state(probe):
    q, qd, qdd, tau = Q, QD, np.array((1.0, -2.0)), np.array((3.0, 0.5))
    for names, order in ((JOINTS, [0, 1]), (JOINTS[::-1], [1, 0])):
        answer = dynamics(
            probe,
            state=state(names, q[order], qd[order]),
            fields=63,
            acceleration=qdd.tolist(),
            effort=tau.tolist(),
        )
        assert answer.success, answer.message
        assert tuple(answer.joint_names) == JOINTS and answer.rows == 2
        gravity = ROBOT.gravity_torque(q)
        np.testing.assert_array_equal(answer.position, q)
        np.testing.assert_array_equal(answer.velocity, qd)
        np.testing.assert_allclose(
            np.reshape(answer.mass_matrix, (2, 2)), ROBOT.mass_matrix(q), rtol=1e-14
        )
        np.testing.assert_allclose(answer.coriolis, ROBOT.bias_torque(q, qd) - gravity, rtol=1e-12)
        np.testing.assert_allclose(answer.gravity, gravity, rtol=1e-14)
        np.testing.assert_allclose(answer.effort, ROBOT.inverse_dynamics(q, qd, qdd), rtol=1e-14)
        np.testing.assert_allclose(
            answer.forward_acceleration, ROBOT.forward_dynamics(q, qd, tau), rtol=1e-14
        )
        assert answer.header.frame_id == ROBOT.model.body_names[0]


def test_only_the_requested_fields(probe):
    answer = dynamics(probe, state=state())
    assert len(answer.mass_matrix) == 4 and len(answer.coriolis) == len(answer.gravity) == 2
    assert not (answer.friction or answer.effort or answer.forward_acceleration)
    answer = dynamics(probe, state=state(), fields=GetDynamics.Request.FIELD_GRAVITY)
    assert len(answer.gravity) == 2
    assert not (answer.mass_matrix or answer.coriolis or answer.rows)


def test_the_latest_state_is_used_and_its_stamp_returned(fed):
    answer = dynamics(fed)
    assert answer.success
    np.testing.assert_array_equal(answer.position, POSTURE)
    np.testing.assert_array_equal(answer.velocity, [0.0, 0.0])
    assert 0 <= fed.arm.time - nanoseconds(answer) < 0.2e9
    answer = dynamics(fed, state=state(JOINTS[1:], Q[1:], ()))
    np.testing.assert_array_equal(answer.position, [POSTURE[0], Q[1]])
    assert answer.message == 'Joints joint1 are from the joint state.'


@pytest.mark.parametrize(
    'fields, sentence',
    [
        ({'state': state(('joint1', 'elbow'))}, 'expected each at most once'),
        ({'state': state(('joint1', 'joint1'))}, 'expected each at most once'),
        ({'state': state(JOINTS, Q[:1])}, '2 names, 1 positions'),
        ({'state': state(JOINTS, Q, QD[:1])}, '1 velocities'),
        ({'state': state(JOINTS, (math.nan, 0.0))}, 'finite'),
        ({'state': state(JOINTS, Q, (math.inf, 0.0))}, 'finite'),
        (
            {'state': state([f'joint{k}' for k in range(100_000)], [0.0] * 100_000, ())},
            'at most 20000 are accepted',
        ),
        ({'state': state(), 'acceleration': [1.0]}, 'acceleration: got 1 entries; expected 2'),
        ({'state': state(), 'effort': [1.0, math.nan]}, 'finite'),
        ({'state': state(), 'acceleration': [0.0] * 2000}, 'got 2000 entries'),
        ({'state': state(), 'fields': 64}, 'fields: got 64; expected at most 63'),
        ({'state': state(JOINTS, (0.0, 0.0), (1e200, 1e200))}, '1e+200; expected at most 1e+09'),
        ({'state': state(), 'acceleration': [1e308, 1e308], 'fields': 16}, 'effort is not finite'),
    ],
    ids=[
        'unknown',
        'twice',
        'short q',
        'short qd',
        'NaN',
        'inf',
        'huge',
        'short qdd',
        'NaN effort',
        'huge qdd',
        'fields',
        'fast',
        'overflow',
    ],
)
def test_a_bad_request_is_answered_with_a_sentence(probe, fields, sentence):
    answer = dynamics(probe, **fields)
    assert not answer.success
    assert sentence in answer.message
    assert not answer.mass_matrix and not answer.joint_names
    assert dynamics(probe, state=state()).success


def test_operational_space_inertia_of_the_plane(probe):
    axes = [True, False, True, False, False, False]
    answer = inertia(probe, link=TOOL, state=state(), axes=axes, fields=31)
    assert answer.success, answer.message
    assert (answer.rows, answer.cols, answer.rank) == (2, 2, 2)
    J = np.reshape(answer.jacobian, (2, 2))
    np.testing.assert_allclose(J, ROBOT.jacobian(Q, TOOL)[[0, 2]], rtol=1e-12)
    M = ROBOT.mass_matrix(Q)
    Lambda = np.reshape(answer.inertia, (2, 2))
    # The inverse of the sub-block, not the sub-block of the inverse; here J is square.
    np.testing.assert_allclose(Lambda, np.linalg.inv(J).T @ M @ np.linalg.inv(J), rtol=1e-9)
    np.testing.assert_allclose(
        Lambda @ np.reshape(answer.inertia_inverse, (2, 2)), np.eye(2), atol=1e-9
    )
    np.testing.assert_allclose(
        J @ np.reshape(answer.consistent_inverse, (2, 2)), np.eye(2), atol=1e-9
    )
    coriolis = ROBOT.bias_torque(Q, QD) - ROBOT.gravity_torque(Q)
    bias = ROBOT.jacobian_bias(Q, QD, TOOL)[[0, 2]]
    np.testing.assert_allclose(answer.jacobian_dot_qdot, bias, rtol=1e-9)
    np.testing.assert_allclose(
        answer.task_bias, Lambda @ (J @ np.linalg.solve(M, coriolis) - bias), rtol=1e-9
    )
    np.testing.assert_allclose(
        answer.task_gravity, Lambda @ J @ np.linalg.solve(M, answer.gravity), rtol=1e-9
    )
    assert sorted(answer.singular_values, reverse=True) == list(answer.singular_values)


def test_a_singular_task_is_reported_in_the_result(probe):
    answer = inertia(probe, link=LINK, state=state())
    assert answer.success
    assert answer.rank == 2 and answer.rows == 6
    assert 'Singular: rank 2 of 6' in answer.message
    assert np.isfinite(answer.inertia).all()
    damped = inertia(
        probe, link=LINK, state=state(), damping=0.1, fields=TASK.FIELD_INERTIA_INVERSE
    )
    compliance = np.reshape(damped.inertia_inverse, (6, 6))
    np.testing.assert_allclose(
        np.reshape(damped.inertia, (6, 6)),
        np.linalg.inv(compliance + 0.01 * np.eye(6)),
        rtol=1e-7,
        atol=1e-9,
    )
    assert damped.damping_used == 0.1
    assert not damped.jacobian


def test_the_link_of_the_last_joint_is_the_default(probe):
    answer = inertia(probe, state=state())
    assert answer.success and answer.link == LINK
    assert answer.header.frame_id == ROBOT.model.body_names[0]
    local = inertia(probe, state=state(), reference=TASK.REFERENCE_LOCAL)
    assert local.header.frame_id == LINK


@pytest.mark.parametrize(
    'fields, sentence',
    [
        ({'link': 'nowhere'}, "no link 'nowhere'"),
        ({'link': 'x' * 10_000}, '...'),
        ({'reference': 7}, 'reference: got 7'),
        ({'damping': math.nan}, 'finite'),
        ({'damping': math.inf}, 'finite'),
        ({'point': Point(x=math.nan)}, 'finite'),
        ({'state': state(('elbow',), (0.0,), ())}, 'expected each at most once'),
    ],
    ids=[
        'link',
        'long link',
        'reference',
        'NaN damping',
        'infinite damping',
        'NaN point',
        'state',
    ],
)
def test_a_bad_task_is_answered_with_a_sentence(probe, fields, sentence):
    answer = inertia(probe, **{'state': state(), **fields})
    assert not answer.success
    assert sentence in answer.message
    assert len(answer.message) < 1000
    assert not answer.inertia
