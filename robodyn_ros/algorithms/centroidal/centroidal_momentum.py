# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The robot as one body: centre of mass, momentum, and inertia with all joints locked.

The base link is excluded, and so are the reflected rotor inertias, since they act on their joints
only and have no momentum in space.
"""

from robodyn_ros.algorithms.core.crba import carry_composite, composite_tip_to_base, joint_momentum
from robodyn_ros.algorithms.core.gravity import carry_mass
from robodyn_ros.algorithms.core.joint_transform import carry_wrench, joint_transforms
from robodyn_ros.algorithms.core.kinematics import poses_base_to_tip, velocities_base_to_tip
from robodyn_ros.algorithms.core.rnea import motion_base_to_tip, newton_euler, start_at_base
from robodyn_ros.model.layout import INERTIA, MASS, MOMENT, PARENT, V
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.rotation import rotate
from robodyn_ros.spatial.rotational_inertia import (
    load_symmetric,
    shift_inertia,
    store_symmetric,
    times,
)
from robodyn_ros.spatial.types import Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import add, cross, load, scale, store, sub


@primitive
def mass_tip_to_base(topology, constants, work):
    """Sum mass and first moment of all bodies in row 0 of `work`. Needs `joint_transforms`."""
    work[0].c_mass = 0.0
    store(work[0].c_moment, (0.0, 0.0, 0.0))
    for i in range(1, topology.shape[0]):
        work[i].c_mass = constants[i, MASS]
        store(work[i].c_moment, load(constants[i], MOMENT))
    for i in range(topology.shape[0] - 1, 0, -1):
        carry_mass(work, i, topology[i, PARENT])


@primitive
def centre(work):
    """Return the centre of mass, the total first moment over the total mass."""
    return scale(1.0 / work[0].c_mass, load(work[0].c_moment))


@recursion
def centre_of_mass(topology: Topology, constants: Table, work: Work, q: Vector, com: Vector):
    """Compute the centre of mass c = sum (m p + R h) / sum m, in O(n); Jain 2011, eq. (4.13)."""
    joint_transforms(topology, constants, work, q)
    mass_tip_to_base(topology, constants, work)
    com[0], com[1], com[2] = centre(work)


@recursion
def centroidal_momentum(
    topology: Topology, constants: Table, work: Work, q: Vector, qd: Vector, com: Vector, h: Vector
):
    """Compute h = sum of phi(0, i) M(i) V(i), shifted to the centre of mass, in O(n).

    Jain 2011, eq. (2.17) and (4.15).

    `h` (6,), written: linear momentum, and angular momentum about the centre of mass [N s, N m s],
      in base axes.
    """
    joint_transforms(topology, constants, work, q)
    velocities_base_to_tip(topology, constants, work, qd)
    mass_tip_to_base(topology, constants, work)
    for i in range(1, topology.shape[0]):
        body_momentum(constants, work, i)
    about_centre(topology, work, com, h)


@primitive
def about_centre(topology, work, com, h):
    """Sum the wrenches on the bodies about the centre of mass, in base axes.

    Needs `mass_tip_to_base`.

    `h` (6,), written: force, then moment about the centre of mass.
    """
    store(work[0].moment, (0.0, 0.0, 0.0))
    store(work[0].force, (0.0, 0.0, 0.0))
    for i in range(topology.shape[0] - 1, 0, -1):
        carry_wrench(work, i, topology[i, PARENT], load(work[i].moment), load(work[i].force))
    c, f = centre(work), load(work[0].force)
    com[0], com[1], com[2] = c
    h[0], h[1], h[2] = f
    h[3], h[4], h[5] = sub(load(work[0].moment), cross(c, f))


@primitive
def own_inertia_times(constants, i, w, v):
    """Return the wrench of the inertia of body i alone for a motion: I w + h x v, m v + w x h.

    `w`, `v`: angular and linear part of the motion, 3-vectors in the frame of the body.
    """
    h = load(constants[i], MOMENT)
    return (
        add(times(load_symmetric(constants[i], INERTIA), w), cross(h, v)),
        add(scale(constants[i, MASS], v), cross(w, h)),
    )


@primitive
def body_momentum(constants, work, i):
    """Store the momentum of body i about its origin."""
    w, v = load(work[i].omega), load(work[i].speed)
    n, f = own_inertia_times(constants, i, w, v)
    store(work[i].moment, n)
    store(work[i].force, f)


@recursion
def centroidal_momentum_bias(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    qd: Vector,
    zero: Vector,
    com: Vector,
    bias: Vector,
):
    """Compute dA/dt qd, the rate of the centroidal momentum at qdd = 0, in O(n).

    `bias` (6,), written: force, and moment about the centre of mass [N, N m], in base axes.
    """
    joint_transforms(topology, constants, work, q)
    start_at_base(work, (0.0, 0.0, 0.0))
    motion_base_to_tip(topology, constants, work, qd, zero)
    mass_tip_to_base(topology, constants, work)
    for i in range(1, topology.shape[0]):
        newton_euler(constants, work, i)
    about_centre(topology, work, com, bias)


@primitive
def composite_of_all(topology, constants, work):
    """Compute the composite inertias of the bodies, and that of the whole robot in row 0.

    Needs `joint_transforms`.
    """
    composite_tip_to_base(topology, constants, work)
    work[0].c_mass = 0.0
    store(work[0].c_moment, (0.0, 0.0, 0.0))
    store_symmetric(work[0].c_inertia, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    for i in range(1, topology.shape[0]):
        if topology[i, PARENT] == 0:
            carry_composite(work, i, 0)


@recursion
def centroidal_momentum_matrix(
    topology: Topology, constants: Table, work: Work, q: Vector, com: Vector, A: Matrix
):
    """Compute A(q) with h = A qd, the momentum about the centre of mass, in O(n).

    `A` (6, nv), written: matrix [kg m or kg, kg m^2 or kg m], linear rows first, in base axes.
    """
    joint_transforms(topology, constants, work, q)
    composite_of_all(topology, constants, work)
    poses_base_to_tip(topology, work)
    c = centre(work)
    com[0], com[1], com[2] = c
    for i in range(1, topology.shape[0]):
        n, f = joint_momentum(topology, constants, work, i)
        f = rotate(work[i].world_rotation, f)
        n = add(rotate(work[i].world_rotation, n), cross(sub(load(work[i].world_position), c), f))
        k = topology[i, V]
        A[0, k], A[1, k], A[2, k] = f
        A[3, k], A[4, k], A[5, k] = n


@recursion
def composite_inertia(
    topology: Topology, constants: Table, work: Work, q: Vector, com: Vector, inertia: Matrix
):
    """Compute the inertia R of the whole robot about its centre of mass, joints locked, in O(n).

    Jain 2011, Algorithm 9.2 (eq. 9.20) and eq. (4.13).

    `inertia` (3, 3), written: inertia [kg m^2], in base axes.
    """
    joint_transforms(topology, constants, work, q)
    composite_of_all(topology, constants, work)
    c = centre(work)
    com[0], com[1], com[2] = c
    xx, xy, xz, yy, yz, zz = shift_inertia(
        load_symmetric(work[0].c_inertia), work[0].c_mass, load(work[0].c_moment), scale(-1.0, c)
    )
    inertia[0, 0], inertia[0, 1], inertia[0, 2] = xx, xy, xz
    inertia[1, 0], inertia[1, 1], inertia[1, 2] = xy, yy, yz
    inertia[2, 0], inertia[2, 1], inertia[2, 2] = xz, yz, zz
