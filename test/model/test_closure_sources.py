# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closures of loops out of MJCF equalities and URDF+: one four-bar, described in five ways.

All close the same loop, so positions of all joints agree to rounding, and so do accelerations.
"""

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.errors import ModelError
from robodyn_ros.model import urdf
from robodyn_ros.model.dependent.closures import Closure
from robodyn_ros.model.description import Placement
from robodyn_ros.model.sources.description_source import opened

NEAR = {'crank': 0.2, 'coupler': 0.1, 'rocker': 0.3}
BARS = (
    ('crank', 0.2, 0.0, 'frame'),
    ('coupler', 0.5, 0.2, 'crank'),
    ('rocker', 0.4, 0.45, 'frame'),
)
INERTIA = {'ixx': 0.01, 'iyy': 0.03, 'izz': 0.04, 'ixy': 0.0, 'ixz': 0.0, 'iyz': 0.0}


def urdf_text(more='', independent=''):
    """Return the four-bar about y; crank and rocker on the frame, the pin left out."""
    parts = ['<link name="frame"/>']
    for name, length, at, parent in BARS:
        entries = ' '.join(f'{key}="{value}"' for key, value in INERTIA.items())
        mark = 'independent="true"' if name == independent else ''
        parts.append(
            f'<link name="{name}"><inertial><origin xyz="{0.4 * length} 0.01 0.02"/>'
            f'<mass value="1.5"/><inertia {entries}/></inertial></link>'
            f'<joint name="{name}" type="continuous" {mark}><parent link="{parent}"/>'
            f'<child link="{name}"/><origin xyz="{at} 0 0"/><axis xyz="0 1 0"/></joint>'
        )
    return f'<robot name="bars">{"".join(parts)}{more}</robot>'


LOOP = """<{tag} name="pin" type="revolute">
  <predecessor link="coupler"><origin xyz="0.5 0 0"/></predecessor>
  <successor link="rocker"><origin xyz="0.4 0 0"/></successor><axis xyz="0 1 0"/></{tag}>"""


def mjcf_text(equality, sites=True):
    """Return the same as MJCF, in which the pin closes by an equality."""

    def body(name, inner=''):
        _, length, at, _ = next(bar for bar in BARS if bar[0] == name)
        tip = f'<site name="tip_of_{name}" pos="{length} 0 0"/>' if sites else ''
        return (
            f'<body name="{name}" pos="{at} 0 0"><joint name="{name}" axis="0 1 0"/>'
            f'<inertial pos="{0.4 * length} 0.01 0.02" mass="1.5" diaginertia="0.01 0.03 0.04"/>'
            f'{tip}{inner}</body>'
        )

    bodies = body('crank', body('coupler')) + body('rocker')
    return (
        f'<mujoco model="bars"><worldbody>{bodies}</worldbody>'
        f'<equality>{equality}</equality></mujoco>'
    )


CONNECT = '<connect name="pin" site1="tip_of_coupler" site2="tip_of_rocker"/>'


@pytest.fixture(scope='module')
def given():
    """Return the robot whose closure is given in Python, a state of it, and what it does there."""
    turned = np.array(((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)))  # z along y
    pin = Closure(
        'pin',
        'coupler',
        'rocker',
        'hinge',
        None,
        Placement(turned, np.array((0.5, 0.0, 0.0))),
        Placement(turned, np.array((0.4, 0.0, 0.0))),
    )
    robot = Robot.from_urdf(urdf_text(), closures=[pin], near=NEAR)
    return robot, answers(robot)


def answers(robot):
    """Return all positions, and the acceleration of the crank."""
    q = np.array([0.9])
    names = robot.all_joint_names
    found = dict(zip(names, robot.expand(q)[0]))
    return [found[name] for name, *_ in BARS], robot.forward_dynamics(q, [0.7], [2.0])


@pytest.mark.parametrize('tag', ['loop', 'constraint'])
def test_urdf_plus_closes_as_python_does(given, tag):
    """A loop joint between a predecessor and a successor, and its independent joint."""
    robot = Robot.from_urdf(urdf_text(LOOP.format(tag=tag), independent='crank'), near=NEAR)
    assert robot.joint_names == ('crank',)
    for mine, expected in zip(answers(robot), given[1]):
        np.testing.assert_allclose(mine, expected, rtol=0.0, atol=1e-12 * np.abs(expected).max())


def test_equalities_of_sites_close_as_python_does(given):
    """Three translations, of which the plane has two."""
    robot = Robot.from_mjcf(mjcf_text(CONNECT), near=NEAR)
    for mine, expected in zip(answers(robot), given[1]):
        np.testing.assert_allclose(mine, expected, rtol=0.0, atol=1e-12 * np.abs(expected).max())


def test_frames_of_bodies_agree_where_all_joints_are_zero():
    """The anchor is in the first body; a weld keeps the pose of zero, or the one it states."""
    equalities = (
        '<connect body1="coupler" body2="rocker" anchor="0.5 0.1 0"/>'
        '<weld body1="coupler" body2="rocker"/>'
        '<weld body1="coupler" body2="rocker" relpose="0.1 0.2 0.3 0 1 0 0"/>'
        '<weld body1="coupler" active="false"/>'
    )
    ball, weld, posed = opened(mjcf_text(equalities)).description().closures
    assert [each.type for each in (ball, weld, posed)] == ['ball', 'weld', 'weld']
    np.testing.assert_allclose(ball.place_a.translation, (0.5, 0.1, 0.0))
    # the coupler begins at 0.2, the rocker at 0.45
    np.testing.assert_allclose(ball.place_b.translation, (0.2 + 0.5 - 0.45, 0.1, 0.0), atol=1e-15)
    np.testing.assert_allclose(weld.place_a.translation, (0.25, 0.0, 0.0), atol=1e-15)
    np.testing.assert_allclose(posed.place_a.translation, (0.1, 0.2, 0.3))
    np.testing.assert_allclose(posed.place_a.rotation, np.diag((1.0, -1.0, -1.0)), atol=1e-15)
    assert not posed.place_b.translation.any()


def test_a_bar_without_mass_may_end_a_branch_of_a_loop():
    """M is linear in the mass of a bar, and nothing else moves the rocker but the loop."""

    def mass_matrix(share):
        text = urdf_text(LOOP.format(tag='loop'))
        rocker = text.index('<link name="rocker">')
        bar = text[rocker:].replace('"1.5"', f'"{1.5 * share}"', 1)
        for value in ('0.01', '0.03', '0.04'):
            bar = bar.replace(f'="{value}"', f'="{float(value) * share}"', 1)
        return Robot.from_urdf(text[:rocker] + bar, near=NEAR).mass_matrix([0.9])

    none, one, two = (mass_matrix(share) for share in (0.0, 1.0, 2.0))
    np.testing.assert_allclose(none, 2.0 * one - two, rtol=1e-12)


def test_a_loop_without_any_mass_has_no_dynamics():
    """By the names of its links; it moves all the same."""
    text = urdf_text(LOOP.format(tag='loop')).replace('"1.5"', '"0"')
    for value in ('0.01', '0.03', '0.04'):
        text = text.replace(f'="{value}"', '="0"')
    robot = Robot.from_urdf(text, near=NEAR)
    with pytest.raises(ModelError, match="links 'crank', 'coupler', 'rocker' move, but nothing"):
        robot.mass_matrix([0.9])
    tip = robot.frames.poses([0.9], ['coupler'])[0, :3, 3]
    np.testing.assert_allclose(np.linalg.norm(tip), 0.2, rtol=1e-14)


@pytest.mark.parametrize(
    'old, new, sentence',
    [
        ('type="revolute">', 'type="screw">', "loop 'pin' has type 'screw'"),
        ('<successor link="rocker">', '<follower link="rocker">', 'no <successor>'),
        ('axis xyz="0 1 0"/></loop>', 'axis xyz="0 0 0"/></loop>', 'axis of length 0'),
        (
            '<loop',
            '<coupling name="x"><predecessor link="frame"/><successor link="frame"/>'
            '<ratio value="2"/></coupling><loop',
            "coupling 'x' has no joint between its links",
        ),
    ],
)
def test_loops_that_are_not_valid_are_refused(old, new, sentence):
    """In a sentence that names the element."""
    text = urdf_text(LOOP.format(tag='loop'))
    assert old in text
    text = text.replace(old, new, 1)
    if 'follower' in new:
        text = text.replace('</successor>', '</follower>')
    with pytest.raises(ModelError, match=sentence):
        urdf.parse(text)
