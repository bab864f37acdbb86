# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""DH tables: the frames of the texts, and the torques of the texts."""

from math import cos, pi, sin

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.errors import ModelError
from robodyn_ros.model import layout
from robodyn_ros.model.build import build
from robodyn_ros.model.description import Limit
from robodyn_ros.model.dh import DHRow, describe


def translation(x=0.0, y=0.0, z=0.0):
    T = np.eye(4)
    T[:3, 3] = x, y, z
    return T


def rotation_z(angle):
    T = np.eye(4)
    T[:2, :2] = [[cos(angle), -sin(angle)], [sin(angle), cos(angle)]]
    return T


def rotation_x(angle):
    T = np.eye(4)
    T[1:3, 1:3] = [[cos(angle), -sin(angle)], [sin(angle), cos(angle)]]
    return T


def textbook(row, q, convention):
    """Spong et al. (3.10) or Craig (3.6), multiplied out."""
    theta = row.theta + (q if row.joint in ('revolute', 'continuous') else 0.0)
    d = row.d + (q if row.joint == 'prismatic' else 0.0)
    screw_x = translation(x=row.a) @ rotation_x(row.alpha)
    screw_z = translation(z=d) @ rotation_z(theta)
    return screw_z @ screw_x if convention == 'standard' else screw_x @ screw_z


BALL = {'mass': 1.0, 'inertia': np.diag([0.1, 0.2, 0.25])}
TABLE = (
    DHRow(0.1, 0.3, 0.2, 0.4, **BALL),
    DHRow(-0.2, pi / 2, 0.0, -0.5, 'prismatic', **BALL),
    DHRow(0.0, -pi / 2, 0.3, 0.0, 'continuous', **BALL),
    DHRow(0.3, 1.0, 0.1, 0.7, **BALL),
    DHRow(0.1, 0.2, 0.3, 0.4, 'fixed'),
)


@pytest.mark.parametrize('convention', ['modified', 'standard'])
def test_link_frames_are_the_frames_of_the_table(convention):
    robot = Robot(build(describe(TABLE, convention)))
    q = np.array([0.3, -0.2, 1.1, 0.8])
    T = np.eye(4)
    for number, (row, value) in enumerate(zip(TABLE, [*q, 0.0]), start=1):
        T = T @ textbook(row, value, convention)
        np.testing.assert_allclose(robot.pose(q, f'link{number}'), T, rtol=0, atol=4e-16 * 8)
    assert robot.joint_names == ('joint1', 'joint2', 'joint3', 'joint4')


def test_right_angles_and_signs_are_exact():
    model = build(describe([DHRow(alpha=pi / 2, theta=-pi / 2, d=1.0, a=2.0, **BALL)], 'standard'))
    assert model.constants[1, :9].reshape(3, 3).tolist() == [[0, 1, 0], [-1, 0, 0], [0, 0, 1]]
    tip = model.frames['link1']
    assert tip.rotation.tolist() == [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
    assert tip.translation.tolist() == [2, 0, 0]


def test_both_conventions_describe_the_same_two_link_arm():
    """Spong's planar elbow: l1, l2 lengths, the com lc1, lc2 from the proximal ends."""
    m, length, lc, inertia = (1.5, 1.0), (1.0, 0.8), (0.5, 0.4), (0.12, 0.05)
    standard = [
        DHRow(
            a=length[i],
            mass=m[i],
            com=(lc[i] - length[i], 0, 0),
            inertia=np.diag([0, inertia[i], inertia[i]]),
        )
        for i in range(2)
    ]
    modified = [
        DHRow(
            a=(0.0, length[0])[i],
            mass=m[i],
            com=(lc[i], 0, 0),
            inertia=np.diag([0, inertia[i], inertia[i]]),
        )
        for i in range(2)
    ]
    q, qd, qdd = np.array([0.3, 0.7]), np.array([0.4, -0.6]), np.array([1.0, -0.5])
    for rows, convention in ((standard, 'standard'), (modified, 'modified')):
        model = build(describe(rows, convention), gravity=(0, -9.81, 0))
        robot = Robot(model)
        np.testing.assert_allclose(
            robot.inverse_dynamics(q, qd, qdd), [20.6107131866, 2.57231305512], rtol=1e-11
        )
        np.testing.assert_allclose(
            robot.mass_matrix(q),
            [[2.31687374983, 0.515936874914], [0.515936874914, 0.21]],
            rtol=1e-11,
        )


def test_spherical_arm_with_a_slide():
    """Angeles, exercise 7.11: RRP, inertias about the joints, gravity along +x."""
    A, B, C, m3 = 0.8, 0.5, 0.2, 3.0
    rows = [
        DHRow(alpha=pi / 2, mass=5, inertia=A * np.eye(3)),
        DHRow(alpha=pi / 2, mass=4, inertia=B * np.eye(3)),
        DHRow(joint='prismatic', mass=m3, inertia=C * np.eye(3)),
    ]
    robot = Robot(build(describe(rows, 'standard'), gravity=(9.81, 0, 0)))
    q, qd, qdd = np.array([0.4, 0.9, 0.7]), np.array([0.6, -0.3, 0.5]), np.array([0.2, 0.8, -0.4])
    np.testing.assert_allclose(
        robot.gravity_torque(q), [6.284167494504, -11.794910862999, -21.233505498975], rtol=1e-12
    )
    np.testing.assert_allclose(
        robot.inverse_dynamics(q, qd, qdd),
        [7.28002343895, -10.94659094613, -23.086387890769],
        rtol=1e-12,
    )


def test_six_revolute_arm_of_the_texts():
    """Masses and inertias of Angeles, exercise 7.3, on a PUMA-like table."""
    a = (0, 0.4318, 0.0203, 0, 0, 0)
    d = (0, 0.15, 0, 0.4318, 0, 0.0563)
    alpha = np.radians((90, 0, 90, -90, 90, 0))
    mass = (10.521, 15.781, 8.767, 1.052, 1.052, 0.351)
    com = (
        (0, -0.054, 0),
        (0.140, 0, 0),
        (0, -0.197, 0),
        (0, 0, -0.057),
        (0, -0.007, 0),
        (0, 0, -0.019),
    )
    inertia = (
        (1.6120, 0.5091, 1.6120),
        (0.4898, 8.0783, 8.2672),
        (3.3768, 0.3009, 3.3768),
        (0.1810, 0.1810, 0.1273),
        (0.0735, 0.0735, 0.1273),
        (0.0071, 0.0071, 0.0141),
    )
    rows = [
        DHRow(a[i], alpha[i], d[i], mass=mass[i], com=com[i], inertia=np.diag(inertia[i]))
        for i in range(6)
    ]
    robot = Robot(build(describe(rows, 'standard')))
    q = np.array([0.1, -0.5, 0.9, 0.3, -0.7, 1.2])
    qd = np.array([0.5, -0.4, 0.3, 0.9, -0.6, 0.2])
    qdd = np.array([1, -0.8, 0.6, -0.4, 0.2, 0.1])
    np.testing.assert_allclose(
        robot.inverse_dynamics(q, qd, qdd),
        [
            13.925037827771,
            111.582762215617,
            5.657670172390,
            -0.208414779055,
            -0.069235079286,
            -0.017645574036,
        ],
        rtol=0,
        atol=6e-13,
    )  # twelve printed decimals
    np.testing.assert_allclose(
        robot.gravity_torque(q),
        [0, 125.654693924384, 6.253268421878, 0.255240140412, -0.039663818117, 0],
        rtol=0,
        atol=6e-13,
    )


def test_names_limits_and_joint_constants():
    row = DHRow(
        mass=1,
        inertia=np.eye(3),
        rotor_inertia=0.3,
        damping=0.1,
        friction=0.2,
        limit=Limit(-1, 1, 2, 3),
        joint_name='shoulder',
        link_name='arm',
    )
    model = build(describe([row], name='one', base='floor'))
    assert (model.name, model.joint_names, model.body_names) == (
        'one',
        ('shoulder',),
        ('floor', 'arm'),
    )
    assert [float(column[0]) for column in vars(model.limits).values()] == [-1, 1, 2, 3]
    assert model.constants[1, [layout.ROTOR, layout.DAMPING, layout.FRICTION]].tolist() == [
        0.3,
        0.1,
        0.2,
    ]


@pytest.mark.parametrize(
    ('rows', 'convention', 'words'),
    [
        ([DHRow()], 'classic', ["'classic'", 'modified, standard']),
        ([DHRow(joint='spherical')], 'modified', ['row 1', "'spherical'", 'revolute']),
        ([DHRow(a=float('nan'))], 'modified', ['row 1', 'a is nan']),
        ([DHRow(**BALL), DHRow(d=float('inf'))], 'modified', ['row 2', 'd is inf']),
        ([DHRow(theta='90 deg')], 'modified', ['theta', '90 deg']),
        ([DHRow(com=(1, 2))], 'modified', ['com', '(3,)']),
        ([DHRow(inertia=(1, 1, 1))], 'modified', ['inertia', '(3, 3)']),
        ([DHRow(com=None)], 'modified', ['com', 'None']),
        ([DHRow(mass=-1.0)], 'modified', ["link 'link1'", 'mass is -1']),
        ([DHRow(a=1e300, **BALL)], 'modified', ["joint 'joint1'", 'origin']),
        (
            [DHRow(link_name='x', **BALL), DHRow(link_name='x', **BALL)],
            'standard',
            ["'x'", 'once'],
        ),
    ],
)
def test_an_impossible_table_is_refused(rows, convention, words):
    with pytest.raises(ModelError) as caught:
        build(describe(rows, convention))
    assert [word for word in words if word not in str(caught.value)] == [], str(caught.value)


def test_rows_without_inertia_have_kinematics_alone():
    model = build(describe([DHRow(a=0.3), DHRow(a=0.2)], 'modified'))
    with pytest.raises(ModelError, match="links 'link1', 'link2' move, but nothing on them"):
        model.require_dynamics()
