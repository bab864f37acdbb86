# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Angeles, Algorithms 7.4.1 and 7.4.2, against the recursions of the package and the examples."""

from dataclasses import replace
from math import pi

import numpy as np
import pytest

from robodyn_ros.errors import ModelError, ShapeError
from robodyn_ros.formulations.angeles import newton_euler
from robodyn_ros.formulations.posture import accelerations, arm_at, velocities
from robodyn_ros.formulations.serial_chain import links_at
from support.robots.formulation_arms import (
    SERIAL,
    TREES,
    error,
    motion,
    rrp,
    six_revolute,
    spatial_3r,
)


@pytest.mark.parametrize('name', SERIAL)
def test_torque_is_that_of_the_package(name):
    robot = SERIAL[name]()
    for q, qd, qdd in motion(robot):
        assert (
            error(
                newton_euler.inverse_dynamics(robot, q, qd, qdd),
                robot.inverse_dynamics(q, qd, qdd),
            )
            < 1e-10
        )


@pytest.mark.parametrize('name', ['Stanford-like', 'shuffled', 'franka_like'])
def test_tip_wrench_is_jacobian_transpose(name):
    robot = SERIAL[name]()
    last = robot.model.body_names[-1]
    wrench = np.array([3.0, -2.0, 5.0, 0.4, -0.7, 1.1])
    for q, qd, qdd in motion(robot):
        arm = arm_at(robot, q)
        tip = arm.outward[-1]
        lever = arm.c[tip] - robot.pose(q, last)[:3, 3]
        at_frame = wrench + np.concatenate((np.zeros(3), np.cross(lever, wrench[:3])))
        assert (
            error(
                newton_euler.inverse_dynamics(robot, q, qd, qdd, tip_wrench=wrench),
                robot.inverse_dynamics(q, qd, qdd, f_ext={last: at_frame}),
            )
            < 1e-10
        )
        # (7.61) holds the same six numbers at the operation point: another load.
        assert (
            error(
                newton_euler.inverse_dynamics(robot, q, qd, qdd, tip_wrench=wrench),
                robot.inverse_dynamics(q, qd, qdd, f_ext={last: wrench}),
            )
            > 1e-4
        )


def test_joint_wrenches_balance_every_link():
    # d'Alembert on each link, in base axes and with weight: nothing of the recursion is reused.
    robot = SERIAL['Stanford-like']()
    for q, qd, qdd in motion(robot):
        arm = arm_at(robot, q)
        w, _, _ = velocities(arm, qd)
        wd, cdd = accelerations(arm, qd, qdd)
        carried = newton_euler.joint_wrenches(robot, q, qd, qdd)
        for i in range(arm.n):
            n, f = carried[i, :3], carried[i, 3:]
            moment = n + np.cross(arm.o[i] - arm.c[i], f)
            force = f + arm.m[i] * arm.g
            if i + 1 < arm.n:
                n, f = carried[i + 1, :3], carried[i + 1, 3:]
                moment, force = moment - n - np.cross(arm.o[i + 1] - arm.c[i], f), force - f
            np.testing.assert_allclose(force, arm.m[i] * cdd[i], atol=1e-9)
            np.testing.assert_allclose(
                moment, arm.I[i] @ wd[i] + np.cross(w[i], arm.I[i] @ w[i]), atol=1e-9
            )


def test_spatial_arm_has_the_corrected_bearing_loads_of_example_7_6_1():
    # f1, f2, n1, n2, tau1 as printed carry half of f3; these are the right ones.
    a, m, inertia, p = 0.5, 2.0, 0.3, 1.5
    q, qd, zero = np.array([pi, -pi / 2, pi]), np.full(3, p), np.zeros(3)
    robot = spatial_3r(a, m, inertia)
    links = links_at(robot, q)
    R = links.base_axes()
    moving = newton_euler.outward(links, qd, zero)

    def base(v):
        return np.einsum('ijk,ik->ij', R, v)

    for got, expected in (
        (base(moving.w) / p, [[0, 0, 1], [0, 1, 1], [1, 1, 1]]),
        (base(moving.wd) / p**2, [[0, 0, 0], [-1, 0, 0], [-1, 1, -1]]),
        (base(moving.cdot) * 2 / (a * p), [[-1, -1, 0], [-3, -1, -1], [-3, -1, -2]]),
        (base(moving.cdd) * 2 / (a * p**2), [[1, -1, 0], [0, -4, 1], [0, -4, 0]]),
    ):
        np.testing.assert_allclose(got, expected, atol=1e-12)
    loads = newton_euler.joint_wrenches(robot, q, qd, zero)
    np.testing.assert_allclose(
        loads[:, 3:] * 2 / (a * m * p**2), [[1, -9, 1], [0, -8, 1], [0, -4, 0]], atol=1e-12
    )
    _, f2, f3 = loads[:, 3:]
    np.testing.assert_allclose(f2, m * base(moving.cdd)[1] + f3, atol=1e-12)
    assert error(m * base(moving.cdd)[1] + f3 / 2, f2) > 0.1  # as printed
    # The book takes moments at its DH origins, a distance b_i back along the axis from our joints.
    back = np.array([0, a, a])[:, None] * arm_at(robot, q).turns
    loads[:, :3] += np.cross(back, loads[:, 3:])
    A, J = m * a * a, inertia
    np.testing.assert_allclose(
        loads[:, :3] / p**2,
        [
            [-2 * J - 1.5 * A, J + A / 4, -J + A],
            [-2 * J - 1.5 * A, J - A / 4, -J - 3 * A],
            [A - J, J, -J - 2 * A],
        ],
        atol=1e-12,
    )


def test_spatial_arm_has_the_corrected_torque_of_example_7_6_1():
    # Printed first component p^2 (A/2 - I) would be -0.1125: it fails the power balance.
    q, qd = np.array([pi, -pi / 2, pi]), np.full(3, 1.5)
    got = newton_euler.inverse_dynamics(spatial_3r(0.5, 2, 0.3), q, qd, np.zeros(3))
    np.testing.assert_allclose(got, [0.45, 0.39375, 0.45], atol=1e-12)
    loaded = spatial_3r(0.5, 2, 0.3, gravity=(0, 0, -9.81))
    np.testing.assert_allclose(
        newton_euler.inverse_dynamics(loaded, q, qd, np.array([1, -2, 0.5])),
        [1.725, -16.77125, 0.6625],
        atol=1e-12,
    )


def test_rrp_arm_has_the_torques_of_example_7_11():
    q, qd, qdd = np.array([0.4, 0.9, 0.7]), np.array([0.6, -0.3, 0.5]), np.array([0.2, 0.8, -0.4])
    expected = [7.28002343895, -10.94659094613, -23.086387890769]
    np.testing.assert_allclose(
        newton_euler.inverse_dynamics(rrp(), q, qd, qdd), expected, rtol=1e-11
    )
    # As printed, without the lever b e in the inward recursion:
    links = links_at(rrp(), q)
    moving = newton_euler.outward(links, qd, qdd)
    n, f, _ = newton_euler.inward(replace(links, b=np.zeros(3)), moving, *np.zeros((2, 3)))
    printed = [(links.Q[i] @ x)[2] for i, x in enumerate((n[0], n[1], f[2]))]
    np.testing.assert_allclose(printed, [0.3, 0.56, expected[2]], rtol=2e-2)


def test_six_revolute_arm_has_the_known_torques():
    got = newton_euler.inverse_dynamics(
        six_revolute(),
        np.array([0.1, -0.5, 0.9, 0.3, -0.7, 1.2]),
        np.array([0.5, -0.4, 0.3, 0.9, -0.6, 0.2]),
        np.array([1, -0.8, 0.6, -0.4, 0.2, 0.1]),
    )
    np.testing.assert_allclose(
        got,
        [
            13.925037827771,
            111.582762215617,
            5.657670172390,
            -0.208414779055,
            -0.069235079286,
            -0.017645574036,
        ],
        rtol=1e-10,
    )


def test_a_branching_robot_is_refused_by_name():
    robot = TREES['tree']()
    with pytest.raises(ModelError, match="link 'link4' starts a branch"):
        newton_euler.inverse_dynamics(robot, *np.zeros((3, robot.nv)))


def test_a_state_of_the_wrong_length_is_refused():
    with pytest.raises(ShapeError, match=r'\(2,\); expected \(3,\)'):
        newton_euler.inverse_dynamics(rrp(), np.zeros(2), np.zeros(3), np.zeros(3))
