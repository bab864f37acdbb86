# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The dependent joints of a robot, and the wrenches of its closures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.compile import embedded
from robodyn_ros.robot.loops.actuator_torques import ActuatorTorques, actuator_torques
from robodyn_ros.robot.loops.constraint_forces import constraint_forces
from robodyn_ros.robot.robot_view import View


class Loops(View):
    """State of all joints of a robot with loops or mimic joints, wrenches, actuators."""

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

    def actuator_torques(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        actuated: Sequence[str],
        weight: ArrayLike | None = None,
        f_ext: Mapping[str, ArrayLike] | None = None,
    ) -> ActuatorTorques:
        """Compute the torques of chosen actuators for a motion, of least T^T W T.

        Only move torques T act on the motion: tau = E^T T, with the rows of E of the actuators.
        Squeeze torques only strain the loops. Any of them may be added to T.

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like
            Velocities [rad/s or m/s].
        qdd : (nv,) array_like
            Accelerations [rad/s^2 or m/s^2].
        actuated : sequence of str
            Names of the m driven joints, dependent ones too.
        weight : (m,) or (m, m) array_like, optional
            W, or its diagonal; positive. By default 1. With 1 / limit^2 the strong take more.
        f_ext : mapping of str to (6,) array_like, optional
            External wrenches, as of `inverse_dynamics`.

        Returns
        -------
        ActuatorTorques
            The torques (m,), and the squeeze torques (m, m - nv).

        Raises
        ------
        UnknownNameError, ParameterError
            For a joint that does not exist or is named twice, or a weight that is not positive.
        SingularityError
            If the actuators do not lead every motion of the robot there.
        """
        return actuator_torques(self._robot, q, qd, qdd, actuated, weight, f_ext)
