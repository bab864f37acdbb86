# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Vectors carried between neighbouring DH frames by two rotations: Angeles, section 7.4.1.

    Q_i = [c, -lam s, mu s; s, lam c, -mu c; 0, mu, lam]                                (7.22)
    Q' v = [v1 c + v2 s; -lam r + mu v3; mu r + lam v3],   r = v1 s - v2 c              (7.23)
    Q v  = [v1 c - u s; v1 s + u c; v2 mu + v3 lam],       u = v2 lam - v3 mu           (7.24)

c, s of theta_i; lam, mu the cosine and sine of alpha_i. This takes 8 multiplications and 4
additions. The product with Q takes 9 and 6, and its entries 4 more.

Exercise 7.10: without qdd, `coriolis_torque` saves the n additions of qdd e. Exercise 7.12: a link
with inertia I 1 has the moment I omegadot. The matrix product and omega x I omega drop out. Each
link then takes 21 multiplications and 18 additions fewer.
"""

from dataclasses import dataclass, replace

import numpy as np

from robodyn_ros.errors import ModelError, short_repr
from robodyn_ros.formulations.angeles.newton_euler import euler_moment, inward, outward
from robodyn_ros.formulations.posture import states
from robodyn_ros.formulations.serial_chain import links_at

#: Of an entry that standard DH parameters have as zero.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Transfer:
    """Q_i, or its transpose, by c, s, lam and mu; `@` multiplies it by a vector (3,).

    `c`: cosine of theta_i.
    `s`: sine of theta_i.
    `lam`: cosine of alpha_i.
    `mu`: sine of alpha_i.
    `transposed`: whether this is the transpose.
    """

    c: float
    s: float
    lam: float
    mu: float
    transposed: bool = False

    __repr__ = short_repr

    @property
    def T(self):  # noqa: N802  the name numpy has for it
        """The transpose."""
        return replace(self, transposed=not self.transposed)

    def __matmul__(self, v):
        """Return Q v (7.24), or Q' v (7.23)."""
        c, s, lam, mu = self.c, self.s, self.lam, self.mu
        if self.transposed:
            r = v[0] * s - v[1] * c
            return np.array([v[0] * c + v[1] * s, mu * v[2] - lam * r, mu * r + lam * v[2]])
        u = v[1] * lam - v[2] * mu
        return np.array([v[0] * c - u * s, v[0] * s + u * c, v[1] * mu + v[2] * lam])


def transfers(links):
    """Return the Transfer of every link, from base to tip.

    `links` (Links): a serial chain at one posture.
    Raises ModelError: if a frame is not that of standard Denavit-Hartenberg parameters.
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
    """Return the torques of a serial robot in standard DH frames, in O(n).

    Algorithms 7.4.1 and 7.4.2 with (7.23) and (7.24) in place of products with Q.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `qdd` ((nv,) array_like): joint accelerations [rad/s2, m/s2].
    Raises ModelError: if the robot branches, or its frames are not standard DH frames.
    """
    q, qd, qdd = states(robot, q, qd, qdd)
    links, tau = _torques(robot, q, qd, qdd)
    return links.joint_order(tau) + links.joint_order(links.rotor) * qdd


def coriolis_torque(robot, q, qd):
    """Return C(q, qd) qd (Exercise 7.10).

    `robot` (Robot): robot without gravity, `robot.with_gravity((0, 0, 0))`; otherwise the result
      contains its weight.
    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    """
    q, qd = states(robot, q, qd)
    links, tau = _torques(robot, q, qd, np.zeros(len(q)))
    return links.joint_order(tau)


def isotropic_inverse_dynamics(robot, q, qd, qdd):
    """Return the torques of a serial robot with inertially isotropic links (Exercise 7.12).

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `qdd` ((nv,) array_like): joint accelerations [rad/s2, m/s2].
    Raises ModelError: if the principal moments of inertia of a link differ.
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
    """Return (Links with factored Q, torques from base to tip without rotors)."""
    links = links_at(robot, q)
    links = replace(links, Q=transfers(links), I=links.I if inertias is None else inertias)
    motion = outward(links, qd[links.order], qdd[links.order])
    return links, inward(links, motion, np.zeros(3), np.zeros(3), moment_of)[2]


def _plain(x):
    """Return the value of a number that may be Counted."""
    return getattr(x, 'value', x)
