# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The frames of a robot: names, poses, velocities, Jacobians in any reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.compile import generic
from robodyn_ros.errors import ShapeError, UnknownNameError, listed
from robodyn_ros.robot.robot_view import View
from robodyn_ros.spatial import se3

Reference = Literal['world', 'local', 'world_aligned']
REFERENCES = ('world', 'local', 'world_aligned')


class Frames(View, Sequence):
    """Names of the frames of a robot, its links and joints, in the order of the description.

    A sequence of str: `'tool0' in robot.frames`, `robot.frames[-1]`, `list(robot.frames)`.

    Velocities, accelerations and Jacobians have six rows, linear first, and a reference:

    - 'world_aligned': the point of the frame, in axes of the base, as `robot.jacobian`;
    - 'local': the point of the frame, in axes of the frame;
    - 'world': the point of the body at the origin of the base, in axes of the base.

    The point of the frame is its origin, or `offset` from there, in axes of the frame. Derivatives
    are those of the six numbers. Every method takes one state, or a batch with k in front.

    `name`: attribute of the robot that holds the view.
    """

    def __init__(self, robot, name):
        super().__init__(robot, name)
        self._names = tuple(robot.model.frames)

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...

    def __getitem__(self, index):
        return self._names[index]

    def __len__(self):
        return len(self._names)

    def __repr__(self):
        return f'<frames of robot {self._robot.name!r}: {listed(self._names)}>'

    def poses(
        self, q: ArrayLike, frames: Sequence[str] | None = None, out: np.ndarray | None = None
    ) -> np.ndarray:
        """Compute the poses of many frames in the base, in one sweep.

        O(n + m).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        frames : sequence of str, optional
            Names of m frames; all by default.
        out : ndarray, optional
            Array that receives the result.

        Returns
        -------
        (m, 4, 4) ndarray
            Homogeneous transforms [-, m], in the order of the names.

        Raises
        ------
        UnknownNameError
            For a frame that does not exist.
        """
        robot, names = self._robot, self._names if frames is None else self._several(frames)
        (q,), k = robot._states(q, out=out)
        out = robot._out(out, k, (len(names), 4, 4))
        robot._run(generic.frame_poses, k, *robot._body, q, *robot._placed(names), out)
        return out

    def relative_pose(self, q: ArrayLike, frame: str, seen_from: str) -> np.ndarray:
        """Compute the pose of a frame seen from another one: X_AB = X_0A^-1 X_0B.

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        frame : str
            Name of frame B.
        seen_from : str
            Name of frame A.

        Returns
        -------
        (4, 4) ndarray
            Homogeneous transform [-, m].
        """
        poses = self.poses(q, (seen_from, frame))
        return se3.inverse(poses[..., 0, :, :]) @ poses[..., 1, :, :]

    def velocity(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        frame: str,
        reference: Reference = 'world_aligned',
        offset: ArrayLike | None = None,
    ) -> np.ndarray:
        """Compute the velocity of a frame, [v; omega] = J qd.

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like
            Velocities [rad/s or m/s].
        frame : str
            Name of a link or joint.
        reference : {'world_aligned', 'local', 'world'}
            Reference of the result.
        offset : (3,) array_like, optional
            Point of the frame [m] in its axes; its origin by default.

        Returns
        -------
        (6,) ndarray
            Linear, then angular velocity [m/s, rad/s].
        """
        V = self._robot.velocity(q, qd, frame)[..., None]
        return self._seen(q, frame, reference, offset, V)[..., 0]

    def acceleration(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        frame: str,
        reference: Reference = 'world_aligned',
        offset: ArrayLike | None = None,
    ) -> np.ndarray:
        """Compute the derivative of `velocity`, J qdd + Jdot qd. Gravity is not included.

        'world_aligned' gives the acceleration of the point for an observer at rest.

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like
            Velocities [rad/s or m/s].
        qdd : (nv,) array_like
            Accelerations [rad/s^2 or m/s^2].
        frame : str
            Name of a link or joint.
        reference : {'world_aligned', 'local', 'world'}
            Reference of the result.
        offset : (3,) array_like, optional
            Point of the frame [m] in its axes; its origin by default.

        Returns
        -------
        (6,) ndarray
            Linear, then angular acceleration [m/s^2, rad/s^2].
        """
        robot = self._robot
        V = robot.velocity(q, qd, frame)[..., None]
        forced = robot.jacobian(q, frame) @ robot._states(q, qd, qdd)[0][2][..., None]
        A = forced + robot.jacobian_bias(q, qd, frame)[..., None]
        return self._seen_rate(q, frame, reference, offset, V, A, V)[..., 0]

    def jacobian(
        self,
        q: ArrayLike,
        frame: str | Sequence[str],
        reference: Reference = 'world_aligned',
        offset: ArrayLike | None = None,
    ) -> np.ndarray:
        """Compute J with [v; omega] = J qd, of a frame or of several.

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        frame : str or sequence of str
            Name of a link or joint, or several.
        reference : {'world_aligned', 'local', 'world'}
            Reference of the result.
        offset : (3,) array_like, optional
            Point of the frame [m] in its axes; its origin by default.

        Returns
        -------
        (6, nv) or (m, 6, nv) ndarray
            Jacobian, linear rows first; of m frames stacked.
        """
        if not isinstance(frame, str):
            each = [self.jacobian(q, name, reference, offset) for name in self._several(frame)]
            return np.stack(each, axis=-3)
        return self._seen(q, frame, reference, offset, self._robot.jacobian(q, frame))

    def jacobian_derivative(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        frame: str | Sequence[str],
        reference: Reference = 'world_aligned',
        offset: ArrayLike | None = None,
    ) -> np.ndarray:
        """Compute the time derivative Jdot of `jacobian`.

        O(n).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like
            Velocities [rad/s or m/s].
        frame : str or sequence of str
            Name of a link or joint, or several.
        reference : {'world_aligned', 'local', 'world'}
            Reference of the result.
        offset : (3,) array_like, optional
            Point of the frame [m] in its axes; its origin by default.

        Returns
        -------
        (6, nv) or (m, 6, nv) ndarray
            Jdot, linear rows first; of m frames stacked.
        """
        if not isinstance(frame, str):
            names = self._several(frame)
            each = [self.jacobian_derivative(q, qd, name, reference, offset) for name in names]
            return np.stack(each, axis=-3)
        robot = self._robot
        (q, qd), k = robot._states(q, qd)
        Jdot = robot._out(None, k, (6, robot.nv))
        place = robot._placement(frame)
        robot._run(generic.jacobian_derivative, k, *robot._body, q, qd, *place, Jdot)
        J, V = robot.jacobian(q, frame), robot.velocity(q, qd, frame)[..., None]
        return self._seen_rate(q, frame, reference, offset, J, Jdot, V)

    def jacobian_hessian(
        self,
        q: ArrayLike,
        frame: str,
        reference: Reference = 'world_aligned',
        offset: ArrayLike | None = None,
    ) -> np.ndarray:
        """Compute the derivative of `jacobian` along unit velocities.

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m], one state.
        frame : str
            Name of a link or joint.
        reference : {'world_aligned', 'local', 'world'}
            Reference of the result.
        offset : (3,) array_like, optional
            Point of the frame [m] in its axes; its origin by default.

        Returns
        -------
        (6, nv, nv) ndarray
            Entry [i, j, k] is dJ_ij / dq_k; Jdot is its product with qd.
        """
        (q,), k = self._robot._states(q)
        if k is not None:
            raise ShapeError(
                f'robot {self._robot.name!r}: got a batch of {k} states; expected one, of shape '
                f'({self._robot.nq},)'
            )
        nv = self._robot.nv
        every = np.tile(q, (nv, 1))
        along = self.jacobian_derivative(every, np.eye(nv), frame, reference, offset)
        return np.ascontiguousarray(np.moveaxis(along, 0, -1))

    def _several(self, names):
        """Return the names of some frames as a tuple."""
        if isinstance(names, str):
            return (names,)
        return tuple(names)

    def _point(self, q, frame, reference, offset):
        """Return R and p of a frame, and the lever (..., 3) to its point in axes of the base."""
        if reference not in REFERENCES:
            raise UnknownNameError(
                f'reference of frame {frame!r} of robot {self._robot.name!r}: got '
                f'{reference!r}; expected one of {", ".join(REFERENCES)}'
            )
        if offset is not None:
            offset = self._robot._floats(offset)
            if offset.shape != (3,) or not np.isfinite(offset).all():
                raise ShapeError(
                    f'offset of frame {frame!r} of robot {self._robot.name!r}: got '
                    f'{offset.tolist()}; expected three finite numbers [m] in its axes'
                )
        X = self._robot.pose(q, frame)
        R, p = X[..., :3, :3], X[..., :3, 3]
        return R, p, np.zeros_like(p) if offset is None else R @ offset

    def _seen(self, q, frame, reference, offset, J):
        """Return the columns of J (..., 6, n), given at a frame's origin, in a reference."""
        if reference == 'world_aligned' and offset is None:
            return J
        R, p, lever = self._point(q, frame, reference, offset)
        if reference == 'world':
            return _moved(J, -p)
        J = _moved(J, lever)
        return J if reference == 'world_aligned' else _turned(R, J)

    def _seen_rate(self, q, frame, reference, offset, J, Jdot, V):
        """Return the rate of `_seen`, where V (..., 6, 1) is the velocity of the frame."""
        if reference == 'world_aligned' and offset is None:
            return Jdot
        R, p, lever = self._point(q, frame, reference, offset)
        v, omega = V[..., :3, 0], V[..., 3:, 0]
        if reference == 'world':
            lever, rate = -p, -v
        else:
            rate = np.cross(omega, lever)
        Jdot = _moved(Jdot, lever)
        Jdot[..., :3, :] += _crossed(J[..., 3:, :], rate)
        if reference != 'local':
            return Jdot
        J, rest = _moved(J, lever), np.empty_like(Jdot)
        for rows in (slice(0, 3), slice(3, 6)):
            rest[..., rows, :] = Jdot[..., rows, :] + _crossed(J[..., rows, :], omega)
        return _turned(R, rest)


def _crossed(columns, x):
    """Return the cross product of each column (..., 3, n) with x (..., 3)."""
    return np.cross(columns, x[..., :, None], axis=-2)


def _moved(J, lever):
    """Return J of another point of the body: v + omega x lever."""
    moved = J.copy()
    moved[..., :3, :] += _crossed(J[..., 3:, :], lever)
    return moved


def _turned(R, J):
    """Return J in the axes of R: R^T of both parts."""
    back = R.swapaxes(-1, -2)
    return np.concatenate((back @ J[..., :3, :], back @ J[..., 3:, :]), axis=-2)
