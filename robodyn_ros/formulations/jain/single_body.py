# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""One rigid body: inertia, momentum and four forms of its equations of motion. Jain, chapter 2.

    M(k) = [[J(k), m S(p)], [-m S(p), m 1]],   p from k to the centre of mass              (2.8)
    M(x) = phi(x, y) M(y) phi'(x, y),   h(x) = phi(x, y) h(y)                       (2.12, 2.17)
    f = M bdot + b,   with b of the four forms                          (2.23, 2.26, 2.28, 2.38)

All in the axes of one frame. O(1).

Correction to the print: the solution of exercise 2.14 has a minus before bar(V_I) M_I V_I. In
(2.37) and (2.38) it is, rightly, a plus.
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.formulations.arm import cross, skew
from robodyn_ros.formulations.jain.spatial_algebra import angular, bar, tilde


def spatial_inertia(m, p, J):
    """M(k) (6, 6) from mass [kg], l(k, C) (3,) [m], J(k) (3, 3) [kg m2] about k (2.6 to 2.8)."""
    mp = m * skew(p)
    return np.block([[J, mp], [-mp, m * np.eye(3)]])


def components(M):
    """(m, p, J): the ten parameters of a spatial inertia; p is zero where the mass is."""
    m = M[3, 3]
    mp = np.array([M[2, 4], M[0, 5], M[1, 3]])
    return m, mp / m if m != 0.0 else mp, M[:3, :3]


def shifted(M, phi):
    """M(x) = phi(x, y) M(y) phi'(x, y) (6, 6), of any two points (2.12)."""
    return phi @ M @ phi.T


def shifted_components(m, p, J, l):  # noqa: E741
    """(m, p(x), J(x)) from those about y, l = l(x, y) (3,) (2.9, 2.13).

    p(x) = l + p(y), J(x) = J(y) - m S(p(x))^2 + m S(p(y))^2. The text's advice for fast code.
    """
    there = l + p
    return m, there, J - m * skew(there) @ skew(there) + m * skew(p) @ skew(p)


def joined(inertias, phis):
    """Return sum_i phi(x, y_i) M(y_i) phi'(x, y_i) of rigidly joined bodies (section 2.1.3)."""
    return sum(shifted(M, phi) for M, phi in zip(inertias, phis))


def momentum(M, V):
    """h(z) = M(z) V(z) (6,) [N m s, N s] (2.16)."""
    return M @ V


def kinetic_energy(M, V):
    """V' M V / 2 [J], the same at every point of the body (2.5, 2.14)."""
    return 0.5 * V @ M @ V


def body_rate(inertial_rate, V):
    """Rate of V in the body's frame, of that in the inertial one (6,): - [0; omega x v] (2.19)."""
    return inertial_rate - np.concatenate((np.zeros(3), cross(V[:3], V[3:])))


def quasi_force(A, T):
    """A^-T T: the generalised force of beta = A thd, by unchanged power (section 2.2.2)."""
    return np.linalg.solve(A.T, T)


def b_centre(M, V):
    """(a) at the centre of mass, inertial derivative: b = [omega x J omega; 0] (6,) (2.23)."""
    return np.concatenate((cross(V[:3], M[:3, :3] @ V[:3]), np.zeros(3)))


def b_inertial(M, V):
    """(b) at any point, inertial derivative: b = tilde(V^w) M V^w (6,) (2.26).

    [omega x J omega; m omega x (omega x p)].
    """
    return tilde(angular(V)) @ M @ angular(V)


def b_body(M, V):
    """(c) at any point, derivative in the body: b = bar(V) M V (6,) (2.28)."""
    return bar(V) @ M @ V


def b_fixed(M, V):
    """(d) of the inertially fixed point, inertial derivative: b = bar(V_I) M_I V_I (6,) (2.38)."""
    return bar(V) @ M @ V


def inertia_rate(M, V):
    """dM(z)/dt = tilde(V^w) M - M tilde(V^w) (6, 6), z on the body, inertial axes (2.22)."""
    W = tilde(angular(V))
    return W @ M - M @ W


def inertia_rate_fixed(M, V):
    """dM_I/dt = bar(V_I) M_I - M_I tilde(V_I) (6, 6) (2.33)."""
    return bar(V) @ M - M @ tilde(V)


class Form(NamedTuple):
    """A column of table 2.2; what holds for form (a), (b), (c) or (d) of the equations of motion.

    conserved : M beta is constant where no force acts. non_working : beta' b = 0. rotational : b
    does not depend on the linear velocity.
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
