# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joints of several freedoms to messages and back, for any axis and any state."""

import math

import numpy as np
import pytest

from robodyn_ros.errors import NotFiniteError, ParameterError
from robodyn_ros.model.joint_types import displacement
from robodyn_ros.robot.robot import Robot
from robodyn_ros.ros.common.multi_dof_messages import multi_dof_joints
from robodyn_ros.ros.simulator.state_publisher import scalar_joints
from support.robots.families import describe, states

KINDS = ('planar', 'revolute', 'floating', 'cylindrical', 'spherical', 'universal')
TREE = describe('wired', 12, kinds=KINDS, branching=4)
NAMES = tuple(joint.name for joint in TREE.joints if joint.type != 'fixed')
ROBOT = Robot.from_description(TREE, joints=NAMES)
STATES = states(ROBOT, 5)


@pytest.mark.parametrize(('q', 'qd', '_'), STATES)
def test_pose_and_twist_give_the_coordinates_again(q, qd, _):
    """A pose is where the joint puts its link; pose and twist give the coordinates again."""
    described = {joint.name: joint for joint in TREE.joints}
    joints = multi_dof_joints(ROBOT.model)
    assert [described[joint.name].type for joint in joints] == [
        'floating',
        'spherical',
        'planar',
    ] * 2
    again, rates = ROBOT.configuration.neutral(), np.zeros(ROBOT.nv)
    for joint in joints:
        place, turn = joint.pose(q)
        rows = [
            k for k, name in enumerate(ROBOT.position_names) if name.startswith(f'{joint.name}.')
        ]
        expected = displacement(described[joint.name], q[rows])
        assert place == pytest.approx(expected.translation, abs=1e-15)
        assert np.linalg.norm(turn) == pytest.approx(1.0, abs=1e-15)
        axis, w = turn[:3], turn[3]
        for vector in np.eye(3):
            turned = vector + 2.0 * np.cross(axis, np.cross(axis, vector) + w * vector)
            assert turned == pytest.approx(expected.rotation @ vector, abs=1e-14)
        joint.put_pose(place, -3.0 * turn, again)
        joint.put_twist(joint.along_axes(q, qd), again, rates)
    for k in ROBOT.model.quaternions:  # of two quaternions of one rotation either may come back
        again[k : k + 4] *= np.sign(again[k : k + 4] @ q[k : k + 4])
    mine = [
        name.partition('.')[0] in {joint.name for joint in joints} for name in ROBOT.position_names
    ]
    assert again[mine] == pytest.approx(q[mine], abs=1e-14)
    mine = [
        name.partition('.')[0] in {joint.name for joint in joints} for name in ROBOT.joint_names
    ]
    assert rates[mine] == pytest.approx(qd[mine], abs=1e-14)


def test_a_twist_is_the_rate_of_a_pose():
    """By central differences along the motion."""
    q, qd, _ = STATES[0]
    h = 1e-5
    ahead, behind = (ROBOT.configuration.integrate(q, qd, s * h) for s in (1.0, -1.0))
    for joint in multi_dof_joints(ROBOT.model):
        twist = joint.along_axes(q, qd)
        (p, a), (r, b) = joint.pose(ahead), joint.pose(behind)
        assert (p - r) / (2.0 * h) == pytest.approx(twist[:3], abs=1e-9)
        # a = turn * b, in axes of the joint: turn = a conjugate(b)
        turn = b[3] * a[:3] - a[3] * b[:3] - np.cross(a[:3], b[:3])
        assert turn / h == pytest.approx(twist[3:], abs=1e-8)


def test_what_a_joint_cannot_do_is_refused_and_nothing_changes():
    """A plane keeps its height and its normal, a ball its centre."""
    q, qd, _ = STATES[0]
    by_type = {joint._type: joint for joint in multi_dof_joints(ROBOT.model)}
    for kind, place, turn in (
        ('planar', (1.0, 2.0, 3.0), (0.0, 0.0, 0.0, 1.0)),
        ('planar', (0.0, 0.0, 0.0), (0.6, 0.0, 0.0, 0.8)),
        ('spherical', (0.0, 0.1, 0.0), (0.6, 0.0, 0.0, 0.8)),
        ('floating', (0.0, 0.1, 0.0), (0.0, 0.0, 1e-9, 0.0)),
    ):
        kept = q.copy()
        with pytest.raises(ParameterError, match=kind if kind != 'floating' else 'unit quat'):
            by_type[kind].put_pose(place, turn, kept)
        assert kept.tolist() == q.tolist()
    for kind, twist in (('planar', np.eye(6)[5]), ('spherical', np.eye(6)[1])):
        kept = qd.copy()
        with pytest.raises(ParameterError, match=f'twist of .*{kind}'):
            by_type[kind].put_twist(twist, q, kept)
        assert kept.tolist() == qd.tolist()


@pytest.mark.filterwarnings('error')
@pytest.mark.parametrize('number', [math.nan, math.inf])
def test_numbers_that_are_not_finite_are_refused_before_any_arithmetic(number):
    """NumPy is not even asked to multiply them: nothing is warned of."""
    q, qd, _ = STATES[0]
    kept, rates = q.copy(), qd.copy()
    for joint in multi_dof_joints(ROBOT.model):
        here = f"of joint '{joint.name}' is .*; expected finite"
        with pytest.raises(NotFiniteError, match=f'position {here}'):
            joint.put_pose((0.0, number, 0.0), (0.0, 0.0, 0.0, 1.0), kept)
        with pytest.raises(NotFiniteError, match=f'rotation {here}'):
            joint.put_pose((0.0, 0.0, 0.0), (0.0, 0.0, number, 1.0), kept)
        with pytest.raises(NotFiniteError, match=f'twist {here}'):
            joint.put_twist((0.0, 0.0, 0.0, 0.0, 0.0, number), kept, rates)
    assert kept.tolist() == q.tolist()
    assert rates.tolist() == qd.tolist()


def test_scalars_are_all_that_have_one_position_a_velocity():
    """Planar, cylindrical and universal joints are among them."""
    names = {ROBOT.joint_names[k] for k in scalar_joints(ROBOT.model)}
    turning = {joint.name for joint in TREE.joints if joint.type in ('floating', 'spherical')}
    assert names == {name for name in ROBOT.joint_names if name.partition('.')[0] not in turning}
    assert len(names) == 2 * (3 + 1 + 2 + 2)
