# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Oracle 4: Angeles, Exercise 7.6, a spherical wrist whose inertias are taken about its centre."""

from math import pi

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.formulations import FORMULATIONS
from robodyn_ros.formulations.angeles import natural_orthogonal_complement as noc
from robodyn_ros.model.dh import DHRow
from robodyn_ros.model.layout import MASS, MOMENT

J, K, L = (0.05, 0.04, 0.03), (0.02, 0.015, 0.01), (0.006, 0.004, 0.003)
A, G = 0.12, 9.81
Q, QD, QDD = np.array([0.3, 0.8, -0.5]), np.array([1, -2, 0.7]), np.array([0.5, 0.25, -1])
EXACT = [form for form in FORMULATIONS if form.torque and form.scope != 'planar']


def wrist(s=1):
    """Twists of 90 and s 90 degrees; no figure is left, so these are assumed."""
    rows = [
        DHRow(alpha=alpha, inertia=np.diag(inertia))
        for alpha, inertia in ((pi / 2, J), (s * pi / 2, K), (0, L))
    ]
    robot = Robot.from_dh(rows, convention='standard', gravity=(0, 0, -G), name='example 7.6')
    # The example's hand has its mass outside its inertia about O: no body would pass for it.
    constants = robot.model.constants.copy()
    constants[3, MASS], constants[3, MOMENT + 2] = 1.0, A
    return Robot(robot.model.with_constants(constants))


def closed_form(s, q, d):
    """(D, C qd, G) of Example 7.6, derived for s = +-1."""
    (_, s5, s6), (_, c5, c6), (d4, d5, d6) = np.sin(q), np.cos(q), d
    around = L[0] * c6**2 + L[1] * s6**2
    D44 = J[1] + K[0] * s5**2 + K[2] * c5**2 + s5**2 * around + L[2] * c5**2
    D45, D46 = s * (L[0] - L[1]) * s5 * s6 * c6, -s * L[2] * c5
    D = [[D44, D45, D46], [D45, K[1] + L[0] * s6**2 + L[1] * c6**2, 0], [D46, 0, L[2]]]
    E, k, two = K[0] - K[2] - L[2] + around, L[0] - L[1], c6**2 - s6**2
    h = [
        2 * s5 * c5 * E * d4 * d5
        - 2 * s5**2 * k * s6 * c6 * d4 * d6
        + s * (k * (c5 * s6 * c6 * d5**2 + s5 * two * d5 * d6) + L[2] * s5 * d5 * d6),
        -s5 * c5 * E * d4**2
        + 2 * k * s6 * c6 * d5 * d6
        + s * (k * s5 * two - L[2] * s5) * d4 * d6,
        s5**2 * k * s6 * c6 * d4**2
        - k * s6 * c6 * d5**2
        + s * (L[2] * s5 - k * s5 * two) * d4 * d5,
    ]
    return np.array(D), np.array(h), np.array([0, s * G * A * s5, 0])


@pytest.mark.parametrize('s', [1, -1])
def test_wrist_matches_its_closed_form(s):
    robot = wrist(s)
    D, h, g = closed_form(s, Q, QD)
    np.testing.assert_allclose(noc.mass_matrix(robot, Q), D, atol=1e-14)
    np.testing.assert_allclose(noc.coriolis_matrix(robot, Q, QD) @ QD, h, atol=1e-14)
    np.testing.assert_allclose(noc.gravity_torque(robot, Q), g, atol=1e-14)


@pytest.mark.parametrize('form', EXACT, ids=lambda form: form.name)
def test_wrist_has_the_known_torque(form):
    np.testing.assert_allclose(
        form.torque(wrist(), Q, QD, QDD), [7.58969461e-4, 0.844159516, -3.86597684e-3], rtol=1e-7
    )


def test_wrist_closed_form_has_the_known_numbers():
    D, h, _ = closed_form(1, Q, QD)
    np.testing.assert_allclose(
        D[np.triu_indices(3)],
        [0.05945324, -0.00060363, -0.00209012, 0.0194597, 0, 0.003],
        atol=6e-9,
    )
    np.testing.assert_allclose(h, [-0.03090686, -0.00487518, 0.00017908], atol=6e-9)
