# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Poses and velocities of bodies and frames in the base."""

from robodyn_ros.algorithms.core.joint_transform import joint_transforms, to_child
from robodyn_ros.model.layout import KIND, PARENT, PITCH, PRISMATIC, V
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.rotation import rotate, rotate_inverse
from robodyn_ros.spatial.types import (
    Constant,
    Indices,
    Integer,
    Matrix,
    Stack,
    Table,
    Topology,
    Vector,
    Work,
)
from robodyn_ros.spatial.vec3 import accumulate, add, cross, load, store


@primitive
def start_poses_at(work, i):
    """Start the poses at body i, whose pose becomes the identity."""
    for k in range(9):
        work[i].world_rotation[k] = 1.0 if k % 4 == 0 else 0.0
    store(work[i].world_position, (0.0, 0.0, 0.0))


@primitive
def step_outward(work, parent, i):
    """Compute rotation and origin of body i from those of its parent. Needs `joint_transforms`."""
    c, s = work[i].cos, work[i].sin
    store(
        work[i].world_position,
        add(
            load(work[parent].world_position),
            rotate(work[parent].world_rotation, load(work[i].position)),
        ),
    )
    for row in range(3):
        k = 3 * row
        # a row of R_0B is R_PB^T applied to the same row of R_0P
        x, y, z = rotate_inverse(work[i].rotation, load(work[parent].world_rotation, k))
        store(work[i].world_rotation, (c * x + s * y, c * y - s * x, z), k)


@primitive
def poses_base_to_tip(topology, work):
    """Compute rotation R_0B and origin p_0B_0 of every body, in base axes.

    Needs `joint_transforms`.
    """
    start_poses_at(work, 0)
    for i in range(1, topology.shape[0]):
        step_outward(work, topology[i, PARENT], i)


@primitive
def frame_point(work, body, frame):
    """Return the origin of a frame in base axes. Needs the poses.

    `frame` (12,): rotation and translation in its body.
    """
    offset = rotate(work[body].world_rotation, (frame[9], frame[10], frame[11]))
    return add(load(work[body].world_position), offset)


@primitive
def frame_speed(work, body, frame):
    """Return the velocity of the origin of a frame in base axes. Needs poses and velocities.

    `frame` (12,): rotation and translation in its body.
    """
    spin = load(work[body].omega)
    speed = add(load(work[body].speed), cross(spin, (frame[9], frame[10], frame[11])))
    return rotate(work[body].world_rotation, speed)


@recursion
def pose(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    body: Integer,
    frame: Constant,
    X: Matrix,
):
    """Compute the transform X_0F of a frame in the base, in O(n).

    `X` (4, 4), written: homogeneous transform [-, m].
    """
    joint_transforms(topology, constants, work, q)
    poses_base_to_tip(topology, work)
    frame_pose(work, body, frame, X)


@primitive
def frame_pose(work, body, frame, X):
    """Write the transform X_0F of a frame in the base. Needs the poses.

    `X` (4, 4), written: homogeneous transform [-, m].
    """
    for column in range(3):
        axis = rotate(
            work[body].world_rotation, (frame[column], frame[3 + column], frame[6 + column])
        )
        X[0, column], X[1, column], X[2, column] = axis
        X[3, column] = 0.0
    X[0, 3], X[1, 3], X[2, 3] = frame_point(work, body, frame)
    X[3, 3] = 1.0


@recursion
def frame_poses(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    bodies: Indices,
    frames: Table,
    poses: Stack,
):
    """Compute the transforms of m frames in the base by one sweep, in O(n + m).

    `poses` (m, 4, 4), written: homogeneous transforms [-, m].
    """
    joint_transforms(topology, constants, work, q)
    poses_base_to_tip(topology, work)
    for j in range(bodies.shape[0]):
        frame_pose(work, bodies[j], frames[j], poses[j])


@primitive
def velocities_base_to_tip(topology, constants, work, qd):
    """Compute linear and angular velocity of every body, at its origin, in its axes.

    Needs `joint_transforms`.
    """
    store(work[0].omega, (0.0, 0.0, 0.0))
    store(work[0].speed, (0.0, 0.0, 0.0))
    for i in range(1, topology.shape[0]):
        parent, rate = topology[i, PARENT], qd[topology[i, V]]
        carrier = load(work[parent].omega)
        w = to_child(work, i, carrier)
        v = to_child(
            work, i, add(load(work[parent].speed), cross(carrier, load(work[i].position)))
        )
        if topology[i, KIND] == PRISMATIC:
            v = (v[0], v[1], v[2] + rate)
        else:
            w = (w[0], w[1], w[2] + rate)
            v = (v[0], v[1], v[2] + constants[i, PITCH] * rate)
        store(work[i].omega, w)
        store(work[i].speed, v)


@recursion
def velocity(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    qd: Vector,
    body: Integer,
    frame: Constant,
    V_0F: Vector,
):
    """Compute linear and angular velocity of a frame, at its origin in base axes, in O(n).

    `V_0F` (6,), written: linear, then angular velocity [m/s, rad/s].
    """
    joint_transforms(topology, constants, work, q)
    poses_base_to_tip(topology, work)
    velocities_base_to_tip(topology, constants, work, qd)
    V_0F[0], V_0F[1], V_0F[2] = frame_speed(work, body, frame)
    V_0F[3], V_0F[4], V_0F[5] = rotate(work[body].world_rotation, load(work[body].omega))


@recursion
def apply_wrench(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    body: Integer,
    frame: Constant,
    wrench: Vector,
    f_ext: Matrix,
):
    """Add a wrench at the origin of a frame to the wrenches on the bodies, in O(n).

    `wrench` (6,): force and moment in base axes [N, N m].
    `f_ext` (nb, 6): moment and force on each body, in its frame about its origin [N m, N]; the
      wrench is added.
    """
    joint_transforms(topology, constants, work, q)
    poses_base_to_tip(topology, work)
    f = rotate_inverse(work[body].world_rotation, (wrench[0], wrench[1], wrench[2]))
    n = rotate_inverse(work[body].world_rotation, (wrench[3], wrench[4], wrench[5]))
    accumulate(f_ext[body], add(n, cross((frame[9], frame[10], frame[11]), f)))
    accumulate(f_ext[body], f, 3)


@primitive
def load_wrenches(topology, constants, work, q, bodies, frames, wrenches, f_ext):
    """Compute the wrenches on the bodies from wrenches at the origins of m frames.

    `wrenches` (m, 6): force and moment in base axes [N, N m].
    `f_ext` (nb, 6), written: external moment and force on each body, in its frame about its origin
      [N m, N].
    """
    f_ext[:] = 0.0
    for j in range(len(bodies)):
        apply_wrench(topology, constants, work, q, bodies[j], frames[j], wrenches[j], f_ext)
