# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The equations of motion from energies, and all their derivatives by CasADi.

No recursion of the package takes part: tau = d/dt dL/dqd - dL/dq, with the Lagrangian L.
"""

import casadi as ca
import numpy as np

from robodyn_ros.model.layout import (
    INERTIA,
    KIND,
    MASS,
    MOMENT,
    OFFSET,
    PARENT,
    PITCH,
    PRISMATIC,
    ROTATION,
    ROTOR,
    ZERO,
    V,
)


def equations(model):
    """Return symbols (q, qd, qdd), and the expressions M and tau, of a tree of single joints."""
    q, qd, qdd = (ca.SX.sym(name, model.nv) for name in ('q', 'qd', 'qdd'))
    lagrangian = _lagrangian(model, q, qd)
    momentum = ca.gradient(lagrangian, qd)
    M = ca.jacobian(momentum, qd)
    tau = M @ qdd + ca.jacobian(momentum, q) @ qd - ca.gradient(lagrangian, q)
    return (q, qd, qdd), M, tau


def second_derivatives(model, *values):
    """Return d2tau_j by q_k q_l, by q_k qd_l and by qd_k qd_l, and dM_jk / dq_l, as arrays."""
    (q, qd, qdd), M, tau = equations(model)
    by_q, by_qd, n = ca.jacobian(tau, q), ca.jacobian(tau, qd), model.nv
    pairs = (by_q, q), (by_q, qd), (by_qd, qd), (M, q)
    tensors = [ca.jacobian(ca.vec(of), by) for of, by in pairs]
    found = ca.Function('tensors', [q, qd, qdd], tensors)(*values)
    return [np.array(each).reshape(n, n, n, order='F') for each in found]


def _lagrangian(model, q, qd):
    """Return the kinetic minus the potential energy."""
    energy, rotations, origins = 0.0, [ca.SX.eye(3)], [ca.SX.zeros(3)]
    for row, numbers in zip(model.topology[1:], model.constants[1:], strict=True):
        assert numbers[PITCH] == 0.0  # no helical joint
        coordinate, parent = q[int(row[V])] + numbers[ZERO], int(row[PARENT])
        rotation = rotations[parent] @ ca.DM(numbers[ROTATION : ROTATION + 9].reshape(3, 3))
        origin = origins[parent] + rotations[parent] @ ca.DM(numbers[OFFSET : OFFSET + 3])
        if row[KIND] == PRISMATIC:
            origin = origin + rotation[:, 2] * coordinate
        else:
            c, s = ca.cos(coordinate), ca.sin(coordinate)
            rotation = rotation @ ca.blockcat([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        rotations.append(rotation)
        origins.append(origin)
        velocity = ca.jtimes(origin, q, qd)
        turning = rotation.T @ ca.reshape(ca.jtimes(ca.vec(rotation), q, qd), 3, 3)
        rate = ca.vertcat(turning[2, 1], turning[0, 2], turning[1, 0])  # in axes of the body
        xx, xy, xz, yy, yz, zz = numbers[INERTIA : INERTIA + 6]
        inertia = ca.DM([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])  # about the origin
        moment = ca.DM(numbers[MOMENT : MOMENT + 3])
        energy += 0.5 * numbers[MASS] * ca.dot(velocity, velocity)
        energy += ca.dot(velocity, rotation @ ca.cross(rate, moment))
        energy += 0.5 * ca.dot(rate, inertia @ rate)
        energy += 0.5 * numbers[ROTOR] * qd[int(row[V])] ** 2
        energy += ca.dot(ca.DM(model.gravity), numbers[MASS] * origin + rotation @ moment)
    return energy
