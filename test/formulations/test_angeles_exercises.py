# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Angeles: factored transfer, tables 7.1 and 7.2 by counting, Exercises 7.7, 7.10, 7.12, pairs."""

from dataclasses import replace

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.errors import ModelError, ParameterError, SingularityError
from robodyn_ros.formulations.angeles import (
    factored_transfer,
    newton_euler,
    pointing_arm,
    step_halving,
)
from robodyn_ros.formulations.angeles import natural_orthogonal_complement as noc
from robodyn_ros.formulations.complex_step import along
from robodyn_ros.formulations.count import Tally, general_arm, operations
from robodyn_ros.formulations.serial_chain import links_at
from robodyn_ros.model.dh import DHRow
from support.robots.formulation_arms import SERIAL, error, motion, random_inertial, rrp

DH = {name: SERIAL[name] for name in ('O11', 'ur_like', 'SCARA-like', 'planar')} | {'rrp': rrp}


def per_joint(function, states):
    """(M, A) that one more turning joint costs, the same from 5 to 6 and from 6 to 7."""
    counts = [operations(function, general_arm(n), *np.full((states, n), 0.7)) for n in (5, 6, 7)]
    steps = np.diff(counts, axis=0)
    np.testing.assert_array_equal(steps[0], steps[1])
    return tuple(steps[0].tolist())


def factored(robot, q):
    """Links whose Q are Transfers."""
    links = links_at(robot, q)
    return replace(links, Q=factored_transfer.transfers(links))


@pytest.mark.parametrize('name', DH)
def test_factored_transfer_is_the_product_with_q(name):
    robot = DH[name]()
    q, qd, qdd = next(motion(robot))
    links, v = links_at(robot, q), np.array([0.3, -1.1, 0.7])
    for Q, transfer in zip(links.Q, factored_transfer.transfers(links)):
        assert error(transfer @ v, Q @ v) < 1e-14 and error(transfer.T @ v, Q.T @ v) < 1e-14
    torque = factored_transfer.inverse_dynamics(robot, q, qd, qdd)
    assert error(torque, robot.inverse_dynamics(q, qd, qdd)) < 1e-12


def test_factored_transfer_takes_eight_multiplications_and_four_additions():
    tally = Tally()
    transfer = factored_transfer.Transfer(*tally.numbers([0.6, 0.8]), 0.28, 0.96)
    for each in (transfer, transfer.T):
        before = tally.multiplications, tally.additions
        each @ tally.numbers([1.0, 2.0, 3.0])
        assert (tally.multiplications - before[0], tally.additions - before[1]) == (8, 4)


def test_other_frames_than_dh_have_no_factors():
    robot = SERIAL['6R']()
    with pytest.raises(ModelError, match='standard Denavit-Hartenberg'):
        factored_transfer.inverse_dynamics(robot, *next(motion(robot)))


def test_tables_7_1_and_7_2_are_the_steps_of_the_code():
    # Table 7.1 without its row {c_i} has 74n and 56n; 8n and 10n belong to it.
    def outward(robot, q, qd, qdd):
        newton_euler.outward(factored(robot, q), qd, qdd)

    def centres(robot, q):
        links, c, delta = factored(robot, q), np.zeros(3), np.zeros(3)
        for Q, rho, beyond in zip(links.Q, links.rho, links.delta):
            c, delta = Q.T @ (c + delta) + rho, beyond

    entries = per_joint(factored, 1)
    assert entries == (4, 0)
    assert per_joint(outward, 3) == (82, 66)
    assert np.subtract(per_joint(centres, 1), entries).tolist() == [8, 10]
    assert (82 - 8, 66 - 10) == (74, 56)  # as printed
    # With table 7.2: 55n and 44n inward, 137n and 110n in all.
    assert per_joint(factored_transfer.inverse_dynamics, 3) == (137, 110)
    whole = operations(factored_transfer.inverse_dynamics, general_arm(6), *np.full((3, 6), 0.7))
    assert whole[0] < 800 and whole[1] < 646  # the first link turns about one axis


def test_coriolis_torque_spares_one_addition_a_joint():
    # Exercise 7.10: 137n and 109n.
    def coriolis(robot, q, qd):
        return factored_transfer.coriolis_torque(robot, q, qd)

    assert per_joint(coriolis, 2) == (137, 109)
    robot = DH['O11']().with_gravity((0.0, 0.0, 0.0))
    q, qd, _ = next(motion(robot))
    expected = robot.coriolis_matrix(q, qd) @ qd
    assert error(factored_transfer.coriolis_torque(robot, q, qd), expected) < 1e-12


def test_isotropic_links_spare_21_multiplications_and_18_additions():
    # Exercise 7.12, on an arm that is not isotropic and on one that is.
    rows = [
        DHRow(a=0.3, alpha=0.7, d=0.2, mass=2.0, com=(0.1, 0.2, 0.3), inertia=0.4 * np.eye(3))
        for _ in range(5)
    ]
    robot = Robot.from_dh(rows, convention='standard')
    q, qd, qdd = next(motion(robot))
    got = factored_transfer.isotropic_inverse_dynamics(robot, q, qd, qdd)
    assert error(got, robot.inverse_dynamics(q, qd, qdd)) < 1e-12
    counts = []
    for n in (5, 6, 7):
        general = general_arm(n)
        equal = Robot.from_dh([*rows, *rows][:n], convention='standard').model
        states = np.full((3, n), 0.7)
        counts.append(
            np.subtract(
                operations(factored_transfer.inverse_dynamics, general, *states),
                operations(factored_transfer.isotropic_inverse_dynamics, equal, *states),
            )
        )
    np.testing.assert_array_equal(np.diff(counts, axis=0), [[21, 18]] * 2)
    with pytest.raises(ModelError, match='expected three that are equal'):
        factored_transfer.isotropic_inverse_dynamics(general, *states)


def test_pointing_arm_of_exercise_7_7():
    # I by the energy, Idot by differentiation, and both through T^T M T.
    rng = np.random.default_rng(7)
    first, second = (
        pointing_arm.Body(each.mass, each.inertia, each.com)
        for each in (random_inertial(rng), random_inertial(rng))
    )
    rows = [
        DHRow(alpha=angle, mass=body.m, com=body.rho, inertia=body.I)
        for angle, body in ((np.pi / 2, first), (0.0, second))
    ]
    robot = Robot.from_dh(rows, convention='standard')
    q, qd = np.array([0.4, -0.9]), np.array([1.3, 0.7])
    I = pointing_arm.inertia(first, second, q[1])  # noqa: E741
    assert error(I, robot.mass_matrix(q)) < 1e-12
    assert error(0.5 * qd @ I @ qd, pointing_arm.kinetic_energy(first, second, q[1], qd)) < 1e-12
    rate = pointing_arm.inertia_rate(second, q[1], qd[1])
    stepped = along(lambda x: pointing_arm.inertia(first, second, x), q[1], qd[1])
    assert error(rate, stepped) < 1e-12
    assert error(rate, noc.mass_matrix_rate(robot, q, qd)) < 1e-12
    still = second._replace(rho=np.zeros(3))
    assert error(pointing_arm.inertia_rate(still, q[1], qd[1]), rate) > 1e-2


@pytest.mark.parametrize(
    ('pair', 'orders'), [(step_halving.two_three, (2, 3)), (step_halving.four_five, (3, 4))]
)
def test_both_schemes_of_a_pair_have_their_order(pair, orders):
    # y' = y^2 cos t from 1/2: y = 1 / (2 - sin t). One step errs by h^(order + 1).
    def f(t, y):
        return y**2 * np.cos(t)

    errors = [
        np.abs(np.array(pair(f, 0.0, np.array([0.5]), h)).ravel() - 1.0 / (2.0 - np.sin(h)))
        for h in (0.1, 0.05)
    ]
    found = np.log2(errors[0] / errors[1])
    np.testing.assert_allclose(found, np.array(orders) + 1.0, atol=0.35)


@pytest.mark.parametrize('pair', [step_halving.two_three, step_halving.four_five])
def test_steps_are_halved_until_the_pair_agrees(pair):
    def swing(t, y):
        return np.array([y[1], -9.81 * np.sin(y[0])])

    start = np.array([2.5, 0.0])
    loose, tight = (
        step_halving.simulate(swing, start, 2.0, 0.25, tolerance, pair)
        for tolerance in (1e-3, 1e-6)
    )
    assert 0 < loose.refused < tight.refused
    steps = np.diff(tight.t)
    # Each step is a half, a quarter, ... of the first, until less than that is left.
    halvings = np.log2(0.25 / steps[tight.t[:-1] <= 1.75])
    assert len(halvings) > 10
    np.testing.assert_allclose(halvings, np.round(halvings), atol=1e-9)
    assert steps.max() <= 0.25 and np.isclose(tight.t[-1], 2.0)
    energy = 0.5 * tight.y[:, 1] ** 2 - 9.81 * np.cos(tight.y[:, 0])
    assert np.ptp(energy) < 1e-3 < np.ptp(0.5 * loose.y[:, 1] ** 2 - 9.81 * np.cos(loose.y[:, 0]))


def test_pairs_give_up_where_nothing_is_smooth():
    with pytest.raises(SingularityError, match='no step down to'):
        step_halving.simulate(lambda t, y: 1e12 * np.sign(0.5 - y), [0.0], 1.0, 0.1, 1e-9)
    with pytest.raises(ParameterError, match='expected all above 0'):
        step_halving.simulate(lambda t, y: y, [0.0], 1.0, 0.1, 0.0)
