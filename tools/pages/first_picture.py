# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Draw doc/pictures/first.png: an arm along a motion, and its errors under three control laws.

python -m tools.pages.first_picture

It needs matplotlib and trimesh.
"""

import importlib.util
from pathlib import Path

import numpy as np

from robodyn_ros import Robot
from robodyn_ros.model import urdf
from robodyn_ros.model.sources.geometry import shapes
from robodyn_ros.view.scene import Scene

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / 'doc' / 'pictures' / 'first.png'
EXAMPLE = ROOT / 'examples' / 'track_a_trajectory.py'
HOME = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8])
REACH = np.array([1.3, 0.6, 0.0, 0.6, 0.0, 0.3, 0.0])
SHARES = (0.0, 0.5, 1.0)  # of the motion, at which the arm is drawn
LABELS = {'pd': 'PD', 'pd_gravity': 'PD and gravity', 'computed_torque': 'computed torque'}


def main():
    """Track the motion under each law, and draw."""
    import matplotlib

    matplotlib.use('Agg')
    from matplotlib import pyplot as plt

    spec = importlib.util.spec_from_file_location('track_a_trajectory', EXAMPLE)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    robot = Robot.from_urdf(example.URDF)
    motion = example.there_and_back(HOME, HOME + REACH)
    errors = {law: example.track(robot, law, HOME, motion) for law in example.LAWS}

    figure = plt.figure(figsize=(12, 5), layout='constrained')
    grid = figure.add_gridspec(1, 2, width_ratios=(1.1, 1.0))
    draw_arm(figure.add_subplot(grid[0], projection='3d'), robot, example.URDF)
    axes = figure.add_subplot(grid[1])
    for law, error in errors.items():
        time = example.PERIOD * np.arange(len(error))
        axes.semilogy(time, 1e3 * np.abs(error).max(axis=1), label=LABELS[law])
    axes.set(
        xlabel='time [s]',
        ylabel='largest joint error [mrad]',
        xlim=(0.0, time[-1]),
        ylim=(1e-2, None),
    )
    axes.set_title('There and back, simulated at 1 kHz')
    axes.grid(alpha=0.3)
    axes.legend(loc='center right')
    figure.savefig(PICTURE, dpi=110)


def draw_arm(axes, robot, path):
    """Draw the links at some postures of the motion, the last one in full, and the tool's path."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    scene = Scene(robot, shapes(path), urdf.parse(path).joints)
    for share in SHARES:
        opacity = 1.0 if share == SHARES[-1] else 0.12
        for shape, pose in zip(scene.shapes, scene.poses(HOME + share * REACH)):
            mesh = mesh_of(shape)
            triangles = mesh.triangles @ pose[:3, :3].T + pose[:3, 3]
            color = (*(shape.color or (0.7, 0.7, 0.7))[:3], opacity)
            axes.add_collection3d(Poly3DCollection(triangles, facecolors=color, shade=True))
    places = [robot.pose(HOME + s * REACH, 'tool0')[:3, 3] for s in np.linspace(0.0, 1.0, 60)]
    axes.plot(*np.transpose(places), color='tab:red', linewidth=1.5)
    corner = np.array([[-0.2, -0.2, 0.0], [0.6, 0.6, 0.8]])
    axes.set(xlim=corner[:, 0], ylim=corner[:, 1], zlim=corner[:, 2])
    axes.set_box_aspect((1, 1, 1), zoom=1.3)
    axes.view_init(elev=15.0, azim=-75.0)
    axes.set_axis_off()


def mesh_of(shape):
    """Return the triangles of a primitive about its origin."""
    from trimesh import creation

    if shape.kind == 'box':
        return creation.box(shape.size)
    if shape.kind == 'sphere':
        return creation.icosphere(subdivisions=2, radius=shape.size[0])
    make = creation.cylinder if shape.kind == 'cylinder' else creation.capsule
    mesh = make(radius=shape.size[0], height=shape.size[1])
    mesh.apply_translation(-mesh.bounds.mean(axis=0))
    return mesh


if __name__ == '__main__':
    main()
