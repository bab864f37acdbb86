# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Geoms of an MJCF: where they are drawn, and what touches obstacles."""

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.model.contacts import collision_shapes
from robodyn_ros.model.sources.contact_file import contacts_of
from robodyn_ros.model.sources.description_source import opened
from robodyn_ros.view.scene import Scene

mujoco = pytest.importorskip('mujoco')

FORMS = {
    'box': 'size="0.1 0.2 0.3"',
    'sphere': 'size="0.1"',
    'capsule': 'size="0.1 0.4"',
    'cylinder': 'size="0.2 0.3"',
    'ellipsoid': 'size="0.1 0.2 0.3"',
    'mesh': 'mesh="m"',
}
POINTS = np.array(((0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 3)), float)
FACES = ((1, 3, 2), (1, 2, 4), (2, 3, 4), (3, 1, 4))


@pytest.fixture
def path(tmp_path):
    """An MJCF with a geom of every form on an arm, beside its mesh."""
    lines = [f'v {x} {y} {z}' for x, y, z in POINTS] + [f'f {i} {j} {k}' for i, j, k in FACES]
    (tmp_path / 'assets').mkdir()
    (tmp_path / 'assets' / 'm.obj').write_text('\n'.join(lines))
    geoms = ''.join(
        f'<geom type="{kind}" {size} pos="0.1 {k} 0.3" euler="10 20 {30 * k}" rgba="1 0 0 0.5"/>'
        for k, (kind, size) in enumerate(FORMS.items())
    )
    file = tmp_path / 'arm.xml'
    file.write_text(
        '<mujoco><compiler meshdir="assets"/><asset><mesh name="m" file="m.obj" scale="2 1 1"/>'
        '<mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset><worldbody>'
        '<geom type="plane" size="1 1 1" group="4"/>'
        f'<body name="arm" pos="0 0 1"><joint axis="1 1 0"/>{geoms}'
        '<geom type="mesh" mesh="t" contype="0" conaffinity="0"/>'
        '</body></worldbody></mujoco>'
    )
    return file


def test_geoms_are_drawn_where_mujoco_has_them(path):
    """At a posture that is not zero; the vertices of the file of a mesh are where its are."""
    robot, source = Robot.from_mjcf(path), opened(path)
    scene = Scene(robot, source.shapes('visual'), source.description().joints)
    drawn = [kind for kind in FORMS if kind != 'ellipsoid']
    assert [shape.kind for shape in scene.shapes] == drawn
    sizes = {shape.kind: shape.size for shape in scene.shapes}
    assert sizes['box'] == (0.2, 0.4, 0.6) and sizes['sphere'] == (0.1,)
    assert sizes['capsule'] == (0.1, 0.8) and sizes['cylinder'] == (0.2, 0.6)
    assert {shape.color for shape in scene.shapes} == {(1.0, 0.0, 0.0, 0.5)}
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    data.qpos = 0.7
    mujoco.mj_kinematics(model, data)
    geoms = [1 + [*FORMS].index(kind) for kind in drawn]
    for geom, shape, X in zip(geoms, scene.shapes, scene.poses([0.7])):
        R, p = data.geom_xmat[geom].reshape(3, 3), data.geom_xpos[geom]
        if shape.kind == 'mesh':
            assert shape.file.endswith('assets/m.obj')
            ours = POINTS * shape.size @ X[:3, :3].T + X[:3, 3]
            # the compiler keeps vertices in single precision
            np.testing.assert_allclose(ours, model.mesh_vert[:4] @ R.T + p, atol=1e-6)
        else:
            np.testing.assert_allclose(X[:3, :3], R, atol=1e-12)
            np.testing.assert_allclose(X[:3, 3], p, atol=1e-12)


def test_what_cannot_be_drawn_is_a_note(path):
    """An ellipsoid, and a mesh that has no file."""
    notes = []
    opened(path).shapes('visual', notes=notes)
    assert notes == [
        "a geom of body 'arm' is not shown: its form is ellipsoid",
        "a geom of body 'arm' is not shown: its form is mesh without a file",
    ]


def test_geoms_that_touch_are_shapes_of_contact(path, tmp_path):
    """Primitives on the links that a file of contacts names; a cylinder is a capsule."""
    shapes = collision_shapes(path)
    kinds = ['box', 'sphere', 'capsule', 'capsule']
    assert [shape.kind for shape in shapes if shape.link == 'arm'] == kinds
    contacts = tmp_path / 'contacts.yaml'
    contacts.write_text('collision_links: [arm]\nobstacles: {floor: {plane: [0, 0, 1]}}\n')
    assert len(contacts_of(contacts, path).shapes) == 4
