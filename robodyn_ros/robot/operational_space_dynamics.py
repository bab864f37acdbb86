# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Results of operational-space dynamics: inertia, bias, and their null space."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from robodyn_ros.errors import UnknownNameError, short_repr
from robodyn_ros.robot.robot_view import PublicNames

if TYPE_CHECKING:
    from robodyn_ros.robot.robot import Robot

AXES = ('x', 'y', 'z', 'rx', 'ry', 'rz')


@dataclass(frozen=True, eq=False)
class OperationalSpaceInertia(PublicNames):
    """Operational-space inertia Lambda = (J M^-1 J^T + damping^2 1)^-1 of the axes kept.

    In base axes, at the origin of the frame, linear rows first.

    Parameters
    ----------
    inertia, inverse : (m, m) ndarray
        Lambda, and J M^-1 J^T undamped.
    jacobian : (m, nv) ndarray
        J of the axes kept.
    rank : int
        Rank of the inverse.
    singular_values : (m,) ndarray
        Singular values of the inverse.
    consistent_inverse : (nv, m) ndarray
        Jbar = M^-1 J^T Lambda.
    axes : tuple of str
        Name of the axis of each row.
    damping : float
        Damping [1/sqrt(kg)].
    rows : dict of str to slice
        Rows of each frame, in the requested order.
    """

    inertia: np.ndarray
    inverse: np.ndarray
    jacobian: np.ndarray
    rank: int
    singular_values: np.ndarray
    consistent_inverse: np.ndarray
    axes: tuple[str, ...]
    damping: float
    rows: dict[str, slice]

    __repr__ = short_repr

    def block(self, frame: str, other: str | None = None, of: str = 'inertia') -> np.ndarray:
        """Return the block of `inertia` or `inverse` that couples two frames.

        The block of `inverse` is J_i M^-1 J_j^T (Jain 2011, eq. 10.18). It is the acceleration at
        `frame` due to a force at `other`.

        Parameters
        ----------
        frame : str
            Frame of the rows.
        other : str, optional
            Frame of the columns; `frame` itself by default.
        of : {'inertia', 'inverse'}
            The matrix.

        Returns
        -------
        (6, 6) ndarray
            The rows of one frame, the columns of the other.

        Raises
        ------
        UnknownNameError
            For a frame that is not of the task.
        """
        rows, columns = self._rows(frame), self._rows(frame if other is None else other)
        block: np.ndarray = getattr(self, of)[..., rows, columns]
        return block

    def _rows(self, frame: str) -> slice:
        if frame not in self.rows:
            raise UnknownNameError(
                f'frame of an operational-space inertia: got {frame!r}; '
                f'expected one of {", ".join(self.rows)}'
            )
        return self.rows[frame]

    @property
    def null_space_projection(self) -> np.ndarray:
        """N = 1 - Jbar J, (nv, nv): J N = 0, N N = N.

        N qd is the part of a joint velocity without task velocity. N^T tau is the part of a joint
        torque without task acceleration: J M^-1 N^T = 0. This is the dynamically consistent
        projection (Khatib 1987, eq. 47). In Jain's operators M^-1 J^T Lambda J is H Upsilon_f
        phi^T H^T (2011, Lemma 10.3). With damping N is only approximately a projection.
        """
        identity = np.eye(self.jacobian.shape[-1])
        projection: np.ndarray = identity - self.consistent_inverse @ self.jacobian
        return projection


class FullRankInertia(OperationalSpaceInertia):
    """An OperationalSpaceInertia of full rank, whose further fields are computed at first use.

    `q` (nq,): positions [rad or m].
    `frame`: name of the frame.
    `inertia`, `inverse` (m, m): lambda, and J M^-1 J^T.
    `jacobian` (m, nv): J of the axes kept.
    `some` (tuple): J and J M^-1 J^T of all axes, the rows kept and the damping. None for all axes,
      undamped.
    """

    def __init__(
        self,
        robot: Robot,
        q: np.ndarray,
        frame: str,
        inertia: np.ndarray,
        inverse: np.ndarray,
        jacobian: np.ndarray,
        some: tuple[Any, ...] | None = None,
    ) -> None:
        known = self.__dict__
        known['inertia'], known['inverse'], known['jacobian'] = inertia, inverse, jacobian
        known['_of'] = robot, q, frame, some

    def __getattr__(self, name: str) -> Any:
        if name not in _FIELDS:
            raise AttributeError(f'{type(self).__name__} has no attribute {name!r}')
        robot, q, frame, some = self._of
        known = self.__dict__
        whole = robot.task_space.inertia(
            q, *(some or (self.jacobian, self.inverse, range(6), 0.0)), (frame,)
        )
        known |= vars(whole) | known
        return known[name]

    def __dir__(self) -> list[str]:
        return [*{*super().__dir__(), *_FIELDS}]

    def __reduce__(self) -> tuple[type[OperationalSpaceInertia], tuple[Any, ...]]:
        return OperationalSpaceInertia, tuple(getattr(self, name) for name in _FIELDS)


_FIELDS = tuple(field.name for field in fields(OperationalSpaceInertia))


@dataclass(frozen=True, eq=False)
class OperationalSpaceBias:
    """Lambda xdd + coriolis + gravity = F of the task axes kept, without joint torques.

    In base axes, at the origin of the frame, linear rows first.

    `coriolis`: mu = Lambda (J M^-1 C qd - Jdot qd) [N, N m].
    `gravity`: p = Lambda J M^-1 g [N, N m].
    `free_acceleration`: task acceleration without force and torque [m/s^2, rad/s^2], -J M^-1 (C qd
      + g) + Jdot qd. It exists at singular postures too.
    `task`: the inertia of the task.
    """

    coriolis: np.ndarray
    gravity: np.ndarray
    free_acceleration: np.ndarray
    task: OperationalSpaceInertia

    __repr__ = short_repr

    @property
    def total(self) -> np.ndarray:
        """mu + p, (m,) [N, N m]: Jain's C_os at T = 0 (2011, eq. 10.8)."""
        bias: np.ndarray = self.coriolis + self.gravity
        return bias
