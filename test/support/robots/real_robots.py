# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Robots as their makers describe them: our own arms, and those of PyPI's example-robot-data."""

import functools
from importlib import metadata
from pathlib import Path

from robodyn_ros.model import urdf

from .families import GRAVITY, Case

PACKAGE = 'example-robot-data'
OURS = Path(__file__).resolve().parents[3] / 'config' / 'urdf'
STANDING = (0.0, 0.0, -9.81)


@functools.cache
def files():
    """Return {'folder/file.urdf': path} of the package; empty where it is not installed."""
    try:
        listed = metadata.files(PACKAGE)
    except metadata.PackageNotFoundError:
        return {}
    found = [file.locate().resolve() for file in listed if file.suffix == '.urdf']
    return {f'{path.parent.parent.name}/{path.name}': path for path in found}


def read(path, joints=None, base=None, gravity=STANDING, locked=None, free_base=False):
    """Return the case of a URDF; what mimics, and a free base, are held still if not `joints`."""
    description = urdf.parse(path)
    held = (
        {}
        if joints
        else {
            joint.name: 0.0
            for joint in description.joints
            if joint.type in ('floating', 'planar') or (joint.mimic and joint.type != 'fixed')
        }
    )
    return Case(
        description, joints, base, gravity, {**held, **(locked or {})}, str(path), free_base
    )


def numbered(pattern, numbers):
    """Return the joint names of a numbered limb."""
    return tuple(pattern.format(number) for number in numbers)


#: The arms of config/.
ARMS = {path.stem: {'path': path} for path in sorted(OURS.glob('*.urdf'))}

#: At least one of each sort: arms, hands, dual arms, mobile manipulators, humanoids, legs.
#: Subsets, joints held at an angle, the order of joints turned around, a base inside the tree, any
#: gravity.
MAKERS = {
    'panda': {
        'path': 'panda_description/panda.urdf',
        'locked': {'panda_finger_joint1': 0.02, 'panda_finger_joint2': 0.02},
    },
    'ur5': {'path': 'ur_description/ur5_robot.urdf', 'gravity': GRAVITY},
    'ur10_upside_down': {'path': 'ur_description/ur10_robot.urdf', 'gravity': (0.0, 0.0, 9.81)},
    'kinova': {'path': 'kinova_description/kinova.urdf'},
    'xarm7': {'path': 'xarm_description/xarm7.urdf', 'gravity': (-9.81, 0.0, 0.0)},
    'z1': {'path': 'z1_description/z1.urdf'},
    'allegro_hand': {'path': 'allegro_hand_description/allegro_right_hand.urdf'},
    'baxter': {'path': 'baxter_description/baxter.urdf'},
    'baxter_right_arm_backwards': {
        'path': 'baxter_description/baxter.urdf',
        'joints': tuple(f'right_{name}' for name in ('w2', 'w1', 'w0', 'e1', 'e0', 's1', 's0')),
        'locked': {'left_s0': 0.3, 'left_e1': -0.8, 'head_pan': 1.0},
    },
    'tiago_dual': {
        'path': 'tiago_description/tiago_dual.urdf',
        'joints': (
            *numbered('arm_left_{}_joint', range(1, 8)),
            'torso_lift_joint',
            *numbered('arm_right_{}_joint', range(7, 0, -1)),
        ),
    },
    'tiago_on_wheels': {'path': 'tiago_description/tiago_no_hand.urdf'},
    'tiago_pro': {'path': 'tiago_pro_description/tiago_pro.urdf'},
    'pr2': {'path': 'pr2_description/pr2.urdf'},
    'anymal_with_arm': {'path': 'anymal_b_simple_description/anymal-kinova.urdf'},
    'b1_with_arm': {'path': 'b1_description/b1-z1.urdf'},
    'talos_upper_body': {
        'path': 'talos_data/talos_full_v2.urdf',
        'joints': (
            'torso_1_joint',
            'torso_2_joint',
            'head_1_joint',
            'head_2_joint',
            *numbered('arm_right_{}_joint', range(1, 8)),
            *numbered('arm_left_{}_joint', range(1, 8)),
        ),
        'locked': {'leg_left_4_joint': 0.6, 'leg_right_4_joint': 0.6},
    },
    'g1_above_the_waist': {'path': 'g1_description/g1_29dof_rev_1_0.urdf', 'base': 'torso_link'},
    'romeo': {'path': 'romeo_description/romeo_small.urdf'},
    'icub': {'path': 'icub_description/icub.urdf'},
    'centauro': {'path': 'centauro_description/centauro.urdf'},
}

#: Those that stand on nothing: the base moves freely.
FREE = {
    'talos': {'path': 'talos_data/talos_full_v2.urdf'},
    'solo': {'path': 'solo_description/solo12.urdf', 'gravity': GRAVITY},
    'anymal': {'path': 'anymal_b_simple_description/anymal.urdf'},
}
for use in FREE.values():
    use['free_base'] = True


@functools.cache
def robot(name):
    """Return the case of that name; None where its package is not installed."""
    use = dict({**ARMS, **MAKERS, **FREE}[name])
    path = use.pop('path')
    path = path if isinstance(path, Path) else files().get(path)
    return path and read(path, **use)
