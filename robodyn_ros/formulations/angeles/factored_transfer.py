# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Vectors carried between neighbouring DH frames in two turns: Angeles, section 7.4.1.

    Q_i = [c, -lam s, mu s; s, lam c, -mu c; 0, mu, lam]                                (7.22)
    Q' v = [v1 c + v2 s; -lam r + mu v3; mu r + lam v3],   r = v1 s - v2 c              (7.23)
    Q v  = [v1 c - u s; v1 s + u c; v2 mu + v3 lam],       u = v2 lam - v3 mu           (7.24)

c, s of theta_i; lam, mu the cosine and sine of alpha_i. 8 multiplications and 4 additions, where
the product with Q takes 9 and 6, and its entries 4 more.

Exercise 7.10: without qdd, `coriolis_torque` spares the n additions of qdd e. Exercise 7.12: a
link whose inertia is I 1 has the moment I omegadot. The product and omega x I omega drop out. Each
link then takes 21 multiplications and 18 additions fewer.
"""

from dataclasses import dataclass, replace

import numpy as np

from robodyn_ros.errors import ModelError
from robodyn_ros.formulations.angeles.newton_euler import euler_moment, inward, outward
from robodyn_ros.formulations.arm import states
from robodyn_ros.formulations.serial_chain import links_at

#: Of an entry that standard DH parameters have as zero.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Transfer:
    """Q_i, or its transpose, by c, s, lam and mu. `@` a vector (3,) carries it."""

    c: float
    s: float
    lam: float
    mu: float
    transposed: bool = False

    @property
    def T(self):  # noqa: N802  as of a matrix
        """The transpose."""
        return replace(self, transposed=not self.transposed)

    def __matmul__(self, v):
        """Q v (7.24), or Q' v (7.23)."""
        c, s, lam, mu = self.c, self.s, self.lam, self.mu
        if self.transposed:
            r = v[0] * s - v[1] * c
            return np.array([v[0] * c + v[1] * s, mu * v[2] - lam * r, mu * r + lam * v[2]])
        u = v[1] * lam - v[2] * mu
        return np.array([v[0] * c - u * s, v[0] * s + u * c, v[1] * mu + v[2] * lam])


def transfers(links):
    """Return the Transfer of every link, base to tip.

    ModelError where a frame is not turned about its x after z, as standard DH parameters have it.
    """
    found = []
    for i, Q in enumerate(links.Q):
        c, s, mu, lam = Q[0, 0], Q[1, 0], Q[2, 1], Q[2, 2]
        if abs(_plain(Q[2, 0])) > ROUNDING:
            raise ModelError(
                f'link {i + 1} of {links.n}: got a frame with {Q[2, 0]:.3g} in the corner of Q; '
                'expected 0, standard Denavit-Hartenberg parameters'
            )
        found.append(Transfer(c, s, lam, mu))
    return found


def inverse_dynamics(robot, q, qd, qdd):
    """tau (n,) [N m or N] of a serial robot in standard DH frames; O(n).

    Algorithms 7.4.1 and 7.4.2 with (7.23) and (7.24) in place of products with Q.
    """
    q, qd, qdd = states(robot, q, qd, qdd)
    links, tau = _torques(robot, q, qd, qdd)
    return links.joint_order(tau) + links.joint_order(links.rotor) * qdd


def coriolis_torque(robot, q, qd):
    """C(q, qd) qd (n,), without weight and acceleration (Exercise 7.10).

    robot : a Robot whose gravity is zero, `with_gravity((0, 0, 0))`, or weight is in it.
    """
    q, qd = states(robot, q, qd)
    links, tau = _torques(robot, q, qd, np.zeros(len(q)))
    return links.joint_order(tau)


def isotropic_inverse_dynamics(robot, q, qd, qdd):
    """tau (n,) of a serial robot whose links are all inertially isotropic (Exercise 7.12).

    ModelError where the three principal moments of inertia of a link differ.
    """
    q, qd, qdd = states(robot, q, qd, qdd)
    scalars = []
    for i, I in enumerate(links_at(robot, np.zeros(len(q))).I):  # noqa: E741
        if np.abs(I - I[0, 0] * np.eye(3)).max() > ROUNDING * abs(I[0, 0]):
            raise ModelError(
                f'link {i + 1}: got principal moments of inertia {np.linalg.eigvalsh(I)}; '
                'expected three that are equal'
            )
        scalars.append(float(I[0, 0]))
    links, tau = _torques(robot, q, qd, qdd, scalars, lambda I, w, wd: wd * I)
    return links.joint_order(tau) + links.joint_order(links.rotor) * qdd


def _torques(robot, q, qd, qdd, inertias=None, moment_of=euler_moment):
    """Return (Links with factored Q, tau (n,) base to tip without rotors)."""
    links = links_at(robot, q)
    links = replace(links, Q=transfers(links), I=links.I if inertias is None else inertias)
    motion = outward(links, qd[links.order], qdd[links.order])
    return links, inward(links, motion, np.zeros(3), np.zeros(3), moment_of)[2]


def _plain(x):
    """Return the value of a counting number, too."""
    return getattr(x, 'value', x)
