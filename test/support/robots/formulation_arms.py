# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The arms of worked examples, and random arms of every shape, for the formulations."""

from math import pi
from pathlib import Path

import numpy as np

from robodyn_ros import Robot
from robodyn_ros.model import build
from robodyn_ros.model.description import Inertial, Joint, Limit, Link, Placement, RobotDescription
from robodyn_ros.model.dh import DHRow
from robodyn_ros.model.rotation_matrix import from_rpy

URDF = Path(__file__).resolve().parents[3] / 'config' / 'urdf'
DOWN_Y = (0.0, -9.81, 0.0)


def planar(a, m, lc, inertia, gravity=DOWN_Y):
    """Arm of parallel z axes, each link along its x, as all the planar examples are drawn."""
    rows = [
        DHRow(a=length, mass=mass, com=(centre - length, 0, 0), inertia=np.diag([0, j, j]))
        for length, mass, centre, j in zip(a, m, lc, inertia)
    ]
    return Robot.from_dh(rows, convention='standard', gravity=gravity, name='planar')


def spatial_3r(a, m, inertia, gravity=(0.0, 0.0, 0.0)):
    """Angeles, Example 7.6.1 (DH parameters derived from the printed vectors)."""
    table = (
        (a, 0, pi / 2, (-0.5 * a, 0, 0.5 * a)),
        (a, a, pi / 2, (-0.5 * a, 0, 0.5 * a)),
        (a, a, 0, (-0.5 * a, 0, 0)),
    )
    return Robot.from_dh(
        [
            DHRow(a=length, d=b, alpha=alpha, mass=m, com=com, inertia=inertia * np.eye(3))
            for length, b, alpha, com in table
        ],
        convention='standard',
        gravity=gravity,
        name='example 7.6.1',
    )


def rrp():
    """Angeles, Exercise 7.11, gravity along +X."""
    table = (('revolute', pi / 2, 5, 0.8), ('revolute', pi / 2, 4, 0.5), ('prismatic', 0, 3, 0.2))
    return Robot.from_dh(
        [
            DHRow(joint=joint, alpha=alpha, mass=m, inertia=j * np.eye(3))
            for joint, alpha, m, j in table
        ],
        convention='standard',
        gravity=(9.81, 0, 0),
        name='example 7.11',
    )


def six_revolute():
    """The six-revolute arm: inertias of Angeles, Exercise 7.3, on an assumed geometry."""
    rows = zip(
        (0, 0.4318, 0.0203, 0, 0, 0),
        (0, 0.15, 0, 0.4318, 0, 0.0563),
        (pi / 2, 0, pi / 2, -pi / 2, pi / 2, 0),
        (10.521, 15.781, 8.767, 1.052, 1.052, 0.351),
        (
            (0, -0.054, 0),
            (0.140, 0, 0),
            (0, -0.197, 0),
            (0, 0, -0.057),
            (0, -0.007, 0),
            (0, 0, -0.019),
        ),
        (
            (1.6120, 0.5091, 1.6120),
            (0.4898, 8.0783, 8.2672),
            (3.3768, 0.3009, 3.3768),
            (0.1810, 0.1810, 0.1273),
            (0.0735, 0.0735, 0.1273),
            (0.0071, 0.0071, 0.0141),
        ),
    )
    return Robot.from_dh(
        [
            DHRow(a=a, d=b, alpha=alpha, mass=m, com=com, inertia=np.diag(inertia))
            for a, b, alpha, m, com, inertia in rows
        ],
        convention='standard',
        name='oracle 11',
    )


def random_inertial(rng):
    """A solid body: four point masses and a ball."""
    points, masses = rng.uniform(-0.3, 0.3, (4, 3)), rng.uniform(0.2, 1.5, 4)
    com = masses @ points / masses.sum()
    arms = points - com
    inertia = 0.02 * np.eye(3) + sum(
        w * (r @ r * np.eye(3) - np.outer(r, r)) for w, r in zip(masses, arms)
    )
    return Inertial(masses.sum(), com, inertia)


def random_arm(kinds, seed, parents=None, axes=None, gravity=(1.0, -2.0, -9.0), order=None):
    """The Robot of random_description, its joints in the order of those names."""
    return Robot(
        build.build(random_description(kinds, seed, parents, axes), joints=order, gravity=gravity)
    )


def random_description(kinds, seed, parents=None, axes=None):
    """Arm with 'R' and 'P' joints at random placements; parents: the link each joint hangs on."""
    rng = np.random.default_rng(seed)
    parents = range(len(kinds)) if parents is None else parents
    links, joints = [Link('link0')], []
    for i, (kind, parent) in enumerate(zip(kinds, parents), start=1):
        axis = rng.normal(size=3) if axes is None else np.array(axes[i - 1], float)
        rotation = from_rpy(*rng.uniform(-pi, pi, 3)) if axes is None else np.eye(3)
        joints.append(
            Joint(
                f'joint{i}',
                'revolute' if kind == 'R' else 'prismatic',
                f'link{parent}',
                f'link{i}',
                Placement(rotation, rng.uniform(-0.5, 0.5, 3)),
                axis,
                Limit(),
                rotor_inertia=rng.uniform(0, 0.5),
            )
        )
        links.append(Link(f'link{i}', random_inertial(rng)))
    return RobotDescription(f'random {kinds}', tuple(links), tuple(joints))


Z3, XYZ = ((0, 0, 1),) * 3, ((1, 0, 0), (0, 1, 0), (0, 0, 1))
SERIAL = {
    '6R': lambda: random_arm('RRRRRR', 1),
    'Stanford-like': lambda: random_arm('RRPRRR', 2),
    'SCARA-like': lambda: random_arm('RRPR', 3, axes=((0, 0, 1),) * 4),
    'planar': lambda: random_arm('RRR', 4, axes=Z3, gravity=DOWN_Y),
    'gantry': lambda: random_arm('PPP', 5, axes=XYZ),
    'shuffled': lambda: random_arm('RPRR', 6, order=('joint3', 'joint1', 'joint4', 'joint2')),
    'O11': six_revolute,
    'franka_like': lambda: Robot.from_urdf(str(URDF / 'franka_like.urdf')),
    'ur_like': lambda: Robot.from_urdf(str(URDF / 'ur_like.urdf')),
    'two_link': lambda: Robot.from_urdf(str(URDF / 'two_link.urdf')),
}
TREES = {
    'tree': lambda: random_arm(
        'RRPRRPR',
        7,
        parents=(0, 1, 2, 1, 4, 0, 6),
        order=tuple(f'joint{i}' for i in (4, 1, 6, 2, 7, 3, 5)),
    )
}
ALL = SERIAL | TREES


def motion(robot, seed=0, count=3):
    """Random (q, qd, qdd), `count` times."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield rng.uniform(-1.5, 1.5, (3, robot.nv))


def error(value, reference):
    """Largest deviation relative to the size of the reference."""
    value, reference = np.asarray(value), np.asarray(reference)
    assert value.shape == reference.shape
    return np.max(np.abs(value - reference)) / max(np.max(np.abs(reference)), 1e-3)
