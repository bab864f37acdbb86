# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What can be drawn is drawn; each shape, colour or mesh that cannot be is a note of its link."""

import pytest

from robodyn_ros import Robot
from robodyn_ros.model.sources.description_source import opened
from robodyn_ros.view.page import Page
from robodyn_ros.view.scales import scales_of
from robodyn_ros.view.scene import Scene
from robodyn_ros.view.torque_arrows import TorqueArrows

pytest.importorskip('viser', reason='viser is not installed')
pytest.importorskip('trimesh', reason='trimesh is not installed')

BOX = '<geometry><box size="1 1 1"/></geometry>'
LIMITED = """<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>"""
PARTS = 'expected a path, file://<path> or package://<name>/<path>'


def form(text):
    return f'<geometry>{text}</geometry>'


def mesh(file, more=''):
    return form(f'<mesh filename="{file}" {more}/>')


def coloured(rgba):
    return f'{BOX}<material name="m{rgba}"><color rgba="{rgba}"/></material>'


# Inside of a <visual>, whether it is drawn, and words of the note, if there is one.
SHAPES = {
    'good': (BOX, True, ''),
    'zero_box': (form('<box size="0 0 0"/>'), False, 'expected lengths larger than 0'),
    'negative_box': (form('<box size="-1 1 1"/>'), False, 'expected lengths larger than 0'),
    'half_box': (form('<box size="1 1"/>'), False, 'expected three numbers'),
    'flat_cylinder': (form('<cylinder radius="1" length="0"/>'), False, 'larger than 0'),
    'point': (form('<sphere radius="0"/>'), False, 'expected lengths larger than 0'),
    'sphere_of_no_size': (form('<sphere/>'), False, "no attribute 'radius'"),
    'capsule': (form('<capsule radius="0.1" length="0.3"/>'), True, ''),
    'cone': (form('<cone radius="1"/>'), False, 'geometry has cone; expected one of box'),
    'nothing': ('', False, 'has no <geometry> element'),
    'empty': (form(''), False, 'geometry has nothing'),
    'lost_origin': (f'<origin xyz="a b c"/>{BOX}', False, "attribute 'xyz' is 'a'"),
    'red_by_name': (coloured('red'), True, 'has a colour of 1 numbers; expected four'),
    'three_parts': (coloured('1 0 0'), True, 'has a colour of 3 numbers; expected four'),
    'of_255': (coloured('255 0 0 1'), True, ''),
    'negative_red': (coloured('-1 0 0 1'), True, ''),
    'no_number': (coloured('nan 0 0 1'), True, "attribute 'rgba' is 'nan'"),
    'unknown_material': (f'{BOX}<material name="nowhere"/>', True, ''),
    'mesh': (mesh('cube.obj'), True, ''),
    'mirrored': (mesh('cube.obj', 'scale="-1 1 1"'), True, ''),
    'flattened': (mesh('cube.obj', 'scale="0 1 1"'), False, 'expected lengths larger than 0'),
    'one_factor': (mesh('cube.obj', 'scale="0.001"'), False, 'expected three numbers'),
    'missing': (mesh('none.stl'), False, 'there is no file'),
    'missing_package': (mesh('package://nowhere/a.stl'), False, "expected a package 'nowhere'"),
    'address': (mesh('https://localhost/a.stl'), False, f"'https://localhost/a.stl'; {PARTS}"),
    'of_gazebo': (mesh('model://a/a.stl'), False, f"got 'model://a/a.stl'; {PARTS}"),
    'no_mesh': (mesh('text.xyz'), False, 'is no mesh: '),
    'damaged': (mesh('damaged.stl'), False, 'is no mesh: it has no faces'),
    'without_bytes': (mesh('empty.stl'), False, 'is no mesh: it has no faces'),
    'collada_of_nothing': (mesh('empty.dae'), False, 'is no mesh: '),
    'folder': (mesh('folder.stl'), False, 'there is no file'),
}


def test_each_odd_shape_is_drawn_or_noted(tmp_path):
    """All of them on one robot: none keeps the others from being drawn."""
    corners = ''.join(f'v {x} {y} {z}\n' for x in (0, 1) for y in (0, 1) for z in (0, 1))
    (tmp_path / 'cube.obj').write_text(f'{corners}f 1 3 4 2\nf 5 6 8 7\n')
    (tmp_path / 'text.xyz').write_text('hello')
    (tmp_path / 'damaged.stl').write_bytes(b'solid\0\1')
    (tmp_path / 'empty.stl').touch()
    (tmp_path / 'empty.dae').write_text('<COLLADA/>')
    (tmp_path / 'folder.stl').mkdir()
    path = tmp_path / 'odd.urdf'
    path.write_text(
        f'<robot name="odd"><link name="base"/><link name="arm">{LIMITED}</link>'
        '<joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>'
        + ''.join(
            f'<link name="{name}"><visual>{inside}</visual></link><joint name="{name}" '
            f'type="fixed"><parent link="arm"/><child link="{name}"/></joint>'
            for name, (inside, _, _) in SHAPES.items()
        )
        + '</robot>'
    )
    source, notes = opened(path), []
    robot, joints = Robot.from_urdf(path), source.description().joints
    scene = Scene(robot, source.shapes('visual', notes=notes), joints)
    page = Page(
        robot, scene, TorqueArrows(robot, joints), scales_of(robot, 'arm'), 'arm', tmp_path
    )
    try:
        drawn = [shape.link for shape, node in zip(scene.shapes, page._drawing._shapes) if node]
        notes += page.notes
    finally:
        page.close()
    assert drawn == [name for name, (_, is_drawn, _) in SHAPES.items() if is_drawn]
    expected = [words for _, _, words in SHAPES.values() if words]
    assert len(notes) == len(expected), notes
    for name, (inside, is_drawn, words) in SHAPES.items():
        subject = f"link '{name}'" if not is_drawn else f"material 'm{inside.split(chr(34))[-2]}'"
        assert not words or any(subject in note and words in note for note in notes), name
