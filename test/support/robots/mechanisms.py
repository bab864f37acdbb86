# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The standard mechanisms with closed loops, as URDF text with closures.

Joints of several degrees of freedom are revolute joints in a row. Other readers of URDF require
these in a loop. Every moving link has a mass, which MuJoCo requires.
"""

from pathlib import Path

import numpy as np

from robodyn_ros.model import urdf
from robodyn_ros.model.dependent.closures import Closure
from robodyn_ros.model.dependent.coupling import with_couplings
from robodyn_ros.model.sources.closure_file import loops_of
from support.robots.closed_loops import Mechanism, at

CONFIG = Path(__file__).resolve().parents[3] / 'config' / 'mechanisms'
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
SKEW = (0.4, -0.3, 0.2)  # [rad] of bases: gravity and joints are never along an axis

DELTA = {'base': 0.2, 'arm': 0.25, 'rod': 0.5, 'platform': 0.06, 'half_width': 0.04}  # [m]
ELBOW = np.pi - np.arccos((0.2 + 0.25 - 0.06) / 0.5)  # [rad] of the rods, arms horizontal
FIVE_BAR = {'ground': 0.2, 'crank': 0.3, 'coupler': 0.45}  # [m]
HEIGHT = 1.2  # [m] of the platform of Stewart at home


def words(numbers):
    """Return numbers as attributes have them."""
    return ' '.join(repr(float(number)) for number in numbers)


def link(name, mass=0.0, length=0.1, along=X):
    """Return a bar with its centre beside its axis; without a mass, a frame."""
    if not mass:
        return f'<link name="{name}"/>'
    com = 0.45 * length * np.array(along) + (0.01, -0.02, 0.015)
    spread = mass * (0.02 + length**2) * np.array((0.05, 0.004, -0.003, 0.06, 0.002, 0.07))
    names = ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz')
    inertia = ' '.join(f'{name}="{number!r}"' for name, number in zip(names, spread.tolist()))
    return (
        f'<link name="{name}"><inertial><origin xyz="{words(com)}"/><mass value="{mass!r}"/>'
        f'<inertia {inertia}/></inertial></link>'
    )


def joint(name, parent, child, xyz=(0, 0, 0), rpy=(0, 0, 0), axis=Z, kind='revolute'):
    """Return a joint."""
    limit = '<limit lower="-9" upper="9" velocity="9" effort="99"/>'
    moves = '' if kind == 'fixed' else f'<axis xyz="{words(axis)}"/>{limit}'
    return (
        f'<joint name="{name}" type="{kind}"><origin xyz="{words(xyz)}" rpy="{words(rpy)}"/>'
        f'<parent link="{parent}"/><child link="{child}"/>{moves}</joint>'
    )


def in_a_row(name, parent, child, axes, xyz=(0, 0, 0), rpy=(0, 0, 0)):
    """Return a joint of several degrees of freedom, `name_x`, `name_y`, `name_z` by its axes."""
    letters, parts = dict(zip((X, Y, Z), 'xyz')), []
    for axis in axes:
        title = f'{name}_{letters[axis]}'
        carried = child if axis is axes[-1] else f'{title}_cross'
        if carried != child:
            parts.append(link(carried, 0.05, 0.05))
        parts.append(joint(title, parent, carried, xyz, rpy, axis))
        parent, xyz, rpy = carried, (0, 0, 0), (0, 0, 0)
    return ''.join(parts)


def mechanism(name, parts, closures, near, freedoms, independent=None):
    """Return a mechanism of parts of a URDF, whose loops close near a posture."""
    text = f'<robot name="{name}">{"".join(parts)}</robot>'
    return Mechanism(urdf.parse(text), tuple(closures), near, freedoms, text, independent)


def five_bar():
    """Return two cranks whose couplers meet, with a spindle where they do."""
    ground, crank, coupler = FIVE_BAR.values()
    parts = [link('base'), link('frame'), link('spindle', 0.4, 0.1, Z)]
    parts.append(joint('frame', 'base', 'frame', (0.1, 0.2, 0.3), SKEW, kind='fixed'))
    for side, x in (('left', 0.0), ('right', ground)):
        parts += [
            link(f'{side}_crank', 1.0, crank),
            link(f'{side}_coupler', 0.7, coupler),
            joint(side, 'frame', f'{side}_crank', (x, 0, 0)),
            joint(f'{side}_elbow', f'{side}_crank', f'{side}_coupler', (crank, 0, 0)),
        ]
    parts.append(joint('quill', 'left_coupler', 'spindle', (coupler, 0, 0), kind='prismatic'))
    ends = at(coupler), at(coupler)
    pin = Closure('pin', 'left_coupler', 'right_coupler', 'hinge', None, *ends)
    near = {'left': 2.2, 'left_elbow': -1.2, 'right': 0.9, 'right_elbow': 1.2}
    return mechanism('five_bar', parts, [pin], near, 3)


def arm_with_four_bar():
    """Return an arm of seven joints whose elbow a crank turns through a rod."""
    parts, parent = [link('base')], 'base'
    lengths = (0, 0.1, 0, 0.5, 0.1, 0.3, 0.1)
    for k, (axis, length) in enumerate(zip((Z, Y, X, Y, X, Y, X), lengths)):
        name, rpy = f'link{k + 1}', SKEW if k == 0 else (0, 0, 0)
        parts.append(link(name, 3.0 - 0.35 * k, 0.3))
        parts.append(joint(f'joint{k + 1}', parent, name, (length, 0, 0), rpy, axis))
        parent = name
    parts += [
        link('crank', 0.5, 0.15),
        link('rod', 0.6, 0.5),
        joint('crank', 'link3', 'crank', (0.02, 0.06, 0.03), axis=Y),
        joint('rod', 'crank', 'rod', (0.15, 0, 0), axis=Y),
    ]
    pin = Closure(
        'pin',
        'rod',
        'link4',
        'hinge',
        None,
        at(0.5, rpy=(np.pi / 2, 0.0, 0.0)),
        at(0.12, 0.06, rpy=(np.pi / 2, 0.0, 0.0)),
    )
    near = {'joint2': 0.4, 'joint4': -1.2, 'crank': -1.3, 'rod': 1.4}
    return mechanism('arm_with_four_bar', parts, [pin], near, 7, ('crank',))


def palletizer():
    """Return the palletizer of config/mechanisms."""
    loops, text = loops_of(CONFIG / 'palletizer.yaml'), (CONFIG / 'palletizer.urdf').read_text()
    return Mechanism(urdf.parse(text), loops.closures, loops.near, 4, text, loops.independent)


def gripper():
    """Return the gripper of config/mechanisms: two loops, led by a joint and by its follower."""
    loops, text = loops_of(CONFIG / 'gripper.yaml'), (CONFIG / 'gripper.urdf').read_text()
    return Mechanism(urdf.parse(text), loops.closures, loops.near, 1, text, loops.independent)


def wrist():
    """Return the differential wrist of config/mechanisms, which has no loops."""
    text = (CONFIG / 'wrist.urdf').read_text()
    description = with_couplings(urdf.parse(text), loops_of(CONFIG / 'wrist.yaml').couplings)
    return Mechanism(description, (), {}, 4, text)


def delta():
    """Return the robot of Clavel: three arms, and six rods that hold a platform."""
    base, arm, rod, platform, w = DELTA.values()
    parts, closures = [link('base'), link('platform', 0.5, 0.05)], []
    near, edge = {}, np.array((platform, w, 0.0))  # of the platform's origin from its centre
    for k in range(3):
        turn = 2.0 * np.pi / 3.0 * k
        spin = at(rpy=(0.0, 0.0, turn)).rotation
        parts.append(link(f'arm{k}', 1.2, arm))
        parts.append(joint(f'arm{k}', 'base', f'arm{k}', spin @ (base, 0, 0), (0, 0, turn), Y))
        for side, y in (('a', w), ('b', -w)):
            name = f'rod{k}{side}'
            parts.append(link(name, 0.15, rod))
            parts.append(in_a_row(name, f'arm{k}', name, (Y, Z), (arm, y, 0)))
            near[f'{name}_y'] = ELBOW
            if (k, side) == (0, 'a'):
                parts.append(
                    in_a_row('ball', name, 'platform', (Z, Y, X), (rod, 0, 0), (0, -ELBOW, 0))
                )
            else:
                end = spin @ (platform, y, 0.0) - edge
                closures.append(Closure(name, name, 'platform', 'ball', None, at(rod), at(*end)))
    parts.append(link('tool'))
    parts.append(joint('tool', 'platform', 'tool', -edge, kind='fixed'))
    return mechanism('delta', parts, closures, near, 3)


def corners():
    """Return the six joints of Stewart's platform on the base and on the platform, (6, 3)."""
    on_base = np.array([0.0, 1.0, 2.0]).repeat(2) * 2.0 * np.pi / 3.0 + np.tile((-0.3, 0.3), 3)
    above = np.array([0.0, 1.0, 2.0]).repeat(2) * 2.0 * np.pi / 3.0 + np.tile((-0.8, 0.8), 3)
    circles = ((on_base, 1.0, 0.0), (above, 0.6, 0.0))
    return [np.stack((r * np.cos(a), r * np.sin(a), 0 * a + z), axis=1) for a, r, z in circles]


def legs_at_home():
    """Return the lengths of Stewart's legs, and their two angles at the base, at home."""
    below, above = corners()
    ways = above + (0.0, 0.0, HEIGHT) - below
    lengths = np.linalg.norm(ways, axis=1)
    x, y, z = ways.T / lengths
    return lengths, np.arctan2(-y, z), np.arcsin(x)


def stewart():
    """Return the platform of Gough and Stewart: six legs of universal joint, slide and ball."""
    below, above = corners()
    parts, closures, near = [link('base'), link('platform', 4.0, 0.2)], [], {}
    for k, (length, a, b) in enumerate(zip(*legs_at_home())):
        name = f'leg{k}'
        parts += [
            link(f'cylinder{k}', 1.0, 0.3, Z),
            link(name, 0.6, -0.3, Z),
            in_a_row(f'foot{k}', 'base', f'cylinder{k}', (X, Y), below[k]),
            joint(name, f'cylinder{k}', name, (0, 0, length), axis=Z, kind='prismatic'),
        ]
        near |= {f'foot{k}_x': a, f'foot{k}_y': b}
        if k == 0:
            parts.append(in_a_row('ball', name, 'platform', (Y, X, Z)))
            near |= {'ball_y': -b, 'ball_x': -a}
        else:
            end = above[k] - above[0]
            closures.append(Closure(name, name, 'platform', 'ball', None, at(), at(*end)))
    parts.append(link('tool'))
    parts.append(joint('tool', 'platform', 'tool', -above[0], kind='fixed'))
    legs = tuple(f'leg{k}' for k in range(6))
    return mechanism('stewart', parts, closures, near, 6, legs)


def two_arms_with_a_bar():
    """Return two arms of seven joints, and a bar that both hold."""
    parts, near, rng = [link('base')], {}, np.random.default_rng(12)
    for side, y in (('left', 0.4), ('right', -0.4)):
        parent, xyz = 'base', (0, y, 0)
        for k, axis in enumerate((Z, Y, Z, Y, Z, Y, Z)):
            name = f'{side}{k}'
            parts.append(link(name, 2.5 - 0.3 * k, 0.2, Z))
            parts.append(joint(name, parent, name, xyz, axis=axis))
            near[name] = float(rng.uniform(0.3, 0.8))
            parent, xyz = name, (0, 0, (0.3, 0, 0.4, 0, 0.4, 0, 0.1)[k])
    parts += [
        link('bar', 1.5, 0.4),
        joint('grasp', 'left6', 'bar', (0, 0, 0.1), (0, 0.2, 0.1), kind='fixed'),
    ]
    grasp = Closure('grasp', 'bar', 'right6', 'weld', None, at(0.4, rpy=SKEW), at(0, 0, 0.1))
    return mechanism('two_arms_with_a_bar', parts, [grasp], near, 8)


STANDARD = {
    'five-bar': five_bar(),
    'arm with a four-bar': arm_with_four_bar(),
    'palletizer': palletizer(),
    'gripper': gripper(),
    'Delta': delta(),
    'Stewart platform': stewart(),
    'two arms with a bar': two_arms_with_a_bar(),
}
