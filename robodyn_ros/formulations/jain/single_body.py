# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""One rigid body: inertia, momentum and four forms of its equations of motion. Jain, chapter 2.

    M(k) = [[J(k), m S(p)], [-m S(p), m 1]],   p from k to the centre of mass              (2.8)
    M(x) = phi(x, y) M(y) phi'(x, y),   h(x) = phi(x, y) h(y)                       (2.12, 2.17)
    f = M bdot + b,   with b of the four forms                          (2.23, 2.26, 2.28, 2.38)

All quantities are in the axes of one frame. O(1).

Correction to the print: the solution of exercise 2.14 has a minus before bar(V_I) M_I V_I. The
plus of (2.37) and (2.38) is right.
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.formulations.jain.spatial_algebra import angular, bar, blocks, tilde
from robodyn_ros.formulations.posture import cross, skew


def spatial_inertia(m, p, J):
    """Return the spatial inertia M(k) of a body (2.6 to 2.8).

    `m`: mass [kg].
    `p` (3,): from the reference point to the centre of mass [m].
    `J` (3, 3): rotational inertia about the reference point [kg m2].
    """
    mp = m * skew(p)
    return blocks(J, mp, -mp, m * np.eye(3))


def components(M):
    """Return the ten inertial parameters of a spatial inertia.

    `M` (6, 6): spatial inertia.
    Returns `m` (float): mass [kg].
    Returns `p` (3,): from the reference point to the centre of mass; zero without mass
      [m].
    Returns `J` (3, 3): rotational inertia about the reference point [kg m2].
    """
    m = M[3, 3]
    mp = np.array([M[2, 4], M[0, 5], M[1, 3]])
    return m, mp / m if m != 0.0 else mp, M[:3, :3]


def shifted(M, phi):
    """Return the inertia about another point: M(x) = phi(x, y) M(y) phi'(x, y) (2.12).

    `M` (6, 6): spatial inertia about y.
    `phi` (6, 6): phi(x, y), of any two points.
    """
    return phi @ M @ phi.T


def shifted_components(m, p, J, l):  # noqa: E741
    """Return mass, centre and rotational inertia about another point (2.9, 2.13).

    p(x) = l + p(y), J(x) = J(y) - m S(p(x))^2 + m S(p(y))^2. The book recommends this for fast
    code.

    `m`: mass [kg].
    `p` (3,): from y to the centre of mass [m].
    `J` (3, 3): rotational inertia about y [kg m2].
    `l` (3,): from x to y [m].
    Returns `m` (float): mass [kg].
    Returns `p` (3,): from x to the centre of mass [m].
    Returns `J` (3, 3): rotational inertia about x [kg m2].
    """
    there = l + p
    return m, there, J - m * skew(there) @ skew(there) + m * skew(p) @ skew(p)


def joined(inertias, phis):
    """Return the inertia of rigidly joined bodies, sum of phi M phi' (section 2.1.3).

    `inertias` (sequence of (6, 6) ndarray): spatial inertia of each body, about y_i.
    `phis` (sequence of (6, 6) ndarray): phi(x, y_i) of each body.
    """
    return sum(shifted(M, phi) for M, phi in zip(inertias, phis))


def momentum(M, V):
    """Return the spatial momentum h(z) = M(z) V(z) (2.16).

    `M` (6, 6): spatial inertia.
    `V` (6,): spatial velocity [rad/s, m/s].
    """
    return M @ V


def kinetic_energy(M, V):
    """Return V' M V / 2, the same at every point of the body (2.5, 2.14).

    `M` (6, 6): spatial inertia.
    `V` (6,): spatial velocity [rad/s, m/s].
    """
    return 0.5 * V @ M @ V


def body_rate(inertial_rate, V):
    """Return dV/dt as the body sees it, the inertial rate - [0; omega x v] (2.19).

    `inertial_rate` (6,): dV/dt as the inertial frame sees it [rad/s2, m/s2].
    `V` (6,): spatial velocity [rad/s, m/s].
    """
    return inertial_rate - np.concatenate((np.zeros(3), cross(V[:3], V[3:])))


def quasi_force(A, T):
    """Return the generalised force A^-T T of beta = A thd, by equal power (section 2.2.2).

    `A` (N, N): map from coordinate rates to quasi-velocities.
    `T` (N,): generalised force of the coordinate rates [N m, N].
    """
    return np.linalg.solve(A.T, T)


def b_centre(M, V):
    """Return b = [omega x J omega; 0] of form (a) (2.23).

    This is for the centre of mass, with inertial derivatives.

    `M` (6, 6): spatial inertia.
    `V` (6,): spatial velocity [rad/s, m/s].
    """
    return np.concatenate((cross(V[:3], M[:3, :3] @ V[:3]), np.zeros(3)))


def b_inertial(M, V):
    """Return b = tilde(V^w) M V^w of form (b) (2.26).

    Written out, it is [omega x J omega; m omega x (omega x p)]. This is for any reference point,
    with inertial derivatives.

    `M` (6, 6): spatial inertia.
    `V` (6,): spatial velocity [rad/s, m/s].
    """
    return tilde(angular(V)) @ M @ angular(V)


def b_body(M, V):
    """Return b = bar(V) M V of form (c) (2.28).

    This is for any reference point, with derivatives in the body frame.

    `M` (6, 6): spatial inertia.
    `V` (6,): spatial velocity [rad/s, m/s].
    """
    return bar(V) @ M @ V


def b_fixed(M, V):
    """Return b = bar(V_I) M_I V_I of form (d) (2.38).

    This is for an inertially fixed point, with inertial derivatives.

    `M` (6, 6): spatial inertia.
    `V` (6,): spatial velocity [rad/s, m/s].
    """
    return bar(V) @ M @ V


def inertia_rate(M, V):
    """Return dM(z)/dt = tilde(V^w) M - M tilde(V^w), z on the body, inertial axes (2.22).

    `M` (6, 6): spatial inertia.
    `V` (6,): spatial velocity [rad/s, m/s].
    """
    W = tilde(angular(V))
    return W @ M - M @ W


def inertia_rate_fixed(M, V):
    """Return dM_I/dt = bar(V_I) M_I - M_I tilde(V_I), about a fixed point (2.33).

    `M` (6, 6): spatial inertia.
    `V` (6,): spatial velocity [rad/s, m/s].
    """
    return bar(V) @ M - M @ tilde(V)


class Form(NamedTuple):
    """Properties of form (a), (b), (c) or (d) of the equations of motion: a column of table 2.2.

    `name`: reference point and derivative.
    `b`: `b(M, V)` returns the gyroscopic force (6,).
    `conserved`: whether M beta is constant without force.
    `non_working`: whether beta' b = 0.
    `rotational`: whether b is independent of the linear velocity.
    """

    name: str
    b: object
    conserved: bool
    non_working: bool
    rotational: bool


FORMS = (
    Form('centre of mass, inertial derivative', b_centre, True, True, True),
    Form('any point, inertial derivative', b_inertial, False, False, True),
    Form('any point, body derivative', b_body, False, True, False),
    Form('inertially fixed point', b_fixed, True, True, False),
)
