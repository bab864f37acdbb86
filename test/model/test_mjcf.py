# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""MJCF: the robot that MuJoCo makes of it."""

import sys
from pathlib import Path

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.errors import ModelError
from robodyn_ros.model.sources.description_source import opened
from robodyn_ros.simulation import Plant, PlantSettings
from support.compare import EXACT, agree

mujoco = pytest.importorskip('mujoco')

from support.referees.mujoco_referee import Comparison  # noqa: E402

INERTIAL = '<inertial pos="0.1 0 0.05" mass="1.5" diaginertia="0.01 0.02 0.015"/>'


def mjcf(bodies, rest=''):
    """Return an MJCF of bodies and other elements."""
    return f'<mujoco>{rest}<worldbody>{bodies}</worldbody></mujoco>'


def body(name, attributes='', inside='', **place):
    """Return a body on a hinge of its name."""
    places = ''.join(f'{key}="{value}" ' for key, value in place.items())
    return (
        f'<body name="{name}" {places}><joint name="{name}" axis="0 1 0.2" {attributes}/>'
        f'{INERTIAL}{inside}</body>'
    )


#: Several joints of a body, off its origin, of all kinds; equalities between nothing.
ARM = """
<mujoco model="arm">
  <compiler angle="degree" eulerseq="XYz"/>
  <default>
    <joint armature="0.02" damping="0"/>
    <default class="slow"><joint range="-90 120" axis="1 2 0"/></default>
  </default>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="column" pos="0.1 0.2 0.3" euler="10 20 30">
      <inertial pos="0.01 0.02 0.1" quat="0.9 0.1 -0.2 0.3" mass="3" diaginertia="0.03 0.04 0.05"/>
      <joint name="pan" axis="0 0.2 1"/>
      <body name="boom" pos="0 0.1 0.4" quat="1 0.5 0 0.2" childclass="slow">
        <inertial pos="0.2 0 0" mass="2" fullinertia="0.02 0.05 0.06 0.001 -0.002 0.003"/>
        <joint name="lift" pos="0.05 -0.02 0.03"/>
        <joint name="reach" class="main" type="slide" axis="1 0 0.3" range="-0.2 0.4"/>
        <site name="elbow" pos="0.4 0 0.1" axisangle="0 1 1 40"/>
        <body name="plate" pos="0.5 0 0">
          <inertial pos="0 0.1 0" mass="0.7" diaginertia="0.01 0.01 0.015"/>
          <body name="hand" pos="0 0 0.1">
            <inertial pos="0 0 0.05" mass="0.4" diaginertia="0.002 0.003 0.004"/>
            <joint name="turn" axis="0 1 0"/>
            <joint name="roll" axis="1 0 0" pos="0 0 0.1"/>
            <body name="ball" pos="0 0 0.2">
              <joint name="ball" class="main" type="ball" pos="0 0 0.1"/>
              <inertial pos="0.1 0.2 -0.3" mass="2" diaginertia="0.1 0.2 0.25"/></body>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
TWO = body('a', 'ref="20"') + body('b', 'ref="-50" armature="0.2"', pos='0 1 0')
TENDON = (
    '<tendon><fixed name="t" {}><joint joint="a" coef="0.5"/><joint joint="b" coef="-2"/></fixed>'
    '{}</tendon>'
)
#: Contents that an MJCF may have, each with M, bias torques and poses as MuJoCo has them.
KINDS = {
    'joints of all kinds': ARM,
    'zaxis and xyaxes': mjcf(body('a', '', body('b', xyaxes='0 1 0 -1 0 0'), zaxis='1 0 1')),
    'a site named like a body and a joint': mjcf(
        body('palm', '', '<site name="palm" pos="0 0 1"/><site name="palm_site" pos="0 1 0"/>')
    ),
    'nothing has a name': mjcf(
        f'<body pos="0 0 1"><joint pos="0 0.1 0"/>{INERTIAL}<site pos="1 0 0"/><body '
        f'name="unnamed_body_1"><joint name="unnamed_joint_0" type="slide"/>{INERTIAL}</body>'
        '</body>'
    ),
    'ref': mjcf(
        body('a', 'ref="40" range="0 90"', body('b', 'ref="-1.3" pos="0.1 0.2 0.3"'))
        + f'<body name="c"><joint name="c" type="slide" ref="0.7" axis="1 0 1"/>{INERTIAL}</body>'
    ),
    'geoms only': mjcf(
        '<body name="a"><joint axis="0 1 0"/><geom type="capsule" size="0.05" fromto="0 0 0 0 0 1"'
        '/><geom type="box" size="0.1 0.2 0.3" pos="1 0 0" euler="20 30 40" density="300"/></body>'
    ),
    'a free body off the origin': mjcf(
        f'<body name="a" pos="0 0 1" euler="10 20 30"><joint type="free" armature="0.3"/>'
        f'{INERTIAL}{body("b", pos="0.2 0 0")}</body>'
    ),
    'free bodies, one of them aligned with its inertia': mjcf(
        f'<body name="a"><freejoint/>{INERTIAL}</body><body name="b" pos="1 0 0">'
        '<freejoint align="true"/><geom type="box" size="0.1 0.2 0.3" pos="0.2 0 0"/></body>'
    ),
    'balanceinertia': mjcf(
        '<body name="a"><joint axis="0 0 1"/>'
        '<inertial pos="0 0 0" mass="1" diaginertia="0.001 0.002 0.01"/></body>',
        '<compiler balanceinertia="true"/>',
    ),
    'settotalmass': mjcf(body('a'), '<compiler settotalmass="10"/>'),
    'boundmass': mjcf(body('a'), '<compiler boundmass="4" boundinertia="0.1"/>'),
    'inertiafromgeom': mjcf(
        body('a', inside='<geom size="0.2"/>'), '<compiler inertiafromgeom="true"/>'
    ),
    'a frame': mjcf(f'<frame pos="0 0 1" euler="0 30 0">{body("a")}</frame>'),
    'replicas': mjcf(
        f'<replicate count="3" offset="0.1 0 0" euler="0 0 20">{body("a", pos="1 0 0")}'
        '</replicate>'
    ),
    'a mocap body': mjcf(body('a') + '<body name="m" mocap="true" pos="1 2 3"/>'),
    'gravity': mjcf(body('a'), '<option gravity="1 -2 3"/>'),
    'no gravity': mjcf(body('a'), '<option><flag gravity="disable"/></option>'),
    'equalities that are off': mjcf(
        TWO,
        '<default><equality active="false"/></default>'
        '<equality><joint joint1="b" joint2="a" polycoef="0 2 0 0 0"/></equality>',
    ),
    'no equalities': mjcf(
        TWO,
        '<option><flag equality="disable"/></option>'
        '<equality><joint joint1="b" joint2="a" polycoef="0 2 0 0 0"/></equality>',
    ),
    'one joint follows another': mjcf(
        TWO, '<equality><joint joint1="b" joint2="a" polycoef="0.3 -2 0 0 0"/></equality>'
    ),
    'a joint is held': mjcf(
        body('a', 'ref="30"', body('b', pos='0 0.3 0')),
        '<equality><joint joint1="a" polycoef="0.4 0 0 0 0"/></equality>',
    ),
    'a row of followers, and one equality too many': mjcf(
        TWO + body('c'),
        '<equality><joint joint1="b" joint2="a" polycoef="0.3 -2 0 0 0"/>'
        '<joint joint1="b" joint2="c" polycoef="0 0.5 0 0 0"/>'
        '<joint joint1="a" joint2="c" polycoef="0.15 -0.25 0 0 0"/></equality>',
    ),
    'armature of tendons': mjcf(
        TWO,
        TENDON.format(
            'armature="0.4"', '<fixed name="a" armature="0.1"><joint joint="a" coef="3"/></fixed>'
        ),
    ),
    'armature of actuators': mjcf(
        TWO,
        TENDON.format('', '')
        + '<actuator><motor joint="a" gear="3" armature="0.02"/><motor joint="a" armature="0.04"/>'
        '<motor tendon="t" gear="2" armature="0.03"/></actuator>',
    ),
}
#: Names of the independent joints, where they are not all joints of the file.
INDEPENDENT = {
    'one joint follows another': ('a',),
    'a joint is held': ('b',),
    'a row of followers, and one equality too many': ('c',),
}
CONNECT = '<connect body1="coupler" body2="rocker" anchor="0.45 0 0"/>'
WELD = '<weld body1="coupler" body2="rocker" anchor="0.05 0 0" torquescale="0"/>'
SITES = '<connect site1="c" site2="r"/>'
#: A four-bar in space, drawn closed; the joints have other positions there than zero.
FOUR_BAR = """
<mujoco><compiler angle="radian" autolimits="true"/><worldbody>
  <body name="crank"><joint name="crank" axis="0 0 1" ref="{ref}"/>
    <inertial pos="0.1 0 0" mass="1" diaginertia="1e-3 0.02 0.02"/>
    <body name="coupler" pos="0 0.2 0"><joint name="coupler" axis="0 0 1" ref="0.3"/>
      <inertial pos="0.2 0 0" mass="1" diaginertia="1e-3 0.02 0.02"/>
      <site name="c" pos="0.45 0 0"/></body></body>
  <body name="rocker" pos="0.4 0 0"><joint name="rocker" axis="0 0 1"/>
    <inertial pos="0 0.1 0" mass="1" diaginertia="0.02 1e-3 0.02"/>
    <site name="r" pos="0.05 0.2 0"/></body>
</worldbody><equality>{equality}</equality></mujoco>
"""
WRIST = """
<mujoco model="wrist">
  <option jacobian="dense"/>
  <compiler angle="radian"/>
  <worldbody>
    <body name="fork"><inertial pos="0 0 0.1" mass="1" diaginertia="0.01 0.01 0.002"/>
      <joint name="pitch" axis="0 1 0"/>
      <body name="hand"><inertial pos="0 0.1 0" mass="1" diaginertia="0.02 0.01 0.02"/>
        <joint name="roll" axis="0.1 0 1"/></body></body>
    <body name="left"><inertial pos="0 0 0" mass="0.1" diaginertia="1e-4 1e-4 1e-4"/>
      <joint name="left_motor" axis="0 1 0" ref="0.4"/></body>
    <body name="right"><inertial pos="0 0 0" mass="0.1" diaginertia="1e-4 1e-4 1e-4"/>
      <joint name="right_motor" axis="0 1 0"/></body>
  </worldbody>
  <tendon>
    <fixed name="sum"><joint joint="left_motor" coef="0.5"/>
      <joint joint="right_motor" coef="2"/></fixed>
    <fixed name="pitching" armature="0.2"><joint joint="pitch" coef="-3"/></fixed>
    <fixed name="zero"><joint joint="left_motor" coef="1"/><joint joint="right_motor" coef="-4"/>
      <joint joint="roll" coef="7"/></fixed>
  </tendon>
  <equality>
    <tendon tendon1="sum" tendon2="pitching" polycoef="0.2 -4 0 0 0"/>
    <tendon tendon1="zero" polycoef="-0.3 0 0 0 0"/>
  </equality>
</mujoco>
"""


@pytest.mark.parametrize('seed', range(2))
@pytest.mark.parametrize('kind', KINDS)
def test_the_robot_is_that_of_mujoco(kind, seed):
    """M, bias torques, and the poses of all bodies and sites; q is qpos, in its order."""
    model = mujoco.MjModel.from_xml_string(KINDS[kind])
    robot = Robot.from_mjcf(KINDS[kind])
    Comparison(robot, model).check(seed)
    if kind in INDEPENDENT:
        assert robot.joint_names == INDEPENDENT[kind]
    else:
        assert robot.nv == model.nv and robot.nq == model.nq
    assert not robot.report.warnings


def test_files_of_the_wheel_are_read_with_what_they_name():
    """By their path, with meshes beside them; in the second one nothing moves."""
    folder = Path(mujoco.__file__).parent / 'testdata'
    for name in ('model.xml', 'msh.xml'):
        path = folder / name
        robot = Robot.from_mjcf(path)
        assert (robot.nv > 0) == (name == 'model.xml')
        for seed in range(2):
            Comparison(robot, mujoco.MjModel.from_xml_path(str(path))).check(seed)


def test_names_are_those_of_the_file():
    """A site beside a body of its name, and elements without a name, say what they are."""
    palm, bare = (
        Robot.from_mjcf(KINDS[kind])
        for kind in ('a site named like a body and a joint', 'nothing has a name')
    )
    q = [0.3]
    agree(palm.frames.relative_pose(q, 'palm_site', seen_from='palm')[:3, 3], (0.0, 1.0, 0.0))
    agree(palm.frames.relative_pose(q, 'palm_site_', seen_from='palm')[:3, 3], (0.0, 0.0, 1.0))
    assert bare.joint_names == ('unnamed_joint_0_', 'unnamed_joint_0')
    assert {'unnamed_body_1', 'unnamed_body_1_', 'unnamed_site_0'} <= {*bare.frames}


def test_inertias_are_those_of_the_compiler():
    """The mean of the moments, and 1000 kg/m^3 of a geom; our own closed forms."""
    robot = Robot.from_mjcf(KINDS['balanceinertia'])
    agree(robot.mass_matrix([0.4]), np.array([[0.013 / 3.0]]))
    ball = Robot.from_mjcf(mjcf('<body><joint/><geom size="0.1" pos="0.5 0 0"/></body>'))
    mass = 1000.0 * 4.0 / 3.0 * np.pi * 1e-3
    agree(ball.centroidal.mass, mass)
    agree(ball.mass_matrix([0.4]), np.array([[mass * (0.25 + 0.4 * 0.01)]]))


def test_the_pose_of_a_free_body_is_its_position():
    """In the world, wherever the file places the body."""
    robot = Robot.from_mjcf(KINDS['a free body off the origin'])
    X = robot.pose([0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.2], 'a')
    agree(X, np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1]]))


@pytest.mark.parametrize(
    'attributes, rest, lower, upper',
    [
        ('range="0 0"', '', -np.inf, np.inf),
        ('range="-90 120"', '', -np.pi / 2, np.pi * 2 / 3),
        ('range="-1 2"', '<compiler angle="radian"/>', -1.0, 2.0),
        ('range="-1 2" limited="false"', '', -np.inf, np.inf),
        ('', '', -np.inf, np.inf),
        ('range="-90 120"', '<option><flag limit="disable"/></option>', -np.inf, np.inf),
        (
            'class="narrow"',
            '<default><default class="narrow"><joint range="-90 0"/></default></default>',
            -np.pi / 2,
            0.0,
        ),
        ('ref="90" range="-90 90"', '', -np.pi / 2, np.pi / 2),
    ],
)
def test_limits_are_those_of_the_compiler(attributes, rest, lower, upper):
    """In radians, with defaults, and only where MuJoCo has any."""
    limits = Robot.from_mjcf(mjcf(body('a', attributes), rest)).limits
    np.testing.assert_allclose(limits.lower, [lower], rtol=1e-15)
    np.testing.assert_allclose(limits.upper, [upper], rtol=1e-15)


MOTOR = '<motor joint="a" {}/>'


@pytest.mark.parametrize(
    'attributes, actuators, effort',
    [
        ('', '', np.nan),
        ('actuatorfrcrange="-7 7"', '', 7.0),
        ('actuatorfrcrange="-7 5"', '', 5.0),  # both directions
        ('actuatorfrcrange="0 5"', '', np.nan),  # pulls only
        ('', MOTOR.format(''), np.nan),
        ('', MOTOR.format('forcerange="-3 3" gear="-10"'), 30.0),
        ('', MOTOR.format('ctrlrange="-1 2" gear="50"'), 50.0),
        ('', MOTOR.format('ctrlrange="-9 9" ctrllimited="false"'), np.nan),
        ('', MOTOR.format('ctrlrange="-1 1" gear="50" forcerange="-0.5 0.5"'), 25.0),
        ('actuatorfrcrange="-7 7"', MOTOR.format('forcerange="-3 3"'), 3.0),
        ('', '<position joint="a" kp="90" forcerange="-87 87" ctrlrange="-1 1"/>', 87.0),
        ('', '<position joint="a" kp="90" ctrlrange="-1 1"/>', np.nan),  # beyond: kp (u - q)
        ('', 2 * MOTOR.format('forcerange="-3 3"'), np.nan),  # not one number any more
        ('', '<general joint="a" gainprm="4" ctrlrange="-2 2"/>', 8.0),
    ],
)
def test_effort_limits_are_those_of_the_one_actuator(attributes, actuators, effort):
    """Where they are clear; nan elsewhere, as of a URDF without."""
    text = mjcf(body('a', attributes), f'<actuator>{actuators}</actuator>')
    np.testing.assert_equal(Robot.from_mjcf(text).limits.effort, [effort])


def test_friction_damping_and_armature_are_read():
    """Those of the joint, and the damping of actuators by the square of their gears."""
    text = mjcf(
        body('a', 'damping="2" frictionloss="0.7" armature="0.3"'),
        '<actuator><motor joint="a" gear="3" damping="0.5" armature="0.1"/></actuator>',
    )
    joint = next(each for each in opened(text).description().joints if each.name == 'a')
    assert (joint.damping, joint.friction, joint.rotor_inertia) == pytest.approx(
        (6.5, 0.7, 1.2), rel=1e-15
    )
    off = text.replace(
        '<worldbody>',
        '<option><flag damper="disable" frictionloss="disable"/></option><worldbody>',
    )
    joint = next(each for each in opened(off).description().joints if each.name == 'a')
    assert (joint.damping, joint.friction) == (0.0, 0.0)


@pytest.mark.parametrize('ref, rest', [(0.0, 0.0), (0.0, 0.4), (-0.7, 0.4)])
def test_a_spring_without_an_actuator_acts_in_the_plant(ref, rest):
    """Half a period about its rest takes pi / sqrt(k / I), with a step of a thousandth of it."""
    text = mjcf(
        f'<body><joint name="a" axis="0 0 1" stiffness="40" ref="{ref}" springref="{rest}"/>'
        '<inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.1"/></body>',
        '<compiler angle="radian"/>',
    )
    robot = Robot.from_mjcf(text)
    assert robot.model.springs == (('a', 40.0, 0.0, rest),)
    assert "spring of joint 'a'" in robot.report.notes[0] and not robot.report.warnings
    plant = Plant(robot, PlantSettings(no_command='free'), [rest + 0.2])
    half = np.pi / 20.0
    for _ in range(1000):
        plant.step([np.nan], half / 1000)
    # the implicit spring damps by about a half of omega dt in each step
    assert -0.2 < plant.q[0] - rest < -0.2 * (1.0 - np.pi / 2 * np.pi / 1000 * 2)


PLANE = (
    '<body name="{0}" pos="{1} 0 0"><joint name="{0}x" type="slide" axis="1 0 0"/><joint '
    'name="{0}y" type="slide" axis="0 1 0" ref="0.2"/><joint name="{0}turn" axis="0 0 1" '
    f'ref="0.4"/>{INERTIAL}<site name="at_{{0}}" pos="0.1 0.2 0"/></body>'
)
LOOPS = [
    (FOUR_BAR.format(ref=ref, equality=equality), 1)
    for ref in (0.0, 1.1)
    for equality in (CONNECT, WELD, SITES)
]
LOOPS += [
    (mjcf(PLANE.format('a', 0) + PLANE.format('b', 1), f'<equality>{equality}</equality>'), 3)
    for equality in (
        '<weld body1="a" body2="b"/>',
        '<weld body1="a" body2="b" anchor="0.1 0.3 0" relpose="0.5 0.2 0 0.8 0 0 0.6"/>',
        '<weld site1="at_a" site2="at_b"/>',
    )
]


@pytest.mark.parametrize('text, freedom', LOOPS)
def test_loops_close_as_in_mujoco(text, freedom):
    """In every state that `expand` returns, its constraints are closed and at rest."""
    robot, model = Robot.from_mjcf(text), mujoco.MjModel.from_xml_string(text)
    assert robot.nv == freedom and not robot.report.warnings
    comparison = Comparison(robot, model)
    comparison.check(0)
    data = comparison.data
    assert data.nefc >= 3 and np.abs(data.efc_J).max() > 0.1
    assert np.abs(data.efc_pos).max() <= 1e-12
    assert np.abs(data.efc_vel).max() <= 1e-12


@pytest.mark.parametrize('seed', range(3))
def test_equalities_of_fixed_tendons_are_those_of_mujoco(seed):
    """Its constraints are closed and at rest in every state that `expand` returns."""
    robot, model = Robot.from_mjcf(WRIST), mujoco.MjModel.from_xml_string(WRIST)
    assert robot.joint_names == ('pitch', 'left_motor')
    comparison = Comparison(robot, model)
    comparison.check(seed)
    data = comparison.data
    assert data.nefc == 2 and np.abs(data.efc_J).max() > 1.0
    assert np.abs(data.efc_pos).max() <= 1e-14
    assert np.abs(data.efc_vel).max() <= 1e-14
    # and no other equality does it
    data.qpos = data.qpos + np.eye(4)[seed % 4]
    mujoco.mj_forward(model, data)
    assert np.abs(data.efc_pos).max() > 0.4


BALL = f'<body name="d" pos="1 0 0"><joint name="d" type="ball" {{}}/>{INERTIAL}</body>'
SPATIAL = '<tendon><spatial name="rope"><site site="p"/><site site="r"/></spatial></tendon>'
ENDS = '<site name="p"/>' + body('a', inside='<site name="r" pos="0 0 1"/>')
EQUAL = '<equality>{}</equality>'


@pytest.mark.parametrize(
    'bodies, rest, warning',
    [
        (
            TWO,
            EQUAL.format('<joint name="e" joint1="b" joint2="a" polycoef="0 1 2 0 0"/>'),
            "equality 'e' of joints: is left out: its polynomial is of higher order",
        ),
        (
            TWO,
            EQUAL.format('<joint joint1="b"/><joint name="e" joint1="b" polycoef="1 0 0 0 0"/>'),
            "equality 'e' of joints: is left out: it contradicts the equalities before it",
        ),
        (ENDS, SPATIAL, "spatial tendon 'rope': is left out"),
        (
            ENDS,
            SPATIAL + EQUAL.format('<tendon name="e" tendon1="rope"/>'),
            "equality 'e' of tendons: is left out: its tendon 'rope' is spatial",
        ),
        (TWO, TENDON.format('range="0 1"', ''), "range of tendon 't': is left out"),
        (TWO, TENDON.format('stiffness="1"', ''), "stiffness of tendon 't': is left out"),
        (TWO, TENDON.format('damping="1"', ''), "damping of tendon 't': is left out"),
        (TWO, TENDON.format('frictionloss="1"', ''), "frictionloss of tendon 't': is left out"),
        (
            BALL.format(''),
            EQUAL.format('<connect name="e" body1="d" anchor="0 0 1"/>'),
            "equality 'e', a connect: is left out: joint 'd' in its loop is of type ball",
        ),
        (
            f'<body name="f"><freejoint/>{INERTIAL}</body>',
            EQUAL.format('<weld body1="f"/>'),
            "equality 'unnamed_equality_0', a weld: is left out: joint 'unnamed_joint_0' in its "
            'loop is of type free',
        ),
        (
            TWO + '<body name="m" mocap="true"/>',
            EQUAL.format('<weld body1="a" body2="m"/>'),
            "a weld: is left out: body 'm' is moved by hand",
        ),
        (
            TWO + body('c'),
            TENDON.format('', '')
            + EQUAL.format('<tendon tendon1="t"/><weld name="e" body1="b"/>')
            .replace('"t"/>', '"t" tendon2="u"/>')
            .replace(
                '<equality>',
                '<tendon><fixed name="u"><joint joint="c" coef="1"/></fixed></tendon><equality>',
            ),
            "equality 'e', a weld: is left out: joint 'b' in its loop follows several others",
        ),
        (BALL.format('range="0 30" limited="true"'), '', "range of joint 'd': is left out"),
        (BALL.format('stiffness="3"'), '', "spring of joint 'd': is left out; expected a hinge"),
        (
            body('a', 'stiffness="3"'),
            '<actuator><motor joint="a"/></actuator>',
            "spring of joint 'a': is left out; expected no actuator",
        ),
        (
            TWO.replace('ref="-50"', 'stiffness="3"'),
            EQUAL.format('<joint joint1="b" joint2="a"/>'),
            "joint 'b': follows another joint; its spring is left out",
        ),
        (body('a', 'stiffness="3 1"'), '', "spring of joint 'a': is left out; expected a linear"),
        (body('a', 'damping="3 1"'), '', "damping of joint 'a': is left out: only its linear"),
        (
            f'<body name="a" gravcomp="1"><joint/>{INERTIAL}</body>',
            '',
            "gravcomp of body 'a': is left out",
        ),
        (
            TWO.replace('</body>', '<geom name="g" size="0.1"/></body>', 1)
            + '<geom name="floor" type="plane" size="1 1 1"/>',
            '<contact><pair name="p" geom1="g" geom2="floor"/></contact>',
            "contact pair 'p': is left out",
        ),
        (TWO, '<option density="1000"/>', 'option density: is left out'),
        (TWO, '<option viscosity="0.1"/>', 'option viscosity: is left out'),
    ],
)
def test_what_is_not_represented_is_a_warning(bodies, rest, warning):
    """It names the element; the rest of the robot is there."""
    robot = Robot.from_mjcf(mjcf(bodies, rest))
    assert [each for each in robot.report.warnings if warning in each], robot.report
    assert len(robot.report.warnings) == 1 + ('e' == warning[10:11] and 'spatial' in warning)
    model = mujoco.MjModel.from_xml_string(mjcf(bodies, rest))
    Comparison(robot, model).check(0)


def test_the_armature_of_a_tendon_is_that_of_its_kinetic_energy():
    """M has a J^T J, also between branches, where MuJoCo leaves it out."""
    text = KINDS['armature of tendons']
    without = text.replace('armature="0.4"', '').replace('armature="0.1"', '')
    q = [0.3, -0.2]
    more = Robot.from_mjcf(text).mass_matrix(q) - Robot.from_mjcf(without).mass_matrix(q)
    J = np.array([[0.5, -2.0], [3.0, 0.0]])
    agree(more, J.T @ np.diag([0.4, 0.1]) @ J, tolerance=10 * EXACT)


def test_notes_name_what_differs_without_a_loss():
    """A body that stands still unless moved by hand, and the dynamics of an actuator."""
    text = mjcf(
        TWO + '<body name="m" mocap="true"/>',
        '<actuator><general name="g" joint="a" dyntype="filter" dynprm="0.1"/></actuator>',
    )
    notes = Robot.from_mjcf(text).report.notes
    assert "mocap body 'm': stands still" in notes
    assert "actuator 'g': has dynamics of its own, which are left out" in notes


def test_gravity_is_that_of_the_file_unless_it_is_given():
    text = KINDS['gravity']
    assert Robot.from_mjcf(text).model.gravity.tolist() == [1.0, -2.0, 3.0]
    assert Robot.from_mjcf(text, gravity=(0, 0, -1)).model.gravity.tolist() == [0.0, 0.0, -1.0]
    assert not Robot.from_mjcf(KINDS['no gravity']).model.gravity.any()
    assert Robot.from_mjcf(ARM).model.gravity.tolist() == [0.0, 0.0, -9.81]


def test_joints_are_chosen_and_locked_as_of_a_urdf():
    """Also a free joint, which moves unless it is held."""
    text = KINDS['a free body off the origin']
    free = 'unnamed_joint_0'
    assert Robot.from_mjcf(text).nv == 7
    assert Robot.from_mjcf(text, locked={free: 0.0}).joint_names == ('b',)
    assert Robot.from_mjcf(text, joints=['b']).joint_names == ('b',)
    assert Robot.from_mjcf(text, base='a').joint_names == ('b',)


@pytest.mark.parametrize(
    'text, sentence',
    [
        ('<robot name="a"><link name="b"/></robot>', 'root element is <robot>; expected <mujoco>'),
        ('<mujoco><worldbody><body></worldbody></mujoco>', 'not well-formed XML: .*'),
        (mjcf('<body><joint/></body>'), 'MuJoCo refuses the MJCF: Error: mass and inertia'),
        (mjcf(body('a', 'type="screw"')), 'MuJoCo refuses the MJCF: .*screw'),
        (
            mjcf(body('a')).replace('<worldbody>', '<include file="none.xml"/><worldbody>'),
            'none.xml.*; expected the path of the MJCF in place of its text',
        ),
        (
            mjcf(
                body('a', inside='<geom type="mesh" mesh="m"/>'),
                '<asset><mesh name="m" file="none.stl"/></asset>',
            ),
            'none.stl.*; expected the path of the MJCF in place of its text',
        ),
    ],
)
def test_what_mujoco_refuses_is_refused_with_its_reason(text, sentence):
    """In one sentence, as text and as bytes."""
    for source in (text, text.encode()):
        with pytest.raises(ModelError, match=sentence) as caught:
            Robot.from_mjcf(source)
        assert '\n' not in str(caught.value)


def test_a_missing_mesh_of_a_file_is_found_after_the_remedy(tmp_path):
    """It is copied beside the file; a text may name the folder."""
    text = mjcf(
        body('a', inside='<geom type="mesh" mesh="m"/>'),
        '<asset><mesh name="m" file="m.obj"/></asset>',
    )
    path = tmp_path / 'arm.xml'
    path.write_text(text)
    with pytest.raises(ModelError, match=r'm\.obj.*; expected it beside .*arm\.xml'):
        Robot.from_mjcf(path)
    points = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
    faces = ((1, 3, 2), (1, 2, 4), (2, 3, 4), (3, 1, 4))
    lines = [f'v {x} {y} {z}' for x, y, z in points] + [f'f {i} {j} {k}' for i, j, k in faces]
    (tmp_path / 'm.obj').write_text('\n'.join(lines))
    q = [0.3]
    expected = Robot.from_mjcf(path).mass_matrix(q)
    named = text.replace('<worldbody>', f'<compiler meshdir="{tmp_path}"/><worldbody>')
    assert np.array_equal(Robot.from_mjcf(named).mass_matrix(q), expected)
    with pytest.raises(ModelError, match='nowhere.xml.* is neither URDF text nor a file'):
        Robot.from_mjcf(tmp_path / 'nowhere.xml')


def test_without_mujoco_a_sentence_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, 'mujoco', None)
    with pytest.raises(ModelError, match="is not installed; expected `pip install 'mujoco"):
        Robot.from_mjcf(ARM)
