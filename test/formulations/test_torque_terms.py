# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Terms of the torques: what they are, that nothing is missing, and what leaving out costs."""

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.cli import terms as command
from robodyn_ros.errors import ParameterError
from robodyn_ros.formulations.torque_terms import KINDS, swing, torque_terms
from robodyn_ros.model.layout import DAMPING, FRICTION
from support.compare import agree
from support.robots.families import FAMILIES

#: Two links of 1 m with their masses, 2 and 1 kg, at the ends, moving in a vertical plane.
PLANAR = """<robot name="planar"><link name="base"/>
<link name="upper"><inertial><origin xyz="1 0 0"/><mass value="2"/>
<inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="lower"><inertial><origin xyz="1 0 0"/><mass value="1"/>
<inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="first" type="revolute"><parent link="base"/><child link="upper"/>
<axis xyz="0 -1 0"/><limit lower="-1" upper="2" velocity="3" effort="9"/>
<dynamics damping="0.3" friction="0.7"/></joint>
<joint name="second" type="continuous"><parent link="upper"/><child link="lower"/>
<origin xyz="1 0 0"/><axis xyz="0 -1 0"/></joint></robot>"""


@pytest.fixture(scope='module')
def planar():
    """Return the two links."""
    return Robot.from_urdf(PLANAR)


def of(terms, joint, name):
    """Return the term of a joint (k,)."""
    return terms.values[:, joint, terms.names.index(name)]


def test_terms_of_two_links_are_those_of_the_books(planar):
    """Spong (6.90): inertia, centrifugal, Coriolis and gravity torques in closed form."""
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 20, 2))
    terms = torque_terms(planar, q, qd, qdd)
    (c1, c2), s2, c12, g = np.cos(q).T, np.sin(q[:, 1]), np.cos(q.sum(axis=1)), 9.81
    agree(of(terms, 0, 'gravity'), g * (3.0 * c1 + c12))
    agree(of(terms, 0, 'own qdd1'), (4.0 + 2.0 * c2) * qdd[:, 0])
    agree(of(terms, 0, 'qdd2'), (1.0 + c2) * qdd[:, 1])
    agree(of(terms, 0, 'qd2^2'), -s2 * qd[:, 1] ** 2)
    agree(of(terms, 0, 'qd1 qd2'), -2.0 * s2 * qd[:, 0] * qd[:, 1])
    agree(of(terms, 1, 'qd1^2'), s2 * qd[:, 0] ** 2)
    agree(of(terms, 0, 'friction'), 0.3 * qd[:, 0] + 0.7 * np.sign(qd[:, 0]))
    for joint, name in ((0, 'qd1^2'), (1, 'qd1 qd2'), (1, 'qd2^2'), (1, 'own qdd1')):
        assert np.abs(of(terms, joint, name)).max() < 1e-14


@pytest.mark.parametrize('family', ['sliding_tree', 'permuted'])
def test_terms_add_up_to_the_torque(family):
    """Inverse dynamics and friction, with no term missing."""
    robot = FAMILIES[family].robot
    q, qd, qdd = swing(robot, 0.7, count=20)
    expected = robot.inverse_dynamics(q, qd, qdd) + (
        qd * robot.model.joint_values(DAMPING) + np.sign(qd) * robot.model.joint_values(FRICTION)
    )
    terms = torque_terms(robot, q, qd, qdd)
    agree(terms.torque, expected, scale=np.abs(terms.values).max())
    n = robot.nv
    assert terms.values.shape[2] == 2 + 2 * n + n * (n + 1) // 2
    assert terms.of_kinds().shape == (n, len(KINDS))


def test_a_swing_keeps_the_limits_and_is_a_motion(planar):
    """Within the range and the share of the speed; accelerations are those of the sine."""
    q, qd, qdd = swing(planar, 0.5, count=4000)
    assert q[:, 0].min() >= -1.0 and q[:, 0].max() <= 2.0
    assert 1.49 < np.abs(qd[:, 0]).max() <= 1.5 and np.abs(qd[:, 1]).max() <= 1.0
    agree(qdd[:, 0], -((1.5 / 1.5) ** 2) * (q[:, 0] - 0.5))
    with pytest.raises(ParameterError, match='speed'):
        swing(planar, -1.0)


def test_left_out_terms_cost_the_stated_amount(planar):
    """The error of the torque without these terms is the share, and one more would exceed it."""
    terms = torque_terms(planar, *swing(planar, 0.2))
    for joint in range(2):
        left, lost = terms.negligible(joint, 0.2)
        rest = [k for k in range(len(terms.names)) if k not in left]
        error = terms.torque[:, joint] - terms.values[:, joint, rest].sum(axis=1)
        size = np.sqrt(np.mean(terms.torque[:, joint] ** 2))
        assert left and lost <= 0.2
        assert np.sqrt(np.mean(error**2)) / size == pytest.approx(lost, rel=1e-9)
        assert terms.negligible(joint, 0.0)[0] == []
    assert terms.negligible(0, 0.2)[1] > terms.negligible(0, 0.01)[1]


def test_terms_of_velocities_grow_with_the_square_of_the_speed(planar):
    """Ten times slower, a hundred times smaller; gravity stays."""
    slow, fast = (torque_terms(planar, *swing(planar, speed)) for speed in (0.1, 1.0))
    for name in ('qd1 qd2', 'qdd2'):
        agree(100.0 * of(slow, 0, name), of(fast, 0, name))
    agree(of(slow, 0, 'gravity'), of(fast, 0, 'gravity'))


def test_the_command_prints_what_matters(tmp_path, capsys):
    """A line for each joint and speed, with its largest terms first."""
    path = tmp_path / 'planar.urdf'
    path.write_text(PLANAR)
    assert command.main([str(path), '--speed', '0.01', '1', '--limit', '0.5']) == 0
    printed = capsys.readouterr().out
    slow, fast = printed.split('At 100 %')
    assert 'first: gravity' in slow and 'qd1 qd2' not in slow and 'the other' in slow
    assert 'qd1 qd2' in fast and all(kind in fast for kind in KINDS)
    assert command.main([str(path), '--speed', '-1']) == 1
    assert 'speed is -1' in capsys.readouterr().err
