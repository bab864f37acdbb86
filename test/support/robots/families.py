# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Random robots by seed: chains, trees, sliding joints, skew axes, massless links, rotors."""

import functools
import zlib
from dataclasses import dataclass, field

import numpy as np

from robodyn_ros.model import build
from robodyn_ros.model.description import Inertial, Joint, Link, Placement, RobotDescription
from robodyn_ros.robot.robot import Robot

from ..referees.dense import Dense
from ..referees.pinocchio_referee import Pinocchio

ALIGNED = np.concatenate((np.eye(3), -np.eye(3)))
GRAVITY = (1.3, -2.1, -9.2)  # not along any axis: no component of the weight may be forgotten


@dataclass(frozen=True, eq=False)
class Case:
    """One robot and its referees, all made from the same description.

    path : where Pinocchio is to read the description by itself; None to be built joint by joint.
    free_base : whether the base moves freely.
    """

    description: RobotDescription
    joints: tuple | None = None
    base: str | None = None
    gravity: tuple = GRAVITY
    locked: dict = field(default_factory=dict)
    path: str | None = None
    free_base: bool = False

    @functools.cached_property
    def robot(self):
        """Return the robot under test."""
        return Robot(
            build.build(
                self.description,
                joints=self.joints,
                base=self.base,
                gravity=self.gravity,
                locked=self.locked,
                free_base=self.free_base,
            )
        )

    @functools.cached_property
    def whole(self):
        """Return the description with the joint that a free base hangs on, if it does."""
        old = self.description
        if not self.free_base:
            return old
        joint = Joint('free_base', 'floating', 'world', self.base or root_of(old))
        return RobotDescription(old.name, (Link('world'), *old.links), (joint, *old.joints))

    @functools.cached_property
    def dense(self):
        """Return the textbook referee."""
        return Dense(self, self.robot.joint_names, self.root)

    @functools.cached_property
    def pinocchio(self):
        """Return the Pinocchio referee."""
        return Pinocchio(self, self.robot.joint_names, self.root)

    @functools.cached_property
    def root(self):
        """Return the link that stands still."""
        return root_of(self.whole) if self.free_base or self.base is None else self.base

    @functools.cached_property
    def tip(self):
        """Return the link with the most links between it and the base."""
        depth, waiting = {self.root: 0}, list(self.whole.joints)
        while ready := [joint for joint in waiting if joint.parent in depth]:
            depth |= {joint.child: depth[joint.parent] + 1 for joint in ready}
            waiting = [joint for joint in waiting if joint.child not in depth]
        return max(depth, key=depth.get)


def root_of(description):
    """Return the link that no joint carries."""
    children = {joint.child for joint in description.joints}
    return next(link.name for link in description.links if link.name not in children)


def states(robot, count=3, seed=0):
    """Return `count` generic states (q, qd, qdd), none of them zero anywhere.

    Quaternions are of length one.
    """
    rng = np.random.default_rng((seed, zlib.crc32(robot.name.encode())))
    found = []
    for _ in range(count):
        q, qd, qdd = (
            rng.uniform(0.2, 1.4, n) * rng.choice((-1.0, 1.0), n)
            for n in (robot.nq, robot.nv, robot.nv)
        )
        for k in robot.model.quaternions:
            q[k : k + 4] /= np.linalg.norm(q[k : k + 4])
        found.append((q, qd, qdd))
    return found


def rotation(rng):
    """Return a random rotation matrix."""
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    Q *= np.sign(np.diag(R))
    return Q if np.linalg.det(Q) > 0.0 else -Q


def inertial(rng):
    """Return the inertia of a random cloud of point masses, so that it is one a body can have."""
    masses = rng.uniform(0.1, 1.0, 5)
    points = rng.uniform(-0.2, 0.2, (5, 3))
    com = masses @ points / masses.sum()
    arms = points - com
    second = arms.T @ (masses[:, None] * arms)
    return Inertial(
        masses.sum(),
        com + rng.uniform(-0.2, 0.2, 3),
        np.trace(second) * np.eye(3) - 0.5 * (second + second.T),
    )


def describe(
    name,
    n,
    kinds=('revolute',),
    branching=1,
    aligned=False,
    massless=(),
    rotors=False,
    welds=0.4,
    trunk=False,
):
    """Return a random description with n moving joints, and links welded on in between.

    kinds : joint types, in turn. branching : how many of the last links may be the parent of the
    next. aligned : axes are those of the frame, either way. massless : numbers of moving links
    without inertia. rotors : whether joints have rotor inertia. welds : share of links that carry
    a tool. trunk : whether the base has inertia.
    """
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    links, joints = [Link('base', inertial(rng) if trunk else None)], []
    more = {
        'helical': lambda: {'pitch': rng.normal()},
        'universal': lambda: {'second_axis': rng.normal(size=3)},
    }

    def attach(joint, type_, parent, link, has_mass=True):
        axis = rng.choice(ALIGNED) if aligned else rng.normal(size=3)
        joints.append(
            Joint(
                joint,
                type_,
                parent,
                link,
                Placement(rotation(rng), rng.uniform(-0.5, 0.5, 3)),
                axis,
                damping=rng.uniform(0.1, 1.0),
                friction=rng.uniform(0.1, 1.0),
                rotor_inertia=rng.uniform(0.01, 0.3) if rotors else 0.0,
                **more.get(type_, dict)(),
            )
        )
        links.append(Link(link, inertial(rng) if has_mass else None))

    for k in range(1, n + 1):
        parent = str(rng.choice([link.name for link in links[-branching:]]))
        attach(f'joint{k}', kinds[k % len(kinds)], parent, f'link{k}', k not in massless)
        if k not in massless and rng.uniform() < welds:
            attach(f'weld{k}', 'fixed', f'link{k}', f'tool{k}')
    return RobotDescription(name, tuple(links), tuple(joints))


def case(name, n, joints=None, base=None, locked=None, **options):
    """Return the case of a random description."""
    return Case(describe(name, n, **options), joints, base, locked=locked or {})


EVERY_KIND = ('revolute', 'prismatic', 'continuous')

#: One case per way in which a robot can be unlike a plain arm.
FAMILIES = {
    each.description.name: each
    for each in (
        case('one_hinge', 1),
        case('one_slide', 1, kinds=('prismatic',)),
        case('aligned_chain', 6, aligned=True, welds=0.0),
        case('skew_chain', 7),
        case('sliding_chain', 6, kinds=('prismatic', 'revolute')),
        case('long_chain', 30),
        case('tree', 12, branching=3),
        case('wide_tree', 12, branching=30),
        case('sliding_tree', 12, kinds=EVERY_KIND, branching=4),
        case('massless_links', 7, kinds=('revolute', 'revolute', 'prismatic'), massless=(2, 4, 5)),
        case('massless_branches', 9, branching=4, massless=(1,)),
        case('rotors', 12, kinds=EVERY_KIND, branching=3, rotors=True),
        case(
            'permuted',
            8,
            kinds=EVERY_KIND,
            branching=4,
            rotors=True,
            joints=(
                'joint5',
                'joint2',
                'joint8',
                'joint1',
                'joint7',
                'joint3',
                'joint6',
                'joint4',
            ),
        ),
        case(
            'locked',
            9,
            kinds=EVERY_KIND,
            branching=4,
            joints=('joint7', 'joint1', 'joint3', 'joint9', 'joint5'),
            locked={'joint2': 0.4, 'joint4': -0.7, 'joint8': 1.9},
        ),
        case('inner_base', 9, kinds=EVERY_KIND, rotors=True, base='link2'),
    )
}

#: Every type of joint there is.
TYPES = (
    'revolute',
    'spherical',
    'helical',
    'planar',
    'prismatic',
    'universal',
    'floating',
    'cylindrical',
    'continuous',
)


def mixed(name, n, kinds=TYPES, **options):
    """Return the case of a random description whose joints all move, of these types in turn."""
    return case(
        name, n, kinds=kinds, joints=tuple(f'joint{k}' for k in range(1, n + 1)), **options
    )


#: One case per way in which joints of several degrees of freedom can meet: nq differs from nv.
MIXED = {
    each.description.name: each
    for each in (
        mixed('one_ball', 1, kinds=('spherical',), welds=0.0),
        mixed('one_free_body', 1, kinds=('floating',)),
        mixed('one_screw', 1, kinds=('helical',)),
        mixed('balls_in_a_row', 4, kinds=('spherical',)),
        mixed('mixed_chain', 9),
        mixed('mixed_tree', 12, branching=4),
        mixed('mixed_rotors', 10, branching=3, rotors=True),
        mixed('mixed_massless', 9, kinds=('spherical', 'revolute', 'helical'), massless=(2, 4)),
        case(
            'mixed_permuted',
            5,
            kinds=TYPES[1:6],
            branching=3,
            joints=('joint4', 'joint1', 'joint5', 'joint2', 'joint3'),
        ),
        Case(describe('free_base', 7, kinds=EVERY_KIND, branching=3, trunk=True), free_base=True),
    )
}
