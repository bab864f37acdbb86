# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The derivative of the mass matrix, with all quantities of a branch of the base in one frame.

M_ij = S_i . I_j S_j if joint i carries joint j, with the inertia I_j of composite body j. A motion
of a joint moves its composite body like one rigid body, so

    dM_ij/dq_k = 0                                     if k carries i, or is i,
               = S_i . (S_k x* I_j S_j)                if i carries k, and k carries j or is j,
               = S_i . (S_k x* I_k - I_k S_k x) S_j    if j carries k,

and zero for joints of different branches. The difference in the last line is the rate of the first
moment and the inertia of composite body k: nine numbers. Garofalo, Ott and Albu-Schaeffer 2013;
Singh, Russo and Wensing 2022, as of inverse_dynamics_derivatives.
"""

from robodyn_ros.algorithms.core.coriolis import (
    add_to_parent,
    body_coriolis,
    composite_inertia_times,
    joint_axes_base_to_tip,
)
from robodyn_ros.algorithms.core.joint_transform import (
    first_of_joint,
    joint_transforms,
    last_of_joint,
)
from robodyn_ros.algorithms.core.world_frame import poses_in_world_frame
from robodyn_ros.algorithms.derivatives.inverse_dynamics_derivatives import power
from robodyn_ros.algorithms.variants.inverse_dynamics_body import momentum_rate
from robodyn_ros.model.layout import PARENT, V
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.rotational_inertia import load_symmetric, times
from robodyn_ros.spatial.types import Stack, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import add, cross, dot, load, scale


@primitive
def inertia_rate(work, k, w, v):
    """Return the rates of first moment and inertia of composite body k at a motion.

    `w`, `v`: angular and linear velocity, 3-vectors.
    Returns rate of the first moment, 3-vector, and of the inertia, six numbers.
    """
    h, inertia = load(work[k].c_moment), load_symmetric(work[k].c_inertia)
    x = cross(w, (inertia[0], inertia[1], inertia[2]))
    y = cross(w, (inertia[1], inertia[3], inertia[4]))
    z = cross(w, (inertia[2], inertia[4], inertia[5]))
    along = dot(h, v)
    rate = (
        2.0 * (x[0] + along - h[0] * v[0]),
        x[1] + y[0] - (h[0] * v[1] + h[1] * v[0]),
        x[2] + z[0] - (h[0] * v[2] + h[2] * v[0]),
        2.0 * (y[1] + along - h[1] * v[1]),
        y[2] + z[1] - (h[1] * v[2] + h[2] * v[1]),
        2.0 * (z[2] + along - h[2] * v[2]),
    )
    return add(cross(w, h), scale(work[k].c_mass, v)), rate


@primitive
def store_powers(topology, work, i, j, k, n, f, by_q):
    """Write dM_ij/dq_k = S_i . (n, f) for body i and all bodies that carry it.

    `by_q` (nv, nv, nv): dM_ij/dq_k at [i, j, k]; the entries of these bodies are written.
    """
    column, way = topology[j, V], topology[k, V]
    while i > 0:
        row = topology[i, V]
        entry = power(work[i].axis, n, f)
        by_q[row, column, way] = entry
        by_q[column, row, way] = entry
        i = topology[i, PARENT]


@recursion
def mass_matrix_derivative(
    topology: Topology, constants: Table, work: Work, q: Vector, zero: Vector, by_q: Stack
):
    """Compute dM/dq along unit velocities, in O(n depth^2).

    `by_q` (nv, nv, nv), written: dM_ij/dq_k at [i, j, k], symmetric in the first two indices.
    """
    joint_transforms(topology, constants, work, q)
    poses_in_world_frame(topology, work)
    joint_axes_base_to_tip(topology, constants, work, zero)
    for i in range(1, topology.shape[0]):
        body_coriolis(constants, work, i)
    for i in range(topology.shape[0] - 1, 0, -1):
        if topology[i, PARENT] > 0:
            add_to_parent(work, i, topology[i, PARENT])
    for row in range(by_q.shape[0]):
        for column in range(by_q.shape[0]):
            for way in range(by_q.shape[0]):
                by_q[row, column, way] = 0.0
    for j in range(1, topology.shape[0]):
        n, f = composite_inertia_times(work, j, load(work[j].axis), load(work[j].axis, 3))
        k = last_of_joint(topology, j)
        while k > 0:
            carrier = topology[first_of_joint(topology, k), PARENT]
            moment, force = momentum_rate(load(work[k].axis), load(work[k].axis, 3), n, f)
            store_powers(topology, work, carrier, j, k, moment, force, by_q)
            k = topology[k, PARENT]
    for k in range(1, topology.shape[0]):
        h, inertia = inertia_rate(work, k, load(work[k].axis), load(work[k].axis, 3))
        j = topology[first_of_joint(topology, k), PARENT]
        while j > 0:
            axis, slide = load(work[j].axis), load(work[j].axis, 3)
            store_powers(
                topology,
                work,
                j,
                j,
                k,
                add(times(inertia, axis), cross(h, slide)),
                cross(axis, h),
                by_q,
            )
            j = topology[j, PARENT]
