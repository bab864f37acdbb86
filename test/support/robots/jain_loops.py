# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closed chains for the tests of Jain's chapters 11 to 15: they close where they are drawn."""

from typing import NamedTuple

import numpy as np

from robodyn_ros.formulations.jain import hinges as hinges
from robodyn_ros.formulations.jain.body_tree import Body, tree_of
from robodyn_ros.formulations.jain.constraints.loop_constraints import (
    BALL,
    PLANAR_PIN,
    WELD,
    Loop,
    constraint_jacobian,
)
from robodyn_ros.formulations.jain.constraints.projected import dependent_first, null_space
from robodyn_ros.formulations.jain.single_body import spatial_inertia
from robodyn_ros.formulations.jain.spatial_algebra import phi
from robodyn_ros.formulations.jain.tree_kinematics import Node, poses
from support.robots.families import inertial, rotation
from support.robots.jain_trees import GRAVITY, coordinates, unit


class Closed(NamedTuple):
    """Bodies from base to tip, a configuration that closes the loops, and the loops."""

    bodies: tuple
    q: np.ndarray
    loops: tuple

    def tree(self, q=None):
        """The spanning tree, at the closed configuration by default."""
        return tree_of(self.bodies, self.q if q is None else q, GRAVITY)


def body(rng, name, parent, hinge, first, turned=None, placed=None, rotor=0.0):
    """A Body with a random inertia; first : its first row in q and qd, of one row each."""
    inertia = inertial(rng)
    shift = phi(inertia.com)
    return Body(
        name,
        parent,
        rotation(rng) if turned is None else turned,
        rng.uniform(-0.5, 0.5, 3) if placed is None else placed,
        hinge,
        shift @ spatial_inertia(inertia.mass, np.zeros(3), inertia.inertia) @ shift.T,
        tuple(range(first, first + hinge.nq)),
        tuple(range(first, first + hinge.nv)),
        np.full(hinge.nv, rotor),
    )


def grown(rng, plan, rotor=0.0):
    """Bodies of a plan of (name, parent, kind); 'flat' turns about z in the parent's plane."""
    bodies, first = [], 0
    for name, parent, kind in plan:
        flat = kind == 'flat'
        hinge = hinges.pin() if flat else kind(unit(rng)) if kind in AXES else kind()
        turned = hinges.about(hinges.Z, rng.uniform(-1.0, 1.0)) if flat else None
        placed = np.array([*rng.uniform(0.2, 0.6, 2), 0.0]) if flat else None
        bodies.append(body(rng, name, parent, hinge, first, turned, placed, rotor))
        first += hinge.nv
    return tuple(bodies)


AXES = (hinges.pin, hinges.prismatic, hinges.cylindrical)


def meeting(tree, x, k):
    """The Node on body k that stands where node x does, with its axes."""
    T = poses(tree)
    pose_x = T[x.body] @ np.block([[x.R, x.p[:, None]], [np.zeros(3), np.ones(1)]])
    found = np.linalg.solve(T[k], pose_x)
    return Node(k, found[:3, :3], found[:3, 3])


def closed(seed, plan, cuts, rotor=0.0):
    """The Closed of a plan: cuts of (body of x, body of y, Qrel, whether x lies in the plane)."""
    rng = np.random.default_rng(seed)
    bodies = grown(rng, plan, rotor)
    q = coordinates(rng, bodies)
    tree = tree_of(bodies, q, GRAVITY)
    loops = []
    for one, other, Q, flat in cuts:
        R = hinges.about(hinges.Z, rng.uniform(-1.0, 1.0)) if flat else rotation(rng)
        p = np.array([*rng.uniform(0.2, 0.6, 2), 0.0]) if flat else rng.uniform(-0.5, 0.5, 3)
        x = Node(tree.names.index(one), R, p)
        loops.append(Loop(x, meeting(tree, x, tree.names.index(other)), Q))
    return Closed(bodies, q, tuple(loops))


TURN, SLIDE = hinges.pin, hinges.prismatic
#: A four-bar on body p of a tree that goes on with c and c2, and with a branch d beside.
AROUND = (('p', None, TURN), ('p2', 'p', hinges.universal))
BEYOND = (('c', 'k', TURN), ('c2', 'c', SLIDE), ('d', 'p', TURN))
SYSTEMS = {
    'four-bar, terminal cut': closed(
        1,
        (*AROUND, ('j', 'p2', 'flat'), ('k', 'j', 'flat'), ('l', 'k', 'flat'), *BEYOND),
        [('l', 'p2', PLANAR_PIN, True)],
    ),
    'four-bar, internal cut': closed(
        2,
        (*AROUND, ('l', 'p2', 'flat'), ('j', 'p2', 'flat'), ('k', 'j', 'flat'), *BEYOND),
        [('k', 'l', PLANAR_PIN, True)],
    ),
    'five-bar': closed(
        3,
        (
            ('a1', None, 'flat'),
            ('a2', 'a1', 'flat'),
            ('b1', None, 'flat'),
            ('b2', 'b1', 'flat'),
            ('c', 'a2', TURN),
        ),
        [('a2', 'b2', PLANAR_PIN, True)],
        rotor=0.2,
    ),
    'two arms with a bar': closed(
        4,
        (
            ('torso', None, hinges.universal),
            *((f'l{i}', f'l{i - 1}' if i else 'torso', TURN) for i in range(7)),
            *((f'r{i}', f'r{i - 1}' if i else 'torso', TURN) for i in range(7)),
            ('bar', 'l6', SLIDE),
        ),
        [('bar', 'r6', WELD, False)],
    ),
    'two loops': closed(
        5,
        (
            ('p', None, hinges.universal),
            ('j', 'p', 'flat'),
            ('k', 'j', 'flat'),
            ('l', 'k', 'flat'),
            ('c', 'j', TURN),
            ('a', 'c', 'flat'),
            ('b', 'a', 'flat'),
            ('e', 'c', 'flat'),
            ('tip', 'b', TURN),
        ),
        [('l', 'p', PLANAR_PIN, True), ('b', 'e', PLANAR_PIN, True)],
    ),
    'loops that share a body': closed(
        6,
        (
            ('p', None, TURN),
            ('a', 'p', TURN),
            ('b', 'a', hinges.universal),
            ('b2', 'b', TURN),
            ('c', 'p', hinges.universal),
            ('c2', 'c', TURN),
            ('e', 'p', hinges.universal),
            ('e2', 'e', TURN),
            ('tip', 'b2', SLIDE),
        ),
        [('b2', 'c2', BALL, False), ('b2', 'e2', BALL, False)],
    ),
}


def at_state(name):
    """(Closed, tree, thd that keeps the loops closed, T) at random, nowhere zero."""
    system = SYSTEMS[name]
    tree, rng = system.tree(), np.random.default_rng(len(name))
    G = constraint_jacobian(tree, system.loops)
    dependent, independent = dependent_first(G)
    X = null_space(G, dependent, independent)
    signs = rng.choice((-1.0, 1.0), (2, tree.N))
    free, T = rng.uniform(0.3, 1.3, (2, tree.N)) * signs
    return system, tree, X @ free[: len(independent)], T
