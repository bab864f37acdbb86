# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Random flexible bodies and trees of them, for the tests of Jain's chapter 13."""

import numpy as np

from robodyn_ros.formulations.jain import hinges
from robodyn_ros.formulations.jain.flexible.flexible_tree import FlexibleBody, flexible_tree
from robodyn_ros.formulations.jain.flexible.modal_body import Interface, fixed, rigid
from robodyn_ros.formulations.jain.flexible.nodal_body import NodalBody
from robodyn_ros.formulations.jain.single_body import spatial_inertia
from robodyn_ros.formulations.jain.spatial_algebra import phi
from support.robots.families import inertial, rotation
from support.robots.jain_trees import GRAVITY, unit


def spatial(rng):
    """A random spatial inertia about a point that is not its centre of mass."""
    drawn = inertial(rng)
    shift = phi(drawn.com)
    return shift @ spatial_inertia(drawn.mass, np.zeros(3), drawn.inertia) @ shift.T


def positive(rng, n, size=1.0):
    """A random symmetric positive matrix (n, n)."""
    A = rng.normal(size=(n, n))
    return size * (A @ A.T + 0.3 * np.eye(n))


def nodal(rng, m, points=False):
    """A NodalBody of m nodes at their centres of mass; points : without moments of inertia."""
    M = [
        spatial_inertia(
            rng.uniform(0.5, 2.0),
            np.zeros(3),
            np.zeros((3, 3)) if points else positive(rng, 3, 0.1),
        )
        for _ in range(m)
    ]
    return NodalBody(rng.uniform(-0.6, 0.6, (m, 3)), np.array(M), positive(rng, 6 * m, 20.0))


def body(rng, name, parent, hinge, n, inboard, clamped=True):
    """A FlexibleBody with n modes on one with `inboard` modes."""

    def node(modes, moves=True):
        Pi = rng.normal(size=(6, modes)) * (0.6 if moves else 0.0)
        return Interface(rng.uniform(-0.5, 0.5, 3), rotation(rng), Pi)

    if n:
        modal = nodal(rng, 4).modal(rng.normal(size=(24, n)), positive(rng, n))
    else:
        modal = rigid(spatial(rng))
    return FlexibleBody(name, parent, node(inboard), hinge, node(n, not clamped), modal)


#: (name, parent, hinge, modes, clamped at its root), from base to tip.
PLANS = {
    'chain': (
        ('a', None, lambda rng: hinges.pin(unit(rng)), 3, True),
        ('b', 'a', lambda rng: hinges.prismatic(unit(rng)), 2, False),
        ('c', 'b', lambda rng: hinges.helical(0.13, unit(rng)), 0, True),
        ('d', 'c', lambda rng: hinges.pin(unit(rng)), 4, True),
    ),
    'tree': (
        ('a', None, lambda rng: hinges.pin(unit(rng)), 2, True),
        ('b', 'a', lambda rng: hinges.universal(), 3, True),
        ('c', 'a', lambda rng: hinges.pin(unit(rng)), 0, True),
        ('d', 'a', lambda rng: hinges.locked(), 2, False),
        ('e', 'd', lambda rng: hinges.prismatic(unit(rng)), 1, True),
    ),
    'free': (
        ('base', None, lambda rng: hinges.free(), 2, False),
        ('b', 'base', lambda rng: hinges.spherical(), 2, True),
        ('c', 'base', lambda rng: hinges.cylindrical(unit(rng)), 3, True),
    ),
}
#: Plans whose coordinates are their velocities' integrals.
HOLONOMIC = ('chain', 'tree')


def drawn(name, frozen=False):
    """(bodies, q, rate, acceleration, T) of a plan, in the order of its bodies, nowhere zero."""
    rng = np.random.default_rng(len(name))
    modes = {None: 0} | {one: n for one, _, _, n, _ in PLANS[name]}
    bodies = [
        body(rng, one, parent, hinge(rng), n, modes[parent], clamped or frozen)
        for one, parent, hinge, n, clamped in PLANS[name]
    ]
    if frozen:
        bodies = [
            FlexibleBody(
                each.name, each.parent, each.mount, each.hinge, each.root, each.modal.frozen()
            )
            for each in bodies
        ]
    nq = [(each.modal.n_md, each.hinge.nq) for each in bodies]
    q = np.concatenate([np.concatenate((0.1 * away(rng, n), away(rng, hinge))) for n, hinge in nq])
    N = sum(each.modal.n_md + each.hinge.nv for each in bodies)
    return bodies, q, *(away(rng, N) for _ in range(3))


def away(rng, n):
    """n random numbers that are not near zero."""
    return rng.uniform(0.3, 1.2, n) * rng.choice((-1.0, 1.0), n)


def at_state(name, frozen=False):
    """(FlexibleTree, rate, acceleration, T) in the order of the tree."""
    bodies, q, *vectors = drawn(name, frozen)
    tree = flexible_tree(bodies, q, GRAVITY)
    return tree, *(vector[tree.dofs] for vector in vectors)


def nothing(p=(0.0, 0.0, 0.0)):
    """An Interface that no mode moves, at p."""
    return fixed(np.array(p, float))
