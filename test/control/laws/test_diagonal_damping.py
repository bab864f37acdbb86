# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The law of decoupled damping: its terms, its power, and how each diagonal velocity decays."""

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.control import TERMS, State, Supervisor
from robodyn_ros.control.laws.diagonal_damping import DiagonalDamping
from robodyn_ros.formulations.simulate import turney
from robodyn_ros.model.layout import DAMPING, FRICTION
from robodyn_ros.simulation import Plant, PlantSettings
from support.supervised import FRANKA, PERIOD, TWO_LINK, by_robot, lagging, settings_for

FEEDBACK, CORIOLIS, GRAVITY = (TERMS.index(name) for name in ('feedback', 'coriolis', 'gravity'))


def terms_of(law, q, qd, rates):
    """Return the terms of the law, (6, nv)."""
    terms = np.zeros((len(TERMS), law.robot.nv))
    gains = np.array([np.full(law.robot.nv, 1e9), rates])  # a position gain means nothing
    assert law.torques(q, qd, np.full((3, law.robot.nv), np.nan), gains, terms) == 0
    return terms


def eta(robot, q, qd):
    """Return m^T qd of the triangular factor m of the mass matrix, tips first: Cholesky's."""
    tips_first = robot.model.elimination_order[::-1]
    m = np.linalg.cholesky(robot.mass_matrix(q)[np.ix_(tips_first, tips_first)])
    found = np.empty(robot.nv)
    found[tips_first] = m.T @ qd[tips_first]
    return found


@by_robot
def test_damping_is_that_of_choleskys_factor(robot):
    """-m Kd m^T qd and g; with one rate for all joints the first is -Kd M qd."""
    q, qd, _, gains = lagging(robot)
    terms = terms_of(DiagonalDamping(robot), q, qd, gains[1])
    tips_first = robot.model.elimination_order[::-1]
    m = np.linalg.cholesky(robot.mass_matrix(q)[np.ix_(tips_first, tips_first)])
    expected = -m @ (gains[1][tips_first] * (m.T @ qd[tips_first]))
    assert np.allclose(terms[FEEDBACK][tips_first], expected, rtol=1e-11, atol=1e-11)
    assert np.array_equal(terms[GRAVITY], robot.gravity_torque(q))
    assert not np.delete(terms, (FEEDBACK, CORIOLIS, GRAVITY), axis=0).any()
    equal = terms_of(DiagonalDamping(robot), q, qd, np.full(robot.nv, 3.0))
    assert np.allclose(equal[FEEDBACK], -3.0 * robot.mass_matrix(q) @ qd, rtol=1e-11, atol=1e-11)


@by_robot
def test_power_is_always_negative(robot):
    """qd . (feedback + coriolis) = -eta . Kd eta, of which the Coriolis term has no share."""
    law, rng = DiagonalDamping(robot), np.random.default_rng(8)
    for _ in range(50):
        q, qd = rng.uniform(-2.0, 2.0, (2, robot.nv))
        rates = rng.uniform(0.1, 30.0, robot.nv)
        terms = terms_of(law, q, qd, rates)
        lost = eta(robot, q, qd) @ (rates * eta(robot, q, qd))
        size = np.abs(terms[[FEEDBACK, CORIOLIS]]).max() * np.abs(qd).sum()
        assert abs(qd @ terms[CORIOLIS]) <= 1e-13 * size
        assert abs(qd @ terms[FEEDBACK] + lost) <= 1e-12 * size
        assert qd @ (terms[FEEDBACK] + terms[CORIOLIS]) < 0.0


@pytest.mark.parametrize('weight', [(0.0, 0.0, 0.0), (0.0, 0.0, -9.81)])
@pytest.mark.parametrize('robot', [TWO_LINK, FRANKA], ids=lambda robot: robot.name)
def test_every_diagonal_velocity_decays_by_itself(robot, weight):
    """eta_i(t) = eta_i(0) exp(-Kd_i t), with and without weight, to what 2 ms steps leave.

    Without the Coriolis term |eta| alone decays so, for one rate for all joints.
    """
    robot = robot.with_gravity(weight)
    law, rates = DiagonalDamping(robot), np.linspace(1.0, 6.0, robot.nv)
    q, qd = lagging(robot)[:2]

    def moved(rates, without=()):
        def acceleration(t, q, qd):
            tau = np.delete(terms_of(law, q, qd, rates), without, axis=0).sum(axis=0)
            return robot.forward_dynamics(q, qd, tau)

        return eta(robot, *turney(acceleration, q, qd, 2e-3, 150))

    start = eta(robot, q, qd)
    size = np.abs(start).max()
    assert np.abs(moved(rates) - np.exp(-0.3 * rates) * start).max() <= 1e-8 * size
    equal = moved(np.full(robot.nv, 2.0), without=CORIOLIS)
    assert abs(np.linalg.norm(equal) - np.exp(-0.6) * np.linalg.norm(start)) <= 1e-8 * size
    assert np.abs(equal - np.exp(-0.6) * start).max() > 1e-3 * size


def test_supervised_arm_comes_to_rest_where_it_is():
    """At 1 kHz, on a plant without friction: the same decay, to a share of rate times period."""
    constants = TWO_LINK.model.constants.copy()
    constants[:, [DAMPING, FRICTION]] = 0.0
    robot = Robot(TWO_LINK.model.with_constants(constants))
    rates = np.array([5.0, 15.0])
    settings = settings_for(robot, gains=np.array([[0.0, 0.0], rates]), effort_rate=[1e6] * 2)
    supervisor = Supervisor(robot, DiagonalDamping(robot), settings)
    plant = Plant(robot, PlantSettings(no_command='free'), [0.3, -0.5], [0.8, -1.1])
    start = eta(robot, plant.q, plant.qd)
    supervisor.measure(plant.q, plant.qd, 0.0)
    assert supervisor.activate(0.0) == ''
    for k in range(1, 202):
        now = k * PERIOD
        supervisor.measure(plant.q, plant.qd, now)
        assert supervisor.tick(now) is State.ACTIVE
        plant.step(supervisor.command, PERIOD)
    found, decayed = eta(robot, plant.q, plant.qd), np.exp(-0.201 * rates)
    # A torque held for a period acts half a period late, on rates of up to 15/s.
    assert np.abs(found - decayed * start).max() < 0.02 * np.abs(start).max()
    assert np.abs(decayed[0] - decayed[1]) > 0.2
