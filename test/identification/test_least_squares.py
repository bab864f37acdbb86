# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Least squares: exact without noise, and with correct standard deviations under noise."""

import numpy as np
import pytest

from robodyn_ros.errors import ShapeError, SingularityError
from robodyn_ros.identification import fit
from robodyn_ros.identification.least_squares import UNCERTAIN, fit_identifiable

NAMES = ('a', 'b', 'c')


def problem(rng, noise, count=200):
    """Return (W, tau, beta) with two joints of noise (2,)."""
    W, beta = rng.normal(size=(count, 2, 3)), np.array((1.0, -2.0, 30.0))
    return W, W @ beta + rng.normal(size=(count, 2)) * noise, beta


def test_estimates_are_exact_without_noise(rng):
    """The parameters come back to rounding."""
    W, tau, beta = problem(rng, (0.0, 0.0))
    np.testing.assert_allclose(fit(W, tau, NAMES).values, beta, rtol=1e-12)


@pytest.mark.parametrize('weighted', [False, True])
def test_deviations_are_those_of_repeated_experiments(rng, weighted):
    """Over 300 experiments errors scatter as one of them says they do, to 15 %."""
    runs = [
        (fit(W, tau, NAMES, weighted=weighted), beta)
        for W, tau, beta in (problem(rng, (0.1, 0.1)) for _ in range(300))
    ]
    away = np.array([(found.values - beta) / found.deviations for found, beta in runs])
    np.testing.assert_allclose(away.std(axis=0), 1.0, atol=0.15)
    assert (np.abs(away.mean(axis=0)) < 4.0 / np.sqrt(len(runs))).all()


def test_weights_find_the_noise_and_use_it(rng):
    """Each joint's noise is found, and the noisy joint does not spoil the parameters."""
    errors = {False: [], True: []}
    for _ in range(30):
        W, tau, beta = problem(rng, (0.01, 1.0))
        for weighted, found in errors.items():
            estimate = fit(W, tau, NAMES, weighted=weighted)
            found.append(np.abs(estimate.values - beta).max())
    np.testing.assert_allclose(estimate.noise, (0.01, 1.0), rtol=0.3)
    assert np.mean(errors[True]) < 0.1 * np.mean(errors[False])


def test_covariance_is_that_of_the_normal_equations(rng):
    """R^T R = W^T S^-2 W, and the deviations are the roots of the diagonal of its inverse."""
    W, tau, _ = problem(rng, (0.1, 0.2))
    estimate = fit(W, tau, NAMES)
    rows = (W / estimate.noise[:, None]).reshape(-1, 3)
    np.testing.assert_allclose(
        estimate.root.T @ estimate.root, rows.T @ rows, rtol=1e-10, atol=1e-8
    )
    np.testing.assert_allclose(
        estimate.deviations, np.sqrt(np.diag(np.linalg.inv(rows.T @ rows))), rtol=1e-8
    )
    np.testing.assert_allclose(estimate.relative, estimate.deviations / np.abs(estimate.values))


def test_equations_that_do_not_count(rng):
    """Nonsense in equations that are not used changes nothing."""
    W, tau, _ = problem(rng, (0.1, 0.1))
    used = rng.random(tau.shape) < 0.7
    wrong = np.where(used, tau, 1e3)
    np.testing.assert_array_equal(
        fit(W, tau, NAMES, used).values, fit(W, wrong, NAMES, used).values
    )


def test_the_condition_number_in_units_is_reported(rng):
    """A parameter in grams changes the unscaled condition number, and not the scaled one."""
    W, tau, _ = problem(rng, (0.1, 0.1))
    plain = fit(W, tau, NAMES)
    W[:, :, 1] *= 1e-3
    grams = fit(W, tau, NAMES)
    assert plain.condition == pytest.approx(grams.condition, rel=1e-6)
    assert grams.unscaled == pytest.approx(np.linalg.cond(W.reshape(-1, 3)))
    assert grams.unscaled > 500.0 * plain.unscaled


def test_uncertain_parameters_are_left_out_by_name(rng):
    """Two columns that differ by 1e-4 are not told apart by torques of 1 %: one is left out.

    It keeps its nominal value, and the others are estimated as if that was known.
    """
    W, _, beta = problem(rng, (0.0, 0.0))
    W[:, :, 2] = W[:, :, 1] + 1e-4 * W[:, :, 2]
    tau = W @ beta + 0.1 * rng.normal(size=W.shape[:2])
    alone = fit(W, tau, NAMES)
    sizes, nominal = np.abs(beta), np.array((0.0, 0.0, 29.0))
    assert alone.deviations[2] > 1.0 and alone.deviations[0] < 0.01
    found, places, left_out = fit_identifiable(W, tau, NAMES, sizes, nominal)
    (lost,) = left_out
    assert lost.name in 'bc' and lost.name not in [NAMES[j] for j in places]
    assert lost.deviation > UNCERTAIN * sizes[NAMES.index(lost.name)]
    assert lost.nominal == nominal[NAMES.index(lost.name)]
    assert (found.deviations < UNCERTAIN * sizes[places]).all()
    rest = fit(W[:, :, places], tau - W @ np.where(np.isin(range(3), places), 0.0, nominal), 'xy')
    np.testing.assert_allclose(found.values, rest.values, rtol=1e-12)
    assert fit_identifiable(*problem(rng, (0.1, 0.1))[:2], NAMES, sizes, nominal)[2] == ()


def test_what_nothing_excites_is_named(rng):
    """A column of zeros, and two columns alike, are refused by name."""
    W, tau, _ = problem(rng, (0.1, 0.1))
    W[:, :, 1] = 0.0
    with pytest.raises(SingularityError, match='does not excite b at all'):
        fit(W, tau, NAMES)
    W[:, :, 1] = 2.0 * W[:, :, 2]
    with pytest.raises(SingularityError, match='tell apart'):
        fit(W, tau, NAMES)


def test_too_few_equations_are_refused(rng):
    """Fewer equations than parameters are refused."""
    W, tau, _ = problem(rng, (0.1, 0.1), count=1)
    with pytest.raises(ShapeError, match='expected'):
        fit(W, tau, NAMES)
