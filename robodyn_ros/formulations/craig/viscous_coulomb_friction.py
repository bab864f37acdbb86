# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Friction added to the equations of motion: Craig, chapter 6, after (6.59) and (6.104).

    F(q, qd) = v qd + c(q) sgn qd,   tau = M(q) qdd + V(q, qd) + G(q) + F(q, qd)

The viscous and the Coulomb term of the book's section 6.8. Where gears are eccentric, c is a
function of the position. The notes used here end in this sentence. At rest sgn 0 = 0; sticking is
left to the integrator. Forward dynamics subtracts F from tau. O(n) beside the rest.
"""

import numpy as np

from robodyn_ros.errors import ParameterError
from robodyn_ros.formulations.craig import iterative_newton_euler
from robodyn_ros.formulations.posture import states


def friction(q, qd, viscous, coulomb):
    """Return F, the drives' torque against friction.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `viscous` ((nv,) array_like or float): viscous friction v [N m s/rad or N s/m].
    `coulomb` ((nv,) array_like, float or callable): Coulomb friction c [N m or N], or a function
      of q that returns it.
    Raises ParameterError: if v or c is below 0, as friction would then drive.
    """
    v, c = np.asarray(viscous), np.asarray(coulomb(q) if callable(coulomb) else coulomb)
    if np.any(v < 0.0) or np.any(c < 0.0):
        raise ParameterError(
            f'got viscous friction {v} and Coulomb friction {c}; expected none below 0'
        )
    return v * np.asarray(qd) + c * np.sign(qd)


def inverse_dynamics(robot, q, qd, qdd, viscous, coulomb):
    """Return the joint torques with friction.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `qdd` ((nv,) array_like): joint accelerations [rad/s2, m/s2].
    `viscous` ((nv,) array_like or float): viscous friction v [N m s/rad or N s/m].
    `coulomb` ((nv,) array_like, float or callable): Coulomb friction c [N m or N], or a function
      of q that returns it.
    Raises ParameterError: if v or c is below 0.
    """
    q, qd, qdd = states(robot, q, qd, qdd)
    tau = iterative_newton_euler.inverse_dynamics(robot, q, qd, qdd)
    return tau + friction(q, qd, viscous, coulomb)


def forward_dynamics(robot, q, qd, tau, viscous, coulomb):
    """Return qdd = M^-1 (tau - V - G - F) (6.115).

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `tau` ((nv,) array_like): joint torques [N m, N].
    `viscous` ((nv,) array_like or float): viscous friction v [N m s/rad or N s/m].
    `coulomb` ((nv,) array_like, float or callable): Coulomb friction c [N m or N], or a function
      of q that returns it.
    Raises ParameterError: if v or c is below 0.
    """
    q, qd, tau = states(robot, q, qd, tau)
    M, V, G = iterative_newton_euler.state_space(robot, q, qd)
    return np.linalg.solve(M, tau - V - G - friction(q, qd, viscous, coulomb))
