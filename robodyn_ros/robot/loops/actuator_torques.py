# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Share the torques of a motion among chosen actuators: Jain 2011, section 11.2.1.

Torques T of actuators act on the independent joints by E_a^T T, of their rows of E. With more
actuators than independent joints many T have one motion. They differ by squeeze torques, which
only strain the loops. With W = L L^T the one of least T^T W T has the least norm of L^T T.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.errors import ParameterError, SingularityError, require_names, short_repr
from robodyn_ros.robot.loops.embedding_matrix import embedding_matrix

if TYPE_CHECKING:  # which imports this package
    from robodyn_ros.robot.robot import Robot

RANK = 1e-9  # smallest singular value of a led motion, as a share of the largest


class ActuatorTorques(NamedTuple):
    """Torques of m actuators for one motion, and torques without effect on it.

    Parameters
    ----------
    torque : (m,) ndarray
        The torques of least weighted norm [N m or N].
    squeeze : (m, m - nv) ndarray
        Columns span the squeeze torques. With the weight they are orthonormal, and orthogonal to
        `torque`.
    """

    torque: np.ndarray
    squeeze: np.ndarray

    def __repr__(self):
        return short_repr(self)


def actuator_torques(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    actuated: Sequence[str],
    weight: ArrayLike | None = None,
    f_ext: Mapping[str, ArrayLike] | None = None,
) -> ActuatorTorques:
    """Compute the torques of chosen actuators for a motion, of least T^T W T.

    `robot`: any robot. With closed loops or mimic joints it may have more actuators than degrees
      of freedom.
    `qdd`: accelerations [rad/s^2 or m/s^2].
    `actuated`: names of the m driven joints, dependent ones too.
    `weight`: W, or its diagonal; positive. By default 1. With 1 / limit^2 the strong take more.
    `f_ext`: external wrenches, as of `Robot.inverse_dynamics`.
    Returns ActuatorTorques
    Raises UnknownNameError: for a joint that does not exist.
    Raises ParameterError: for a weight that is not positive, or a joint that is named twice.
    Raises SingularityError: if the actuators do not lead every motion of the robot there.
    """
    rows = _rows(robot, actuated)
    root = _root(robot, weight, len(rows))
    E = embedding_matrix(robot, q)[rows]
    U, sizes, Vt = np.linalg.svd(np.linalg.solve(root, E).T)
    if len(rows) < robot.nv or sizes[-1] < RANK * sizes[0]:
        raise SingularityError(
            f'robot {robot.name!r}: actuators {", ".join(actuated)} do not lead all of its '
            f'{robot.nv} independent motions there; expected more, or others'
        )
    tau = robot.inverse_dynamics(q, qd, qdd, f_ext)
    least = Vt[: robot.nv].T @ (U.T @ tau / sizes)
    return ActuatorTorques(
        np.linalg.solve(root.T, least), np.linalg.solve(root.T, Vt[robot.nv :].T)
    )


def _rows(robot, actuated):
    """Return the rows of E of the driven joints."""
    names = robot.all_joint_names
    require_names(f'robot {robot.name!r}', 'joint', actuated, names)
    if len(set(actuated)) < len(actuated):
        raise ParameterError(
            f'robot {robot.name!r}: actuators {", ".join(actuated)}; expected each joint once'
        )
    return [names.index(name) for name in actuated]


def _root(robot, weight, count):
    """Return the lower Cholesky factor of the weight."""
    W = np.ones(count) if weight is None else np.array(weight, dtype=np.float64)
    W = np.diag(W) if W.shape == (count,) else W
    try:
        if W.shape == (count, count) and np.array_equal(W, W.T):
            return np.linalg.cholesky(W)
    except np.linalg.LinAlgError:
        pass
    raise ParameterError(
        f'robot {robot.name!r}: the weight of {count} actuators is {W.tolist()}; expected '
        f'{count} positive numbers, or a symmetric positive matrix'
    )
