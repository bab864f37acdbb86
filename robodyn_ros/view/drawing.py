# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot in a scene of viser: nodes that are made once, and moved with the posture."""

import numpy as np

from robodyn_ros.errors import ModelError
from robodyn_ros.model.sources.geometry import mesh_path
from robodyn_ros.view.inertia_ellipsoid import inertia_ellipsoid
from robodyn_ros.view.mesh_file import read_mesh

GREY = (0.8, 0.8, 0.8, 1.0)
BONE, ARROW, ELLIPSOID = (60, 90, 140), (214, 90, 30), (40, 140, 90)


class Drawing:
    """The nodes of a robot's picture.

    `viser_scene` (viser.SceneApi): where they are added.
    `scene` (Scene): shapes of the robot.
    `arrows` (TorqueArrows): arrows of the robot.
    `scales` (Scales): sizes of arrows and ellipsoid.
    `frame`: frame of the end effector; may be changed.
    `folder` (path): where relative paths of meshes begin.
    `torques` (nv,): gravity torques of the posture drawn [N m or N].
    `ellipsoid` (InertiaEllipsoid or None): that of the posture drawn; None for a robot without
      dynamics, which has no arrows either.
    `notes` (list of str): sentences about shapes that are not shown.
    """

    def __init__(self, viser_scene, robot, scene, arrows, scales, frame, folder):
        self._viser, self._robot, self._scene = viser_scene, robot, scene
        self._arrows, self._scales, self.frame = arrows, scales, frame
        self.torques, self.ellipsoid = np.zeros(robot.nv), None
        self._has_dynamics = not robot.model.dynamics_fault
        self.notes = [f'shapes of link {name!r} are left out' for name in scene.left_out]
        if not self._has_dynamics:
            self.notes.append('no gravity torques are shown: the robot has kinematics alone')
        reach = scales.reach
        viser_scene.set_up_direction('+z')
        viser_scene.add_grid(
            '/floor', 4.0 * reach, 4.0 * reach, cell_size=reach / 5.0, section_size=reach
        )
        self._shapes = [self._add_shape(k, shape, folder) for k, shape in enumerate(scene.shapes)]
        self._skeleton = viser_scene.add_line_segments(
            '/skeleton', np.zeros((0, 2, 3)), BONE, thickness=0.012 * reach
        )
        self._torques = viser_scene.add_arrows(
            '/torques',
            np.zeros((0, 2, 3)),
            ARROW,
            shaft_radius=0.008 * reach,
            head_radius=0.02 * reach,
            head_length=0.04 * reach,
        )
        self._ellipsoid = viser_scene.add_icosphere('/ellipsoid', 1.0, ELLIPSOID, opacity=0.35)
        self._ellipsoid.visible = self._has_dynamics
        self._tool = viser_scene.add_frame(
            '/end_effector', axes_length=0.12 * reach, axes_radius=0.004 * reach
        )

    @property
    def has_shapes(self):
        """Return whether any shape is shown."""
        return any(self._shapes)

    @property
    def layers(self):
        """Return {name: nodes} of what can be shown and hidden."""
        shown = {
            'shapes': [handle for handle in self._shapes if handle],
            'skeleton': [self._skeleton],
            'frame of the end effector': [self._tool],
        }
        if self._has_dynamics:
            shown['gravity torques'] = [self._torques]
            shown['inertia of the end effector'] = [self._ellipsoid]
        return shown

    def draw(self, q):
        """Move all nodes to a posture."""
        for handle, pose in zip(self._shapes, self._scene.poses(q)):
            if handle:
                _place(handle, pose[:3, :3], pose[:3, 3])
        self._skeleton.points = self._scene.skeleton(q).astype(np.float32)
        if self._has_dynamics:
            self._draw_dynamics(q)
        pose = self._robot.pose(q, self.frame)
        _place(self._tool, pose[:3, :3], pose[:3, 3])

    def _draw_dynamics(self, q):
        """Draw the gravity torques and the inertia of the end effector."""
        self.torques = self._robot.gravity_torque(q)
        arrows = self._arrows.at(q, self.torques, 1.0 / self._scales.torque)
        self._torques.points = arrows.astype(np.float32)
        self.ellipsoid = found = inertia_ellipsoid(self._robot, q, self.frame)
        _place(self._ellipsoid, found.axes, found.centre)
        lengths = found.lengths(1.0 / self._scales.mass, self._scales.longest)
        self._ellipsoid.scale = tuple(map(float, lengths))

    def _add_shape(self, k, shape, folder):
        """Return the node of a shape, None with a note where its mesh is not found."""
        name, size = f'/shapes/{k}', shape.size
        red, green, blue, opacity = shape.color or GREY
        color = tuple(round(255 * part) for part in (red, green, blue))
        look = {'color': color, 'opacity': opacity if opacity < 1.0 else None}
        if shape.kind == 'box':
            return self._viser.add_box(name, dimensions=size, **look)
        if shape.kind == 'sphere':
            return self._viser.add_icosphere(name, *size, **look)
        if shape.kind == 'cylinder':
            return self._viser.add_cylinder(name, *size, **look)
        if shape.kind == 'capsule':
            mesh = _capsule(*size)
            return self._viser.add_mesh_simple(name, mesh.vertices, mesh.faces, **look)
        try:
            mesh = read_mesh(mesh_path(shape.file, folder), shape.color)
        except ModelError as error:
            self.notes.append(f'a mesh of link {shape.link!r} is not shown: {error}')
            return None
        return self._viser.add_mesh_trimesh(name, mesh, scale=size)


def _capsule(radius, length):
    """Return the mesh of a capsule about the origin, its cylinder of that length along z."""
    import trimesh

    mesh = trimesh.creation.capsule(height=length, radius=radius)
    mesh.apply_translation(-mesh.bounds.mean(axis=0))
    return mesh


def _place(handle, rotation, position):
    from viser.transforms import SO3

    handle.wxyz, handle.position = SO3.from_matrix(rotation).wxyz, position
