# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The rate of the articulated-body inertia of every link along a motion, in O(n)."""

from robodyn_ros.algorithms.centroidal.body_inertias import unit_motion
from robodyn_ros.algorithms.core import scratch as at
from robodyn_ros.algorithms.core.articulated import articulated_inertias, free_articulated_times
from robodyn_ros.algorithms.core.articulated_body_rates import (
    R_ANGULAR,
    R_COUPLING,
    R_LINEAR,
    articulated_rates,
)
from robodyn_ros.algorithms.core.joint_transform import joint_transforms
from robodyn_ros.algorithms.core.joint_wrenches import wrench_at_link
from robodyn_ros.algorithms.core.kinematics import poses_base_to_tip, velocities_base_to_tip
from robodyn_ros.spatial.articulated_inertia import load_general, times_general, transpose_times
from robodyn_ros.spatial.primitive import recursion
from robodyn_ros.spatial.rotational_inertia import load_symmetric, times
from robodyn_ros.spatial.types import Indices, Matrix, Table, Topology, Vector
from robodyn_ros.spatial.vec3 import add, cross, load, sub


@recursion
def articulated_inertia_rates(
    topology: Topology,
    constants: Table,
    scratch: Matrix,
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

    Parameters
    ----------
    topology, constants : arrays
        Structure of the robot and numbers of its bodies, see `model.layout`.
    scratch : array
        Working memory, a row for each body; columns as in `core.scratch`.
    carried : (nb,) array of int
        For each row, the body that carries its link.
    links : (nb, 12) array
        Rotation, row-major, and origin of each link in that body [-, m].
    q : (nq,) array
        Joint positions [rad or m].
    qd : (nv,) array
        Joint velocities [rad/s or m/s].
    diagonal : (nv,) array
        Added to the diagonal of the mass matrix [kg m^2 or kg].
    rates : (6 (nb - 1), 6) array
        Written: six rows for each link [kg/s, kg m/s, kg m^2/s], the rates of the wrenches for its
        unit motions. A wrench is about the origin of the link, in base axes, force first.

    Returns
    -------
    int
        0, or the body whose pivot is singular.
    """
    joint_transforms(topology, constants, scratch, q)
    status = articulated_inertias(topology, constants, scratch, diagonal)
    articulated_rates(topology, constants, scratch, qd)
    poses_base_to_tip(topology, scratch)
    velocities_base_to_tip(topology, constants, scratch, qd)
    for row in range(rates.shape[0]):
        i = carried[row // 6 + 1]
        w, v = unit_motion(scratch, links, i, row % 6)
        n, f = free_articulated_times(scratch, i, w, v)
        a, c = load_symmetric(scratch, i, R_ANGULAR), load_symmetric(scratch, i, R_LINEAR)
        b = load_general(scratch, i, R_COUPLING)
        n_rate = add(times(a, w), times_general(b, v))
        f_rate = add(transpose_times(b, w), times(c, v))
        # In axes of the body, the motion turns backwards, and its reach from the link with it.
        omega, reach = load(scratch, i, at.OMEGA), (links[i, 9], links[i, 10], links[i, 11])
        turned = cross(w, omega)
        slid = cross(reach, turned) if row % 6 > 2 else cross(v, omega)
        more_n, more_f = free_articulated_times(scratch, i, turned, slid)
        n_rate = add(add(n_rate, more_n), cross(omega, n))
        f_rate = add(add(f_rate, more_f), cross(omega, f))
        n_rate = sub(n_rate, cross(cross(omega, reach), f))
        wrench_at_link(scratch, links, i, n_rate, f_rate, rates[row])
    return status
