# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a URDF says of the shapes of its links, and where their files lie."""

import numpy as np
import pytest

from robodyn_ros.errors import ModelError
from robodyn_ros.model.sources.geometry import mesh_path, shapes

ARM = """<robot name="arm">
  <material name="red"><color rgba="1 0 0.25 0.5"/></material>
  <link name="base">
    <visual><geometry><box size="0.1 0.2 0.3"/></geometry><material name="red"/></visual>
    <visual><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/>
      <geometry><cylinder radius="0.5" length="2"/></geometry>
      <material name="green"><color rgba="0 2 0 1"/></material></visual>
    <collision><geometry><sphere radius="0.75"/></geometry></collision>
  </link>
  <link name="hand">
    <visual><geometry><mesh filename="package://arm/hand.stl" scale="1 -2 3"/></geometry>
      <material name="green"/></visual>
    <visual><geometry><capsule radius="0.5" length="2"/></geometry>
      <material name="unknown"/></visual>
  </link>
  <joint name="j" type="fixed"><parent link="base"/><child link="hand"/></joint>
</robot>"""


def test_every_kind_is_read_with_place_size_and_colour():
    box, cylinder, mesh, capsule = shapes(ARM)
    assert (box.link, box.kind, box.size) == ('base', 'box', (0.1, 0.2, 0.3))
    assert box.color == (1.0, 0.0, 0.25, 0.5)
    assert (cylinder.kind, cylinder.size) == ('cylinder', (0.5, 2.0))
    np.testing.assert_array_equal(cylinder.placement.translation, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(
        cylinder.placement.rotation, [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    )
    assert cylinder.color == (0.0, 1.0, 0.0, 1.0)  # within its range
    assert (mesh.link, mesh.kind, mesh.size) == ('hand', 'mesh', (1.0, -2.0, 3.0))
    assert mesh.file == 'package://arm/hand.stl'
    assert mesh.color == cylinder.color  # a material is known by its name in other links too
    assert (capsule.kind, capsule.size, capsule.color) == ('capsule', (0.5, 2.0), None)


def test_collision_elements_differ_from_visual_ones():
    (sphere,) = shapes(ARM, 'collision')
    assert (sphere.link, sphere.kind, sphere.size) == ('base', 'sphere', (0.75,))


@pytest.mark.parametrize(
    'old, new, sentence',
    [
        ('radius="0.5" length="2"', 'radius="0.5"', "'base' visual cylinder has no attribute"),
        ('size="0.1 0.2 0.3"', 'size="0.1 0 0.3"', "'base' visual box has size"),
        ('size="0.1 0.2 0.3"', '', "'base' visual box has no attribute 'size'"),
        ('<box size="0.1 0.2 0.3"/>', '', "'base' visual geometry has nothing"),
        ('<box size="0.1 0.2 0.3"/>', '<torus/>', "'base' visual geometry has torus"),
        ('1 0 0.25 0.5', '1 0 0.25', 'a colour of 3 numbers'),
        ('scale="1 -2 3"', 'scale="1 nan 3"', "'hand' visual mesh attribute 'scale'"),
    ],
)
def test_what_is_malformed_is_refused_with_its_link(old, new, sentence):
    with pytest.raises(ModelError, match=sentence):
        shapes(ARM.replace(old, new, 1))


def test_what_is_malformed_is_left_out_with_a_note():
    """As a missing mesh is: all else is drawn, each fault once; a colour leaves its shape."""
    faults = {
        'size="0.1 0.2 0.3"': 'size="0 0 0"',
        '<capsule radius="0.5" ': '<capsule ',
        '1 0 0.25 0.5': 'red',
        'scale="1 -2 3"': 'scale="1 nan 3"',
    }
    text = ARM
    for old, new in faults.items():
        assert old in text
        text = text.replace(old, new, 1)
    notes = []
    (cylinder,) = shapes(text, notes=notes)
    assert cylinder.kind == 'cylinder' and cylinder.color == (0.0, 1.0, 0.0, 1.0)
    assert [note.split(';')[0] for note in notes] == [
        "material 'red' has a colour of 1 numbers",
        "link 'base' visual box has size (0.0, 0.0, 0.0)",
        "link 'hand' visual mesh attribute 'scale' is 'nan'",
        "link 'hand' visual capsule has no attribute 'radius'",
    ]
    notes = []
    box = shapes(ARM.replace('1 0 0.25 0.5', 'red'), notes=notes)[0]
    assert box.kind == 'box' and box.color is None and len(notes) == 1


def test_shapes_of_other_links_are_not_looked_at():
    """A malformed one elsewhere refuses no contact."""
    text = ARM.replace('radius="0.75"', 'radius="0"')
    assert shapes(text, 'collision', links=['hand']) == ()
    with pytest.raises(ModelError, match="'base' collision sphere has size"):
        shapes(text, 'collision', links=['base'])


def test_files_of_meshes_are_found_by_package_url_and_path(tmp_path, monkeypatch):
    file = tmp_path / 'share' / 'arm' / 'hand.stl'
    file.parent.mkdir(parents=True)
    file.touch()
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path))
    for name in ('package://arm/hand.stl', f'file://{file}', str(file), '../arm/hand.stl'):
        assert mesh_path(name, file.parent).samefile(file)
    for name in ('package://arm/foot.stl', 'foot.stl', f'file://{file}x'):
        with pytest.raises(ModelError, match='there is no file'):
            mesh_path(name, tmp_path)
