# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The rate of the articulated-body inertia of every link along a motion, in O(n)."""

from robodyn_ros.algorithms.centroidal.body_inertias import unit_motion
from robodyn_ros.algorithms.core.articulated import articulated_inertias, free_articulated_times
from robodyn_ros.algorithms.core.articulated_body_rates import eliminate_joint_rate, start_rates
from robodyn_ros.algorithms.core.joint_transform import joint_transforms
from robodyn_ros.algorithms.core.joint_wrenches import wrench_at_link
from robodyn_ros.algorithms.core.kinematics import poses_base_to_tip, velocities_base_to_tip
from robodyn_ros.spatial.articulated_inertia import (
    load_general,
    store_general,
    times_general,
    transpose_times,
)
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.rotational_inertia import load_symmetric, store_symmetric, times
from robodyn_ros.spatial.types import Indices, Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import add, cross, load, sub


@primitive
def unit_motion_rate(work, links, i, j):
    """Return the rate of `unit_motion` in axes of body i. Needs poses and velocities.

    In these axes the motion rotates backwards, and so does its lever from the link.

    `j`: number of the unit motion, 0 to 5.
    """
    w, v = unit_motion(work, links, i, j)
    omega = load(work[i].omega)
    if j < 3:
        return (0.0, 0.0, 0.0), cross(v, omega)
    turned = cross(w, omega)
    return turned, cross((links[i, 9], links[i, 10], links[i, 11]), turned)


@primitive
def wrench_rate_at_link(work, links, i, wrench, wrench_rate, rate):
    """Write the rate of a wrench on body i as that about the moving origin of its link.

    It is in base axes. Needs poses and velocities.

    `wrench`, `wrench_rate`: moment and force in the frame of body i, and the rates of these
      entries, 3-vectors.
    `rate` (6,), written: rates of force and moment [N/s, N m/s].
    """
    n, f = wrench
    n_rate, f_rate = wrench_rate
    omega, lever = load(work[i].omega), (links[i, 9], links[i, 10], links[i, 11])
    n_rate, f_rate = add(n_rate, cross(omega, n)), add(f_rate, cross(omega, f))
    n_rate = sub(n_rate, cross(cross(omega, lever), f))
    wrench_at_link(work, links, i, n_rate, f_rate, rate)


@primitive
def copy_rate(own):
    """Keep dP/dt of a body, which the sweep then turns into that of its parent."""
    store_symmetric(own.kept_rate.angular, load_symmetric(own.P_rate.angular))
    store_general(own.kept_rate.coupling, load_general(own.P_rate.coupling))
    store_symmetric(own.kept_rate.linear, load_symmetric(own.P_rate.linear))


@recursion
def articulated_inertia_rates(
    topology: Topology,
    constants: Table,
    work: Work,
    carried: Indices,
    links: Table,
    q: Vector,
    qd: Vector,
    diagonal: Vector,
    rates: Matrix,
):
    """Compute dP/dt of the articulated-body inertia of every link, in O(n).

    The entries are in base axes about the moving origin of the link. At a unit velocity this is
    the derivative by one coordinate. Jain 2011, Algorithm 18.1 and eq. (18.49), whose last term
    is subtracted.

    `rates` (6 (nb - 1), 6), written: six rows for each link [kg/s, kg m/s, kg m^2/s], the rates of
      the wrenches for its unit motions. A wrench is about the origin of the link, in base axes,
      force first.
    """
    joint_transforms(topology, constants, work, q)
    status = articulated_inertias(topology, constants, work, diagonal)
    start_rates(topology, work)
    for i in range(topology.shape[0] - 1, 0, -1):
        copy_rate(work[i])
        eliminate_joint_rate(topology, constants, work, qd, i)
    poses_base_to_tip(topology, work)
    velocities_base_to_tip(topology, constants, work, qd)
    for row in range(rates.shape[0]):
        i = carried[row // 6 + 1]
        w, v = unit_motion(work, links, i, row % 6)
        n, f = free_articulated_times(work, i, w, v)
        rate = work[i].kept_rate
        a, b, c = (
            load_symmetric(rate.angular),
            load_general(rate.coupling),
            load_symmetric(rate.linear),
        )
        n_rate = add(times(a, w), times_general(b, v))
        f_rate = add(transpose_times(b, w), times(c, v))
        w, v = unit_motion_rate(work, links, i, row % 6)
        more_n, more_f = free_articulated_times(work, i, w, v)
        n_rate, f_rate = add(n_rate, more_n), add(f_rate, more_f)
        wrench_rate_at_link(work, links, i, (n, f), (n_rate, f_rate), rates[row])
    return status
