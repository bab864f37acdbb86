# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The modified Newton-Euler set of Turney, Mudge and Lee, section 5: one matrix A_i per link.

    A_i = w w^T - |w|^2 E + skew(al):     w x (w x b) + al x b = A_i b
    a_i = A_i r_i + R a_(i-1)
    f_i = m A_i (rbar_i + r_i) + m R a_(i-1) + R f_(i+1)                                     (5.1)
    n_i = v(A_i K_i) + (rbar_i + r_i) x m abar_i + r_i x R f_(i+1) + R n_(i+1)               (5.2)

with K_i = tr(I_i) E / 2 - I_i, the pseudo-inertia about the centre of mass. v(P) is the vector
(P_zy - P_yz, P_xz - P_zx, P_yx - P_xy), so that v(A K) = I al + w x I w. The rest is as in section
3 (luh_walker_paul.py). Serial chains, O(n): 90 n - 27 multiplications, 88 n - 24 additions (Table
4).

Corrections to the print: entry (3, 2) of A_i is wy wz + al_x. K_i is taken about the centre of
mass, not about origin i-1. The x component of the moment is (A K)_zy - (A K)_yz. The last term of
(5.2) is R n_(i+1).
"""

import numpy as np

from robodyn_ros.formulations.arm import skew
from robodyn_ros.formulations.turney.luh_walker_paul import recursion

E = np.eye(3)


def rate_matrix(w, al):
    """Return A with A b = w x (w x b) + al x b.

    Parameters
    ----------
    w : (3,) ndarray
        Angular velocity [rad/s].
    al : (3,) ndarray
        Angular acceleration [rad/s2].

    Returns
    -------
    (3, 3) ndarray
        A [1/s2].
    """
    return np.outer(w, w) - (w @ w) * E + skew(al)


def pseudo_inertia(inertia):
    """Return K = tr(I) E / 2 - I, the integral of d d^T dm about the centre of mass.

    Parameters
    ----------
    inertia : (3, 3) ndarray
        Inertia tensor about the centre of mass [kg m2].

    Returns
    -------
    (3, 3) ndarray
        K [kg m2].
    """
    return 0.5 * np.trace(inertia) * E - inertia


def axial(P):
    """Return v(P) = (P_zy - P_yz, P_xz - P_zx, P_yx - P_xy).

    Parameters
    ----------
    P : (3, 3) ndarray
        Matrix.

    Returns
    -------
    (3,) ndarray
        v(P).
    """
    return np.array([P[2, 1] - P[1, 2], P[0, 2] - P[2, 0], P[1, 0] - P[0, 1]])


def inertia_wrenches(links, w, al, r, slide):
    """Return m abar and v(A K) of every link, which move it and carry its weight.

    Parameters
    ----------
    links : Links
        A serial chain at one posture.
    w : (n, 3) ndarray
        Angular velocities, in frame i [rad/s].
    al : (n, 3) ndarray
        Angular accelerations, in frame i [rad/s2].
    r : (n, 3) ndarray
        From O_(i-1) to O_i, in frame i [m].
    slide : (n, 3) ndarray
        Acceleration that a prismatic joint adds to a_i, in frame i [m/s2].

    Returns
    -------
    forces : (n, 3) ndarray
        m abar, in frame i [N].
    moments : (n, 3) ndarray
        v(A K), in frame i [N m].
    """
    a, forces, moments = -links.g, [], []
    for i in range(links.n):
        A = rate_matrix(w[i], al[i])
        before = links.Q[i].T @ a + slide[i]
        a = A @ r[i] + before
        forces.append(links.m[i] * (A @ (r[i] - links.delta[i]) + before))
        moments.append(axial(A @ pseudo_inertia(links.I[i])))
    return np.array(forces), np.array(moments)


def inverse_dynamics(robot, q, qd, qdd, sensor=None):
    """Return the torques of a serial robot, in O(n).

    Parameters
    ----------
    robot : Robot or RobotModel
        The robot.
    q : (nv,) array_like
        Joint coordinates [rad, m].
    qd : (nv,) array_like
        Joint velocities [rad/s, m/s].
    qdd : (nv,) array_like
        Joint accelerations [rad/s2, m/s2].
    sensor : tuple, optional
        Reading of a wrist sensor, see luh_walker_paul.

    Returns
    -------
    (nv,) ndarray
        Joint torques [N m, N].

    Raises
    ------
    ModelError
        If the robot branches, or the sensor is not on the last link.
    ShapeError
        If a state has another shape.
    """
    return recursion(inertia_wrenches, robot, q, qd, qdd, sensor)
