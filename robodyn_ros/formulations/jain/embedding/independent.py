# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Velocities of a sub-graph by its independent ones: Jain, section 15.4.

    thd_S = X_S thd_R                                                                      (15.1)
    [Y_1, Y_2] [thd_u; thd_R] = 0,   X_S = [-Y_1^-1 Y_2; 1]                        (15.24, 15.26)
    dX_S/dt = [-Y_1^-1 Ydot X_S; 0],   (dX_S/dt) thd_R = [-Y_1^-1 Ydot thd_S; 0]           (15.27)

A constraint between joints theta_S = g(theta_R) has X_S = dg/dtheta_R, often constant. Where Y_1
is nearly singular, other velocities must be the independent ones. Where Y itself loses rank, the
sub-graph has more freedoms than elsewhere (15.5): see `rank_margin`.
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.formulations.complex_step import along, gradient
from robodyn_ros.formulations.jain.constraints.projected import (
    dependent_first,
    null_space,
    particular,
)

#: Share of the largest singular value below which Y_1 counts as singular.
SINGULAR = 1e-8


class Reduction(NamedTuple):
    """Velocities of a sub-graph by its independent ones.

    `X`: thd_S = X thd_R.
    `drift`: thdd_S = X thdd_R + drift [rad/s2, m/s2].
    `dependent`: dependent entries of thd_S.
    `independent`: independent entries of thd_S.
    """

    X: np.ndarray
    drift: np.ndarray
    dependent: np.ndarray
    independent: np.ndarray


def reduction(Y, acceleration, independent=None, names=None):
    """Return the reduction of constraints Y thd_S = 0, Y thdd_S = acceleration.

    `Y` (n_c, N_S): constraint matrix of full row rank.
    `acceleration` (n_c,): -Ydot thd_S [rad/s2, m/s2].
    `independent` (sequence of int): the N_S - n_c velocities to keep; by default those with the
      best pivots.
    `names` (sequence of str): names of the velocities for messages; their numbers by default.
    Raises ValueError: if the rows are not independent, or the choice leaves Y_1 singular.
    """
    names = list(map(str, range(Y.shape[1]))) if names is None else names
    try:
        best = dependent_first(Y)
    except ValueError as error:
        raise ValueError(f'constraints of {", ".join(names)}: {error}') from None
    if independent is None:
        dependent, independent = best
    else:
        independent = np.sort(independent)
        dependent = np.setdiff1d(np.arange(Y.shape[1]), independent)
        Y_1 = Y[:, dependent]
        if Y_1.shape[0] != Y_1.shape[1]:
            raise ValueError(
                f'got {len(independent)} independent velocities of {", ".join(names)} under '
                f'{len(Y)} constraints; expected {Y.shape[1] - len(Y)}'
            )
        if rank_margin(Y_1) < SINGULAR:
            raise ValueError(
                f'got {[names[i] for i in independent]} as the independent velocities; here they '
                'do not determine the others, expected for example '
                f'{[names[i] for i in best[1]]}'
            )
    X = null_space(Y, dependent, independent)
    return Reduction(X, particular(Y, acceleration, dependent), dependent, independent)


def map_rate(Y, Y_rate, X, dependent):
    """Return dX_S/dt (Ex 15.1).

    `Y` (n_c, N_S): constraint matrix.
    `Y_rate` (n_c, N_S): its rate.
    `X` (N_S, N_R): X_S.
    `dependent` (ndarray of int): dependent entries of thd_S.
    """
    rate = np.zeros(X.shape)
    rate[dependent] = -np.linalg.solve(Y[:, dependent], Y_rate @ X)
    return rate


def of_coordinates(g, theta_R, thd_R):
    """Return X and drift of a constraint between joints, theta_S = g(theta_R).

    The gradient is by complex step, its rate along thd_R by a difference of exact gradients.

    `g` (callable): `g(theta_R)` returns theta_S (N_S,), also of complex arguments.
    `theta_R` ((N_R,) array_like): independent coordinates [rad, m].
    `thd_R` ((N_R,) array_like): independent velocities [rad/s, m/s].
    Returns `X` (N_S, N_R): thd_S = X thd_R.
    Returns `drift` (N_S,): thdd_S = X thdd_R + drift [rad/s2, m/s2].
    """
    theta_R, thd_R = np.asarray(theta_R, float), np.asarray(thd_R, float)
    step = 1e-5

    def rate(s):
        return along(g, theta_R + s * thd_R, thd_R)

    one, two = (rate(s) - rate(-s) for s in (step, 2.0 * step))
    return gradient(g, theta_R), (8.0 * one - two) / (12.0 * step)


def rank_margin(Y):
    """Return the smallest singular value over the largest, which is 0 where rank is lost.

    `Y` (n_c, N_S): matrix.
    """
    values = np.linalg.svd(Y, compute_uv=False)
    return values[-1] / values[0] if len(values) and values[0] > 0.0 else 0.0
