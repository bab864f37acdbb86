"""Crossing a hinge: where each body stands on its parent, and vectors carried from one to the
other.
"""
from numpy import cos, sin

from robodyn_ros.model.layout import KIND, OFFSET, PRISMATIC, Q, ROTATION, ZERO
from robodyn_ros.recursions.scratch import ACCEL, ALPHA, COS, FORCE, MOMENT, POSITION, SIN
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.rotation import rotate, rotate_inverse, turn, turn_inverse
from robodyn_ros.spatial.vec3 import accumulate, add, cross, load, store


@primitive
def place(topology, constants, scratch, q):
    """Set cosine, sine and origin of every body on its parent: R_PB = R0 Rz(q), or p_PB_P = p0 +
    R0 z q.
    """
    for i in range(1, topology.shape[0]):
        x = q[topology[i, Q]] + constants[i, ZERO]
        if topology[i, KIND] == PRISMATIC:
            scratch[i, COS] = 1.0
            scratch[i, SIN] = 0.0
            slide = (x * constants[i, ROTATION + 2], x * constants[i, ROTATION + 5],
                     x * constants[i, ROTATION + 8])
            store(scratch, i, POSITION, add(load(constants, i, OFFSET), slide))
        else:
            scratch[i, COS] = cos(x)
            scratch[i, SIN] = sin(x)
            store(scratch, i, POSITION, load(constants, i, OFFSET))


@primitive
def to_child(constants, scratch, i, v):
    """v expressed in the frame of body i, given in that of its parent."""
    return turn_inverse(scratch[i, COS], scratch[i, SIN],
                        rotate_inverse(constants, i, ROTATION, v))


@primitive
def to_parent(constants, scratch, i, v):
    """v expressed in the frame of the parent of body i, given in that of body i."""
    return rotate(constants, i, ROTATION, turn(scratch[i, COS], scratch[i, SIN], v))


@primitive
def along_hinge(topology, constants, i, n, f):
    """S^T (n, f): the part of a wrench that hinge i feels."""
    return f[2] if topology[i, KIND] == PRISMATIC else n[2]


@primitive
def add_along_hinge(topology, constants, i, w, v, rate):
    """(w, v) + S rate: a motion of the parent, seen from body i, with that of its hinge."""
    if topology[i, KIND] == PRISMATIC:
        return w, (v[0], v[1], v[2] + rate)
    return (w[0], w[1], w[2] + rate), v


@primitive
def carried_acceleration(constants, scratch, parent, i):
    """Angular acceleration, and acceleration of its origin, that body i has from its parent alone.

    What velocities add is left out.
    """
    turning = load(scratch, parent, ALPHA)
    lever = cross(turning, load(scratch, i, POSITION))
    return (to_child(constants, scratch, i, turning),
            to_child(constants, scratch, i, add(load(scratch, parent, ACCEL), lever)))


@primitive
def wrench_on_parent(constants, scratch, i, n, f):
    """Moment and force about the origin of body i, in its frame, about and in those of its
    parent.
    """
    f = to_parent(constants, scratch, i, f)
    return add(to_parent(constants, scratch, i, n), cross(load(scratch, i, POSITION), f)), f


@primitive
def carry_wrench(constants, scratch, i, parent, n, f):
    """Add moment and force about the origin of body i, in its frame, to those of its parent."""
    n, f = wrench_on_parent(constants, scratch, i, n, f)
    accumulate(scratch, parent, MOMENT, n)
    accumulate(scratch, parent, FORCE, f)
