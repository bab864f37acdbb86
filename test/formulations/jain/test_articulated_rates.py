# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Section 18.5 of Jain: rates of articulated-body quantities, against complex steps."""

import dataclasses

import numpy as np
import pytest

from robodyn_ros.formulations.complex_step import H as STEP
from robodyn_ros.formulations.jain.articulated_bodies import Articulated, articulated
from robodyn_ros.formulations.jain.sensitivities.articulated_rates import articulated_rates
from support.compare import agree
from support.jain_trees import moved, unlike

FIELDS = [field.name for field in dataclasses.fields(Articulated)]


def flat(blocks):
    """All entries of n matrices."""
    return np.concatenate([np.ravel(block) for block in blocks])


@pytest.mark.parametrize('drives', [True, False])
def test_rates_of_articulated_quantities(system, drives):
    """(18.48), (18.50): every field of Articulated, entry by entry, as the tree moves on."""
    tree, thd, *_ = system
    ahead = moved(tree, thd, 1j * STEP)
    if not drives:
        tree, ahead = tree.without_rotors(), ahead.without_rotors()
    art, ahead = articulated(tree), articulated(ahead)
    found = articulated_rates(tree, art, thd).entries
    for field in FIELDS:
        own, other, value = (flat(getattr(each, field)) for each in (found, ahead, art))
        agree(own, np.imag(other) / STEP, max(np.abs(value).max(), np.abs(own).max()))


def test_lambda_is_the_rate_that_the_parent_sees(system):
    """(18.51): lam is the rate of P in axes of the parent, and P^+ has taubar lam taubar'."""
    tree, thd, *_ = system
    ahead = moved(tree, thd, 1j * STEP)
    art, later = articulated(tree), articulated(ahead)
    lam = articulated_rates(tree, art, thd).lam
    turned = [np.kron(np.eye(2), R) for R in ahead.R]
    seen = [np.imag(R @ P @ R.T) / STEP for R, P in zip(turned, later.P)]
    own = [R.real @ each @ R.real.T for R, each in zip(turned, lam)]
    agree(own, seen, np.abs(art.P).max())
    if tree.n > 1:
        unlike(articulated_rates(tree, art, thd).entries.P, lam)
