# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Articulated-body quantities as those of a Kalman filter: Jain, section 6.4.

    x(k+1) = sum F(k) x(k) + w(k+1),  cov w = Q        F = phi(parent, k), Q = M
    y(k) = H x(k) + v(k),             cov v = N        y = T, N = the drive's inertia, or 0

Filter and smoother in the form of textbooks on estimation (Kalman 1960; Bryson and Frazier 1963).
They contain no mechanics, so they are an independent reference. The prediction covariance is P,
the filtered one P^+, the gain G, the innovations epsilon with covariance D. The prediction is z,
the filtered estimate z^+, and the smoothed estimate f is the force between the links. In a tree, a
state adds those of its branches, which are uncorrelated. The covariance of all y is the mass
matrix.

Correction to the print: (6.49) has H z, not H* z.
"""

from typing import NamedTuple

import numpy as np


class Estimate(NamedTuple):
    """The filter's estimate of a state of size m from a measurement of size r.

    `predicted`: mean before the measurement.
    `covariance`: covariance before the measurement.
    `filtered`: mean after the measurement.
    `filtered_covariance`: covariance after the measurement.
    `innovation`: measured minus predicted value.
    `innovation_covariance`: its covariance.
    `gain`: Kalman gain.
    """

    predicted: np.ndarray
    covariance: np.ndarray
    filtered: np.ndarray
    filtered_covariance: np.ndarray
    innovation: np.ndarray
    innovation_covariance: np.ndarray
    gain: np.ndarray


def kalman_filter(parent, F, Q, H, N, y):
    """Return the estimates of all states of a tree, leaves first.

    `parent` (sequence of int): parent[k] > k of each state; n for a root.
    `F` (sequence of ndarray): transition from each state to its parent.
    `Q` (sequence of ndarray): covariance of the process noise of each state.
    `H` (sequence of ndarray): measurement matrix of each state.
    `N` (sequence of ndarray): covariance of the measurement noise of each state.
    `y` (sequence of ndarray): measured value of each state.
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
    """Return the estimates of all states from ALL measurements, from roots to leaves.

    The second pass of Bryson and Frazier over the Estimates of the filter. It keeps only the
    adjoint: adjoint(k) = (1 - G H)' F' adjoint(parent) + H' S^-1 innovation.
    Then x = predicted + covariance adjoint. For a tree at rest the adjoints are alpha, and x the
    force f (6.43, 6.50).

    `parent` (sequence of int): parent[k] > k of each state; n for a root.
    `F` (sequence of ndarray): transition from each state to its parent.
    `H` (sequence of ndarray): measurement matrix of each state.
    `estimates` (sequence of Estimate): result of `kalman_filter`.
    Returns `x` (n, 6): estimates.
    Returns `adjoint` (n, 6): adjoints.
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
    """Return the covariances of all states and of all measurements.

    The states are sums of the noise below them, x = A w: cov x = A Q A', cov y = H cov x H' + N.
    For a multibody tree cov x = phi M phi', with R on its diagonal (6.46), and cov y is the mass
    matrix.

    `parent` (sequence of int): parent[k] > k of each state; n for a root.
    `F` (sequence of ndarray): transition from each state to its parent.
    `Q` (sequence of ndarray): covariance of the process noise of each state.
    `H` (sequence of ndarray): measurement matrix of each state.
    `N` (sequence of ndarray): covariance of the measurement noise of each state.
    Returns `states` (6n, 6n): cov x.
    Returns `measurements` (N, N): cov y.
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
    """Return the best estimate of every state from ALL measurements, cov(x, y) cov(y)^-1 y.

    This conditional mean of normal variables is what `smoothed` finds by two passes.

    `parent` (sequence of int): parent[k] > k of each state; n for a root.
    `F` (sequence of ndarray): transition from each state to its parent.
    `Q` (sequence of ndarray): covariance of the process noise of each state.
    `H` (sequence of ndarray): measurement matrix of each state.
    `N` (sequence of ndarray): covariance of the measurement noise of each state.
    `y` (sequence of ndarray): measured value of each state.
    """
    states, measured = covariances(parent, F, Q, H, N)
    x = states @ _diagonal(H).T @ np.linalg.solve(measured, np.concatenate(y))
    return x.reshape(len(parent), len(Q[0]))


def of_tree(tree, T):
    """Return the arguments of the filter for a Tree under given torques.

    `tree` (Tree): bodies at one configuration.
    `T` (N,): hinge torques, in the order of the tree [N m, N].
    """
    return (
        tree.parent,
        tree.phi,
        tree.M,
        tree.H,
        [np.diag(tree.rotor[s]) for s in tree.slices],
        [T[s] for s in tree.slices],
    )


def _diagonal(blocks):
    """Return a block-diagonal matrix."""
    rows, columns = (sum(np.shape(block)[axis] for block in blocks) for axis in (0, 1))
    result, i, j = np.zeros((rows, columns)), 0, 0
    for block in blocks:
        a, b = np.shape(block)
        result[i : i + a, j : j + b] = block
        i, j = i + a, j + b
    return result
