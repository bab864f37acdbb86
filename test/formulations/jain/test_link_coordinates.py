# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Section 17.2.2 of Jain: each link of a free-flyer has a pose and a velocity of its own."""

import numpy as np
import pytest

from robodyn_ros.errors import ModelError
from robodyn_ros.formulations.jain import forward_dynamics, hinges
from robodyn_ros.formulations.jain.body_tree import configuration, coordinate_rates, tree_of
from robodyn_ros.formulations.jain.free_flying import link_coordinates
from robodyn_ros.formulations.jain.free_flying.link_coordinates import Links
from robodyn_ros.formulations.jain.spatial_algebra import bar
from robodyn_ros.formulations.jain.tree_kinematics import velocities
from support.compare import agree
from support.robots.jain_trees import GRAVITY, KINDS, coordinates, forces, random_bodies

SOLVED = 1e-10  # inverses of mass matrices of condition up to 6e4
FLYERS = {'chain': (-1, 0, 1, 2, 3, 4), 'tree': (-1, 0, 1, 1, 0, 4, 4, 6), 'one': (-1,)}
KIND = (*KINDS[:4], hinges.spherical)


@pytest.fixture(params=FLYERS)
def flyer(request):
    """(bodies, tree, thd, T) of a free-flyer on pins, slides, screws, cylinders and balls."""
    rng = np.random.default_rng(12)
    parents = FLYERS[request.param]
    makers = (hinges.free, *(KIND[i % len(KIND)] for i in range(len(parents) - 1)))
    bodies = random_bodies(rng, parents, makers)
    tree = tree_of(bodies, coordinates(rng, bodies), GRAVITY)
    return bodies, tree, rng.normal(size=tree.N), 5.0 * rng.normal(size=tree.N)


def test_accelerations_of_the_links_are_those_of_the_articulated_sweeps(flyer):
    """Algorithm 17.4 against algorithm 9.5, every link, with forces on all of them."""
    bodies, tree, thd, T = flyer
    links = link_coordinates.links_of(tree, velocities(tree, thd))
    push = forces(tree)
    for gravity in (True, False):
        found = link_coordinates.accelerations(tree, links, T, push, gravity)
        expected = forward_dynamics.articulated_body(tree, thd, T, push, gravity)[1]
        agree(found, expected, tolerance=SOLVED)


def test_hinge_coordinates_play_no_part(flyer):
    """The same links give the same accelerations, whatever coordinates the tree was made at."""
    bodies, tree, thd, T = flyer
    links = link_coordinates.links_of(tree, velocities(tree, thd))
    elsewhere = tree_of(bodies, coordinates(np.random.default_rng(1), bodies), GRAVITY)
    agree(
        link_coordinates.accelerations(elsewhere, links, T),
        link_coordinates.accelerations(tree, links, T),
        tolerance=1e-15,
    )


def test_links_that_integrate_alone_move_as_one_and_drift_by_their_scheme(flyer):
    """Runge-Kutta of both kinds of coordinates; difference and drift go with the step's 4th power.

    Removal of the drift leaves rounding, and moves no link by more than all hinges were off.
    """
    bodies, tree, thd, T = flyer
    links = link_coordinates.links_of(tree, velocities(tree, thd))
    T, q = 0.2 * T, configuration(tree)
    ends, drifts = [], []
    for steps in (40, 80):
        dt, state = 0.2 / steps, links
        for _ in range(steps):
            state = _runge_kutta(lambda links: _rates(tree, links, T), state, dt)
        ends.append(state)
        drifts.append(np.abs(link_coordinates.drift(tree, state)[0]).max())
    moved = _hinges_moved(bodies, q, thd, T, 0.2, 160)
    for once, twice, exact in zip(*ends, moved):
        error = np.abs(twice - exact).max()
        assert 1e-12 < error < np.abs(once - exact).max() / 10.0 < 1e-4
    if tree.n == 1:
        assert drifts == [0.0, 0.0]
        return
    assert 1e-12 < drifts[1] < drifts[0] / 10.0
    again = link_coordinates.closed(tree, ends[1])
    for left in link_coordinates.drift(tree, again):
        agree(left, np.zeros_like(left), 1.0, tolerance=1e-13)
    assert np.abs(again.p - ends[1].p).max() < 20.0 * drifts[1]


def test_momentum_of_links_that_drift_stays(flyer):
    """Without gravity and torques: the sum of the momenta about the inertial origin."""
    _, tree, thd, _ = flyer
    state = link_coordinates.links_of(tree, velocities(tree, thd))
    before = _momentum(tree, state)
    for _ in range(100):
        state = _runge_kutta(
            lambda links: _rates(tree, links, np.zeros(tree.N), gravity=False), state, 2e-3
        )
    agree(_momentum(tree, state), before, tolerance=1e-7)


def test_a_hinge_whose_map_turns_is_refused():
    rng = np.random.default_rng(3)
    bodies = random_bodies(rng, (-1, 0), (hinges.free, hinges.universal))
    tree = tree_of(bodies, coordinates(rng, bodies), GRAVITY)
    links = link_coordinates.links_of(tree, velocities(tree, rng.normal(size=tree.N)))
    with pytest.raises(ModelError, match="of kind 'universal'; expected one whose map"):
        link_coordinates.accelerations(tree, links, np.zeros(tree.N))


def _rates(tree, links, T, gravity=True):
    """Step 4 of algorithm 17.4."""
    turns = np.array([R @ -bar(v)[:3, :3].T for R, v in zip(links.R, links.V)])
    ways = np.array([R @ v[3:] for R, v in zip(links.R, links.V)])
    return Links(turns, ways, link_coordinates.accelerations(tree, links, T, gravity=gravity))


def _runge_kutta(rates, state, dt):
    def along(*slopes):
        return Links(*(x + sum(w * s[i] for w, s in slopes) for i, x in enumerate(state)))

    first = rates(state)
    second = rates(along((0.5 * dt, first)))
    third = rates(along((0.5 * dt, second)))
    fourth = rates(along((dt, third)))
    return along(
        *((dt * w / 6.0, s) for w, s in zip((1, 2, 2, 1), (first, second, third, fourth)))
    )


def _hinges_moved(bodies, q, thd, T, duration, steps):
    """Return the Links after motion in hinge coordinates, the base's torque as a wrench."""

    def rates(x):
        tree = tree_of(bodies, x[: len(q)], GRAVITY)
        thdd = forward_dynamics.articulated_body(tree, x[len(q) :], T)[0]
        return np.concatenate((coordinate_rates(tree, x[len(q) :]), thdd))

    x, dt = np.concatenate((q, thd)), duration / steps
    for _ in range(steps):
        first = rates(x)
        second = rates(x + 0.5 * dt * first)
        third = rates(x + 0.5 * dt * second)
        fourth = rates(x + dt * third)
        x = x + dt / 6.0 * (first + 2.0 * second + 2.0 * third + fourth)
    tree = tree_of(bodies, x[: len(q)], GRAVITY)
    return link_coordinates.links_of(tree, velocities(tree, x[len(q) :]))


def _momentum(tree, links):
    """Total momentum (6,) about the inertial origin, in its axes."""
    total = np.zeros(6)
    for M, R, p, v in zip(tree.M, links.R, links.p, links.V):
        turn, push = np.split(M @ v, 2)
        total += np.concatenate((R @ turn + np.cross(p, R @ push), R @ push))
    return total
