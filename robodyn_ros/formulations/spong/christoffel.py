# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The equations of motion from energies, with Christoffel symbols: Spong, sections 6.2 and 6.3.

    D(q) qdd + C(q, qd) qd + g(q) = tau                                               (6.66)
    D    = sum m_i Jv_i^T Jv_i + Jw_i^T R_i I_i R_i^T Jw_i                            (6.50)
    c_ijk = (d d_kj/dq_i + d d_ki/dq_j - d d_ij/dq_k) / 2                             (6.63)
    C_kj = sum_i c_ijk qd_i,    g_k = dP/dq_k,    P = -sum m_i g . r_ci               (6.67, 6.64)

Ddot - 2 C is skew-symmetric for this C. Any tree. D costs O(n^3); its derivatives, by complex
step, n times as much; n^2 (n + 1)/2 symbols.

Correction to the print: P = sum m_i g^T r_ci holds for a g that points UP. The edition used here
lacks the displayed equations. They were restored from its prose, which cites these numbers.
"""

import numpy as np

from robodyn_ros.formulations.angeles.euler_lagrange import gravity_torque
from robodyn_ros.formulations.angeles.kane import mass_matrix
from robodyn_ros.formulations.complex_step import gradient
from robodyn_ros.formulations.posture import states

__all__ = ['coriolis_matrix', 'gravity_torque', 'inverse_dynamics', 'mass_matrix', 'symbols']


def symbols(robot, q):
    """Return the Christoffel symbols c_ijk, symmetric in i and j.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    """
    (q,) = states(robot, q)
    return symbols_of(lambda x: mass_matrix(robot, x), q)


def symbols_of(matrix, q):
    """Return the Christoffel symbols of any mass matrix.

    `matrix` (callable): `matrix(q)` returns a mass matrix (n, n), also of complex q.
    `q` (n,): coordinates [rad, m].
    """
    slope = gradient(matrix, q)  # [k, j, i] = d d_kj/dq_i
    return 0.5 * (
        np.einsum('kji->ijk', slope) + np.einsum('kij->ijk', slope) - np.einsum('ijk->ijk', slope)
    )


def coriolis_matrix(robot, q, qd):
    """Return C(q, qd), C_kj = sum_i c_ijk qd_i.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    """
    return np.einsum('ijk,i->kj', symbols(robot, q), qd)


def inverse_dynamics(robot, q, qd, qdd):
    """Return tau = D qdd + C qd + g.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `qdd` ((nv,) array_like): joint accelerations [rad/s2, m/s2].
    """
    q, qd, qdd = states(robot, q, qd, qdd)
    return (
        mass_matrix(robot, q) @ qdd + coriolis_matrix(robot, q, qd) @ qd + gravity_torque(robot, q)
    )
