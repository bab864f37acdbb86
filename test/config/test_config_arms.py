# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The arms in config/ carry the published figures; the Franka-like one has a file of its own."""

import xml.etree.ElementTree as ElementTree
from math import cos, pi, sin

import numpy as np
import pytest

from support.robots.arm_figures import (
    ARMS,
    frame_pose,
    inertials,
    moving_joints,
    numbers,
    pinocchio_arm,
    standard_dh,
    urdf,
)

# Universal Robots, UR5e: standard DH rows (a, d, alpha), mass, centre of mass in the DH frame.
UR_DH = (
    (0, 0.1625, pi / 2),
    (-0.425, 0, 0),
    (-0.3922, 0, 0),
    (0, 0.1333, pi / 2),
    (0, 0.0997, -pi / 2),
    (0, 0.0996, 0),
)
UR_MASS = (3.761, 8.058, 2.846, 1.37, 1.3, 0.365)
UR_COM = (
    (0, -0.02561, 0.00193),
    (0.2125, 0, 0.11336),
    (0.15, 0, 0.0265),
    (0, -0.0018, 0.01634),
    (0, 0.0018, 0.01634),
    (0, 0, -0.001159),
)
UR_LINKS = (
    'shoulder_link',
    'upper_arm_link',
    'forearm_link',
    'wrist_1_link',
    'wrist_2_link',
    'wrist_3_link',
)


@pytest.mark.parametrize('arm', ARMS)
def test_every_inertia_is_that_of_a_body(arm):
    for name, (mass, _, inertia) in inertials(urdf(arm)).items():
        moments = np.linalg.eigvalsh(inertia)
        assert mass > 0 and moments[0] > 0, name
        assert moments[2] < moments[0] + moments[1], name


@pytest.mark.parametrize('arm', ARMS)
def test_every_moving_link_has_inertia_and_every_joint_limits(arm):
    names = inertials(urdf(arm))
    for name, joint in moving_joints(urdf(arm)).items():
        assert joint.find('child').get('link') in names, name
        lower, upper, velocity, effort = numbers(
            joint.find('limit'), 'lower', 'upper', 'velocity', 'effort'
        )
        assert lower < upper and velocity > 0 and effort > 0, name


@pytest.mark.parametrize('arm', ARMS)
def test_shapes_need_no_mesh(arm):
    shapes = ElementTree.parse(urdf(arm)).getroot().iterfind('.//geometry/*')
    kinds = {shape.tag for shape in shapes}
    assert kinds <= {'cylinder', 'sphere'} and kinds


def test_ur_tool_is_where_the_published_dh_table_puts_it():
    pin, model, data = pinocchio_arm('ur_like')
    for q in np.random.default_rng(6).uniform(-pi, pi, (50, 6)):
        T = frame_pose(pin, model, data, q, 'base')
        for row, theta in zip(UR_DH, q):
            T = T @ standard_dh(*row, theta)
        np.testing.assert_allclose(frame_pose(pin, model, data, q, 'tool0'), T, rtol=0, atol=1e-12)
        # ROS-Industrial: the flange looks along its x, the tool along its z.
        np.testing.assert_allclose(
            frame_pose(pin, model, data, q, 'flange')[:3, 0], T[:3, 2], rtol=0, atol=1e-12
        )


def test_ur_masses_and_centres_of_mass_are_the_published_ones():
    pin, model, data = pinocchio_arm('ur_like')
    figures = inertials(urdf('ur_like'))
    assert tuple(figures) == UR_LINKS
    q = np.random.default_rng(5).uniform(-pi, pi, 6)
    T = frame_pose(pin, model, data, q, 'base').copy()
    for name, row, theta, mass, com in zip(UR_LINKS, UR_DH, q, UR_MASS, UR_COM):
        T = T @ standard_dh(*row, theta)
        ours = frame_pose(pin, model, data, q, name) @ [*figures[name][1], 1.0]
        assert figures[name][0] == mass
        np.testing.assert_allclose(ours, T @ [*com, 1.0], rtol=0, atol=1e-12, err_msg=name)


def test_ur_inertias_are_cylinders_of_the_older_arm():
    """Moment about the cylinder's axis = m r^2 / 2, with the UR5's masses and the drawn radii."""
    masses = (3.7, 8.393, 2.275, 1.219, 1.219, 0.1879)
    radii = (0.06, 0.06, 0.06, 0.06, 0.06, 0.0375)
    axes = (2, 0, 0, 2, 2, 2)
    for (_, _, inertia), mass, radius, axis in zip(
        inertials(urdf('ur_like')).values(), masses, radii, axes
    ):
        across = [inertia[i, i] for i in range(3) if i != axis]
        assert inertia[axis, axis] == pytest.approx(mass * radius**2 / 2, rel=1e-9)
        assert across[0] == across[1]
        assert not (inertia - np.diag(np.diag(inertia))).any()


def test_ur_limits_are_the_published_ones():
    """User manual and "Max. joint torques"; the elbow's range is the halved one."""
    for name, joint in moving_joints(urdf('ur_like')).items():
        turn = pi if name == 'elbow_joint' else 2 * pi
        assert numbers(joint.find('limit'), 'lower', 'upper', 'velocity', 'effort') == [
            -turn,
            turn,
            pi,
            28 if 'wrist' in name else 150,
        ], name


def test_two_link_torques_are_those_of_the_textbook_formula():
    """The planar elbow at one state, worked out from its closed-form equations of motion."""
    pin, model, data = pinocchio_arm('two_link')
    state = (np.array([0.3, 0.7]), np.array([0.4, -0.6]), np.array([1.0, -0.5]))
    np.testing.assert_allclose(
        pin.rnea(model, data, *state), (20.6107131866, 2.57231305512), rtol=1e-11
    )
    np.testing.assert_allclose(
        pin.computeGeneralizedGravity(model, data, state[0]),
        (18.5208854253, 2.12014624823),
        rtol=1e-11,
    )
    tip = frame_pose(pin, model, data, state[0], 'tool0')[:3, 3]
    np.testing.assert_allclose(
        tip, (cos(0.3) + 0.8 * cos(1.0), 0, sin(0.3) + 0.8 * sin(1.0)), rtol=0, atol=1e-15
    )


@pytest.mark.parametrize('arm', ARMS)
def test_our_own_parser_reads_every_figure_and_doubts_nothing(arm):
    from robodyn_ros.model.build import build
    from robodyn_ros.model.urdf import parse

    model = build(parse(str(urdf(arm))))
    joints = moving_joints(urdf(arm))
    assert model.joint_names == tuple(joints)
    assert [finding.sentence for finding in model.report.findings] == []
    for name in ('lower', 'upper', 'velocity', 'effort'):
        expected = [float(joint.find('limit').get(name)) for joint in joints.values()]
        np.testing.assert_array_equal(getattr(model.limits, name), expected)
    _, reference, _ = pinocchio_arm(arm)
    masses = [inertia.mass for inertia in reference.inertias[1:]]
    np.testing.assert_allclose(model.constants[1:, 12], masses, rtol=1e-14)
    np.testing.assert_array_equal(model.constants[1:, 23], reference.damping)
    np.testing.assert_array_equal(model.constants[1:, 24], reference.friction)
