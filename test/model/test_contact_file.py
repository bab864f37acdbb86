# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Shapes and obstacles from a YAML file, and from the collision elements of a URDF."""

import numpy as np
import pytest

from robodyn_ros.errors import ModelError
from robodyn_ros.model.contacts import collision_shapes
from robodyn_ros.model.sources.contact_file import contacts_of

URDF = """<robot name="arm"><link name="base"/><link name="arm">
<collision><origin xyz="0 0 0.1" rpy="0 1.5707963267948966 0"/>
<geometry><cylinder radius="0.05" length="0.4"/></geometry></collision>
<collision><geometry><cylinder radius="0.05" length="0.04"/></geometry></collision>
<collision><geometry><mesh filename="package://none/arm.stl"/></geometry></collision></link>
<link name="hand"><collision><geometry><box size="0.1 0.2 0.3"/></geometry></collision></link>
<joint name="one" type="continuous"><parent link="base"/><child link="arm"/></joint>
<joint name="two" type="continuous"><parent link="arm"/><child link="hand"/></joint></robot>"""
FILE = """
shapes:
  finger: {link: hand, sphere: 0.02, xyz: [0, 0, 0.05]}
  arm: {link: arm, capsule: [0.05, 0.3], rpy: [0, 0.5, 0]}
  hand: {link: hand, box: [0.1, 0.2, 0.05]}
collision_links: [hand]
obstacles:
  floor: {plane: [0, 0, 2], xyz: [0, 0, -0.1], friction: 0.8}
  table: {box: [0.6, 0.8, 0.04], xyz: [0.5, 0, 0.3], restitution: 0.1}
"""


def test_a_file_states_what_touches_what(tmp_path):
    path = tmp_path / 'contacts.yaml'
    path.write_text(FILE)
    found = contacts_of(path, URDF)
    assert [(each.link, each.kind, each.size) for each in found.shapes] == [
        ('hand', 'sphere', (0.02,)),
        ('arm', 'capsule', (0.05, 0.3)),
        ('hand', 'box', (0.1, 0.2, 0.05)),
        ('hand', 'box', (0.1, 0.2, 0.3)),
    ]
    assert found.shapes[0].placement.translation == pytest.approx([0.0, 0.0, 0.05])
    assert found.shapes[1].placement.rotation[2, 0] == pytest.approx(-np.sin(0.5))
    floor, table = found.obstacles
    assert (floor.name, floor.kind, floor.friction, floor.restitution) == (
        'floor',
        'plane',
        0.8,
        0.0,
    )
    assert floor.placement.rotation[:, 2] == pytest.approx([0.0, 0.0, 1.0])
    assert floor.placement.translation[2] == -0.1
    assert (table.name, table.size, table.friction, table.restitution) == (
        'table',
        (0.6, 0.8, 0.04),
        0.5,
        0.1,
    )


def test_cylinders_become_round_and_meshes_are_left_out():
    """As long as before, or a ball where that is shorter than wide."""
    long, short, hand = collision_shapes(URDF)
    assert (long.link, long.kind) == ('arm', 'capsule') and hand.kind == 'box'
    assert long.size == pytest.approx((0.05, 0.3))
    assert long.placement.rotation[:, 2] == pytest.approx([1.0, 0.0, 0.0])
    assert (short.kind, short.size) == ('sphere', (0.05,))
    assert collision_shapes(URDF, ['hand'])[0].link == 'hand'


@pytest.mark.parametrize(
    'text, sentence',
    [
        ('shapes: {}', 'expected obstacles, and nothing but'),
        ('obstacles: {}', 'got 1 shapes and 0 obstacles'),
        ('obstacles: {floor: {ball: 1}}', 'expected some of plane, box'),
        ('obstacles: {floor: {friction: 1}}', 'has no form; expected one of plane, box'),
        ('obstacles: {floor: {plane: [0, 0, 1], box: [1, 1, 1]}}', 'plane and box; expected one'),
        ('obstacles: {floor: {plane: [0, 0]}}', 'expected three numbers'),
        ('obstacles: {floor: {plane: [0, 0, 1], friction: -1}}', 'expected 0 or more'),
        ('obstacles: {floor: {plane: [0, 0, .nan]}}', 'expected a direction'),
        ('collision_links: hand\nobstacles: {}', 'expected a list of links'),
    ],
)
def test_a_file_that_cannot_be_meant_is_refused(tmp_path, text, sentence):
    path = tmp_path / 'contacts.yaml'
    if 'shapes' not in text:
        text += '\nshapes: {finger: {link: hand, sphere: 0.02}}'
    path.write_text(text)
    with pytest.raises(ModelError, match=sentence):
        contacts_of(path, URDF)


@pytest.mark.parametrize(
    'entry, sentence',
    [
        ('{sphere: 0.1}', 'expected at least link'),
        ('{link: hand, sphere: [1, 2]}', 'expected a number'),
        ('{link: hand, capsule: 0.1}', 'expected two numbers'),
        ('{link: hand, sphere: -0.1}', 'expected one of sphere, capsule, box, with positive'),
        ('{link: hand, cone: 0.1}', 'expected some of link, sphere, capsule, box, xyz, rpy'),
    ],
)
def test_a_shape_that_cannot_be_meant_is_refused(tmp_path, entry, sentence):
    path = tmp_path / 'contacts.yaml'
    path.write_text(f'obstacles: {{floor: {{plane: [0, 0, 1]}}}}\nshapes: {{one: {entry}}}')
    with pytest.raises(ModelError, match=sentence):
        contacts_of(path)


def test_collision_links_need_a_description(tmp_path):
    path = tmp_path / 'contacts.yaml'
    path.write_text('obstacles: {floor: {plane: [0, 0, 1]}}\ncollision_links: [hand]')
    with pytest.raises(ModelError, match='there is no URDF'):
        contacts_of(path)
