# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Base parameters: the least number of combinations that determine all torques.

W theta = W_b beta for every motion, with beta = theta_b + K theta_d. W_b is a set of independent
columns of W, and the others are W_d = W_b K. See Gautier 1991, "Numerical calculation of the base
inertial parameters of robots". The columns of W at random states are orthogonalised, in an order
that begins with the usual parameters. A column without a remainder depends on the ones before it.
Columns are compared as the torques of typical bodies (`Parameters.sizes`). An angle written as
1.57079 leaves remainders that no sensor resolves.
"""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import short_repr
from robodyn_ros.model.layout import STRIBECK_VELOCITY

STATES = 60  # random ones, with some hundred rows in total
# share of the largest torque below which nothing counts. Angles rounded to four decimals leave up
# to 7e-6. Real offsets and angles of arms leave 2e-4 and more
SENSED = 1e-5
ROUNDING = 1e-9  # of a coefficient
#: Order of preference; parameters that a revolute joint shares with its parent come last (Khalil).
PREFERENCE = (
    'damping',
    'friction',
    'cosine',
    'sine',
    'stiction',
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
        Columns that represent them.
    combination : (b, p) ndarray
        Weights of the p parameters.
    names : tuple of str
        Combinations as text, such as 'link1.Izz + link2.Iyy + 0.25 link2.m'.
    """

    kept: np.ndarray
    combination: np.ndarray
    names: tuple[str, ...]

    __repr__ = short_repr

    def __len__(self):
        return len(self.kept)

    def chosen(self, places):
        """Return some of the base parameters, such as those that a motion determines.

        Parameters
        ----------
        places : (c,) array_like of int
            Which of them.
        """
        names = tuple(self.names[j] for j in places)
        return BaseParameters(self.kept[places], self.combination[places], names)


def base_parameters(parameters, states=STATES, seed=0):
    """Find the base parameters of a robot from random states, without joint limits.

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
    slow = parameters.robot.model.joint_values(STRIBECK_VELOCITY)
    qd[::3, slow > 0.0] *= slow[slow > 0.0]  # at high speed an exponential curve is zero
    W = parameters.regressor(q, qd, qdd).reshape(-1, len(parameters.names))
    return reduce(W, parameters.names, parameters.sizes)


def reduce(W, names, typical=None):
    """Return the BaseParameters of the columns of a regressor.

    `W` (rows, p): regressor at sample states, at least p rows.
    `names` (sequence of str): names of the p parameters.
    `typical` ((p,) array_like): size of each parameter; ones by default.
    """
    typical = np.ones(len(names)) if typical is None else typical
    # the triangle has the columns' lengths and angles, and fewer rows
    columns = np.linalg.qr(W * typical, mode='r')
    sizes = np.linalg.norm(columns, axis=0)
    sensed = SENSED * sizes.max()
    felt = sizes > sensed
    directions, kept = np.empty((0, len(columns))), []
    for k in sorted(np.flatnonzero(felt), key=lambda k: PREFERENCE.index(_kind(names[k]))):
        rest = columns[:, k]
        for _ in range(2):  # the second pass removes the rounding of the first
            rest = rest - (directions @ rest) @ directions
        left = np.linalg.norm(rest)
        if left > sensed:
            directions = np.vstack((directions, rest / left))
            kept.append(k)
    kept = np.sort(np.array(kept, dtype=int))
    W_b = columns[:, kept] / sizes[kept]
    weights = np.linalg.lstsq(W_b, columns * felt, rcond=None)[0]  # of torques, relative
    combination = weights * typical[kept, None] / sizes[kept, None] / typical
    combination[np.abs(combination) < ROUNDING] = 0.0
    combination[:, kept] = np.eye(len(kept))
    shown = np.where(np.abs(weights) > sensed, combination, 0.0)
    return BaseParameters(
        kept, combination, tuple(written(row, names, first) for row, first in zip(shown, kept))
    )


def written(row, names, first):
    """Return a combination as text: the parameter that represents it, then the others.

    `row` (p,): weights of the parameters.
    `names` (sequence of str): their names.
    `first`: number of the parameter that represents the combination.
    """
    others = [k for k in np.flatnonzero(row) if k != first]
    terms = [f'{"-" if row[k] < 0.0 else "+"} {_factor(abs(row[k]))}{names[k]}' for k in others]
    return ' '.join((names[first], *terms))


def _factor(value):
    text = f'{value:.4g}'
    return '' if text == '1' else f'{text} '


def _kind(name):
    return name.rpartition('.')[2]
