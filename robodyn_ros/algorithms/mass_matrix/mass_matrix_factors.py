# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The innovations factors of the mass matrix: M = L D L^T with L = 1 + H phi K.

Products with L, its inverse and their transposes never form L. Jain 2011, Lemma 7.3 (eq. 7.14) and
Lemma 9.11. D are the joint inertias of the articulated bodies. L(i, j) is 1 for i = j, H(i) phi(i,
j) G(j) where joint i carries joint j, and 0 otherwise. It is unit upper triangular with the joints
in the order of the bodies, base to tip. The book counts from the tip, and calls it lower. phi
propagates across locked joints, psi across free ones.
"""

from robodyn_ros.algorithms.core.articulated import articulated_inertias
from robodyn_ros.algorithms.core.joint_transform import (
    add_along_joint,
    along_joint,
    carried_acceleration,
    carry_wrench,
    joint_transforms,
    wrench_on_parent,
)
from robodyn_ros.algorithms.mass_matrix.mass_matrix_solve import (
    cross_tip_to_base,
    load_joint_axes,
    rest_base,
)
from robodyn_ros.model.layout import PARENT, V
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.types import Boolean, Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import add, dot, load, scale, store


@primitive
def gain(work, i, share):
    """Return G share, where G = P S / D is the Kalman gain of body i."""
    share = work[i].d_inverse * share
    return (scale(share, load(work[i].u_angular)), scale(share, load(work[i].u_linear)))


@recursion
def joint_inertias(
    topology: Topology, constants: Table, work: Work, q: Vector, diagonal: Vector, D: Vector
):
    """Compute D of M + diag(diagonal) = L D L^T, in O(n): det M is the product of its entries."""
    joint_transforms(topology, constants, work, q)
    status = articulated_inertias(topology, constants, work, diagonal)
    if status == 0:
        for i in range(1, topology.shape[0]):
            D[topology[i, V]] = 1.0 / work[i].d_inverse
    return status


@primitive
def factor(topology, constants, work, F):
    """Compute F = L^T = 1 + (H phi K)^T, each row from its joint to the base, in O(n depth).

    Needs the articulated inertias.

    `F` (nv, nv), written: L^T.
    """
    for row in range(F.shape[0]):
        for column in range(F.shape[1]):
            F[row, column] = 1.0 if row == column else 0.0
    for j in range(1, topology.shape[0]):
        row, i = topology[j, V], j
        n, f = gain(work, j, 1.0)
        while topology[i, PARENT] > 0:
            n, f = wrench_on_parent(work, i, n, f)
            i = topology[i, PARENT]
            F[row, topology[i, V]] = along_joint(topology, constants, i, n, f)


@recursion
def mass_factors(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    diagonal: Vector,
    F: Matrix,
    D: Vector,
):
    """M + diag(diagonal) = F^T D F with F = L^T, in O(n depth).

    Jain 2011, eq. (7.14); F is what Featherstone 2008, section 6.5, calls L.
    """
    status = joint_inertias(topology, constants, work, q, diagonal, D)
    factor(topology, constants, work, F)
    return status


@recursion
def factor_product(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    diagonal: Vector,
    x: Vector,
    transposed: Boolean,
    inverse: Boolean,
    y: Vector,
):
    """Compute y = L x, L^T x, L^-1 x or L^-T x by one sweep, in O(n).

    L = 1 + H phi K and L^-1 = 1 - H psi K (Jain 2011, eq. 7.17).

    `transposed`: whether the factor is transposed.
    `inverse`: whether the factor is inverted.
    """
    joint_transforms(topology, constants, work, q)
    status = articulated_inertias(topology, constants, work, diagonal)
    if transposed:
        scatter(topology, constants, work, x, inverse, y)
    elif inverse:
        load_joint_axes(topology, work, x, topology.shape[0] - 1)
        for i in range(topology.shape[0] - 1, 0, -1):
            cross_tip_to_base(topology, constants, work, i)
            y[topology[i, V]] = work[i].residual
    else:
        load_joint_axes(topology, work, x, topology.shape[0] - 1)
        for i in range(topology.shape[0] - 1, 0, -1):
            k, parent = topology[i, V], topology[i, PARENT]
            n, f = load(work[i].moment), load(work[i].force)
            more_n, more_f = gain(work, i, x[k])
            y[k] = x[k] + along_joint(topology, constants, i, n, f)
            if parent > 0:
                carry_wrench(work, i, parent, add(n, more_n), add(f, more_f))
    return status


@primitive
def scatter(topology, constants, work, x, inverse, y):
    """Compute y = L^T x, or L^-T x, by a sweep from base to tip.

    `inverse`: whether the factor is inverted.
    """
    rest_base(work)
    for i in range(1, topology.shape[0]):
        k = topology[i, V]
        alpha, a = carried_acceleration(work, topology[i, PARENT], i)
        n, f = gain(work, i, 1.0)
        seen = dot(n, alpha) + dot(f, a)
        y[k] = x[k] - seen if inverse else x[k] + seen
        alpha, a = add_along_joint(topology, constants, i, alpha, a, y[k] if inverse else x[k])
        store(work[i].alpha, alpha)
        store(work[i].accel, a)
