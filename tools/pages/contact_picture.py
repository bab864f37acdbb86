# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Draw doc/pictures/contact.png: an arm that presses on a table, and a box that falls.

python -m tools.pages.contact_picture

It needs matplotlib.
"""

import importlib.util
from pathlib import Path

import numpy as np

from robodyn_ros import Robot
from robodyn_ros.model.contacts import Contacts, Obstacle, box
from robodyn_ros.simulation import Plant, PlantSettings

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / 'doc' / 'pictures' / 'contact.png'
EXAMPLE = ROOT / 'examples' / 'press_on_a_table.py'
EDGES = np.array([0.3, 0.2, 0.12])
BODY = """<robot name="box"><link name="box"><inertial><mass value="2"/>
<inertia ixx="0.0091" iyy="0.0174" izz="0.0217" ixy="0" ixz="0" iyz="0"/>
</inertial></link></robot>"""
STEP, TIME, EVERY = 1e-3, 1.2, 60  # [s], [s], steps between two outlines


def pressed():
    """Return rows of time, height of the fingertip [m] and force [N] of the example."""
    spec = importlib.util.spec_from_file_location('press_on_a_table', EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.main()


def fallen():
    """Return outlines (k, 4, 2) of a box that falls past a table, and its energies (m, 2)."""
    robot = Robot.from_urdf(BODY, free_base=True)
    floor = Obstacle.plane(friction=0.5, restitution=0.4, name='floor')
    table = Obstacle.box((0.4, 0.6, 0.3), (0.25, 0.0, 0.15), friction=0.5, restitution=0.4)
    start = [-0.1, 0.0, 0.75, 0.0, np.sin(0.2), 0.0, np.cos(0.2)]
    plant = Plant(
        robot,
        PlantSettings(no_command='free', command_timeout=np.inf),
        start,
        [0.4, 0.0, 0.0, 0.0, -2.0, 0.0],
        Contacts([box('box', EDGES)], [floor, table]),
    )
    half, outlines, energies = 0.5 * EDGES, [], []
    for k in range(round(TIME / STEP)):
        if k % EVERY == 0:
            X = robot.pose(plant.q, 'box')
            corners = [[x, 0.0, z, 1.0] for x, z in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
            corners = np.array(corners) * [half[0], 1.0, half[2], 1.0]
            outlines.append((corners @ X.T)[:, [0, 2]])
        plant.step(dt=STEP)
        energies.append((plant.t, sum(robot.energy(plant.q, plant.qd))))
    return np.array(outlines), np.array(energies)


def main():
    """Draw the picture."""
    import matplotlib

    matplotlib.use('Agg')
    from matplotlib import pyplot
    from matplotlib.patches import Polygon, Rectangle

    figure, axes = pyplot.subplots(1, 3, figsize=(12, 3.6))
    time, height, force = pressed().T
    axes[0].plot(time, 1e3 * height, color='tab:blue')
    axes[0].set(title='Fingertip above a table', xlabel='time [s]', ylabel='height [mm]')
    other = axes[0].twinx()
    other.plot(time, force, color='tab:orange')
    other.set_ylabel('force of the table [N]', color='tab:orange')
    other.set_ylim(0.0, 60.0)  # the force of the impact is far larger
    outlines, energies = fallen()
    for k, outline in enumerate(outlines):
        shade = 0.15 + 0.85 * k / len(outlines)
        axes[1].add_patch(Polygon(outline, fill=False, edgecolor='tab:blue', alpha=shade))
    axes[1].add_patch(Rectangle((0.05, 0.0), 0.4, 0.3, color='0.8'))
    axes[1].axhline(0.0, color='0.4')
    axes[1].set(title='A box falls on an edge', xlim=(-0.6, 0.7), ylim=(-0.05, 1.0))
    axes[1].set_aspect('equal')
    axes[2].plot(*energies.T)
    axes[2].set(title='Its energy', xlabel='time [s]', ylabel='[J]')
    figure.tight_layout()
    figure.savefig(PICTURE, dpi=100)


if __name__ == '__main__':
    main()
