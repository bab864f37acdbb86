# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Inverse kinematics: postures in which a frame has a given pose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.compile import embedded, generic
from robodyn_ros.errors import ShapeError, short_repr
from robodyn_ros.robot.validation import CheckedModel

#: Share of the distance to the preferred posture in one step.
GAIN = 0.5
#: Largest distance of random seeds from the posture in which the loops were closed [rad or m].
AROUND = 1.5
#: Largest entry of R^T R - 1 of a target that counts as a rotation.
ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class InverseKinematics:
    """Result of `Robot.inverse_kinematics`.

    Parameters
    ----------
    q : (nq,) ndarray
        Positions [rad or m]; the best ones found if there is no success.
    success : bool
        Whether the error is below the tolerance.
    error : float
        Length of [p_d - p; log(R_d R^T)] of the axes kept [m, rad].
    steps : int
        Iterations, of all seeds.
    seeds : int
        Seeds tried.
    """

    q: np.ndarray
    success: Any
    error: Any
    steps: Any
    seeds: Any

    __repr__ = short_repr


class InverseKinematicsMethods(CheckedModel):
    """Inverse kinematics of a robot."""

    def inverse_kinematics(
        self,
        pose: ArrayLike,
        frame: str,
        seed: ArrayLike | None = None,
        axes: str | Sequence | None = None,
        posture: ArrayLike | None = None,
        tolerance: float = 1e-8,
        steps: int = 50,
        restarts: int = 64,
        limits: bool = True,
    ) -> InverseKinematics:
        """Compute joint positions within the limits that move a frame to a pose.

        Damped least squares: dq = n + J^T (J J^T + mu e^T e 1)^-1 (e - J n), with joints at a
        limit held. Sources: Nakamura and Hanafusa 1986; Chan and Lawrence 1988; Siciliano et al.
        2009, section 3.5. It tries one seed after the other until one succeeds. The result is
        deterministic. Closed loops stay in the assembly mode of their model. Limits are those of
        independent joints.

        Parameters
        ----------
        pose : (4, 4) array_like
            Homogeneous transform [-, m] of the frame in the base; a batch is (k, 4, 4).
        frame : str
            Name of a link or joint.
        seed : (nq,) or (s, nq) array_like, optional
            Initial postures, the nearest first.
        axes : str or sequence, optional
            Axes of the base to reach, of 'x y z rx ry rz'; all by default.
        posture : (nq,) array_like, optional
            Preferred posture, approached in the null space of the pose.
        tolerance : float
            Largest error of a success [m, rad].
        steps : int
            Largest number of iterations from one seed.
        restarts : int
            Number of random postures after the seeds, the nearest first.
        limits : bool
            Whether position limits are respected.

        Returns
        -------
        InverseKinematics
            Of a batch, with k in front of every field.

        Raises
        ------
        ShapeError
            If the pose is not a rigid motion, or there is no seed.
        UnknownNameError
            If the frame does not exist.
        """
        target, k = self._target(pose, frame), None
        if target.ndim == 3:
            k = len(target)
        body, placement = self._placement(frame)
        lower, upper = self._position_limits(limits)
        seeds, stands, preferred = self._seeds(seed, frame, restarts)
        preference, gain = np.zeros(self.nq), 0.0
        if posture is not None:
            ((preference,), batch), gain = self._states(posture, independent=True), GAIN
            if batch is not None:
                raise self._wrong_shapes((preference,))
        solution, outcome = self._out(None, k, (self.nq,)), self._out(None, k, (3,))
        kept = [] if axes is None else self._axes_kept(axes)
        weights = np.ones(6) if axes is None else np.isin(np.arange(6), kept).astype(float)
        self._run(
            generic.inverse_kinematics,
            k,
            *self._body,
            target,
            body,
            placement,
            *map(_frozen, (weights, lower, upper, preference)),
            gain,
            _frozen(seeds),
            _frozen(stands),
            preferred,
            _number(self, 'tolerance', tolerance),
            int(_number(self, 'steps', steps)),
            np.empty(len(seeds)),
            np.empty(self.nq),
            np.empty(self.nv),
            np.empty(self.nv),
            np.empty((6, self.nv)),
            np.empty((6, 6)),
            np.empty(6),
            solution,
            outcome,
        )
        error, counts = outcome[..., 0], outcome[..., 1:].astype(int)
        if k is None:
            done, tried = counts.tolist()
            return InverseKinematics(solution, bool(error < tolerance), float(error), done, tried)
        return InverseKinematics(
            solution, error < tolerance, error, counts[..., 0], counts[..., 1]
        )

    def _axes_kept(self, axes):
        """Return the indices of task axes."""
        return self.task_space._axes(axes)  # type: ignore[attr-defined]

    def _target(self, pose, frame):
        """Return a target as an array, checked."""
        target = self._floats(pose)
        if target.ndim not in (2, 3) or target.shape[-2:] != (4, 4):
            raise ShapeError(
                f'pose of frame {frame!r} of robot {self.name!r}: got an array of shape '
                f'{target.shape}; expected (4, 4) or (k, 4, 4)'
            )
        R = target[..., :3, :3]
        gap = np.abs(R.swapaxes(-1, -2) @ R - np.eye(3)).max(initial=0.0)
        proper = np.linalg.det(R) > 0.0 if np.isfinite(gap) else False
        last = (target[..., 3, :] == (0.0, 0.0, 0.0, 1.0)).all()
        if not (gap < ROUNDING and np.isfinite(target).all() and np.all(proper) and last):
            raise ShapeError(
                f'pose of frame {frame!r} of robot {self.name!r}: got {target.tolist()!r:.200}; '
                'expected a rotation, a place in the last column and (0, 0, 0, 1) below'
            )
        return target

    def _position_limits(self, wanted):
        """Return the limits of q, (nq,) each; infinite ones if they are not respected."""
        lower, upper = np.full(self.nq, -np.inf), np.full(self.nq, np.inf)
        if wanted:
            at = self.model.coordinates
            lower[at[at >= 0]] = self.limits.lower[at >= 0]
            upper[at[at >= 0]] = self.limits.upper[at >= 0]
        return lower, upper

    def _seeds(self, seed, frame, restarts):
        """Return initial postures, the frame's pose in each, and the number of given ones."""
        found, preferred = [], 0
        if seed is not None:
            (given,), _ = self._states(seed, independent=True)
            given = np.atleast_2d(given)
            found, preferred = [(given, self._stands(given, frame))], len(given)
        restarts = int(_number(self, 'restarts', restarts))
        if restarts:
            if (frame, restarts) not in self._restarts:
                drawn = self._drawn(restarts)
                self._restarts[frame, restarts] = drawn, self._stands(drawn, frame)
            found.append(self._restarts[frame, restarts])
        if not found or not sum(len(rows) for rows, _ in found):
            raise ShapeError(
                f'inverse kinematics of robot {self.name!r}: got no seed and no restarts; '
                'expected one posture at least to begin with'
            )
        seeds, stands = (np.concatenate(parts) for parts in zip(*found))
        return seeds, stands, preferred

    def _drawn(self, count):
        """Return random postures of a fixed seed; with closed loops those in which they close."""
        rng = np.random.default_rng(0)
        if self.model.has_loops:
            closed = self.model.closed_posture
            near = closed + rng.uniform(-AROUND, AROUND, (count - 1, self.nq))
            near = np.clip(near, *self._position_limits(True))
            return np.array([closed, *filter(self._closes, near)])
        draw = self.configuration.random  # type: ignore[attr-defined]
        return np.array([draw(rng, np.pi) for _ in range(count)])

    def _closes(self, q):
        """Return whether the loops close in a posture."""
        n = len(self.model.all_joint_names)
        state = np.empty(len(self.model.all_position_names)), *np.empty((2, n))
        still = np.zeros(self.nv)
        embedded.expand_state.compiled(*self._body, q, still, still, *state)
        return np.isfinite(state[0]).all()

    def _stands(self, q, frame):
        """Return rotations and translations (s, 12) of a frame."""
        X = self.pose(q, frame)  # type: ignore[attr-defined]
        return np.hstack((X[:, :3, :3].reshape(-1, 9), X[:, :3, 3]))


def _frozen(array):
    """Return a contiguous array that kernels may only read."""
    array = np.ascontiguousarray(array).view()
    array.flags.writeable = False
    return array


def _number(robot, name, value):
    """Return a number that is at least zero."""
    if not (np.ndim(value) == 0 and 0.0 <= value < np.inf):
        raise ShapeError(
            f'{name} of inverse kinematics of robot {robot.name!r}: got {value!r}; expected a '
            'number of at least zero'
        )
    return float(value)
