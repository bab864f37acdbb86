# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Base parameters: the fewest combinations of parameters that fix all torques.

W theta = W_b beta for every motion, with beta = theta_b + K theta_d (Gautier 1991, "Numerical
calculation of the base inertial parameters of robots"): W_b is a set of independent columns of W,
and the others are W_d = W_b K. Found numerically by an orthogonalisation of the columns of W at
random states, in an order that takes first what is usual to keep. A column that leaves nothing
after the ones taken before it is dependent.
"""

from dataclasses import dataclass

import numpy as np

STATES = 60  # random ones, with some hundred rows between them
INDEPENDENT = 1e-8  # of a column must be left; structural zeros leave 1e-13, others 1e-3 and more
FELT = 1e-9  # a column this small beside the largest is rounding
SHOWN = 1e-9  # coefficients below are rounding
#: What is kept first; what a revolute joint shares with its parent comes last (Khalil's rules).
PREFERENCE = (
    'damping',
    'friction',
    'Izz',
    'hx',
    'hy',
    'Ixx',
    'Ixy',
    'Ixz',
    'Iyz',
    'rotor',
    'Iyy',
    'hz',
    'm',
)


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """Base parameters beta = combination @ theta.

    Parameters
    ----------
    kept : (b,) ndarray of int
        Columns that stand for them.
    combination : (b, p) ndarray
        Weights of the p parameters.
    names : tuple of str
        Each written out, such as 'link1.Izz + link2.Iyy + 0.25 link2.m'.
    """

    kept: np.ndarray
    combination: np.ndarray
    names: tuple[str, ...]

    def __len__(self):
        return len(self.kept)


def base_parameters(parameters, states=STATES, seed=0):
    """Find the base parameters of a robot, from random states that know no joint limits.

    Parameters
    ----------
    parameters : Parameters
        Parameters of the robot.
    states : int
        Number of random states.
    seed : int
        Seed of the states.

    Returns
    -------
    BaseParameters
    """
    rng = np.random.default_rng(seed)
    q, qd, qdd = rng.uniform(-np.pi, np.pi, (3, states, parameters.robot.nv))
    W = parameters.regressor(q, qd, qdd).reshape(-1, len(parameters.names))
    return reduce(W, parameters.names)


def reduce(W, names):
    """Return the BaseParameters of the columns of W (rows, p), named (p,); at least p rows."""
    sizes = np.linalg.norm(W, axis=0)
    felt = sizes > FELT * sizes.max()
    directions, kept = np.empty((0, len(W))), []
    for k in sorted(np.flatnonzero(felt), key=lambda k: PREFERENCE.index(_kind(names[k]))):
        rest = W[:, k] / sizes[k]
        for _ in range(2):  # the second pass removes what rounding left of the first
            rest = rest - (directions @ rest) @ directions
        left = np.linalg.norm(rest)
        if left > INDEPENDENT:
            directions = np.vstack((directions, rest / left))
            kept.append(k)
    kept = np.sort(np.array(kept, dtype=int))
    W_b = W[:, kept] / sizes[kept]
    combination = np.linalg.lstsq(W_b, W * felt, rcond=None)[0] / sizes[kept, None]
    combination[np.abs(combination) < SHOWN] = 0.0
    combination[:, kept] = np.eye(len(kept))
    return BaseParameters(
        kept,
        combination,
        tuple(written(row, names, first) for row, first in zip(combination, kept)),
    )


def written(row, names, first):
    """Return a combination in words: the parameter that stands for it, then the others."""
    others = [k for k in np.flatnonzero(row) if k != first]
    terms = [f'{"-" if row[k] < 0.0 else "+"} {_factor(abs(row[k]))}{names[k]}' for k in others]
    return ' '.join((names[first], *terms))


def _factor(value):
    return '' if abs(value - 1.0) < SHOWN else f'{value:.4g} '


def _kind(name):
    return name.rpartition('.')[2]
