# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a URDF says is what the description holds."""

from math import inf, isnan, pi

import numpy as np
import pytest

from robodyn_ros.model import urdf

ARM = """<?xml version="1.0"?>
<robot name="arm">
  <!-- a comment -->
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0.1 -0.2 0.3" rpy="0 0 1.5707963267948966"/>
      <mass value="2.5"/>
      <inertia ixx="1" ixy="0.1" ixz="0.2" iyy="2" iyz="0.3" izz="2.5"/>
    </inertial>
    <visual><geometry><mesh filename="package://nowhere/arm.stl"/></geometry></visual>
  </link>
  <link name="slide"><inertial><mass value="1e0"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="wheel"/>
  <joint name="shoulder" type="revolute">
    <origin xyz=" .5 -1. +2e-1 " rpy="3.141592653589793 0 0"/>
    <parent link="base"/><child link="upper"/>
    <axis xyz="0 0 1"/>
    <limit lower="-1" upper="2" velocity="3" effort="40"/>
    <dynamics damping="0.5" friction="0.25"/>
    <safety_controller k_velocity="1"/>
  </joint>
  <joint name="lift" type="prismatic">
    <parent link="upper"/><child link="slide"/>
    <limit upper="0.5" effort="0" velocity="1"/>
  </joint>
  <joint name="roll" type="continuous">
    <parent link="slide"/><child link="wheel"/>
    <axis xyz="0 2 0"/><limit lower="-1" upper="1" velocity="9"/>
    <mimic joint="lift" multiplier="2"/>
  </joint>
  <transmission name="ignored"><joint name="shoulder"/></transmission>
</robot>
"""


@pytest.fixture(scope='module')
def arm():
    return urdf.parse(ARM)


def test_links_and_joints_keep_names_and_order(arm):
    assert arm.name == 'arm'
    assert [link.name for link in arm.links] == ['base', 'upper', 'slide', 'wheel']
    assert [(j.name, j.type, j.parent, j.child) for j in arm.joints] == [
        ('shoulder', 'revolute', 'base', 'upper'),
        ('lift', 'prismatic', 'upper', 'slide'),
        ('roll', 'continuous', 'slide', 'wheel'),
    ]


def test_inertia_is_turned_into_link_axes(arm):
    inertial = arm.links[1].inertial
    assert inertial.mass == 2.5
    assert inertial.com.tolist() == [0.1, -0.2, 0.3]
    # A quarter turn about z: x of the inertial frame is y of the link.
    assert inertial.inertia.tolist() == [[2, -0.1, -0.3], [-0.1, 1, 0.2], [-0.3, 0.2, 2.5]]


def test_origin_defaults_to_identity_and_axis_to_x(arm):
    lift = arm.joints[1]
    assert lift.placement.rotation.tolist() == np.eye(3).tolist()
    assert lift.placement.translation.tolist() == [0, 0, 0]
    assert lift.axis.tolist() == [1, 0, 0]
    assert arm.links[0].inertial is None


def test_half_turn_is_exact(arm):
    assert arm.joints[0].placement.rotation.tolist() == np.diag([1, -1, -1]).tolist()
    assert arm.joints[0].placement.translation.tolist() == [0.5, -1, 0.2]


def test_limits_dynamics_and_mimic_elements_are_read(arm):
    shoulder, lift, roll = arm.joints
    limit = shoulder.limit
    assert (limit.lower, limit.upper, limit.velocity, limit.effort) == (-1, 2, 3, 40)
    assert (shoulder.damping, shoulder.friction, shoulder.mimic) == (0.5, 0.25, '')
    assert (lift.limit.lower, lift.limit.upper, lift.limit.effort) == (0, 0.5, 0)
    assert (roll.limit.lower, roll.limit.upper, roll.limit.velocity) == (-inf, inf, 9)
    assert isnan(roll.limit.effort)
    assert (roll.mimic, roll.multiplier, roll.offset) == ('lift', 2.0, 0.0)


def test_a_joint_without_range_is_unlimited():
    text = ARM.replace('lower="-1" upper="2" velocity="3"', '')
    limit = urdf.parse(text).joints[0].limit
    assert (limit.lower, limit.upper, limit.velocity, limit.effort) == (-inf, inf, inf, 40)


def test_rpy_is_about_fixed_axes():
    # URDF: R = Rz(yaw) Ry(pitch) Rx(roll).
    r, p, y = 0.3, -0.4, 2.0
    text = ARM.replace('rpy="3.141592653589793 0 0"', f'rpy="{r} {p} {y}"')
    Rx = np.array([[1, 0, 0], [0, np.cos(r), -np.sin(r)], [0, np.sin(r), np.cos(r)]])
    Ry = np.array([[np.cos(p), 0, np.sin(p)], [0, 1, 0], [-np.sin(p), 0, np.cos(p)]])
    Rz = np.array([[np.cos(y), -np.sin(y), 0], [np.sin(y), np.cos(y), 0], [0, 0, 1]])
    R = urdf.parse(text).joints[0].placement.rotation
    np.testing.assert_allclose(R, Rz @ Ry @ Rx, rtol=0, atol=4e-16)


def test_angles_with_few_digits_are_kept():
    R = urdf.parse(ARM.replace('3.141592653589793', '1.5708')).joints[0].placement.rotation
    assert R[1, 1] == pytest.approx(pi / 2 - 1.5708, rel=1e-9)


@pytest.mark.parametrize(
    'wrap',
    [
        str,
        str.encode,
        lambda text: text.encode('utf-8-sig'),
        lambda text: '\ufeff' + text,
        lambda text: '\n  ' + text,
    ],
)
def test_text_and_bytes_with_and_without_mark(wrap):
    assert len(urdf.parse(wrap(ARM)).links) == 4


def test_a_path_is_read(tmp_path):
    path = tmp_path / 'arm.urdf'
    path.write_text(ARM)
    assert urdf.parse(path).name == urdf.parse(str(path)).name == 'arm'


def test_text_is_utf8_despite_its_declaration():
    text = ARM.replace('version="1.0"', 'version="1.0" encoding="ISO-8859-1"', 1)
    assert urdf.parse(text.replace('"base"', '"Fuß"')).links[0].name == 'Fuß'
