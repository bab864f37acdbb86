# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Angeles, Exercises 7.4, 7.9 and 7.13, and the virtual work of Spong, section 6.1."""

from dataclasses import replace

import numpy as np
import pytest

from robodyn_ros.errors import ModelError
from robodyn_ros.formulations.angeles import (
    coupled_bodies,
    kane,
    noc_forward_dynamics,
    planar,
    statics,
)
from robodyn_ros.formulations.complex_step import along
from robodyn_ros.formulations.count import general_arm, operations
from robodyn_ros.model.layout import HELICAL, KIND, V
from support.robots.formulation_arms import ALL, SERIAL, error, motion

pytestmark = pytest.mark.sensitive


def turning(axis, rate, centre, on_axis):
    """Twist (6,) of a body that turns about an axis through a point of it."""
    w = rate * np.asarray(axis, float)
    return np.concatenate((w, np.cross(w, np.subtract(centre, on_axis))))


def test_belt_makes_rim_speeds_equal():
    # Pulleys about z, the belt along their common upper tangent; centres of mass off the axes.
    r1, r2, distance, w1 = 0.12, 0.3, 1.0, 1.7
    slope = (r2 - r1) / distance
    normal = np.array([-slope, np.sqrt(1 - slope**2), 0])
    line, axes = np.array([normal[1], slope, 0]), np.array([[0, 0, 0], [distance, 0, 0]])
    centres = axes + [[0.02, 0.01, 0], [-0.03, 0.05, 0.1]]
    A, B = coupled_bodies.along(line, axes + np.outer((r1, r2), normal), centres)
    t1, t2, slipping = (
        turning((0, 0, 1), rate, centre, axis)
        for rate, centre, axis in (
            (w1, centres[0], axes[0]),
            (w1 * r1 / r2, centres[1], axes[1]),
            (w1, centres[1], axes[1]),
        )
    )
    assert A.shape == B.shape == (1, 6)
    np.testing.assert_allclose(A @ t1 + B @ t2, 0, atol=1e-15)
    assert abs(A @ t1 + B @ slipping) > 0.1


@pytest.mark.parametrize('alpha', [np.pi / 2, 1.1])
def test_bevel_gears_of_any_angle_roll(alpha):
    # Pitch cones with half angles b1 + b2 = alpha share the line to the contact: sines of the two.
    b1 = 0.4 * alpha
    b2, w1 = alpha - b1, 2.0
    axis1, axis2 = np.array([0, 0, 1.0]), np.array([np.sin(alpha), 0, np.cos(alpha)])
    contact = 0.5 * np.array([np.sin(b1), 0, np.cos(b1)])
    centres = np.array([[0.01, 0.02, 0.3], [0.2, -0.03, 0.1]])
    A, B = coupled_bodies.rolling(contact, centres)
    t1 = turning(axis1, w1, centres[0], np.zeros(3))
    w2 = -w1 * np.sin(b1) / np.sin(b2)
    np.testing.assert_allclose(
        A @ t1 + B @ turning(axis2, w2, centres[1], np.zeros(3)), 0, atol=1e-15
    )
    assert np.abs(A @ t1 + B @ turning(axis2, -w2, centres[1], np.zeros(3))).max() > 0.1


def test_eccentric_cam_lifts_its_follower():
    # A disk of radius R, eccentric by e: the flat follower is at R + e sin(theta).
    R, e, theta, rate = 0.2, 0.05, 0.7, 3.0
    centre = e * np.array([np.cos(theta), np.sin(theta), 0])
    contact, follower = centre + [0, R, 0], np.array([0, 0.5, 0])
    A, B = coupled_bodies.along([0, 1, 0], (contact, contact), (centre, follower))
    lift = along(lambda x: R + e * np.sin(x[0]), np.array([theta]), [rate])
    up = np.array([0, 0, 0, 0, lift, 0])
    cam = turning((0, 0, 1), rate, centre, np.zeros(3))
    np.testing.assert_allclose(A @ cam + B @ up, 0, atol=1e-15)
    assert abs(A @ cam + B @ (2 * up)) > 0.1


def test_rows_are_the_wrenches_of_constraint():
    rng = np.random.default_rng(2)
    line, points, centres = rng.normal(size=3), rng.normal(size=(2, 3)), rng.normal(size=(2, 3))
    A, _ = coupled_bodies.along(line, points, centres)
    np.testing.assert_allclose(A[0], [*np.cross(points[0] - centres[0], line), *line])
    A, B = coupled_bodies.rolling(points[0], centres)
    f, w, v = rng.normal(size=(3, 3))
    np.testing.assert_allclose(f @ A @ [*w, *v], f @ (v + np.cross(w, points[0] - centres[0])))
    np.testing.assert_allclose(B @ [*w, *v], -(v + np.cross(w, points[0] - centres[1])))


@pytest.mark.parametrize('name', SERIAL)
def test_balancing_torque_is_the_transposed_jacobian(name):
    robot = SERIAL[name]()
    wrench = np.array([3.0, -2.0, 5.0, 0.4, -0.7, 1.1])
    for q, _, _ in motion(robot):
        expected = -robot.jacobian(q, robot.model.body_names[-1]).T @ wrench
        assert error(statics.balancing_torque(robot, q, wrench), expected) < 1e-12


def test_balancing_torque_is_of_first_order_and_cheaper_than_the_jacobian():
    wrench = np.arange(1.0, 7.0)
    counts = np.array(
        [
            operations(
                lambda robot, q: statics.balancing_torque(robot, q, wrench),
                general_arm(n),
                np.full(n, 0.7),
            )
            for n in (5, 6, 7)
        ]
    )
    np.testing.assert_array_equal(np.diff(counts, 2, axis=0), 0)
    # The steps of the exercise, 22 and 14 a joint, written with Q as a matrix and a turn outward.
    assert (counts[1] - counts[0] < [48, 38]).all() and (counts[1] > [22 * 5, 14 * 5]).all()


@pytest.mark.parametrize('name', ['6R', 'Stanford-like', 'tree'])
def test_forces_at_points_do_the_work_of_their_torques(name):
    robot, rng = ALL[name](), np.random.default_rng(4)
    links = robot.model.body_names[1:]
    joint_of = {
        robot.model.body_names[row]: v for row, v in enumerate(robot.model.topology[:, V]) if row
    }
    q, zero = next(motion(robot))[0], np.zeros(robot.nv)
    loads, wrenches = [], {}
    for link in (links[-1], links[1]):
        origin, lever, force, moment = robot.pose(q, link)[:3, 3], *rng.normal(size=(3, 3))
        loads.append((joint_of[link], origin + lever, force, moment))
        wrenches[link] = np.concatenate((force, moment + np.cross(lever, force)))
    light = robot.with_gravity((0.0, 0.0, 0.0))
    expected = -light.inverse_dynamics(q, zero, zero, f_ext=wrenches)
    assert error(kane.generalised_force(robot, q, loads), expected) < 1e-12


def test_planar_factor_is_that_of_space():
    # Exercise 7.13: the same I from 3 rows a link in place of 6.
    robot = SERIAL['planar']()
    q, qd, tau = next(motion(robot))
    P = planar.projected_twists(robot, q)
    assert P.shape == (4 * robot.nv, robot.nv)
    assert error(P.T @ P, noc_forward_dynamics.mass_matrix(robot, q)) < 1e-12
    assert (
        error(planar.forward_dynamics(robot, q, qd, tau), robot.forward_dynamics(q, qd, tau))
        < 1e-10
    )


def test_other_hinges_than_those_of_the_books_are_refused_by_name():
    model = SERIAL['6R']().model
    topology = model.topology.copy()
    topology[3, KIND] = HELICAL
    with pytest.raises(ModelError, match="joint of link 'link3' is helical or spherical"):
        kane.mass_matrix(replace(model, topology=topology), np.zeros(6))
