# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closed loops against closed forms, from files, and what is refused of them."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest

from robodyn_ros.errors import ModelError, ShapeError, SingularityError, UnknownNameError
from robodyn_ros.formulations.spong import spong_arms
from robodyn_ros.model.dependent.closures import Closure
from robodyn_ros.model.sources.closure_file import loops_of
from robodyn_ros.robot.robot import Robot
from support.compare import agree
from support.robots.closed_loops import at, four_bar, rod_of_constant_length, spong_five_bar
from support.robots.mechanisms import palletizer

BARS = dict(
    m=(1.5, 1.0, 0.8, 0.7), l1=0.6, l2=0.3, lc=(0.3, 0.15, 0.25, 0.2), I=(0.1, 0.05, 0.06, 0.04)
)


def test_five_bar_is_the_closed_form_of_spong():
    """Equations 6.100 to 6.111, over the two joints at the base."""
    robot = spong_five_bar(**BARS).robot(gravity=(0.0, -9.81, 0.0))
    assert robot.joint_names == ('q1', 'q2')
    rng = np.random.default_rng(2)
    for _ in range(5):
        q, qd, qdd = np.array((0.4, 1.3)) + rng.uniform(-0.2, 0.2, 2), *rng.uniform(-2, 2, (2, 2))
        arm = spong_arms.five_bar(**BARS, q=q, qd=qd, gravity=9.81)
        agree(robot.mass_matrix(q), arm.D)
        agree(robot.gravity_torque(q), arm.g)
        agree(robot.bias_torque(q, qd), arm.C @ qd + arm.g)
        agree(robot.inverse_dynamics(q, qd, qdd), arm.torque(qd, qdd))
        expected = (*q, q[0] - q[1], q[1] - q[0])  # the sides of a parallelogram
        found = dict(zip(robot.all_joint_names, robot.expand(q)[0]))
        agree([found[f'q{k}'] for k in range(1, 5)], expected)


def test_the_plate_of_a_palletizer_stays_level():
    """Two parallelograms: its turn is that of the column, however the arm moves."""
    robot = palletizer().robot()
    turns = [
        robot.pose(q, 'column')[:3, :3].T @ robot.pose(q, 'plate')[:3, :3]
        for q in ((0.3, 1.1, -0.4, 0.2), (-1.2, 1.6, 0.3, 0.5), (0.9, 2.1, -1.1, -0.4))
    ]
    for turn in turns[1:]:
        agree(turn, turns[0], tolerance=1e-13)


def test_a_file_has_the_closures(tmp_path):
    """The same robot as of Closure objects."""
    path, mechanism = tmp_path / 'arm.yaml', four_bar()
    path.write_text(
        """closures:
  pin:
    type: hinge
    a: {link: coupler, xyz: [0.5, 0, 0]}
    b: {link: rocker, xyz: [0.4, 0, 0], rpy: [0, 0, 0]}
independent: [rocker]
near: {crank: 1.0, coupler: -0.5, rocker: 1.6e0}
rotors: {crank: {inertia: 1e-3}}
"""
    )
    loops = loops_of(path)
    assert loops.independent == ('rocker',) and loops.near == mechanism.near
    filed = replace(mechanism, closures=loops.closures).robot()
    q = np.array((0.3, 1.1, 0.1))
    np.testing.assert_array_equal(filed.mass_matrix(q), mechanism.robot().mass_matrix(q))


@pytest.mark.parametrize(
    'text, sentence',
    [
        ('rotors: {}', 'expected closures or couplings or near or independent, and nothing but'),
        ('closures: {pin: {a: {link: x}}}', "closure 'pin' has .*; expected at least a and b"),
        ('closures: {pin: {a: {link: x}, b: {xyz: 1}}}', 'frame b has .*; expected at least link'),
        ('closures: {pin: {a: {link: x, xyz: 1}, b: {link: y}}}', 'expected three numbers'),
        (
            'closures: {pin: {a: {link: x}, b: {link: y}, type: ball, stops: [x]}}',
            'expected a list, and no type beside it',
        ),
        ('{closures: {}, near: [x]}', r"has the near \['x'\]; expected them by names"),
        ('{closures: {}, near: {x: up}}', "near has joint 'x' 'up'; expected a number"),
        ('{closures: {}, independent: x}', "independent 'x'; expected a list of the names"),
    ],
)
def test_a_file_of_closures_that_is_none_is_a_sentence(tmp_path, text, sentence):
    path = tmp_path / 'arm.yaml'
    path.write_text(text)
    with pytest.raises(ModelError, match=sentence):
        Robot.from_urdf('<robot name="r"><link name="x"/></robot>', closures=path)


def closure(**changes):
    """Return the four-bar with another closure."""
    mechanism = four_bar()
    return replace(mechanism, closures=(replace(mechanism.closures[0], **changes),))


@pytest.mark.parametrize(
    'mechanism, options, sentence',
    [
        (closure(type='glue'), {}, "closure 'pin' has type 'glue'; expected one of weld"),
        (closure(type='distance'), {}, "closure 'pin' keeps the distance None; expected one"),
        (closure(stops=('x', 'rz')), {}, 'stops the turn rz alone; expected none, two or three'),
        (closure(stops=('x', 'up')), {}, "stops .*'up'.*; expected some of x, y, z, rx"),
        (closure(b='coupler'), {}, 'which no joint moves apart; expected two bodies'),
        (closure(place_b=at(3.0)), {}, 'no posture was found in which pin close; the largest gap'),
        (
            four_bar((0.3, 0.45, 0.3, 0.45)),
            {'near': {'crank': 0.0}},
            "posture in which the loops close is singular.*near={'crank': POSITION, 'rocker'",
        ),
        (
            four_bar(),
            {'independent': ['crank', 'rocker']},
            'expected 1 of crank, rocker, coupler, as the closures stop 2 motions of them',
        ),
    ],
)
def test_what_cannot_be_closed_is_a_sentence(mechanism, options, sentence):
    """It names the closure, or the joints."""
    with pytest.raises(ModelError, match=sentence):
        mechanism.robot(**options)


def test_unknown_names_are_refused():
    with pytest.raises(UnknownNameError, match="no frame 'tail'"):
        closure(a='tail').robot()
    with pytest.raises(UnknownNameError, match="no joint 'tail' of its own coordinate"):
        four_bar().robot(near={'tail': 0.0})


def test_a_singular_choice_names_the_joints():
    """At a dead centre, crank and coupler on one line, the rocker stands still."""
    crank = np.arccos((0.7**2 + 0.45**2 - 0.4**2) / (2.0 * 0.7 * 0.45))
    rocker = np.arctan2(0.7 * np.sin(crank), 0.7 * np.cos(crank) - 0.45)
    near = {'crank': crank, 'coupler': 0.0, 'rocker': rocker}
    sentence = 'joints crank, coupler do not follow from rocker .*, such as crank'
    with pytest.raises(ModelError, match=sentence):
        four_bar().robot(near=near, independent=['rocker'])
    assert four_bar().robot(near=near).joint_names == ('yaw', 'crank', 'slide')
    chosen = four_bar().robot(independent=['rocker'])
    assert chosen.joint_names == ('yaw', 'slide', 'rocker')


def test_a_posture_out_of_reach_is_refused():
    """By every quantity, with the names of the joints; not numbers that are none."""
    robot = rod_of_constant_length().robot(independent=['crank', 'slide'])
    q = np.array((0.4, 2.5))
    for quantity in (robot.expand, robot.mass_matrix, robot.gravity_torque):
        with pytest.raises(SingularityError, match='closed loops do not determine the joints '):
            quantity(q)
    with pytest.raises(SingularityError, match='closed loops do not determine'):
        robot.forward_dynamics(q, 0.1 * q, q)


def test_copies_and_batches_are_of_the_same_robot():
    """Views, pickles, payloads and rows of a batch."""
    robot = four_bar().robot()
    q = np.array(((0.3, 1.1, 0.1), (0.2, 0.8, -0.1)))
    M = robot.mass_matrix(q)
    for other in (copy.copy(robot), pickle.loads(pickle.dumps(robot))):
        np.testing.assert_array_equal(other.mass_matrix(q[0]), M[0])
    np.testing.assert_array_equal(robot.expand(q)[0][1], robot.expand(q[1])[0])
    heavy = robot.with_payload('rocker', 1.0, (0.1, 0.0, 0.0), 1e-3 * np.eye(3))
    J = robot.jacobian(q[0], 'rocker')
    added = heavy.mass_matrix(q[0]) - M[0]
    assert np.linalg.matrix_rank(added, tol=1e-9) >= 1 and np.abs(J.T @ J).max() > 0.0


def test_what_loops_do_not_have_is_refused():
    """Forces of the closures of a batch."""
    robot, q = four_bar().robot(), np.array((0.3, 1.1, 0.1))
    with pytest.raises(ShapeError, match='got 2 states for the forces of its closures'):
        robot.constraint_forces([q, q], [q, q], [q, q])
    assert Robot(four_bar().tree().model).constraint_forces(*np.zeros((3, 5))) == {}


def test_friction_of_led_joints_is_reported():
    """It is left out, and the report says so."""
    mechanism = four_bar()
    joints = tuple(
        replace(joint, damping=0.1) if joint.name == 'rocker' else joint
        for joint in mechanism.description.joints
    )
    damped = replace(mechanism, description=replace(mechanism.description, joints=joints))
    (warning,) = (
        each
        for each in damped.robot().report.warnings
        if 'rocker' in each and 'depends on a closed loop' in each
    )
    assert warning.endswith('only a simulated robot has its damping and friction')
    assert Closure('pin', 'a', 'b').type == 'weld'
