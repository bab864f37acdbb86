# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""MJCF text: the robot that MuJoCo makes of it."""

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.errors import ModelError
from robodyn_ros.model.sources import mjcf
from support.compare import EXACT, agree

mujoco = pytest.importorskip('mujoco')

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
          </body>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
FOLLOWS = '<equality><joint joint1="roll" joint2="turn" polycoef="{}"/></equality></mujoco>'
BALL = """
<mujoco><compiler angle="radian"/><worldbody><body name="bob" pos="0 0 1">
<inertial pos="0.1 0.2 -0.3" mass="2" diaginertia="0.1 0.2 0.25"/><joint name="ball" type="ball"/>
</body></worldbody></mujoco>
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
      <joint name="left_motor" axis="0 1 0"/></body>
    <body name="right"><inertial pos="0 0 0" mass="0.1" diaginertia="1e-4 1e-4 1e-4"/>
      <joint name="right_motor" axis="0 1 0"/></body>
  </worldbody>
  <tendon>
    <fixed name="sum"><joint joint="left_motor" coef="0.5"/>
      <joint joint="right_motor" coef="2"/></fixed>
    <fixed name="pitching"><joint joint="pitch" coef="-3"/></fixed>
    <fixed name="zero"><joint joint="left_motor" coef="1"/><joint joint="right_motor" coef="-4"/>
      <joint joint="roll" coef="7"/></fixed>
  </tendon>
  <equality>
    <tendon tendon1="sum" tendon2="pitching" polycoef="0.2 -4 0 0 0"/>
    <tendon tendon1="zero" polycoef="-0.3 0 0 0 0"/>
  </equality>
</mujoco>
"""


@pytest.mark.parametrize('seed', range(5))
def test_the_robot_is_that_of_mujoco(seed):
    """Bias torque, mass matrix and the pose of a site, by joints of several kinds and anchors."""
    robot, model = Robot.from_mjcf(ARM), mujoco.MjModel.from_xml_string(ARM)
    data = mujoco.MjData(model)
    assert robot.joint_names == tuple(model.joint(k).name for k in range(model.njnt))
    q, qd, qdd = np.random.default_rng(seed).uniform(-1.0, 1.0, (3, robot.nv))
    data.qpos, data.qvel = q, qd
    mujoco.mj_forward(model, data)
    agree(robot.bias_torque(q, qd), data.qfrc_bias, tolerance=10 * EXACT)
    product = np.zeros(model.nv)
    mujoco.mj_mulM(model, data, product, qdd)
    agree(robot.mass_operator.product(q, qdd), product, tolerance=10 * EXACT)
    X = robot.pose(q, 'elbow')
    agree(X[:3, 3], data.site('elbow').xpos)
    agree(X[:3, :3], data.site('elbow').xmat.reshape(3, 3))


def test_ball_joints_have_the_scalar_last():
    """(x, y, z, w) here, (w, x, y, z) there; velocities are in axes of the child in both."""
    robot, model = Robot.from_mjcf(BALL), mujoco.MjModel.from_xml_string(BALL)
    data = mujoco.MjData(model)
    q, qd = robot.configuration.random(3), np.array((0.3, -0.5, 0.8))
    data.qpos, data.qvel = np.roll(q, 1), qd
    mujoco.mj_forward(model, data)
    agree(robot.bias_torque(q, qd), data.qfrc_bias, tolerance=10 * EXACT)


def test_ranges_armatures_and_equalities_are_read():
    """In radians, with the defaults of the class; a joint of an equality follows another one."""
    robot = Robot.from_mjcf(ARM)
    lift, reach = (robot.joint_names.index(name) for name in ('lift', 'reach'))
    agree(robot.limits.lower[[lift, reach]], np.array((-np.pi / 2, -0.2)))
    agree(robot.limits.upper[[lift, reach]], np.array((np.pi * 2 / 3, 0.4)))
    assert np.isinf(robot.limits.upper[robot.joint_names.index('pan')])
    text = ARM.replace('</mujoco>', FOLLOWS.format('0.1 -2 0 0 0'))
    by_name = {joint.name: joint for joint in mjcf.parse(text).joints}
    roll = by_name['roll']
    assert (roll.mimic, roll.multiplier, roll.offset) == ('turn', -2.0, 0.1)
    assert by_name['pan'].mimic == ''
    assert all(by_name[name].rotor_inertia == 0.02 for name in robot.joint_names)


@pytest.mark.parametrize('seed', range(5))
def test_equalities_of_fixed_tendons_are_those_of_mujoco(seed):
    """Its constraints are closed and at rest in every state that `expand` returns."""
    robot, model = Robot.from_mjcf(WRIST), mujoco.MjModel.from_xml_string(WRIST)
    data = mujoco.MjData(model)
    assert len(robot.joint_names) == 2
    q, qd = np.random.default_rng(seed).uniform(-1.0, 1.0, (2, robot.nv))
    positions, rates, _ = robot.expand(q, qd)
    order = [robot.all_joint_names.index(model.joint(k).name) for k in range(model.njnt)]
    data.qpos, data.qvel = positions[order], rates[order]
    mujoco.mj_forward(model, data)
    assert data.nefc == 2 and np.abs(data.efc_J).max() > 1.0
    assert np.abs(data.efc_pos).max() <= 1e-14
    assert np.abs(data.efc_J.reshape(2, -1) @ rates[order]).max() <= 1e-14
    # and no other equality does it
    data.qpos = data.qpos + np.eye(4)[seed % 4]
    mujoco.mj_forward(model, data)
    assert np.abs(data.efc_pos).max() > 0.4


@pytest.mark.parametrize(
    'old, new, sentence',
    [
        ('tendon1="sum"', 'tendon1="spatial"', "tendon 'spatial'; expected a <fixed>"),
        ('polycoef="-0.3 0 0', 'polycoef="-0.3 0 1', 'first two numbers'),
        ('joint="left_motor" coef="0.5"', 'joint="left_motor" coef="a"', "tendon 'sum', joint"),
        ('tendon1="sum" tendon2="pitching"', 'tendon1="pitching"', 'following nothing'),
        ('tendon1="sum"', 'tendon1="zero"', 'all follow others already'),
    ],
)
def test_tendons_that_do_not_fit_are_refused(old, new, sentence):
    """In a sentence that names the tendon."""
    assert old in WRIST
    text = WRIST.replace(old, new, 1)
    if 'all follow' in sentence:
        text = text.replace('coef="-4"', 'coef="0"').replace('coef="7"', 'coef="0"')
    with pytest.raises(ModelError, match=sentence):
        mjcf.parse(text)


@pytest.mark.parametrize(
    'old, new, sentence',
    [
        ('<mujoco model="arm">', '<robot>', 'expected <mujoco>'),
        ('<worldbody>', '<include file="a.xml"/><worldbody>', 'an element <include>'),
        ('type="slide"', 'type="screw"', "got type 'screw'"),
        ('mass="3"', 'mass="nan"', "got 'nan'; expected 1 finite"),
        ('euler="10 20 30"', 'xyaxes="1 0 0 0 1 0"', 'got xyaxes'),
        ('quat="1 0.5 0 0.2"', 'quat="0 0 0 0"', 'length 0'),
        ('class="main"', 'class="fast"', "got class 'fast'"),
        ('name="hand"', 'name="boom"', "two bodies or sites 'boom'"),
        ('name="turn"', 'name="turn" ref="5"', 'got ref'),
        ('</mujoco>', '<equality><flex flex="a"/></equality></mujoco>', 'got <flex>'),
        ('</mujoco>', '<equality><weld body1="foot"/></equality></mujoco>', "got 'foot' for one"),
        ('</mujoco>', FOLLOWS.format('0 1 2 0 0'), 'first two numbers'),
        ('pos="0.01 0.02 0.1"', 'pos="0.01 0.02"', 'expected 3 finite numbers'),
    ],
)
def test_what_is_not_known_is_refused(old, new, sentence):
    """In a sentence that names the element."""
    assert old in ARM
    text = ARM.replace(old, new, 1)
    if new == '<robot>':
        text = text.replace('</mujoco>', '</robot>')
    with pytest.raises(ModelError, match=sentence):
        mjcf.parse(text)


@pytest.mark.parametrize(
    'attribute', ['settotalmass="10"', 'boundmass="2.5"', 'boundinertia="0.5"']
)
def test_a_compiler_that_changes_masses_is_refused(attribute):
    """MuJoCo has other masses or inertias than those of the text."""
    text = ARM.replace('<compiler', f'<compiler {attribute}')
    models = [mujoco.MjModel.from_xml_string(each) for each in (ARM, text)]
    before, after = (np.append(model.body_mass, model.body_inertia) for model in models)
    assert np.abs(after - before).max() > 1e-3
    name = attribute.partition('=')[0]
    with pytest.raises(ModelError, match=f'<compiler>: got {name} .*; expected'):
        Robot.from_mjcf(text)


def test_what_a_compiler_says_by_default_is_accepted():
    said = 'settotalmass="-1.0" boundmass="0" inertiafromgeom="false" balanceinertia="true"'
    text = ARM.replace('<compiler', f'<compiler {said}')
    q = np.linspace(0.1, 0.5, Robot.from_mjcf(ARM).nv)
    matrices = [Robot.from_mjcf(each).mass_matrix(q) for each in (ARM, text)]
    assert np.array_equal(*matrices)
    for said in ('inertiafromgeom="true"', 'coordinate="global"'):
        with pytest.raises(ModelError, match='<compiler>: got .*; expected'):
            Robot.from_mjcf(ARM.replace('<compiler', f'<compiler {said}'))


def test_shapes_without_inertia_are_refused():
    """MuJoCo would compute it from the geoms."""
    text = BALL.replace(
        '<inertial pos="0.1 0.2 -0.3" mass="2" diaginertia="0.1 0.2 0.25"/>', '<geom/>'
    )
    with pytest.raises(ModelError, match='geoms and no <inertial>'):
        mjcf.parse(text)
