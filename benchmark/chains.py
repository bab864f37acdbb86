# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""URDF texts of robots with any number of joints, which every library reads."""

import numpy as np

from robodyn_ros.model.sources.examples import package_file

OURS = {
    2: 'config/urdf/two_link.urdf',
    6: 'config/urdf/ur_like.urdf',
    7: 'config/urdf/franka_like.urdf',
}
#: Offsets [m] and axes of the joints in turn: those of an arm with seven joints.
OFFSETS = (
    (0, 0, 0.333),
    (0, 0, 0),
    (0, -0.316, 0),
    (0.0825, 0, 0),
    (-0.0825, 0.384, 0),
    (0, 0, 0),
    (0.088, 0, 0),
)
ROLLS = (0.0, -0.5, 0.5, 0.5, -0.5, 0.5, 0.5)  # half turns of the frame about x


def read(joints):
    """Return the URDF text of a robot with that many joints: one of this package, else a chain."""
    return package_file(OURS[joints]).read_text() if joints in OURS else chain(joints)


def chain(joints):
    """Return the URDF text of a chain of seven-joint arms, each link with its full inertia."""
    rng = np.random.default_rng(joints)
    parts = [f'<robot name="chain_{joints}"><link name="link0"/>']
    for k in range(joints):
        x, y, z = OFFSETS[k % 7]
        mass, (cx, cy, cz) = rng.uniform(0.5, 3.0), rng.uniform(-0.1, 0.1, 3)
        I = np.diag(rng.uniform(0.01, 0.02, 3)) + 1e-3 * rng.uniform(-1, 1) * np.ones((3, 3))
        parts.append(
            f'<link name="link{k + 1}"><inertial><origin xyz="{cx} {cy} {cz}"/>'
            f'<mass value="{mass}"/><inertia ixx="{I[0, 0]}" ixy="{I[0, 1]}" ixz="{I[0, 2]}" '
            f'iyy="{I[1, 1]}" iyz="{I[1, 2]}" izz="{I[2, 2]}"/></inertial></link>'
            f'<joint name="joint{k + 1}" type="revolute"><parent link="link{k}"/>'
            f'<child link="link{k + 1}"/><origin xyz="{x} {y} {z}" '
            f'rpy="{ROLLS[k % 7] * np.pi} 0 0"/><axis xyz="0 0 1"/>'
            '<limit lower="-2.9" upper="2.9" effort="100" velocity="3"/></joint>'
        )
    return ''.join(parts) + '</robot>'
