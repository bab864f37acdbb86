# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot in which nothing moves has the poses of its frames; dynamics are refused."""

import numpy as np
import pytest

from robodyn_ros import Robot, example
from robodyn_ros.errors import ModelError
from robodyn_ros.model.dh import DHRow
from robodyn_ros.simulation.plant import Plant

FIXED = """<robot name="post"><link name="base"/><link name="arm"><inertial>
<origin xyz="0.1 0 0"/><mass value="2"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="tip"/>
<joint name="mount" type="fixed"><origin xyz="1 2 3" rpy="0.3 -0.4 0.5"/><parent link="base"/>
<child link="arm"/></joint>
<joint name="flange" type="fixed"><origin xyz="0 0 1" rpy="1 0 0"/><parent link="arm"/>
<child link="tip"/></joint></robot>"""
TWO_LINK = example('two_link')

STILL = {
    'fixed joints': lambda: Robot.from_urdf(FIXED),
    'one link': lambda: Robot.from_urdf('<robot name="r"><link name="a"/></robot>'),
    'locked joints': lambda: Robot.from_urdf(TWO_LINK, locked={'joint1': 0.3, 'joint2': -0.7}),
    'no joints chosen': lambda: Robot.from_urdf(TWO_LINK, joints=[]),
    'last link as base': lambda: Robot.from_urdf(FIXED, base='tip'),
    'table of fixed rows': lambda: Robot.from_dh([DHRow(joint='fixed', a=0.3)]),
}


@pytest.mark.parametrize('kind', STILL)
def test_it_has_the_poses_of_its_frames_and_no_velocities(kind):
    robot = STILL[kind]()
    frame = [*robot.frames][-1]
    assert robot.nv == robot.nq == 0 and robot.joint_names == ()
    assert robot.jacobian((), frame).shape == (6, 0)
    np.testing.assert_array_equal(robot.velocity((), (), frame), np.zeros(6))
    pose = robot.pose((), frame)
    assert robot.inverse_kinematics(pose, frame).success
    pose[2, 3] += 0.5
    assert not robot.inverse_kinematics(pose, frame).success
    sentence = 'no dynamics: no joint moves; expected one that is neither fixed nor locked'
    assert sentence in robot.report.notes[-1]


def test_poses_are_those_of_pinocchio():
    """To rounding of numbers of the size of 3."""
    pinocchio = pytest.importorskip('pinocchio')
    model = pinocchio.buildModelFromXML(FIXED)
    data = model.createData()
    pinocchio.framesForwardKinematics(model, data, np.zeros(0))
    robot = Robot.from_urdf(FIXED)
    for name in ('arm', 'tip'):
        expected = data.oMf[model.getFrameId(name)].homogeneous
        np.testing.assert_allclose(robot.pose((), name), expected, rtol=0.0, atol=4e-15)


def test_locked_joints_leave_the_pose_of_the_whole_robot():
    q = (0.3, -0.7)
    still = STILL['locked joints']()
    np.testing.assert_allclose(
        still.pose((), 'tool0'), Robot.from_urdf(TWO_LINK).pose(q, 'tool0'), rtol=0.0, atol=1e-15
    )


def test_on_a_free_base_it_is_one_body():
    robot = Robot.from_urdf(FIXED, free_base=True)
    assert robot.nv == 6 and robot.centroidal.mass == 2.0


@pytest.mark.parametrize(
    'ask', [lambda robot: robot.mass_matrix(()), lambda robot: robot.specialised(), Plant]
)
def test_dynamics_are_refused(ask):
    with pytest.raises(ModelError, match="robot 'post' has kinematics and no dynamics: no joint"):
        ask(Robot.from_urdf(FIXED))
