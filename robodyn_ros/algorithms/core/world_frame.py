# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Bodies, joints and wrenches in one frame for all bodies of a branch of the base.

A wrench on many joints is transformed to it once. Then each joint needs a product of six numbers
with six. That costs less than a transformation from body to body. The frame is that of a body near
the base. The rotation of this body is the identity, and the axes of its neighbours are simple.
"""

from robodyn_ros.algorithms.core.jacobian import world_axis
from robodyn_ros.algorithms.core.joint_transform import along_joint, wrench_on_parent
from robodyn_ros.algorithms.core.kinematics import start_poses_at, step_outward
from robodyn_ros.model.layout import KIND, PARENT, PITCH, PRISMATIC, V
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.rotation import rotate, rotate_z
from robodyn_ros.spatial.vec3 import add, cross, dot, load, scale, store, sub

#: Joints between the first one and the common frame, unless the tree branches before.
OUTWARD = 2


@primitive
def only_child(topology, i):
    """Return the only child of body i; 0 if there are several, or none."""
    found = 0
    for k in range(i + 1, topology.shape[0]):
        if topology[k, PARENT] == i:
            if found > 0:
                return 0
            found = k
    return found


@primitive
def step_inward(work, i, parent):
    """Compute rotation and origin of the parent from those of body i. Needs `joint_transforms`."""
    c, s = work[i].cos, work[i].sin
    for row in range(3):
        k = 3 * row
        turned = rotate_z(c, s, load(work[i].world_rotation, k))
        store(work[parent].world_rotation, rotate(work[i].rotation, turned), k)
    store(
        work[parent].world_position,
        sub(
            load(work[i].world_position),
            rotate(work[parent].world_rotation, load(work[i].position)),
        ),
    )


@primitive
def poses_in_world_frame(topology, work):
    """Compute rotation and origin of every body in the common frame of its branch.

    Needs `joint_transforms`.
    """
    for i in range(1, topology.shape[0]):
        work[i].on_path = 0.0
    for i in range(1, topology.shape[0]):
        parent = topology[i, PARENT]
        if parent == 0:
            seen_from = i
            for _ in range(OUTWARD):
                further = only_child(topology, seen_from)
                if further > 0:
                    seen_from = further
            start_poses_at(work, seen_from)
            while seen_from > i:
                work[seen_from].on_path = 1.0
                step_inward(work, seen_from, topology[seen_from, PARENT])
                seen_from = topology[seen_from, PARENT]
        elif work[i].on_path == 0.0:
            step_outward(work, parent, i)


@primitive
def joint_axes_in_world_frame(topology, constants, work):
    """Compute the axis S of every joint: [z; p x z + pitch z], or [0; z] if prismatic.

    Needs the poses.
    """
    for i in range(1, topology.shape[0]):
        z = world_axis(work, i)
        if topology[i, KIND] == PRISMATIC:
            store(work[i].axis, (0.0, 0.0, 0.0))
            store(work[i].axis, z, 3)
        else:
            store(work[i].axis, z)
            store(
                work[i].axis,
                add(cross(load(work[i].world_position), z), scale(constants[i, PITCH], z)),
                3,
            )


@primitive
def wrench_to_world_frame(work, i, n, f):
    """Transform a wrench from the origin and axes of body i to those of the common frame."""
    f = rotate(work[i].world_rotation, f)
    n = rotate(work[i].world_rotation, n)
    return add(n, cross(load(work[i].world_position), f)), f


@primitive
def torques_on_ancestors(topology, constants, work, i, n, f, torques):
    """Compute S^T (n, f) for each joint that carries body i, except its own.

    `n`, `f`: moment and force about the origin of body i, in its axes.
    `torques` (nv,), written: torques or forces of these joints [N m or N].
    """
    j = topology[i, PARENT]
    if j > 0:
        # for the nearest joint, one component in its own frame costs less than a product
        own_n, own_f = wrench_on_parent(work, i, n, f)
        torques[topology[j, V]] = along_joint(topology, constants, j, own_n, own_f)
        n, f = wrench_to_world_frame(work, i, n, f)
        j = topology[j, PARENT]
    while j > 0:
        torques[topology[j, V]] = dot(load(work[j].axis), n) + dot(load(work[j].axis, 3), f)
        j = topology[j, PARENT]
