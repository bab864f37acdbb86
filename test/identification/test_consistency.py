# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Possible bodies: what is possible, and that the nearest of them is found."""

import numpy as np
import pytest

from robodyn_ros.errors import SingularityError
from robodyn_ros.identification import (
    Estimate,
    Parameters,
    base_parameters,
    consistent,
    is_possible,
)
from robodyn_ros.identification.consistency import pseudo_inertia, ten_parameters
from robodyn_ros.model.extended.joint_friction import JointFriction
from robodyn_ros.robot.robot import Robot
from robodyn_ros.simulation import Perturbation, perturbed
from support.robots.families import FAMILIES


def estimate(values, scale):
    """Return an Estimate of those values with standard deviations `scale`."""
    deviations = np.broadcast_to(scale, values.shape)
    return Estimate(values, deviations, 1.0, 1.0, np.ones(1), np.diag(1.0 / deviations))


@pytest.fixture
def case(franka):
    """Return (parameters, base, truth (b,), standard deviations (b,)) of another arm."""
    parameters = Parameters(franka)
    base = base_parameters(parameters)
    other = Robot(perturbed(franka.model, Perturbation(mass=0.2, com=0.01, friction=0.3, seed=2)))
    truth = base.combination @ Parameters(other).nominal
    return parameters, base, truth, 0.01 * np.abs(truth) + 1e-3


def all_possible(parameters, theta):
    """Return whether every body is, and every constant of a joint."""
    ten = theta[: 10 * parameters.bodies].reshape(-1, 10)
    return all(is_possible(row) for row in ten) and (theta[10 * parameters.bodies :] > 0.0).all()


def test_pseudo_inertia_of_a_cloud(rng):
    """P is the second moment of (r, 1) over the masses, and turns back into the ten numbers."""
    masses, points = rng.uniform(0.1, 1.0, 6), rng.normal(size=(6, 3))
    h, second = masses @ points, points.T @ (masses[:, None] * points)
    inertia = np.trace(second) * np.eye(3) - second
    theta = np.array([masses.sum(), *h, *inertia[np.triu_indices(3)]])
    expected = np.block([[second, h[:, None]], [h[None], np.array([[masses.sum()]])]])
    np.testing.assert_allclose(pseudo_inertia(theta), expected, rtol=1e-12)
    np.testing.assert_allclose(ten_parameters(expected), theta, rtol=1e-12)
    assert is_possible(theta)


@pytest.mark.parametrize(
    'ten',
    [
        (-1.0, 0, 0, 0, 0.1, 0, 0, 0.1, 0, 0.1),  # negative mass
        (1.0, 0, 0, 0, 0.1, 0, 0, 0.1, 0, 0.3),  # triangle inequality
        (1.0, 0.5, 0, 0, 0.1, 0, 0, 0.1, 0, 0.1),  # centre of mass too far for the inertia
        (1.0, 0, 0, 0, 0.1, 0.2, 0, 0.1, 0, 0.1),
    ],
)  # a negative principal moment
def test_impossible_bodies_are_recognised(ten):
    """No such body exists."""
    assert not is_possible(np.array(ten))


def test_possible_estimates_are_kept(case):
    """The shift of a possible estimate is proportional to trust, and vanishes with it."""
    parameters, base, truth, deviations = case
    shifts = []
    for trust in (1e-3, 1e-4, 1e-5):
        found = consistent(parameters, base, estimate(truth, deviations), trust)
        assert all_possible(parameters, found.theta)
        np.testing.assert_allclose(base.combination @ found.theta, found.values, rtol=1e-12)
        shifts.append(np.abs(found.shift).max())
    assert shifts[0] < 0.1
    np.testing.assert_allclose(np.array(shifts[1:]) / shifts[:-1], 0.1, rtol=0.1)


def test_impossible_estimates_become_possible(case, rng):
    """Tens of standard deviations away, with negative frictions too, the answer is possible."""
    parameters, base, truth, deviations = case
    for size in (3.0, 30.0):
        wrong = truth + size * deviations * rng.normal(size=len(truth))
        found = consistent(parameters, base, estimate(wrong, deviations))
        assert all_possible(parameters, found.theta)
        parameters.applied(found.theta)  # the model takes them


def test_hopeless_estimates_are_refused(case, rng):
    """Hundreds of standard deviations away a sentence asks for more trust, which then helps."""
    parameters, base, truth, deviations = case
    wrong = estimate(truth + 300.0 * deviations * rng.normal(size=len(truth)), deviations)
    with pytest.raises(SingularityError, match='a trust above 1'):
        consistent(parameters, base, wrong)
    assert all_possible(parameters, consistent(parameters, base, wrong, trust=1e4).theta)


def test_it_is_the_minimum(case, rng):
    """Along any line through it the objective, written down anew, has its minimum there."""
    parameters, base, truth, deviations = case
    wrong = truth + 5.0 * deviations * rng.normal(size=len(truth))
    found = consistent(parameters, base, estimate(wrong, deviations), trust=1.0)
    nominal = parameters.nominal
    # each constant of a joint is a base parameter, and its own reference
    places = [base.kept.tolist().index(k) for k in range(10 * parameters.bodies, len(nominal))]
    reference = np.maximum(wrong, deviations)[places]

    def objective(theta):
        value = 0.5 * (((base.combination @ theta - wrong) / deviations) ** 2).sum()
        for k in range(parameters.bodies):
            where = slice(10 * k, 10 * k + 10)
            X = np.linalg.solve(pseudo_inertia(nominal[where]), pseudo_inertia(theta[where]))
            value += np.trace(X) - np.log(np.linalg.det(X)) - 4.0
        x = theta[10 * parameters.bodies :] / reference
        return value + (x - np.log(x) - 1.0).sum()

    least, sizes = objective(found.theta), np.abs(found.theta) + 1e-3
    for _ in range(200):
        direction = sizes * rng.normal(size=len(nominal))
        # well within what is possible, or the third derivative counts
        change = (
            0.01
            * direction
            * next(
                h
                for h in 10.0 ** np.arange(-4, -9, -1)
                if all(
                    all_possible(parameters, found.theta + sign * h * direction)
                    for sign in (-1, 1)
                )
            )
        )
        ahead, behind = objective(found.theta + change), objective(found.theta - change)
        curvature = ahead + behind - 2.0 * least
        assert curvature > 1e-12 * least
        assert abs(ahead - behind) <= 0.02 * curvature


def test_frames_and_units_do_not_matter(case):
    """The answer of a robot whose bodies' masses count in grams is the same in grams."""
    parameters, base, truth, deviations = case
    found = consistent(parameters, base, estimate(truth, deviations))
    light = Robot(parameters.robot.model.with_scaled_masses(1e-3))
    scale = np.where([name.endswith(('.damping', '.friction')) for name in base.names], 1.0, 1e-3)
    other = consistent(
        Parameters(light),
        base_parameters(Parameters(light)),
        estimate(scale * truth, scale * deviations),
    )
    np.testing.assert_allclose(other.values, scale * found.values, rtol=1e-6, atol=1e-9)


def test_bodies_without_mass_in_the_description():
    """Links described without inertia get a little, so that the others can be identified."""
    parameters = Parameters(FAMILIES['massless_links'].robot)
    base = base_parameters(parameters)
    values = base.combination @ parameters.nominal
    found = consistent(parameters, base, estimate(values, 0.01 * np.abs(values) + 1e-2))
    assert all_possible(parameters, found.theta)


@pytest.mark.parametrize(('scale', 'expected'), [(1.0, (1.0, 0.3, 0.4)), (4.0, (1.5, 0.9, 1.2))])
def test_a_wave_of_friction_never_drives(franka, scale, expected):
    """A wave within Coulomb friction stays; f, |(a, b)| = 1, 2 goes to 1.5, 1.5: the nearest."""
    curve = JointFriction(coulomb=1.0, cosine=0.3, sine=0.4, wavenumber=2.0)
    parameters = Parameters(franka.extended.with_joint_friction({franka.joint_names[1]: curve}))
    base = base_parameters(parameters)
    places = [parameters.joint_places(name)[1] for name in ('friction', 'cosine', 'sine')]
    theta = parameters.nominal.copy()
    theta[places[1:]] *= scale
    found = consistent(parameters, base, estimate(base.combination @ theta, 1e-2), 1e-6).theta
    f, a, b = found[places]
    assert np.hypot(a, b) < f
    assert (f, a, b) == pytest.approx(expected, rel=1e-3)
