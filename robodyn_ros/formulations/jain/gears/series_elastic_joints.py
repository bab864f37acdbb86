# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Series-elastic joints: Jain's tree of links and motors without the gear, section 12.1.

    delta = theta_m / mu - theta_l,   s = k delta + d deltadot
    T_m = tau - s / mu,   T_l = s                          motor k mounted on link k + 1 (12.1)

A spring and a damper between motor and link replace thd_m = mu thd_l (12.6). Spong's example 6.2
is one such joint with mu = 1. The motors keep their mass, and their gyroscopic forces. Forward
dynamics in O(n), by algorithm 9.5 of the SkoModel with two freedoms per hinge.
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.errors import ParameterError
from robodyn_ros.formulations.jain.gears.geared_chain import spanning_model
from robodyn_ros.formulations.jain.sko.dynamics import forward_dynamics as sko_forward_dynamics


class Pair(NamedTuple):
    """A quantity of motors and links.

    `motor`: values of the motors; ignored where a hinge has none.
    `link`: values of the links.
    """

    motor: np.ndarray
    link: np.ndarray


def spring_torques(chain, stiffness, damping, theta, thd):
    """Return the torques s of the springs on the links.

    `chain` (GearedChain): links and motors at one state.
    `stiffness` ((n,) array_like): stiffness of each spring, seen at the link [N m/rad].
    `damping` ((n,) array_like): damping of each spring, seen at the link [N m s/rad].
    `theta` (Pair): angles of motors and links [rad].
    `thd` (Pair): velocities of motors and links [rad/s].
    Raises ParameterError: if a stiffness is not above 0, or a damping is below 0.
    """
    stiffness, damping = (np.broadcast_to(each, chain.n) for each in (stiffness, damping))
    wrong = chain.motor & ~((stiffness > 0.0) & (damping >= 0.0))
    if wrong.any():
        k = int(np.flatnonzero(wrong)[0])
        raise ParameterError(
            f'hinge {k + 1}: got stiffness {stiffness[k]} and damping {damping[k]}; expected the '
            'first above 0 and the second not below'
        )
    mu = np.where(chain.motor, chain.mu, 1.0)
    delta, rate = (each.motor / mu - each.link for each in (theta, thd))
    return np.where(chain.motor, stiffness * delta + damping * rate, 0.0)


def forward_dynamics(chain, stiffness, damping, theta, thd, tau):
    """Return the accelerations of motors and links under motor torques.

    `chain` (GearedChain): links and motors at this state, made with the velocities of both.
    `stiffness` ((n,) array_like): stiffness of each spring, seen at the link [N m/rad].
    `damping` ((n,) array_like): damping of each spring, seen at the link [N m s/rad].
    `theta` (Pair): angles of motors and links [rad].
    `thd` (Pair): velocities of motors and links [rad/s].
    `tau` ((n,) array_like): motor torques; on the link where a hinge has no motor [N m].
    """
    s = spring_torques(chain, stiffness, damping, theta, thd)
    T = []
    for k in range(chain.n):
        T += [tau[k] - s[k] / chain.mu[k], s[k]] if chain.motor[k] else [tau[k]]
    found, _ = sko_forward_dynamics(spanning_model(chain), np.array(T))
    last = np.cumsum(np.where(chain.motor, 2, 1)) - 1
    return Pair(np.where(chain.motor, found[last - 1], 0.0), found[last])


def strain_energy(chain, stiffness, theta):
    """Return the energy of the springs, the sum of k delta^2 / 2.

    `chain` (GearedChain): links and motors at one state.
    `stiffness` ((n,) array_like): stiffness of each spring, seen at the link [N m/rad].
    `theta` (Pair): angles of motors and links [rad].
    """
    at_rest = Pair(np.zeros(chain.n), np.zeros(chain.n))
    s = spring_torques(chain, stiffness, 0.0, theta, at_rest)
    return 0.5 * np.sum(s**2 / np.where(chain.motor, stiffness, 1.0))
