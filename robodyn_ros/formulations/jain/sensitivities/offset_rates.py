# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rates of operators whose body frames are away from the hinges: Jain, section 18.2.2.

    Delta_BO = diag phi(B_k, O_k),  V_BO(k) = [0; v(O_k) - v(B_k)]                (18.16, 18.20)
    dDelta_BO/dt = bar(V_BO),       dDelta_BO^-1/dt = -bar(V_BO)                         (18.21)
    X_B = Delta_BO X Delta_BO^-1,
    dX_B/dt = Delta_BO dX/dt Delta_BO^-1 + bar(V_BO) X_B - X_B bar(V_BO)              (18.22a, b)
    dH_B/dt = dH/dt Delta_BO^-1 - H_B bar(V_BO)                                         (18.22c)

X is E_phi or phi. All in fixed axes; the body frame B_k is fixed to body k.
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.formulations.jain.operators.block_matrix import BlockMatrix
from robodyn_ros.formulations.jain.sensitivities.operator_rates import operator_rates
from robodyn_ros.formulations.jain.spatial_algebra import bar, phi
from robodyn_ros.formulations.posture import cross


class OffsetOperators(NamedTuple):
    """Operators of body frames B, or their rates.

    `Delta_BO`: 6n x 6n.
    `E_phi`: 6n x 6n.
    `phi`: 6n x 6n.
    `H`: N x 6n.
    """

    Delta_BO: BlockMatrix
    E_phi: BlockMatrix
    phi: BlockMatrix
    H: BlockMatrix


def offset_operators(ops, offsets):
    """Return the operators of body frames at given offsets from the hinges (5.28).

    `ops` (MovingOperators): operators of the tree in fixed axes.
    `offsets` (n, 3): l(O_k, B_k) in fixed axes [m].
    """
    Delta = _diagonal(ops, [phi(-l) for l in offsets])  # noqa: E741
    inverse = _diagonal(ops, [phi(l) for l in offsets])  # noqa: E741
    return OffsetOperators(
        Delta, Delta @ ops.E_phi @ inverse, Delta @ ops.phi @ inverse, ops.H @ inverse
    )


def offset_velocities(ops, offsets):
    """Return V_BO = [0; v(O_k) - v(B_k)] of all bodies (18.16).

    `ops` (MovingOperators): operators of the tree in fixed axes.
    `offsets` (n, 3): l(O_k, B_k) in fixed axes [m].
    """
    v = -cross(ops.V[:, :3], offsets)
    return np.hstack((np.zeros_like(v), v))


def offset_rates(ops, offsets):
    """Return the rates of `offset_operators` (18.21, 18.22).

    `ops` (MovingOperators): operators of the tree in fixed axes.
    `offsets` (n, 3): l(O_k, B_k) in fixed axes [m].
    """
    now, rates = offset_operators(ops, offsets), operator_rates(ops)
    inverse = _diagonal(ops, [phi(l) for l in offsets])  # noqa: E741
    V_BO = _diagonal(ops, [bar(V) for V in offset_velocities(ops, offsets)])

    def rate(own, X):
        return now.Delta_BO @ own @ inverse + V_BO @ X - X @ V_BO

    return OffsetOperators(
        V_BO,
        rate(rates.E_phi, now.E_phi),
        rate(rates.phi, now.phi),
        rates.H @ inverse - now.H @ V_BO,
    )


def _diagonal(ops, blocks):
    """Return a block-diagonal operator of (6, 6) blocks."""
    array = np.zeros((ops.bodies.total,) * 2, np.result_type(*blocks))
    for rows, block in zip(ops.tree.rows, blocks):
        array[rows, rows] = block
    return BlockMatrix(array, ops.bodies, ops.bodies)
