# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a page shows of a robot: poses of shapes, arrows, the ellipsoid of Lambda, motions."""

import numpy as np
import pytest

from robodyn_ros import Robot, example
from robodyn_ros.errors import UnknownNameError
from robodyn_ros.model import urdf
from robodyn_ros.model.sources.geometry import shapes
from robodyn_ros.view.inertia_ellipsoid import inertia_ellipsoid
from robodyn_ros.view.playback import read_motion
from robodyn_ros.view.postures import Postures
from robodyn_ros.view.scales import round_up, scales_of
from robodyn_ros.view.scene import Scene
from robodyn_ros.view.torque_arrows import TorqueArrows

ARMS = ('franka_like', 'ur_like', 'two_link')


@pytest.fixture(params=ARMS)
def arm(request):
    """A robot, its file, its joints, and a posture that is never zero."""
    path = example(request.param)
    robot = Robot.from_urdf(path)
    return robot, path, urdf.parse(path).joints, robot.configuration.random(3)


def test_every_shape_is_where_its_link_is(arm):
    """Rotations and origins to 1e-12: two products of matrices of order 1."""
    robot, path, joints, q = arm
    scene = Scene(robot, shapes(path), joints)
    assert len(scene.shapes) == len(shapes(path)) > 0 and not scene.left_out
    for shape, pose in zip(scene.shapes, scene.poses(q)):
        link = robot.frames.poses(q, [shape.link])[0]
        R, p = link[:3, :3], link[:3, 3]
        place = shape.placement
        np.testing.assert_allclose(pose[:3, :3], R @ place.rotation, atol=1e-12)
        np.testing.assert_allclose(pose[:3, 3], R @ place.translation + p, atol=1e-12)


def test_arrows_are_as_long_as_their_torques_and_turn_with_them(arm):
    """The axis is that of the Jacobian of the child link: angular velocity by joint velocity."""
    robot, _, joints, q = arm
    tau, arrows = robot.gravity_torque(q), TorqueArrows(robot, joints)
    assert arrows.joint_names == robot.joint_names
    found = arrows.at(q, tau, 0.25)
    vectors = found[:, 1] - found[:, 0]
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 0.25 * np.abs(tau), atol=1e-12)
    children = {joint.name: joint.child for joint in joints}
    for j, name in enumerate(robot.joint_names):
        axis = robot.jacobian(q, children[name])[3:, j]
        np.testing.assert_allclose(vectors[j], 0.25 * tau[j] * axis, atol=1e-12)


@pytest.mark.parametrize('name', ('franka_like', 'ur_like'))
def test_axes_of_the_ellipsoid_are_eigenvectors_of_lambda(name):
    """To 1e-9 of the largest mass: the condition of Lambda times rounding."""
    robot = Robot.from_urdf(example(name))
    q = robot.configuration.random(3)
    found = inertia_ellipsoid(robot, q, 'tool0')
    J = robot.jacobian(q, 'tool0')[:3]
    Lambda = np.linalg.inv(J @ np.linalg.inv(robot.mass_matrix(q)) @ J.T)
    np.testing.assert_allclose(
        Lambda @ found.axes, found.axes * found.masses, atol=1e-9 * found.masses.max()
    )
    np.testing.assert_allclose(found.axes.T @ found.axes, np.eye(3), atol=1e-12)
    assert np.linalg.det(found.axes) > 0.0 and (np.diff(found.masses) <= 0.0).all()
    np.testing.assert_array_equal(found.centre, robot.pose(q, 'tool0')[:3, 3])


def test_a_direction_that_is_lost_has_infinite_inertia():
    """The planar elbow cannot move along y; its semi-axis is cut."""
    robot = Robot.from_urdf(example('two_link'))
    found = inertia_ellipsoid(robot, [0.3, 0.9], robot.frames[-1])
    assert np.isinf(found.masses).tolist() == [True, False, False]
    np.testing.assert_allclose(np.abs(found.axes[:, 0]), [0.0, 1.0, 0.0], atol=1e-12)
    assert found.lengths(0.01, 0.5)[0] == 0.5


def test_sliders_and_postures_are_two_names_of_the_same(arm):
    robot, _, _, q = arm
    postures = Postures(robot)
    np.testing.assert_allclose(postures.posture(postures.coordinates(q)), q, atol=1e-12)
    assert (postures.lower <= postures.middle()).all()
    np.testing.assert_array_equal(postures.lower, robot.limits.lower)
    assert postures.units == ('rad',) * robot.nv


def test_scales_are_round_and_the_same_at_every_call():
    assert [round_up(x) for x in (0.0, 0.11, 1.0, 3.0, 51.0)] == [1.0, 0.2, 1.0, 5.0, 100.0]
    robot = Robot.from_urdf(example('franka_like'))
    assert scales_of(robot, 'tool0') == scales_of(robot, 'tool0')


def test_a_trajectory_plays_from_its_first_point_by_name(tmp_path):
    """Columns in another order, a column more, and a first point that is late."""
    robot = Robot.from_urdf(example('two_link'))
    a, b = robot.joint_names
    path = tmp_path / 'motion.csv'
    path.write_text(f'time,x.position,{b}.position,{a}.position\n1,9,0.2,0.1\n3,9,0.6,0.5\n')
    motion = read_motion(path, robot)
    assert motion.duration == 2.0
    np.testing.assert_allclose(motion.at(0.0), [0.1, 0.2], atol=1e-12)
    np.testing.assert_allclose(motion.at(2.0), [0.5, 0.6], atol=1e-12)
    assert (motion.at(1.0) > [0.1, 0.2]).all() and (motion.at(1.0) < [0.5, 0.6]).all()
    path.write_text(f'time,{b}.position\n1,0.2\n')
    with pytest.raises(UnknownNameError, match=f'no joint {a!r}'):
        read_motion(path, robot)
