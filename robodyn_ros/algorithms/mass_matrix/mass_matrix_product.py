# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Products with the mass matrix, its diagonal and its trace, without forming it."""

from robodyn_ros.algorithms.centroidal.centroidal_momentum import body_momentum
from robodyn_ros.algorithms.core.crba import composite_tip_to_base, joint_momentum
from robodyn_ros.algorithms.core.joint_transform import along_joint, carry_wrench, joint_transforms
from robodyn_ros.algorithms.core.kinematics import velocities_base_to_tip
from robodyn_ros.model.layout import PARENT, ROTOR, V
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.types import Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import load


@primitive
def momentum_tip_to_base(topology, constants, work, x, y):
    """Compute y = H phi M V + rotors x: momenta of composite bodies along their joints.

    The momentum of each composite body is stored in working memory. Needs the velocities V for
    rates x.

    `x` (nv,): vector, such as joint velocities.
    """
    for i in range(1, topology.shape[0]):
        body_momentum(constants, work, i)
    for i in range(topology.shape[0] - 1, 0, -1):
        k, parent = topology[i, V], topology[i, PARENT]
        n, f = load(work[i].moment), load(work[i].force)
        y[k] = along_joint(topology, constants, i, n, f) + constants[i, ROTOR] * x[k]
        if parent > 0:
            carry_wrench(work, i, parent, n, f)


@recursion
def mass_product(
    topology: Topology, constants: Table, work: Work, q: Vector, x: Vector, y: Vector
):
    """Compute y = M(q) x, in O(n); for velocities it is the generalised momentum p = M qd."""
    joint_transforms(topology, constants, work, q)
    velocities_base_to_tip(topology, constants, work, x)
    momentum_tip_to_base(topology, constants, work, x, y)


@recursion
def mass_matrix_diagonal(
    topology: Topology, constants: Table, work: Work, q: Vector, entries: Vector
):
    """Compute M(i, i) = H(i) R(i) H*(i) + rotor, the inertia with other joints locked, in O(n).

    `entries` (nv,), written: diagonal of the mass matrix [kg m^2 or kg].
    """
    joint_transforms(topology, constants, work, q)
    composite_tip_to_base(topology, constants, work)
    for i in range(1, topology.shape[0]):
        n, f = joint_momentum(topology, constants, work, i)
        entries[topology[i, V]] = along_joint(topology, constants, i, n, f) + constants[i, ROTOR]
