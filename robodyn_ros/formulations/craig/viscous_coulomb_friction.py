# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Friction added to the equations of motion: Craig, chapter 6, after (6.59) and (6.104).

    F(q, qd) = v qd + c(q) sgn qd,   tau = M(q) qdd + V(q, qd) + G(q) + F(q, qd)

The viscous and the Coulomb term of the book's section 6.8. Where gears are not round, c is a
function of the position. The notes at hand break off in this sentence. sgn 0 = 0: what sticks,
sticks by what integrates. In forward dynamics F is taken from tau. O(n) beside the rest.
"""

import numpy as np

from robodyn_ros.errors import ParameterError
from robodyn_ros.formulations.arm import states
from robodyn_ros.formulations.craig import iterative_newton_euler


def friction(q, qd, viscous, coulomb):
    """F (n,) [N m or N], with the sign of the drives' torque that it takes.

    Parameters
    ----------
    q, qd : (n,) [rad or m, and /s].
    viscous : (n,) or one number, v [N m s/rad or N s/m].
    coulomb : (n,), one number, or a function of q that gives them, c [N m or N].

    Raises
    ------
    ParameterError where v or c is below 0, and friction would drive.
    """
    v, c = np.asarray(viscous), np.asarray(coulomb(q) if callable(coulomb) else coulomb)
    if np.any(v < 0.0) or np.any(c < 0.0):
        raise ParameterError(
            f'got viscous friction {v} and Coulomb friction {c}; expected none below 0'
        )
    return v * np.asarray(qd) + c * np.sign(qd)


def inverse_dynamics(robot, q, qd, qdd, viscous, coulomb):
    """tau (n,) with friction; the other arguments as of iterative_newton_euler."""
    q, qd, qdd = states(robot, q, qd, qdd)
    tau = iterative_newton_euler.inverse_dynamics(robot, q, qd, qdd)
    return tau + friction(q, qd, viscous, coulomb)


def forward_dynamics(robot, q, qd, tau, viscous, coulomb):
    """qdd (n,) = M^-1 (tau - V - G - F) (6.115)."""
    q, qd, tau = states(robot, q, qd, tau)
    M, V, G = iterative_newton_euler.state_space(robot, q, qd)
    return np.linalg.solve(M, tau - V - G - friction(q, qd, viscous, coulomb))
