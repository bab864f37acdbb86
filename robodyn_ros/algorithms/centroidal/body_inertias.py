# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Composite inertia R and articulated-body inertia P of each link: joints locked, and free."""

from robodyn_ros.algorithms.core.articulated import articulated_inertias, free_articulated_times
from robodyn_ros.algorithms.core.coriolis import composite_inertia_times
from robodyn_ros.algorithms.core.crba import composite_tip_to_base
from robodyn_ros.algorithms.core.joint_transform import joint_transforms
from robodyn_ros.algorithms.core.joint_wrenches import wrench_at_link
from robodyn_ros.algorithms.core.kinematics import poses_base_to_tip
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.rotation import rotate_inverse
from robodyn_ros.spatial.types import Indices, Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import cross


@primitive
def unit_motion(work, links, i, j):
    """Return the motion (w, v) of body i for a unit motion of its link.

    (w, v) is about the origin of the body, in its axes. The unit motions of the link are three
    linear, then three angular ones, along base axes. Needs the poses.

    `j`: number of the unit motion, 0 to 5.
    """
    e = (1.0 if j % 3 == 0 else 0.0, 1.0 if j % 3 == 1 else 0.0, 1.0 if j % 3 == 2 else 0.0)
    e = rotate_inverse(work[i].world_rotation, e)
    if j < 3:
        return (0.0, 0.0, 0.0), e
    return e, cross((links[i, 9], links[i, 10], links[i, 11]), e)


@recursion
def body_inertias(
    topology: Topology,
    constants: Table,
    work: Work,
    carried: Indices,
    links: Table,
    q: Vector,
    diagonal: Vector,
    composite: Matrix,
    articulated: Matrix,
):
    """Compute composite inertia R and articulated-body inertia P of every link, in O(n).

    R(k) = sum phi R(j) phi* + M(k) and P(k) = sum phi P+(j) phi* + M(k) (Jain 2011, Algorithms 4.1
    and 6.1, eq. 4.8, 6.13 to 6.30; 9.20 and 9.33 for trees).

    `composite`, `articulated` (6 (nb - 1), 6), written: six rows for each link [kg, kg m, kg m^2],
      the wrenches for its unit motions. A wrench is about the origin of the link, in base axes,
      force first.
    """
    joint_transforms(topology, constants, work, q)
    composite_tip_to_base(topology, constants, work)
    status = articulated_inertias(topology, constants, work, diagonal)
    poses_base_to_tip(topology, work)
    for row in range(composite.shape[0]):
        i = carried[row // 6 + 1]
        w, v = unit_motion(work, links, i, row % 6)
        n, f = composite_inertia_times(work, i, w, v)
        wrench_at_link(work, links, i, n, f, composite[row])
        n, f = free_articulated_times(work, i, w, v)
        wrench_at_link(work, links, i, n, f, articulated[row])
    return status
