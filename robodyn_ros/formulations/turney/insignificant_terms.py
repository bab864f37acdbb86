# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Terms that may be left out of Newton-Euler, link by link: Turney, Mudge and Lee, section 6.

The recursion keeps apart what each link adds to the torques: the moments I al and w x I w, and the
force m abar. So a term that hardly contributes is seen, and deleted. In the Lagrange form each of
them is spread over many coefficients of (2.11); `torque_terms` has those.

The inward recursion is linear in these terms. So their parts of the torques add up to the torques,
but for the inertia of rotors.
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.errors import ParameterError
from robodyn_ros.formulations.count import operations
from robodyn_ros.formulations.posture import model_of
from robodyn_ros.formulations.turney.luh_walker_paul import inverse_dynamics as newton_euler

#: What each term leaves out, by the quantities of `luh_walker_paul`.
TERMS = {'I al': ('I al',), 'w x I w': ('w x I w',), 'm abar': ('abar', 'm abar')}


class Deleted(NamedTuple):
    """Terms that are left out together, and what that costs and saves.

    `terms`: name and link of each term, links counted from 1.
    `error`: root mean square of what the torques lose, as a share of theirs.
    `multiplications`, `additions`: operations saved.
    """

    terms: tuple
    error: np.ndarray
    multiplications: int
    additions: int


def without(terms):
    """Return a `step` that replaces the given terms by zero, at no cost.

    `terms` (iterable of (str, int)): name and link of each term.
    """
    left_out = {(name, link) for term, link in terms for name in TERMS[term]}

    def step(name, link, function, *inputs):
        return np.zeros(3) if (name, link) in left_out else function(*inputs)

    return step


def inverse_dynamics(robot, q, qd, qdd, terms=()):
    """Return the torques of a serial robot without the given terms.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `qdd` ((nv,) array_like): joint accelerations [rad/s2, m/s2].
    `terms` (iterable of (str, int)): name, one of TERMS, and link of each term that is left out,
      links counted from 1.
    Raises ModelError: if the robot branches.
    """
    return newton_euler(robot, q, qd, qdd, step=without(terms))


def contributions(robot, q, qd, qdd):
    """Return what each term of each link adds to the torques.

    `robot` (Robot or RobotModel): a serial robot.
    `q`, `qd`, `qdd` ((k, nv) array_like): states [rad or m, and their rates].
    Returns `terms` (list of (str, int)): name and link of each term.
    Returns `values` (k, nv, terms): parts of the torques [N m or N].
    """
    links = range(1, len(model_of(robot).body_names))
    terms = [(name, link) for link in links for name in TERMS]
    values = []
    for state in zip(q, qd, qdd):
        whole = newton_euler(robot, *state)
        values.append([whole - inverse_dynamics(robot, *state, [term]) for term in terms])
    return terms, np.array(values).transpose(0, 2, 1)


def deletable(robot, q, qd, qdd, limit=0.01):
    """Return the terms that may be left out together, smallest first.

    `robot` (Robot or RobotModel): a serial robot.
    `q`, `qd`, `qdd` ((k, nv) array_like): states that are typical of its motion [rad or m, and
      their rates].
    `limit`: largest error of each torque, as a share of it; root mean squares over the states.
    Raises ParameterError: if the limit is not between 0 and 1.
    """
    if not 0.0 <= limit <= 1.0:
        raise ParameterError(f'limit is {limit}; expected a share of the torque, from 0 to 1')
    q, qd, qdd = (np.array(each, float) for each in (q, qd, qdd))
    terms, values = contributions(robot, q, qd, qdd)
    size = _rms(np.array([newton_euler(robot, *state) for state in zip(q, qd, qdd)]))
    size = np.maximum(size, np.finfo(float).tiny)
    shares = (_rms(values) / size[:, None]).max(axis=0)
    chosen, lost = [], np.zeros(values.shape[:2])
    for at in np.argsort(shares, kind='stable'):
        more = lost + values[:, :, at]
        if (_rms(more) > limit * size).any():
            break
        chosen, lost = [*chosen, terms[at]], more
    state = q[0], qd[0], qdd[0]
    whole = operations(newton_euler, model_of(robot), *state)
    less = operations(
        lambda *given: newton_euler(*given, step=without(chosen)), model_of(robot), *state
    )
    saved = np.subtract(whole, less)
    return Deleted(tuple(chosen), _rms(lost) / size, int(saved[0]), int(saved[1]))


def _rms(values):
    """Return the root mean square over the states."""
    return np.sqrt(np.mean(values**2, axis=0))
