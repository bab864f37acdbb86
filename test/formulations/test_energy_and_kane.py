# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Angeles, sections 7.3.2 and 7.3.3: Euler-Lagrange by momentum, and Kane's equations."""

import numpy as np
import pytest

from robodyn_ros.formulations.angeles import euler_lagrange, kane
from robodyn_ros.formulations.angeles.natural_orthogonal_complement import mass_matrix_rate
from robodyn_ros.formulations.complex_step import along, gradient
from support.robots.formulation_arms import ALL, error, motion, planar

TORQUE_1 = [31.062090910823, 8.7895134804576, 1.2427668504447]


@pytest.mark.parametrize('form', [euler_lagrange, kane])
@pytest.mark.parametrize('name', ALL)
def test_torque_and_inertia_are_those_of_the_package(name, form):
    robot = ALL[name]()
    for q, qd, qdd in motion(robot, count=2):
        assert error(form.mass_matrix(robot, q), robot.mass_matrix(q)) < 1e-10
        assert (
            error(form.inverse_dynamics(robot, q, qd, qdd), robot.inverse_dynamics(q, qd, qdd))
            < 1e-10
        )


@pytest.mark.parametrize('form', [euler_lagrange, kane])
def test_planar_arm_has_the_torques_of_example_7_3_1(form):
    robot = planar((0.5, 0.4, 0.3), (3, 2, 1), (0.25, 0.2, 0.15), (1 / 16, 2 / 75, 3 / 400))
    np.testing.assert_allclose(
        form.inverse_dynamics(
            robot,
            np.array([0.3, -0.7, 1.1]),
            np.array([0.5, -0.2, 0.9]),
            np.array([1, -0.5, 0.25]),
        ),
        TORQUE_1,
        rtol=1e-12,
    )


def test_planar_arm_has_the_known_energies():
    robot = planar((0.5, 0.4, 0.3), (3, 2, 1), (0.25, 0.2, 0.15), (1 / 16, 2 / 75, 3 / 400))
    q, qd = np.array([0.3, -0.7, 1.1]), np.array([0.5, -0.2, 0.9])
    np.testing.assert_allclose(euler_lagrange.kinetic_energy(robot, q, qd), 0.25573595218999)
    np.testing.assert_allclose(euler_lagrange.potential_energy(robot, q), 4.4146809378644)


@pytest.mark.parametrize('name', ['6R', 'Stanford-like', 'tree'])
def test_momentum_identities_of_lagrange_hold(name):
    # Example 7.2: d(I qd)/dq qd = Idot qd; (7.19f): dT/dq = 1/2 [d(I qd)/dq]^T qd.
    robot = ALL[name]()
    for q, qd, _ in motion(robot):
        slope = gradient(lambda x: euler_lagrange.momentum(robot, x, qd), q)
        rate = along(lambda x: euler_lagrange.momentum(robot, x, qd), q, qd)
        np.testing.assert_allclose(slope @ qd, rate, atol=1e-10)
        np.testing.assert_allclose(
            slope.T @ qd / 2,
            gradient(lambda x: euler_lagrange.kinetic_energy(robot, x, qd), q),
            atol=1e-10,
        )
        printed = gradient(lambda x: mass_matrix_rate(robot, x, qd) @ qd, q)
        assert error(printed.T @ qd / 2, slope.T @ qd / 2) > 1e-2


def test_dissipation_function_adds_its_friction():
    # Angeles (7.127 to 7.132): Delta = 1/2 qd B qd gives the torque B qd against friction.
    robot = ALL['SCARA-like']()
    beta = np.array([0.3, 0.2, 5.0, 0.1])
    q, qd, qdd = next(motion(robot))
    lossy = euler_lagrange.inverse_dynamics(robot, q, qd, qdd, lambda v: (beta * v * v).sum() / 2)
    np.testing.assert_allclose(
        lossy - euler_lagrange.inverse_dynamics(robot, q, qd, qdd), beta * qd, atol=1e-12
    )
