"""The inverse of the mass matrix, outboard from every hinge, with all motions in one frame."""
from robodyn_ros.model.layout import PARENT, V
from robodyn_ros.recursions import scratch as at
from robodyn_ros.recursions.articulated import articulate
from robodyn_ros.recursions.common_frame import (
    hinges_in_common_frame, motion_to_common_frame, poses_in_common_frame, wrench_to_common_frame)
from robodyn_ros.recursions.hinge import add_along_hinge, place
from robodyn_ros.recursions.mass_factors import gain
from robodyn_ros.recursions.mass_matrix_inverse import mark_carriers
from robodyn_ros.recursions.mass_solve import rest_base
from robodyn_ros.recursions.operational_space import cross_to_child, hold_base
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Matrix, Table, Topology, Vector
from robodyn_ros.spatial.vec3 import add, dot, load, scale, store


@primitive
def carry(topology, scratch, i, x):
    """Leave the acceleration of body i: that of its parent, and x along its hinge."""
    for part, axis in ((at.ALPHA, at.AXIS), (at.ACCEL, at.AXIS + 3)):
        store(scratch, i, part, add(load(scratch, topology[i, PARENT], part),
                                    scale(x, load(scratch, i, axis))))


@primitive
def mass_matrix_inverse(topology: Topology, constants: Table, scratch: Matrix,
                        q: Vector, diagonal: Vector, inverse: Matrix):
    """M(q)^-1, symmetric, in O(n^2): how torque at one hinge moves it and every one after it.

    Jain 2011, Algorithm 10.4 (eq. 10.31-10.33), on the way out as in section 5.4, where psi is the
    identity less S G^T. Arguments and status as of `mass_matrix_inverse.mass_matrix_inverse`: less
    arithmetic for long chains and skew axes.
    """
    place(topology, constants, scratch, q)
    status = articulate(topology, constants, scratch, diagonal)
    hold_base(scratch)
    poses_in_common_frame(topology, scratch)
    hinges_in_common_frame(topology, constants, scratch)
    rest_base(scratch)
    for k in range(1, topology.shape[0]):
        n, f = gain(scratch, k, 1.0)
        n, f = wrench_to_common_frame(scratch, k, n, f)
        store(scratch, k, at.MOMENT, n)
        store(scratch, k, at.FORCE, f)
    for k in range(1, topology.shape[0]):
        column = topology[k, V]
        own, alpha, a = cross_to_child(topology, constants, scratch, k)
        inverse[column, column] = own
        mark_carriers(topology, scratch, k)
        for i in range(1, k):
            if scratch[i, at.ON_PATH] == 1.0:
                carry(topology, scratch, i, inverse[topology[i, V], column])
        alpha, a = add_along_hinge(topology, constants, k, scale(-1.0, alpha), scale(-1.0, a),
                                   own)
        alpha, a = motion_to_common_frame(scratch, k, alpha, a)
        store(scratch, k, at.ALPHA, alpha)
        store(scratch, k, at.ACCEL, a)
        for i in range(k + 1, topology.shape[0]):
            parent = topology[i, PARENT]
            x = -(dot(load(scratch, i, at.MOMENT), load(scratch, parent, at.ALPHA))
                  + dot(load(scratch, i, at.FORCE), load(scratch, parent, at.ACCEL)))
            carry(topology, scratch, i, x)
            inverse[topology[i, V], column] = x
            inverse[column, topology[i, V]] = x
    return status
