# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Why the compiled recursion factorises D_m: the update (13.70) of Jain costs more operations."""

import numpy as np
import pytest

from robodyn_ros.formulations.count import Tally
from support.compare import agree
from support.modal_update import by_factors, by_update


def body(n, children, tally=None):
    """(own, L, children, mu, eps) of a body with n modes, numbers that count if wanted."""
    rng = np.random.default_rng(n)
    A = rng.normal(size=(n, n))
    own = A @ A.T + np.eye(n)
    wrap = (lambda x: tally.numbers(x.ravel()).reshape(x.shape)) if tally else np.array
    found = []
    for _ in range(children):
        zeta, G = rng.normal(size=(n, 6)), rng.normal(size=(6, 5))
        Gamma = G @ G.T  # singular, as P^+ is along its hinge
        found.append(tuple(map(wrap, (zeta, Gamma, Gamma @ zeta.T))))
    mu, eps = rng.normal(size=(6, n)), rng.normal(size=n)
    return wrap(own), wrap(np.linalg.inv(own)), found, wrap(mu), wrap(eps)


def operations(way, n, children):
    """Multiplications and additions; L is given, at no cost."""
    tally = Tally()
    own, L, carried, mu, eps = body(n, children, tally)
    way(own if way is by_factors else L, carried, mu, eps)
    return tally.multiplications + tally.additions


@pytest.mark.parametrize('children', [0, 1, 3])
def test_both_ways_give_the_same_gain_and_accelerations(children):
    own, L, carried, mu, eps = body(9, children)
    D = own + sum((zeta @ X for zeta, _, X in carried), np.zeros_like(own))
    for g, nu in (by_factors(own, carried, mu, eps), by_update(L, carried, mu, eps)):
        agree(g, mu @ np.linalg.inv(D), tolerance=1e-9)
        agree(nu, np.linalg.solve(D, eps), tolerance=1e-9)


def test_factors_take_fewer_operations_up_to_forty_modes():
    """Even where L costs nothing. Of a body that carries two, up to more than sixty modes."""
    for n in (2, 6, 12, 24, 40):
        assert operations(by_factors, n, 1) < operations(by_update, n, 1)
    assert operations(by_factors, 42, 1) > operations(by_update, 42, 1)
    for n in (6, 24, 60):
        assert operations(by_factors, n, 2) < operations(by_update, n, 2)


def test_orders_are_those_of_the_book():
    """From 60 to 120 modes factors grow by more than five, the update by less than four."""
    growth = {
        way: operations(way, 120, 1) / operations(way, 60, 1) for way in (by_factors, by_update)
    }
    assert growth[by_factors] > 5.0 and 3.5 < growth[by_update] < 4.0
