# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The dependent joints of a robot, and the wrenches of its closures."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.compile import embedded
from robodyn_ros.robot.loops.constraint_forces import constraint_forces
from robodyn_ros.robot.robot_view import View


class Loops(View):
    """State of all joints of a robot with loops or mimic joints, and constraint wrenches."""

    def expand(
        self, q: ArrayLike, qd: ArrayLike | None = None, qdd: ArrayLike | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the state of all joints, including dependent ones.

        rates = E qd, accelerations = E qdd + dE/dt qd; Jain 2011, section 15.1. Without dependent
        joints it is the given state.

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like, optional
            Velocities [rad/s or m/s], zero by default.
        qdd : (nv,) array_like, optional
            Accelerations [rad/s^2 or m/s^2], zero by default.

        Returns
        -------
        tuple of three ndarray
            Positions in the order of `all_position_names`; velocities and accelerations in that
            of `all_joint_names`.

        Raises
        ------
        ShapeError
            For a wrong shape or a value that is not finite.
        """
        robot = self._robot
        none = np.zeros((*np.shape(q)[:-1], robot.nv))
        states, k = robot._states(q, none if qd is None else qd, none if qdd is None else qdd)
        if not robot.model.is_embedded:
            return tuple(state.copy() for state in states)
        sizes = len(robot.all_position_names), *[len(robot.all_joint_names)] * 2
        results = tuple(robot._out(None, k, (size,)) for size in sizes)
        run = embedded.expand_state.compiled
        if k is None:
            run(*robot._body, *states, *results)
        else:
            for rows in zip(*states, *results):
                run(*robot._body, *rows)
        robot._refuse_open(results[0])
        return results

    def constraint_forces(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        f_ext: Mapping[str, ArrayLike] | None = None,
    ) -> dict[str, np.ndarray]:
        """Compute the constraint wrenches of the closures.

        Each wrench acts from the link of frame A on the link of frame B. It is in base axes, about
        the origin of B. Redundant closures share it in the least-squares sense. Only independent
        joints are driven.

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like
            Velocities [rad/s or m/s].
        tau : (nv,) array_like
            Joint torques or forces [N m or N].
        f_ext : mapping of str to (6,) array_like, optional
            External wrenches, as of `forward_dynamics`.

        Returns
        -------
        dict of str to (6,) ndarray
            Wrench of each closure by its name [N, N m]; empty for a robot without loops.

        Raises
        ------
        ShapeError
            For a batch of states.
        SingularityError
            Where the loops cannot be closed.
        """
        robot = self._robot
        return constraint_forces(robot, q, qd, tau, f_ext) if robot.model.has_loops else {}
