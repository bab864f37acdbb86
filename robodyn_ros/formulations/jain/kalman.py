# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Articulated-body quantities as those of a Kalman filter: Jain, section 6.4.

    x(k+1) = sum F(k) x(k) + w(k+1),  cov w = Q        F = phi(parent, k), Q = M
    y(k) = H x(k) + v(k),             cov v = N        y = T, N = the drive's inertia, or 0

Filter and smoother as textbooks of estimation write them (Kalman 1960; Bryson and Frazier 1963).
Without mechanics in them, they are an independent reference. The prediction covariance is P,
the filtered one P^+, the gain G, the innovations epsilon with covariance D. The prediction is z,
the filtered estimate z^+, and the smoothed estimate f is the force between the links. A tree adds
the states of its branches, which are uncorrelated. The covariance of all y is the mass matrix.

Correction to the print: (6.49) has H z, not H* z.
"""

from typing import NamedTuple

import numpy as np


class Estimate(NamedTuple):
    """The filter's estimate of each state: predicted and filtered mean and covariance."""

    predicted: np.ndarray
    covariance: np.ndarray
    filtered: np.ndarray
    filtered_covariance: np.ndarray
    innovation: np.ndarray
    innovation_covariance: np.ndarray
    gain: np.ndarray


def kalman_filter(parent, F, Q, H, N, y):
    """Estimates of all states of a tree of n, leaves first; every argument a list of n.

    parent[k] > k, n for a root. F : to the parent's state; Q, N : covariances of process and
    measurement noise; H, y : measurement matrix and measured value.
    """
    n = len(parent)
    mean, covariance = [np.zeros(len(q)) for q in Q], [np.array(q, float) for q in Q]
    found = []
    for k in range(n):
        S = H[k] @ covariance[k] @ H[k].T + N[k]
        gain = covariance[k] @ H[k].T @ np.linalg.inv(S)
        innovation = y[k] - H[k] @ mean[k]
        filtered = mean[k] + gain @ innovation
        rest = np.eye(len(mean[k])) - gain @ H[k]
        filtered_covariance = rest @ covariance[k] @ rest.T + gain @ N[k] @ gain.T  # Joseph's form
        found.append(
            Estimate(mean[k], covariance[k], filtered, filtered_covariance, innovation, S, gain)
        )
        if parent[k] < n:
            mean[parent[k]] = mean[parent[k]] + F[k] @ filtered
            covariance[parent[k]] = covariance[parent[k]] + F[k] @ filtered_covariance @ F[k].T
    return found


def smoothed(parent, F, H, estimates):
    """(x (n, 6), adjoint (n, 6)): estimates of all states from ALL measurements, roots to leaves.

    Bryson and Frazier's second pass over the Estimates of the filter, with nothing kept but the
    adjoint. adjoint(k) = (1 - G H)' F' adjoint(parent) + H' S^-1 innovation, x = predicted +
    covariance adjoint. Of a tree at rest the adjoints are alpha, and x the force f (6.43, 6.50).
    """
    n = len(parent)
    adjoint, x = [None] * n, [None] * n
    for k in reversed(range(n)):
        found = estimates[k]
        adjoint[k] = H[k].T @ np.linalg.solve(found.innovation_covariance, found.innovation)
        if parent[k] < n:
            later = F[k].T @ adjoint[parent[k]]
            adjoint[k] = adjoint[k] + later - H[k].T @ (found.gain.T @ later)
        x[k] = found.predicted + found.covariance @ adjoint[k]
    return np.array(x), np.array(adjoint)


def covariances(parent, F, Q, H, N):
    """Covariances of all states (6n, 6n) and of all measurements (N, N), stacked and dense.

    The states are sums of the noise below them, x = A w: cov x = A Q A', cov y = H cov x H' + N.
    Of a tree: phi M phi', with the R on its diagonal (6.46), and the mass matrix.
    """
    n, width = len(parent), len(Q[0])
    gather = np.eye(n * width)
    for k in reversed(range(n)):
        if parent[k] < n:
            own, up = (slice(width * i, width * i + width) for i in (k, parent[k]))
            gather[:, own] += gather[:, up] @ F[k]
    states, measure = gather @ _diagonal(Q) @ gather.T, _diagonal(H)
    return states, measure @ states @ measure.T + _diagonal(N)


def conditional_mean(parent, F, Q, H, N, y):
    """Best estimate of every state from ALL measurements: cov(x, y) cov(y)^-1 y (n, 6), dense.

    The conditional mean of normal variables: what `smoothed` finds by two passes.
    """
    states, measured = covariances(parent, F, Q, H, N)
    x = states @ _diagonal(H).T @ np.linalg.solve(measured, np.concatenate(y))
    return x.reshape(len(parent), len(Q[0]))


def of_tree(tree, T):
    """Return the arguments (parent, F, Q, H, N, y) of the filter of a Tree with torques T."""
    return (
        tree.parent,
        tree.phi,
        tree.M,
        tree.H,
        [np.diag(tree.rotor[s]) for s in tree.slices],
        [T[s] for s in tree.slices],
    )


def _diagonal(blocks):
    rows, columns = (sum(np.shape(block)[axis] for block in blocks) for axis in (0, 1))
    result, i, j = np.zeros((rows, columns)), 0, 0
    for block in blocks:
        a, b = np.shape(block)
        result[i : i + a, j : j + b] = block
        i, j = i + a, j + b
    return result
