# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Hamilton's form of the equations of motion: Spong, problems of chapter 6.

    H(q, p) = sum qd_k p_k - L = K + P,    p = dL/d(qd) = D qd
    qd = dH/dp,    pdot = -dH/dq + tau,    dH/dt = qd . tau

Any tree; derivatives by complex step, O(n^4).
"""

import numpy as np

from robodyn_ros.formulations.angeles.euler_lagrange import (
    kinetic_energy,
    momentum,
    potential_energy,
)
from robodyn_ros.formulations.angeles.kane import mass_matrix
from robodyn_ros.formulations.complex_step import along, gradient
from robodyn_ros.formulations.posture import states


def lagrangian(robot, q, qd):
    """Return L = K - P.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    """
    return kinetic_energy(robot, q, qd) - potential_energy(robot, q)


def hamiltonian(robot, q, p):
    """Return H(q, p) = p . D(q)^-1 p / 2 + P(q).

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `p` ((nv,) array_like): generalised momentum.
    """
    return 0.5 * p @ np.linalg.solve(mass_matrix(robot, q), p) + potential_energy(robot, q)


def rates(robot, q, p, tau):
    """Return the rates of q and p by Hamilton's canonical equations.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `p` ((nv,) array_like): generalised momentum.
    `tau` ((nv,) array_like): joint torques [N m, N].
    Returns `qd` (nv,): joint velocities [rad/s, m/s].
    Returns `pdot` (nv,): rate of the momentum [N m, N].
    """
    q, p, tau = states(robot, q, p, tau)
    return (
        gradient(lambda x: hamiltonian(robot, q, x), p),
        tau - gradient(lambda x: hamiltonian(robot, x, p), q),
    )


def forward_dynamics(robot, q, qd, tau):
    """Return qdd = D^-1 (pdot - Ddot qd), with pdot of the canonical equations.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `tau` ((nv,) array_like): joint torques [N m, N].
    """
    q, qd, tau = states(robot, q, qd, tau)
    _, pdot = rates(robot, q, momentum(robot, q, qd), tau)
    drift = along(lambda x: momentum(robot, x, qd), q, qd)
    return np.linalg.solve(mass_matrix(robot, q), pdot - drift)
