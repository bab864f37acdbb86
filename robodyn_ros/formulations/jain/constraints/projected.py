# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Constrained motion in as many coordinates as there are freedoms: Jain, section 11.3.

    thd = thd_p + X_c thd_r,   G_c X_c = 0,   G_c thd_p = U                        (11.32, 11.33)
    thdd = thdd_p + X_c thdd_r,   G_c thdd_p = Uacc                                (11.34, 11.35)
    M_r thdd_r = X_c' (T - C - M thdd_p),   M_r = X_c' M X_c                              (11.36)
    X_c = [-G_c1^-1 G_c2; 1],   P = [1, -G_c1^-1 G_c2; 0, 1]                              (11.40)

Ordinary differential equations, without multipliers and without drift of velocities; O(N^3), and
no SKO model. thdd_p has the rate of X_c in it, (dX_c/dt) thd_r.
"""

from typing import NamedTuple

import numpy as np


class Projected(NamedTuple):
    """thdd (N,), the independent thdd_r (N - n_c,), and the mass matrix M_r of the latter."""

    thdd: np.ndarray
    independent: np.ndarray
    M_r: np.ndarray


def dependent_first(G):
    """(dependent, independent): indices of n_c columns of G_c with a good inverse, and the rest.

    By elimination with complete pivoting: the columns that it takes first are the dependent ones.

    Raises
    ------
    ValueError where the rows of G_c depend on each other.
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
    """X_c (N, N - n_c) with G_c X_c = 0, 1 in the rows of the independent velocities (11.40)."""
    X = np.zeros((G.shape[1], len(independent)), G.dtype)
    X[independent] = np.eye(len(independent))
    X[dependent] = -np.linalg.solve(G[:, dependent], G[:, independent])
    return X


def particular(G, right, dependent):
    """x (N,) with G_c x = right (n_c,), zero but for the dependent velocities (11.33, 11.35)."""
    x = np.zeros(G.shape[1], np.result_type(G, right))
    x[dependent] = np.linalg.solve(G[:, dependent], right)
    return x


def forward_dynamics(M, force, G, acceleration):
    """Algorithm 11.3: the Projected motion.

    Parameters
    ----------
    M : (N, N). force : (N,) T - C. G : (n_c, N). acceleration : (n_c,) Uacc.
    """
    dependent, independent = dependent_first(G)
    X = null_space(G, dependent, independent)
    forced = particular(G, acceleration, dependent)
    M_r = X.T @ M @ X
    thdd_r = np.linalg.solve(M_r, X.T @ (force - M @ forced))
    return Projected(forced + X @ thdd_r, thdd_r, M_r)


def transformation(G, dependent, independent):
    """P (N, N) with G_c P = [G_r, 0], columns in the order (dependent, independent) (11.37)."""
    P = np.zeros((G.shape[1],) * 2)
    P[dependent, np.arange(len(dependent))] = 1.0
    P[:, len(dependent) :] = null_space(G, dependent, independent)
    return P
