# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Damping in velocities in which the mass matrix is 1, against operators and its own law."""

from dataclasses import replace

import numpy as np
import pytest

from robodyn_ros.errors import ShapeError, SingularityError
from robodyn_ros.formulations.jain.articulated_bodies import articulated
from robodyn_ros.formulations.jain.body_tree import tree_at
from robodyn_ros.formulations.jain.diagonalised import coordinate_maps, decoupled_control
from robodyn_ros.model import build
from robodyn_ros.robot.robot import Robot
from support.compare import agree
from support.robots.closed_loops import MECHANISMS
from support.robots.families import FAMILIES, GRAVITY, MIXED, case, describe, states

SCREWS = case('screws', 7, kinds=('helical', 'revolute', 'prismatic'), branching=3, rotors=True)


def with_followers():
    """Return a tree with rotors, two of whose joints follow others."""
    ways = {'joint5': ('joint4', -1.3, 0.1), 'joint7': ('joint2', 0.5, 0.2)}
    described = describe('followers of two', 8, kinds=('revolute', 'prismatic'), rotors=True)
    joints = tuple(
        replace(
            each,
            mimic=ways[each.name][0],
            multiplier=ways[each.name][1],
            offset=ways[each.name][2],
        )
        if each.name in ways
        else each
        for each in described.joints
    )
    return Robot(build.build(replace(described, joints=joints), gravity=GRAVITY))


TREES = {name: each.robot for name, each in FAMILIES.items()} | {'screws': SCREWS.robot}


@pytest.mark.parametrize('name', TREES)
def test_recursion_is_that_of_the_operators(name):
    """Jain, algorithms 18.1 and 19.2, and lemma 19.10, with and without C(q, eta)."""
    robot = TREES[name]
    for q, qd, _ in states(robot):
        rates = np.linspace(0.5, 3.0, robot.nv)
        tree = tree_at(robot, q)
        art = articulated(tree)
        moving = coordinate_maps.velocities_of_rates(tree, art, tree.to_jain(qd))
        damping, both = (
            tree.to_ours(
                decoupled_control.damping_torque(tree, art, moving, tree.to_jain(rates), each)
            )
            for each in (False, True)
        )
        found = robot.variants.damping_torques(q, qd, rates)
        agree(found[0], damping)
        agree(found[1], both - damping, np.abs(both).max())


def eta(robot, q, qd):
    """m^T qd, by the factors of the package: M = L D L^T."""
    found = robot.mass_operator.factors(q)
    return np.sqrt(found.D) * (found.L.T @ qd)


def near(robot, name):
    """Return a state (q, qd): random, and for a closed loop near where it closes."""
    rng = np.random.default_rng(5)
    if name in MECHANISMS:
        return robot.model.closed_posture + rng.uniform(-0.15, 0.15, robot.nv), rng.normal(
            size=robot.nv
        )
    return states(robot, 1)[0][:2]


@pytest.mark.parametrize('name', ['sliding_tree', 'rotors', 'followers', *MECHANISMS])
def test_every_diagonal_velocity_decays_at_its_own_rate(name):
    """Where both torques and the weight act, d(eta)/dt = -rates eta; the second does no work.

    d(eta)/dt by differences of fourth order over 2 ms: 1e-8 of what it is made of.
    """
    robot = (
        with_followers()
        if name == 'followers'
        else MECHANISMS[name].robot()
        if name in MECHANISMS
        else TREES[name]
    )
    q, qd = near(robot, name)
    rates = np.linspace(0.5, 3.0, robot.nv)
    damping, coriolis = robot.variants.damping_torques(q, qd, rates)
    qdd = robot.forward_dynamics(q, qd, robot.gravity_torque(q) + damping + coriolis)

    def at(t):
        return eta(robot, q + t * qd + 0.5 * t * t * qdd, qd + t * qdd)

    h = 1e-3
    found = (8.0 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12.0 * h)
    still = (8.0 * (eta(robot, q + h * qd, qd) - eta(robot, q - h * qd, qd))) / (12.0 * h)
    size = np.abs(still).max() + np.abs(rates * at(0.0)).max()
    agree(found, -rates * at(0.0), size, 1e-8)
    agree(qd @ damping, -at(0.0) @ (rates * at(0.0)), np.abs(damping).max() * np.abs(qd).max())
    agree(qd @ coriolis, 0.0, np.abs(coriolis).max() * np.abs(qd).max() + 1e-12)
    if robot.nv > 1:
        assert np.abs(coriolis).max() > 1e-3 * np.abs(damping).max()


def test_a_batch_is_its_rows_one_by_one():
    robot = FAMILIES['permuted'].robot
    q, qd, rates = (np.array(rows) for rows in zip(*states(robot, 4)))
    together = robot.variants.damping_torques(q, qd, np.abs(rates))
    for k in range(4):
        alone = robot.variants.damping_torques(q[k], qd[k], np.abs(rates[k]))
        for mine, theirs in zip(together, alone):
            agree(mine[k], theirs, tolerance=1e-14)


def test_quaternions_and_singular_pivots_are_refused():
    """A ball has no square root of its own, and a body without inertia no damping."""
    x = np.full(3, 0.3)
    with pytest.raises(ShapeError, match='as many, for damping torques'):
        MIXED['one_ball'].robot.variants.damping_torques(np.array([0.0, 0.0, 0.6, 0.8]), x, x)
    model = FAMILIES['skew_chain'].robot.model
    constants = model.constants.copy()
    constants[-1, 12:23] = 0.0
    x = np.full(7, 0.3)
    with pytest.raises(SingularityError, match='link7'):
        Robot(model.with_constants(constants)).variants.damping_torques(x, x, x)
