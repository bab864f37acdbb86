# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The standard mechanisms against their closed forms: circles, spheres, lengths of legs.

Their dynamics are compared with the tree and its multipliers in test_loops.
"""

import numpy as np

from robodyn_ros.formulations.spong import spong_arms
from support.compare import agree
from support.robots.closed_loops import spong_five_bar
from support.robots.mechanisms import DELTA, FIVE_BAR, HEIGHT, STANDARD, corners, legs_at_home

NEAR = 1e-12  # [m or rad]: loops are closed to 1e-13, and a long chain adds the rounding


def postures(robot, count=4, size=0.15):
    """Return postures near the one in which the loops were closed."""
    rng = np.random.default_rng(7)
    return robot.model.closed_posture + rng.uniform(-size, size, (count, robot.nv))


def test_couplers_of_a_five_bar_meet_where_two_circles_do():
    """On the side of the line between the elbows where the posture of the model has them."""
    robot = STANDARD['five-bar'].robot()
    ground, crank, coupler = FIVE_BAR.values()
    for q in postures(robot):
        by_name = dict(zip(robot.joint_names, q))
        left, right = (
            np.array((x + crank * np.cos(angle), crank * np.sin(angle)))
            for x, angle in ((0.0, by_name['left']), (ground, by_name['right']))
        )
        apart = right - left
        across = np.array((-apart[1], apart[0])) / np.linalg.norm(apart)
        height = np.sqrt(coupler**2 - apart @ apart / 4.0)
        expected = 0.5 * (left + right) + height * across
        met = np.linalg.solve(robot.pose(q, 'frame'), robot.pose(q, 'spindle'))[:2, 3]
        agree(met, expected, tolerance=NEAR)


def test_delta_moves_its_platform_to_the_meeting_of_three_spheres():
    """Without a turn of it. Spheres of the rods are about the elbows, less the platform's edge."""
    robot = STANDARD['Delta'].robot()
    assert robot.joint_names == ('arm0', 'arm1', 'arm2')
    base, arm, rod, platform, _ = DELTA.values()
    for q in postures(robot, size=0.5):
        radius, height = base + arm * np.cos(q) - platform, -arm * np.sin(q)
        spins = 2.0 * np.pi / 3.0 * np.arange(3)
        centres = np.stack((radius * np.cos(spins), radius * np.sin(spins), height), axis=1)
        pose = robot.pose(q, 'tool')
        agree(pose[:3, :3], np.eye(3), tolerance=NEAR)
        agree(pose[:3, 3], lower_meeting(centres, rod), tolerance=NEAR)


def lower_meeting(centres, radius):
    """Return the lower common point of three spheres of one radius."""
    u, v = centres[1:] - centres[0]
    normal = np.cross(u, v)
    middle = np.cross((u @ u) * v - (v @ v) * u, normal) / (2.0 * normal @ normal)
    height = np.sqrt(radius**2 - middle @ middle)
    return centres[0] + middle - np.sign(normal[2]) * height * normal / np.linalg.norm(normal)


def test_legs_of_a_stewart_platform_have_the_lengths_of_its_pose():
    """Inverse kinematics has a closed form; its rates are those of the Jacobian."""
    robot = STANDARD['Stewart platform'].robot()
    assert robot.joint_names == tuple(f'leg{k}' for k in range(6))
    below, above = corners()
    home, _, _ = legs_at_home()
    agree(robot.pose(np.zeros(6), 'tool')[:3, 3], np.array((0.0, 0.0, HEIGHT)), tolerance=NEAR)
    for q in postures(robot):
        R, p = robot.pose(q, 'tool')[:3, :3], robot.pose(q, 'tool')[:3, 3]
        assert np.arccos((np.trace(R) - 1.0) / 2.0) > 0.05  # it turns
        ends = above @ R.T
        ways = ends + p - below
        lengths = np.linalg.norm(ways, axis=1)
        agree(lengths - home, q, scale=1.0, tolerance=NEAR)
        along = ways / lengths[:, None]
        rates = np.hstack((along, np.cross(ends, along)))  # of the legs by the twist
        agree(rates @ robot.jacobian(q, 'tool'), np.eye(6), scale=10.0, tolerance=NEAR)


def test_the_elbow_of_an_arm_follows_its_four_bar():
    """By the law of cosines in the triangle of rod, lever and the diagonal between their ends."""
    robot = STANDARD['arm with a four-bar'].robot()
    assert 'joint4' not in robot.joint_names and 'crank' in robot.joint_names
    pivot, elbow, crank, rod, lever = np.array((0.02, 0.03)), np.array((0.5, 0.0)), 0.15, 0.5, 0.12
    for q in postures(robot):
        angle = q[robot.joint_names.index('crank')]  # about y: x goes to -z
        diagonal = pivot + crank * np.array((np.cos(angle), -np.sin(angle))) - elbow
        d = np.linalg.norm(diagonal)
        inner = np.arccos((lever**2 + d**2 - rod**2) / (2.0 * lever * d))
        expected = np.arctan2(-diagonal[1], diagonal[0]) + inner
        found = robot.expand(q)[0][robot.all_joint_names.index('joint4')]
        agree(np.exp(1j * found), np.exp(1j * expected), tolerance=NEAR)


def test_light_bars_drive_the_elbow_remotely():
    """Spong (6.92) to (6.99): bars 2 and 3 of the five-bar are the belt, bar 4 is the second link.

    Its centre is on the far side of the pin. Both angles are from the horizontal. Torques are
    linear in the masses: twice those of a belt, less those of one of twice the mass, have no belt.
    """
    m, l1, lc, I = (1.5, 1.0), 1.0, (0.5, 0.4), (0.12, 0.05)  # noqa: E741
    light, heavy = (
        spong_five_bar(
            m=(m[0], belt, belt, m[1]),
            l1=l1,
            l2=0.3,
            lc=(lc[0], 0.1, 0.4, -lc[1]),
            I=(I[0], 0.02 * belt, 0.05 * belt, I[1]),
        ).robot(gravity=(0.0, -9.81, 0.0))
        for belt in (0.01, 0.02)
    )
    rng = np.random.default_rng(3)
    for _ in range(5):
        q, qd, qdd = np.array((0.3, 1.2)) + rng.uniform(-0.2, 0.2, 2), *rng.uniform(-2, 2, (2, 2))
        arm = spong_arms.remotely_driven(m, (l1,), lc, I, q, qd, gravity=9.81)
        for quantity, state, expected in (
            ('mass_matrix', (q,), arm.D),
            ('gravity_torque', (q,), arm.g),
            ('bias_torque', (q, qd), arm.C @ qd + arm.g),
            ('inverse_dynamics', (q, qd, qdd), arm.torque(qd, qdd)),
        ):
            agree(
                2.0 * getattr(light, quantity)(*state) - getattr(heavy, quantity)(*state), expected
            )
            with_belt = np.abs(getattr(light, quantity)(*state) - expected).max()
            assert with_belt > 1e-4 * np.abs(expected).max()
