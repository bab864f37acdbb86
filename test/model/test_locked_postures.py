# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joints of several freedoms held at any posture: what is left is the same robot, held there."""

import numpy as np
import pinocchio as pin
import pytest

from robodyn_ros import Robot
from robodyn_ros.errors import ModelError
from robodyn_ros.model import urdf
from robodyn_ros.model.build import build
from support.robots.families import TYPES, describe, states

CHAIN = describe('held', 9, kinds=TYPES, branching=3)
NAMES = tuple(joint.name for joint in CHAIN.joints if joint.type != 'fixed')
MOVING = tuple(joint.name for joint in CHAIN.joints if joint.type in ('revolute', 'prismatic'))
HELD = tuple(name for name in NAMES if name not in MOVING)
GRAVITY = (1.3, -2.1, -9.2)


def of_joint(names, joint):
    """Return where the coordinates of a joint stand among names."""
    return [k for k, name in enumerate(names) if name.partition('.')[0] == joint]


@pytest.fixture(scope='module')
def held():
    """Return the whole robot, the state it is in, and the robot that is held there."""
    whole = Robot.from_description(CHAIN, joints=NAMES, gravity=GRAVITY)
    ((q, qd, qdd),) = states(whole, 1)
    locked = {name: q[of_joint(whole.position_names, name)].tolist() for name in HELD}
    for name, position in locked.items():
        locked[name] = position[0] if len(position) == 1 else position
    robot = Robot.from_description(CHAIN, gravity=GRAVITY, locked=locked)
    kept = [whole.joint_names.index(name) for name in robot.joint_names]
    places = [whole.position_names.index(name) for name in robot.joint_names]
    return whole, q, qd, qdd, robot, kept, places


def test_every_type_is_held_away_from_its_neutral_posture(held):
    """The chain has one joint of each type, and those of one freedom alone move."""
    assert {joint.type for joint in CHAIN.joints if joint.name in HELD} == {
        'spherical',
        'helical',
        'planar',
        'universal',
        'floating',
        'cylindrical',
        'continuous',
    }
    assert set(held[4].joint_names) == set(MOVING)


def test_mass_matrix_is_the_block_of_the_whole_robot(held):
    whole, q, _, _, robot, kept, places = held
    expected = whole.mass_matrix(q)[np.ix_(kept, kept)]
    np.testing.assert_allclose(
        robot.mass_matrix(q[places]), expected, rtol=1e-12, atol=1e-13 * expected.max()
    )


def test_inverse_dynamics_are_those_of_the_whole_robot_with_held_joints_at_rest(held):
    whole, q, qd, qdd, robot, kept, places = held
    still = np.zeros(whole.nv)
    rates, accelerations = still.copy(), still.copy()
    rates[kept], accelerations[kept] = qd[kept], qdd[kept]
    expected = whole.inverse_dynamics(q, rates, accelerations)[kept]
    np.testing.assert_allclose(
        robot.inverse_dynamics(q[places], qd[kept], qdd[kept]),
        expected,
        rtol=1e-12,
        atol=1e-12 * np.abs(expected).max(),
    )


def test_links_stand_where_those_of_the_whole_robot_stand(held):
    whole, q, _, _, robot, _, places = held
    for link in (link.name for link in CHAIN.links):
        np.testing.assert_allclose(robot.pose(q[places], link), whole.pose(q, link), atol=1e-14)


URDF = """<robot name="carried"><link name="floor"/>
{links}
<joint name="drive" type="planar"><parent link="floor"/><child link="cart"/>
  <origin xyz="0.1 -0.2 0.3" rpy="0.3 0.2 -0.4"/><axis xyz="0 0 1"/></joint>
<joint name="turret" type="revolute"><parent link="cart"/><child link="turret"/>
  <origin xyz="0.2 0.1 0.4" rpy="0.1 -0.5 0.2"/><axis xyz="0.36 0.48 0.8"/>
  <limit lower="-3" upper="3" velocity="9" effort="9"/></joint>
<joint name="swim" type="floating"><parent link="turret"/><child link="drone"/>
  <origin xyz="-0.3 0.2 0.1" rpy="-0.2 0.4 0.6"/></joint>
<joint name="boom" type="prismatic"><parent link="drone"/><child link="boom"/>
  <origin xyz="0.1 0.3 0.2" rpy="0.5 0.1 -0.3"/><axis xyz="0.8 0 0.6"/>
  <limit lower="-3" upper="3" velocity="9" effort="9"/></joint></robot>""".format(
    links='\n'.join(
        f'<link name="{name}"><inertial><origin xyz="0.1 {0.05 * k} -0.1" rpy="0.2 {0.1 * k} 0"/>'
        f'<mass value="{1.5 + k}"/><inertia ixx="0.{3 + k}" iyy="0.4" izz="0.5" ixy="0.02" '
        'ixz="-0.01" iyz="0.03"/></inertial></link>'
        for k, name in enumerate(('cart', 'turret', 'drone', 'boom'))
    )
)


def test_pinocchio_reduces_its_model_to_the_same_robot():
    """Its reader, its free flyer and planar joint, held where ours are."""
    quaternion = np.array((0.3, -0.5, 0.2, 0.7)) / np.linalg.norm((0.3, -0.5, 0.2, 0.7))
    angle, swim = 0.8, (0.4, -0.3, 0.6, *quaternion)
    model = pin.buildModelFromXML(URDF)
    at = pin.neutral(model)
    for name, x in (('drive', (0.5, -0.7, np.cos(angle), np.sin(angle))), ('swim', swim)):
        joint = model.joints[model.getJointId(name)]
        at[joint.idx_q : joint.idx_q + joint.nq] = x
    reduced = pin.buildReducedModel(model, [model.getJointId(n) for n in ('drive', 'swim')], at)
    assert list(reduced.names)[1:] == ['turret', 'boom']
    robot = Robot.from_urdf(URDF, locked={'drive': (0.5, -0.7, angle), 'swim': swim})
    rng = np.random.default_rng(4)
    for _ in range(3):
        q, qd, qdd = rng.uniform(-1.5, 1.5, (3, 2))
        tau = pin.rnea(reduced, reduced.createData(), q, qd, qdd)
        np.testing.assert_allclose(robot.inverse_dynamics(q, qd, qdd), tau, rtol=1e-12, atol=1e-12)
        data = reduced.createData()
        M = np.triu(pin.crba(reduced, data, q))
        np.testing.assert_allclose(np.triu(robot.mass_matrix(q)), M, rtol=1e-12, atol=1e-13)


def test_a_quaternion_of_another_length_stands_for_that_of_length_one():
    swim = (0.4, -0.3, 0.6, 0.3, -0.5, 0.2, 0.7)
    longer = (*swim[:3], *(2.5 * x for x in swim[3:]))
    expected, got = (
        build(urdf.parse(URDF), locked={'drive': 0.0, 'swim': value}) for value in (swim, longer)
    )
    np.testing.assert_allclose(got.constants, expected.constants, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize('neutral', [0, 0.0, (0, 0, 0, 0, 0, 0, 1), np.eye(7)[6]])
def test_the_neutral_posture_is_that_of_zero(neutral):
    expected = build(urdf.parse(URDF), joints=['turret', 'boom'])
    got = build(urdf.parse(URDF), locked={'drive': 0.0, 'swim': neutral})
    assert got.constants.tolist() == expected.constants.tolist()
    assert got.report == expected.report


def test_the_report_states_where_a_joint_is_held():
    model = build(urdf.parse(URDF), locked={'drive': (0.5, -0.7, 1), 'swim': 0})
    assert "joint 'drive': is planar and held at 0.5 -0.7 1" in model.report.notes
    assert "joint 'swim': is floating and held still" in model.report.notes


@pytest.mark.parametrize(
    ('locked', 'words'),
    [
        ({'drive': 0.1}, ["planar joint 'drive'", '0.1', '3 numbers (x, y, turn)']),
        ({'drive': (0.1, 0.2)}, ["planar joint 'drive'", '(0.1, 0.2)', '3 numbers']),
        ({'drive': '0 0 1'}, ["'0 0 1'", '3 numbers']),
        ({'drive': (0, 0, float('inf'))}, ['inf', 'at most 1e+06']),
        ({'swim': (0, 0, 0)}, ["floating joint 'swim'", '7 numbers (x, y, z, qx, qy, qz, qw)']),
        ({'swim': (0, 0, 0, 0, 0, 0, 0)}, ["'swim'", 'length 0', 'unit quaternion']),
        ({'swim': (0, 0, 0, 1e-4, 0, 0, 0)}, ["'swim'", 'length 0.0001', 'unit quaternion']),
        ({'swim': (0, 0, float('nan'), 0, 0, 0, 1)}, ["'swim'", 'nan', '7 numbers']),
        ({'swim': (2e6, 0, 0, 0, 0, 0, 1)}, ["'swim'", 'at most 1e+06']),
        ({'swim': 1.0}, ["'swim'", '1.0', 'expected 0']),
        ({'swim': None}, ["'swim'", 'None', '7 numbers']),
        ({'boom': (0.1, 0.2)}, ["prismatic joint 'boom'", '(0.1, 0.2)', 'a number']),
        ({'boom': 'up'}, ["'boom'", "'up'", 'a number']),
    ],
)
def test_a_posture_that_the_joint_cannot_have_is_refused(locked, words):
    with pytest.raises(ModelError) as caught:
        build(urdf.parse(URDF), locked={'drive': 0, 'swim': 0, **locked})
    assert [word for word in words if word not in str(caught.value)] == [], str(caught.value)


def test_the_plane_of_a_held_joint_needs_a_normal():
    """Only where it matters: at its neutral posture no axis is read."""
    flat = URDF.replace('xyz="0 0 1"', 'xyz="0 0 0"')
    assert build(urdf.parse(flat), joints=['turret', 'boom']).nv == 2
    with pytest.raises(ModelError, match="joint 'drive' has axis"):
        build(urdf.parse(flat), locked={'drive': (1, 0, 0), 'swim': 0})
