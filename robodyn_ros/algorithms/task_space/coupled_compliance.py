# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The compliance of several frames and their coupling, without the mass matrix."""

from robodyn_ros.algorithms.core.articulated import articulated_inertias
from robodyn_ros.algorithms.core.jacobian import jacobian_columns
from robodyn_ros.algorithms.core.joint_transform import joint_transforms
from robodyn_ros.algorithms.core.kinematics import poses_base_to_tip
from robodyn_ros.algorithms.mass_matrix.mass_matrix_solve import cross_base_to_tip
from robodyn_ros.algorithms.task_space.operational_space_inertia import (
    clear_path,
    compliance_base_to_tip,
    frame_compliance,
    mark_path,
)
from robodyn_ros.model.layout import PARENT
from robodyn_ros.spatial.articulated_inertia import load_general
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.rotation import rotate
from robodyn_ros.spatial.rotational_inertia import load_symmetric
from robodyn_ros.spatial.types import Indices, Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import add, cross, load, store


@primitive
def closest_common_ancestor(topology, i, j):
    """Return the last body that carries both i and j; it may be i or j.

    `i`, `j`: rows of two bodies.
    """
    while i != j:
        if i > j:
            i = topology[i, PARENT]
        else:
            j = topology[j, PARENT]
    return i


@primitive
def mark_between(topology, work, ancestor, body):
    """Mark exactly the bodies behind `ancestor` up to `body` as path, without joint torques.

    `ancestor`: row of a body that carries the other one.
    `body`: row of the last body of the path.
    """
    for i in range(ancestor, body + 1):
        work[i].on_path = 0.0
    i = body
    while i != ancestor:
        work[i].on_path = 1.0
        work[i].residual = 0.0
        i = topology[i, PARENT]


@primitive
def propagate_acceleration(topology, constants, work, ancestor, body, frame, alpha, a):
    """Return the acceleration of a frame due to that of an ancestor: psi(ancestor, body)^T.

    The torques at the joints between are zero. Needs `mark_between`.

    `ancestor`: row of a body that carries the frame.
    `alpha`, `a`: angular and linear acceleration of the ancestor, 3-vectors.
    Returns linear and angular acceleration in base axes, each a 3-vector.
    """
    store(work[ancestor].alpha, alpha)
    store(work[ancestor].accel, a)
    for i in range(ancestor + 1, body + 1):
        if work[i].on_path == 1.0:
            cross_base_to_tip(topology, constants, work, i)
    alpha = load(work[body].alpha)
    a = add(load(work[body].accel), cross(alpha, (frame[9], frame[10], frame[11])))
    return (rotate(work[body].world_rotation, a), rotate(work[body].world_rotation, alpha))


@primitive
def column_of(a, j):
    """Return a column of a symmetric matrix.

    `j`: column, 0 to 2.
    """
    if j == 0:
        return (a[0], a[1], a[2])
    if j == 1:
        return (a[1], a[3], a[4])
    return (a[2], a[4], a[5])


@primitive
def response(work, i, j):
    """Return the acceleration of body i for a unit force on it: column j of Upsilon.

    `j`: column, 0 to 5.
    """
    if j < 3:
        return (column_of(load_symmetric(work[i].O.angular), j), load(work[i].O.coupling, 3 * j))
    b, k = load_general(work[i].O.coupling), j - 3
    return (b[k], b[k + 3], b[k + 6]), column_of(load_symmetric(work[i].O.linear), k)


@primitive
def coupling(topology, constants, work, i, frame_i, j, frame_j, block):
    """Compute the acceleration of a frame of body i due to force at a frame of body j.

    It is psi(a, i)^T Upsilon(a) psi(a, j), where a is their closest common ancestor (Jain 2011,
    Algorithm 10.1). Needs the compliance Upsilon(a).

    `i`: row of the body of the first frame.
    `frame_i` (12,): rotation, row-major, and origin of a frame in its body [-, m].
    `j`: row of the body of the second frame.
    `frame_j` (12,): rotation, row-major, and origin of a frame in its body [-, m].
    `block` (6, 6), written: block of the compliance, in base axes, linear first.
    """
    ancestor = closest_common_ancestor(topology, i, j)
    if ancestor == 0:
        for k in range(6):
            store(block[k], (0.0, 0.0, 0.0))
            store(block[k], (0.0, 0.0, 0.0), 3)
        return
    mark_between(topology, work, ancestor, j)
    for k in range(6):
        alpha, a = response(work, ancestor, k)
        a, alpha = propagate_acceleration(
            topology, constants, work, ancestor, j, frame_j, alpha, a
        )
        # stored as a row: by symmetry the columns are the responses to forces at frame j
        store(block[k], a)
        store(block[k], alpha, 3)
    mark_between(topology, work, ancestor, i)
    for k in range(6):
        alpha = (block[0, k], block[1, k], block[2, k])
        a = (block[3, k], block[4, k], block[5, k])
        a, alpha = propagate_acceleration(
            topology, constants, work, ancestor, i, frame_i, alpha, a
        )
        block[0, k], block[1, k], block[2, k] = a
        block[3, k], block[4, k], block[5, k] = alpha


@recursion
def coupled_compliance(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    diagonal: Vector,
    bodies: Indices,
    frames: Table,
    J: Matrix,
    compliance: Matrix,
):
    """Compute J and J M^-1 J^T of m frames, in O(n + m^2 depth).

    They are those of the origins of the frames, in base axes, linear first. The diagonal blocks
    are the compliances Upsilon. The others are propagated along the paths from the closest common
    ancestor (Jain 2011, Algorithms 10.1 and 10.2, eq. 10.17 and 10.18). Frames with only the base
    in common are not coupled.

    `frames` (m, 12): rotation and translation in the body.
    `J` (6 m, nv), written: Jacobians, six rows for each frame.
    """
    joint_transforms(topology, constants, work, q)
    poses_base_to_tip(topology, work)
    status = articulated_inertias(topology, constants, work, diagonal)
    last = 0
    for k in range(bodies.shape[0]):
        last = max(last, bodies[k])
    clear_path(work, last)
    for k in range(bodies.shape[0]):
        mark_path(topology, work, bodies[k])
    compliance_base_to_tip(topology, constants, work, last)
    for i in range(bodies.shape[0]):
        rows = slice(6 * i, 6 * i + 6)
        jacobian_columns(topology, constants, work, bodies[i], frames[i], J[rows])
        frame_compliance(work, bodies[i], frames[i], compliance[rows, rows])
        for j in range(i):
            columns = slice(6 * j, 6 * j + 6)
            coupling(
                topology,
                constants,
                work,
                bodies[i],
                frames[i],
                bodies[j],
                frames[j],
                compliance[rows, columns],
            )
            for r in range(6):
                for c in range(6):
                    compliance[6 * j + c, 6 * i + r] = compliance[6 * i + r, 6 * j + c]
    return status
