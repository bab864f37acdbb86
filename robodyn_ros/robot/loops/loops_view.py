# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The actuators of a robot whose loops have more of them than it has degrees of freedom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from numpy.typing import ArrayLike

from robodyn_ros.robot.loops.actuator_torques import ActuatorTorques, actuator_torques
from robodyn_ros.robot.robot_view import View


class Loops(View):
    """Torques shared among the redundant actuators of a robot with closed loops."""

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
