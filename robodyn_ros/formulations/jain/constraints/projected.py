# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Constrained motion in minimal coordinates: Jain, section 11.3.

    thd = thd_p + X_c thd_r,   G_c X_c = 0,   G_c thd_p = U                        (11.32, 11.33)
    thdd = thdd_p + X_c thdd_r,   G_c thdd_p = Uacc                                (11.34, 11.35)
    M_r thdd_r = X_c' (T - C - M thdd_p),   M_r = X_c' M X_c                              (11.36)
    X_c = [-G_c1^-1 G_c2; 1],   P = [1, -G_c1^-1 G_c2; 0, 1]                              (11.40)

Ordinary differential equations without multipliers. Velocities do not drift from the constraint.
O(N^3), and no SKO model. thdd_p contains the rate of X_c, (dX_c/dt) thd_r.
"""

from typing import NamedTuple

import numpy as np


class Projected(NamedTuple):
    """A constrained motion in independent coordinates.

    `thdd`: accelerations [rad/s2, m/s2].
    `independent`: accelerations thdd_r of the independent coordinates.
    `M_r`: mass matrix of the independent coordinates.
    """

    thdd: np.ndarray
    independent: np.ndarray
    M_r: np.ndarray


def dependent_first(G):
    """Return which velocities are dependent, such that their columns of G_c are well conditioned.

    They are the columns that elimination with complete pivoting chooses first.

    `G` (n_c, N): constraint matrix G_c.
    Returns `dependent` ((n_c,) ndarray of int): columns of the dependent velocities.
    Returns `independent` ((N - n_c,) ndarray of int): the other columns.
    Raises ValueError: if the rows of G_c are not independent.
    """
    rest, chosen = np.array(G, float), []
    scale = np.abs(rest).max(initial=0.0)
    for step in range(len(rest)):
        tail = np.abs(rest[step:])
        row, column = np.unravel_index(np.argmax(tail), tail.shape)
        if tail[row, column] <= 1e-10 * scale:
            raise ValueError(
                f'got {len(rest)} constraints of rank {step}; expected independent rows'
            )
        rest[[step, step + row]] = rest[[step + row, step]]
        pivot = rest[step] / rest[step, column]
        rest[step + 1 :] -= np.outer(rest[step + 1 :, column], pivot)
        chosen.append(int(column))
    return np.array(chosen, int), np.setdiff1d(np.arange(rest.shape[1]), chosen)


def null_space(G, dependent, independent):
    """Return X_c with G_c X_c = 0, and 1 in the rows of the independent velocities (11.40).

    `G` (n_c, N): constraint matrix G_c.
    `dependent` ((n_c,) ndarray of int): columns of the dependent velocities.
    `independent` ((N - n_c,) ndarray of int): columns of the independent velocities.
    """
    X = np.zeros((G.shape[1], len(independent)), G.dtype)
    X[independent] = np.eye(len(independent))
    X[dependent] = -np.linalg.solve(G[:, dependent], G[:, independent])
    return X


def particular(G, right, dependent):
    """Return x with G_c x = right, zero in the independent velocities (11.33, 11.35).

    `G` (n_c, N): constraint matrix G_c.
    `right` (n_c,): right side.
    `dependent` ((n_c,) ndarray of int): columns of the dependent velocities.
    """
    x = np.zeros(G.shape[1], np.result_type(G, right))
    x[dependent] = np.linalg.solve(G[:, dependent], right)
    return x


def forward_dynamics(M, force, G, acceleration):
    """Return the constrained motion: Algorithm 11.3.

    `M` (N, N): mass matrix.
    `force` (N,): T - C [N m, N].
    `G` (n_c, N): constraint matrix G_c.
    `acceleration` (n_c,): uacc [rad/s2, m/s2].
    """
    dependent, independent = dependent_first(G)
    X = null_space(G, dependent, independent)
    forced = particular(G, acceleration, dependent)
    M_r = X.T @ M @ X
    thdd_r = np.linalg.solve(M_r, X.T @ (force - M @ forced))
    return Projected(forced + X @ thdd_r, thdd_r, M_r)


def transformation(G, dependent, independent):
    """Return P with G_c P = [G_r, 0] (11.37).

    `G` (n_c, N): constraint matrix G_c.
    `dependent` ((n_c,) ndarray of int): columns of the dependent velocities.
    `independent` ((N - n_c,) ndarray of int): columns of the independent velocities.
    """
    P = np.zeros((G.shape[1],) * 2)
    P[dependent, np.arange(len(dependent))] = 1.0
    P[:, len(dependent) :] = null_space(G, dependent, independent)
    return P
