# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Random trees for the tests of Jain's chapters: robots, and hinges of every kind."""

import numpy as np

from robodyn_ros.formulations.jain import hinges as hinges
from robodyn_ros.formulations.jain.body_tree import (
    Body,
    configuration,
    coordinate_rates,
    tree_at,
    tree_of,
)
from robodyn_ros.formulations.jain.single_body import spatial_inertia
from robodyn_ros.formulations.jain.spatial_algebra import phi
from robodyn_ros.formulations.jain.tree_kinematics import Node
from support.robots.families import FAMILIES, MIXED, case, inertial, rotation, states

#: Robots of the package that the book's formulas are held to: no two alike, 3 to 20 bodies.
ROBOTS = (
    {
        name: FAMILIES[name].robot
        for name in (
            'skew_chain',
            'sliding_chain',
            'sliding_tree',
            'massless_branches',
            'rotors',
            'permuted',
            'locked',
        )
    }
    | {
        name: MIXED[name].robot
        for name in (
            'mixed_chain',
            'mixed_rotors',
            'mixed_massless',
            'mixed_permuted',
            'free_base',
        )
    }
    | {
        'chain of 3': case('chain of 3', 3).robot,
        'tree of 20': case('tree of 20', 20, kinds=('revolute', 'prismatic'), branching=5).robot,
    }
)

KINDS = (hinges.pin, hinges.prismatic, lambda axis: hinges.helical(0.13, axis), hinges.cylindrical)
FIXED = (hinges.universal, hinges.planar, hinges.spherical, hinges.free)


def unit(rng):
    """A random direction."""
    axis = rng.normal(size=3)
    return axis / np.linalg.norm(axis)


def frames(rng):
    """phi of two points with turned axes."""
    return phi(rng.normal(size=3), rotation(rng))


def path_of_a_body():
    """place(t) -> (R, o) and velocity(t) -> V (6,), in fixed axes, of a body that turns and moves.

    The velocity is that of the placement, by complex step.
    """
    rng = np.random.default_rng(3)
    axis, other = unit(rng), unit(rng)

    def place(t):
        return (
            hinges.about(axis, np.sin(t)) @ hinges.about(other, t * t),
            np.array([np.sin(2 * t), t**3, np.cos(t)]),
        )

    def velocity(t):
        R, o = place(t + 1e-30j)
        spin = np.imag(R) / 1e-30 @ np.real(R).T
        return np.concatenate(([spin[2, 1], spin[0, 2], spin[1, 0]], np.imag(o) / 1e-30))

    return place, velocity


def random_bodies(rng, parents, makers):
    """Bodies from base to tip: parents[i] < i, or -1; makers of their hinges."""
    bodies, q, v = [], 0, 0
    for i, (up, make) in enumerate(zip(parents, makers)):
        hinge = make(unit(rng)) if make in KINDS else make()
        body = inertial(rng)
        M = phi(body.com) @ spatial_inertia(body.mass, np.zeros(3), body.inertia) @ phi(body.com).T
        bodies.append(
            Body(
                f'body{i}',
                f'body{up}' if up >= 0 else None,
                rotation(rng),
                rng.uniform(-0.5, 0.5, 3),
                hinge,
                M,
                tuple(range(q, q + hinge.nq)),
                tuple(range(v, v + hinge.nv)),
                np.zeros(hinge.nv),
            )
        )
        q, v = q + hinge.nq, v + hinge.nv
    return bodies


def mixed_bodies(seed, n, roots=1):
    """Bodies of a tree, or of a forest, on hinges of every kind in turn."""
    rng = np.random.default_rng(seed)
    parents = [-1 if i < roots else int(rng.integers(max(0, i - 4), i)) for i in range(n)]
    makers = [(*KINDS, *FIXED)[(i + seed) % 8] for i in range(n)]
    return random_bodies(rng, parents, makers)


def coordinates(rng, bodies):
    """A configuration that is nowhere zero."""
    size = sum(body.hinge.nq for body in bodies)
    return rng.uniform(0.2, 1.2, size) * rng.choice((-1.0, 1.0), size)


GRAVITY = (1.3, -2.1, -9.2)
BODIES = {
    'mixed tree': mixed_bodies(1, 12),
    'mixed forest': mixed_bodies(2, 10, roots=2),
    'mixed chain': random_bodies(
        np.random.default_rng(3), range(-1, 7), (hinges.free, *KINDS, *FIXED[:3])
    ),
    'free base': random_bodies(np.random.default_rng(4), (-1, 0, 1, 0), (hinges.free, *KINDS[:3])),
    'rolling': random_bodies(
        np.random.default_rng(5),
        (-1, 0, 1),
        (lambda: hinges.rolling_ball(0.2), hinges.universal, hinges.pin),
    ),
}


def robot_tree(name):
    """The tree of a robot at a random state, and (thd, thdd, T) in the order of the tree."""
    robot = ROBOTS[name]
    (q, qd, qdd), (_, tau, _) = states(robot, 2)
    tree = tree_at(robot, q)
    return tree, tree.to_jain(qd), tree.to_jain(qdd), tree.to_jain(tau)


def mixed_tree(name):
    """A tree of hinges of every kind at a random state, and (thd, thdd, T)."""
    rng = np.random.default_rng(len(name))
    bodies = BODIES[name]
    tree = tree_of(bodies, coordinates(rng, bodies), GRAVITY)
    return tree, *(rng.uniform(0.2, 1.4, (3, tree.N)) * rng.choice((-1, 1), (3, tree.N)))


TREES = (*ROBOTS, *BODIES)


def any_tree(name):
    """robot_tree or mixed_tree."""
    return robot_tree(name) if name in ROBOTS else mixed_tree(name)


def moved(tree, thd, step):
    """The bodies of a tree at the configuration that thd leads to, to first order in step."""
    q = configuration(tree) + step * coordinate_rates(tree, thd)
    return tree_of(tree.bodies[::-1], q, -tree.g[3:])


#: Forward dynamics loses what the condition of the mass matrix is worth, 1e2 to 6e4 here.
SOLVED = 1e-11


def unlike(printed, right, share=1e-4):
    """Assert that what is printed is wrong by more than any rounding."""
    printed, right = np.asarray(printed), np.asarray(right)
    assert np.abs(printed - right).max() > share * np.abs(right).max()


def forces(tree, seed=5):
    """A force on every body."""
    return np.random.default_rng(seed).normal(size=(tree.n, 6))


def offsets(tree):
    """phi(O_k, B_k) of random body frames."""
    rng = np.random.default_rng(9)
    frames = []
    for _ in range(tree.n):
        Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        frames.append(phi(rng.normal(size=3), Q * np.sign(np.linalg.det(Q))))
    return np.array(frames)


def nodes_of(tree, seed=3):
    """Nodes on the outermost body, one of its carriers, and two drawn bodies."""
    rng = np.random.default_rng(seed)
    depth = [len(list(tree.path(k))) for k in range(tree.n)]
    tip = int(np.argmax(depth))
    bodies = [tip, list(tree.path(tip))[1], *rng.integers(0, tree.n, 2)]
    return [
        Node(int(k), np.linalg.qr(rng.normal(size=(3, 3)))[0], rng.normal(size=3)) for k in bodies
    ]
