# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Second derivatives of inverse dynamics of a robot with closed loops.

tau = E^T T(theta, theta', theta''), with T of the tree, theta' = E qd and theta'' = E qdd +
f(qd, qd). So the chain rule needs derivatives of theta by q up to the fourth. The first ones are E
(Jain 2011, section 15.1). The others follow from the equations of the loops, differentiated as
often (implicit functions).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from robodyn_ros.compile import embedded, generic
from robodyn_ros.robot.loops.embedding_matrix import embedding_matrix

if TYPE_CHECKING:
    from robodyn_ros.robot.robot import Robot


def second_derivatives(
    robot: Robot, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, wrenches: tuple
) -> tuple[np.ndarray, ...]:
    """Compute all second derivatives of inverse dynamics, in O(n^3 nv + m^3 n) for m leaders.

    `robot`: with closed loops, and without quaternions.
    `q`, `qd`, `qdd`: positions, velocities and accelerations [rad or m, rad/s or m/s, rad/s^2 or
      m/s^2].
    `wrenches`: external wrenches on the bodies, as kernels take them.
    Returns as of `Derivatives.inverse_dynamics_second`.
    """
    n, nv = len(robot.all_joint_names), robot.nv
    forms = np.empty((nv, nv, n)), np.empty((nv, nv, nv, n)), np.empty((nv, nv, n))
    embedded.loop_forms.vectorcall(*robot._body, q, qd, *forms)
    F, G, H = (np.moveaxis(each, -1, 0) for each in forms)
    E, every = embedding_matrix(robot, q), robot.expand(q, qd, qdd)
    T, first, second = np.empty(n), np.empty((3, n, n)), np.empty((4, n, n, n))
    for kernel, results in (
        (generic.inverse_dynamics, (T,)),
        (generic.inverse_dynamics_derivatives, first),
        (generic.inverse_dynamics_second_derivatives, second),
    ):
        kernel.vectorcall(*robot._weighted, *every, *wrenches, *results)
    # how theta, theta' and theta'' change with q, qd and qdd
    still, along = np.zeros_like(E), G @ qd
    by_q = E, F @ qd, F @ qdd + along @ qd
    by_qd, by_qdd = (still, E, 2.0 * F @ qd), (still, still, E)

    def slope(x):
        return sum(each @ part for each, part in zip(first, x))

    def bent(x, y):
        by_q_q, by_q_qd, by_qd_qd, by_qdd_q = second
        return (
            _along(by_q_q, x[0], y[0])
            + _along(by_qd_qd, x[1], y[1])
            + _along(by_q_qd, x[0], y[1])
            + _along(by_q_qd, y[0], x[1]).swapaxes(1, 2)
            + _along(by_qdd_q, x[2], y[0])
            + _along(by_qdd_q, y[2], x[0]).swapaxes(1, 2)
        )

    def curved(*forms):
        return sum(np.tensordot(each, form, 1) for each, form in zip(first, forms))

    def projected(tensor):
        return np.tensordot(E.T, tensor, 1)

    none = np.zeros_like(F)
    turned = np.einsum('ijk,il->jkl', F, slope(by_q))
    return (
        projected(bent(by_q, by_q) + curved(F, along, G @ qdd + H))
        + turned
        + turned.swapaxes(1, 2)
        + np.einsum('ijkl,i->jkl', G, T),
        projected(bent(by_q, by_qd) + curved(none, F, 2.0 * along))
        + np.einsum('ijk,il->jkl', F, slope(by_qd)),
        projected(bent(by_qd, by_qd) + curved(none, none, 2.0 * F)),
        projected(bent(by_qdd, by_q) + curved(none, none, F))
        + np.einsum('ijl,ik->jkl', F, slope(by_qdd)),
    )


def _along(tensor, x, y):
    """Return a tensor with the columns of x and y applied to its last two axes."""
    return np.einsum('jab,ak,bl->jkl', tensor, x, y, optimize=True)
