# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The terms of the joint torques one by one, and how much each of them contributes.

    tau_i = sum_j M_ij qdd_j + sum_j h_ijj qd_j^2 + sum_j<k 2 h_ijk qd_j qd_k + g_i + friction_i

h are the Christoffel symbols of the mass matrix (Spong 6.60 to 6.65). Terms that are small for a
robot can be left out one by one. The terms of the Newton-Euler recursion, link by link, are in
`turney.insignificant_terms`.
"""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import ParameterError, short_repr
from robodyn_ros.model.extended.joint_friction import friction_of
from robodyn_ros.robot.robot import Robot

GRAVITY, OWN, COUPLING, CENTRIFUGAL, CORIOLIS, FRICTIONAL = KINDS = (
    'gravity',
    'own inertia',
    'coupling inertia',
    'centrifugal',
    'Coriolis',
    'friction',
)
UNLIMITED = np.pi  # [rad or m] range of a joint without position limits, to either side
FASTEST = 2.0  # [rad/s or m/s] of a joint without a velocity limit
MOST_JOINTS = 30


@dataclass(frozen=True, eq=False)
class TorqueTerms:
    """Terms of the torques of a robot at many states.

    `joint_names`: names of the joints.
    `names`: names of the terms, such as 'qdd3' and 'qd1 qd2', with joints counted from 1.
    `kinds`: kind of each term, one of KINDS.
    `values`: part of each torque [N m or N].
    """

    joint_names: tuple[str, ...]
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    values: np.ndarray

    __repr__ = short_repr

    @property
    def torque(self) -> np.ndarray:
        """Sum of all terms, (k, nv) [N m or N]."""
        return self.values.sum(axis=2)

    def size(self) -> np.ndarray:
        """Return the root mean square of each torque."""
        return _rms(self.torque)

    def shares(self) -> np.ndarray:
        """Return the root mean square of each term over that of the torque."""
        return _rms(self.values) / _positive(self.size())[:, None]

    def of_kinds(self) -> np.ndarray:
        """Return the root mean square of the sum of each kind over that of the torque."""
        sums = [self.values[:, :, self._of(kind)].sum(axis=2) for kind in KINDS]
        return (_rms(np.array(sums).swapaxes(0, 1)) / _positive(self.size())).T

    def negligible(self, joint: int, limit: float = 0.01) -> tuple[list[int], float]:
        """Return the terms of a joint that may be left out together, and the resulting error.

        Terms are left out in ascending order of size. The root mean square of their sum stays at
        most `limit` times that of the torque.

        `joint`: index of the joint.
        `limit`: allowed share of the torque.
        Returns `terms` (list of int): indices of the terms.
        Returns `error` (float): their share of the torque.
        """
        shares, size = self.shares()[joint], _positive(self.size())[joint]
        own = [k for k in np.argsort(shares, kind='stable') if self.values[:, joint, k].any()]
        left: list[int] = []
        lost, total = 0.0, np.zeros(len(self.values))
        for k in own:
            more = total + self.values[:, joint, k]
            error = _rms(more) / size
            if error > limit:
                break
            left, lost, total = [*left, int(k)], float(error), more
        return left, lost

    def _of(self, kind):
        """Return the indices of the terms of a kind."""
        return [k for k, each in enumerate(self.kinds) if each == kind]


def swing(robot: Robot, speed: float = 1.0, count: int = 500, seed: int = 0):
    """Return states of joints that swing through their ranges.

    q = c + A sin(phi), qd = v cos(phi), qdd = -v^2 / A sin(phi), with independent random phases
    phi. A is half the range, or UNLIMITED. v is the share `speed` of the velocity limit, or of
    FASTEST.

    `speed`: share of the velocity limits.
    `count`: number of states.
    `seed`: seed of the phases.
    Raises ParameterError: if `speed` is below 0 or not finite.
    """
    robot.model.refuse_quaternions('swinging through its range')
    if not 0.0 <= speed < np.inf:
        raise ParameterError(f'speed is {speed:g}; expected 0 or more, as a share of the limits')
    limits, phi = (
        robot.limits,
        np.random.default_rng(seed).uniform(0, 2 * np.pi, (count, robot.nv)),
    )
    bounded = np.isfinite(limits.lower) & np.isfinite(limits.upper)
    centre, half = np.clip(0.0, limits.lower, limits.upper), np.full(robot.nv, UNLIMITED)
    lower, upper = limits.lower[bounded], limits.upper[bounded]
    centre[bounded], half[bounded] = 0.5 * (lower + upper), 0.5 * (upper - lower)
    v = speed * np.where(np.isfinite(limits.velocity), limits.velocity, FASTEST)
    return centre + half * np.sin(phi), v * np.cos(phi), -v * v / _positive(half) * np.sin(phi)


def torque_terms(robot: Robot, q, qd, qdd) -> TorqueTerms:
    """Split the torques of a robot into their terms.

    `robot`: the robot, of at most MOST_JOINTS joints.
    `q`, `qd`, `qdd` ((k, nv) array_like): states [rad or m, and their rates].
    Returns the terms.
    Raises ParameterError: for a robot with more joints: it has n^2 (n + 3) / 2 terms.
    """
    n = robot.nv
    if n > MOST_JOINTS:
        raise ParameterError(
            f'robot {robot.name!r} has {n} joints; expected at most {MOST_JOINTS}, since there '
            'are about n^3 / 2 terms'
        )
    q, qd, qdd = (np.array(states, float) for states in (q, qd, qdd))
    M, rate = robot.mass_matrix(q), robot.derivatives.mass_matrix(q)
    h = 0.5 * (rate + rate.swapaxes(2, 3) - rate.transpose(0, 3, 1, 2))  # h[i, j, k] qd_j qd_k
    friction = friction_of(robot.model, q, qd)
    unit = np.eye(n)
    found = [('gravity', GRAVITY, robot.gravity_torque(q)), ('friction', FRICTIONAL, friction)]
    for j in range(n):
        inertial = M[:, :, j] * qdd[:, j, None]
        found.append((f'own qdd{j + 1}', OWN, inertial * unit[j]))
        found.append((f'qdd{j + 1}', COUPLING, inertial * (1.0 - unit[j])))
        found.append((f'qd{j + 1}^2', CENTRIFUGAL, h[:, :, j, j] * qd[:, j, None] ** 2))
        for k in range(j + 1, n):
            rates = 2.0 * h[:, :, j, k] * (qd[:, j] * qd[:, k])[:, None]
            found.append((f'qd{j + 1} qd{k + 1}', CORIOLIS, rates))
    names, kinds, values = zip(*found)
    return TorqueTerms(robot.joint_names, names, kinds, np.stack(values, axis=2))


def _rms(values):
    """Return the root mean square over the first axis."""
    return np.sqrt(np.mean(values**2, axis=0))


def _positive(values):
    """Return values of which zeros are replaced by the smallest positive number."""
    return np.maximum(values, np.finfo(float).tiny)
