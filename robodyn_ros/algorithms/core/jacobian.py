# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The Jacobian of a frame, its rate and its velocity-dependent acceleration."""

from robodyn_ros.algorithms.core.joint_transform import joint_transforms, last_of_joint
from robodyn_ros.algorithms.core.kinematics import (
    frame_point,
    frame_speed,
    poses_base_to_tip,
    velocities_base_to_tip,
)
from robodyn_ros.algorithms.core.rnea import motion_base_to_tip, start_at_base
from robodyn_ros.model.layout import KIND, PARENT, PITCH, PRISMATIC, V
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.rotation import rotate
from robodyn_ros.spatial.types import Constant, Integer, Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import add, cross, load, scale, sub


@primitive
def world_axis(work, i):
    """Return the joint axis of body i in base axes."""
    return (work[i].world_rotation[2], work[i].world_rotation[5], work[i].world_rotation[8])


@primitive
def axis_at(topology, constants, work, i, point):
    """Return the motion of a point of body i for a unit rate of its joint, in base axes.

    It is (z, z x r + pitch z), or (0, z) of a prismatic joint. Needs the poses.

    `point`: position of the point in base axes [m].
    """
    z = world_axis(work, i)
    if topology[i, KIND] == PRISMATIC:
        return (0.0, 0.0, 0.0), z
    return z, add(
        cross(z, sub(point, load(work[i].world_position))), scale(constants[i, PITCH], z)
    )


@primitive
def world_angular_velocity(topology, work, i):
    """Return the angular velocity in base axes with which the joint axis of body i rotates.

    It is that of the body, or of the last body of a spherical joint. Needs poses and velocities.
    """
    last = last_of_joint(topology, i)
    return rotate(work[last].world_rotation, load(work[last].omega))


@primitive
def axis_rate_at(topology, constants, work, i, point, speed):
    """Return the rate of `axis_at`: dz/dt, and dz/dt x r + z x dr/dt + pitch dz/dt.

    There dz/dt = omega x z. Needs poses and velocities.

    `point`, `speed`: position and velocity of the point in base axes [m, m/s].
    """
    z = world_axis(work, i)
    turning = cross(world_angular_velocity(topology, work, i), z)
    if topology[i, KIND] == PRISMATIC:
        return (0.0, 0.0, 0.0), turning
    carrier = rotate(work[i].world_rotation, load(work[i].speed))
    lever = sub(point, load(work[i].world_position))
    return turning, add(
        add(cross(turning, lever), cross(z, sub(speed, carrier))),
        scale(constants[i, PITCH], turning),
    )


@primitive
def jacobian_columns(topology, constants, work, body, frame, J):
    """Compute the columns of the joints that carry a frame, see `axis_at`.

    Columns of other joints are zero. Needs the poses.
    """
    for row in range(6):
        for column in range(J.shape[1]):
            J[row, column] = 0.0
    point = frame_point(work, body, frame)
    i = body
    while i > 0:
        column = topology[i, V]
        w, v = axis_at(topology, constants, work, i, point)
        J[0, column], J[1, column], J[2, column] = v
        J[3, column], J[4, column], J[5, column] = w
        i = topology[i, PARENT]


@recursion
def jacobian(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    body: Integer,
    frame: Constant,
    J: Matrix,
):
    """Compute the Jacobian J of a frame, so that [v; omega] = J qd, in O(n).

    Velocities are those of its origin, in base axes. Whitney 1972; Jain 2011, eq. (3.50).

    `J` (6, nv), written: Jacobian [m or -, - or 1/m], linear rows first.
    """
    joint_transforms(topology, constants, work, q)
    poses_base_to_tip(topology, work)
    jacobian_columns(topology, constants, work, body, frame, J)


@primitive
def frame_acceleration(work, body, frame):
    """Return linear and angular acceleration of the origin of a frame, in base axes.

    Needs the poses and `motion_base_to_tip`.

    Returns linear and angular acceleration, each a 3-vector [m/s^2, rad/s^2].
    """
    lever = rotate(work[body].rate, (frame[9], frame[10], frame[11]))
    linear = rotate(work[body].world_rotation, add(load(work[body].accel), lever))
    return linear, rotate(work[body].world_rotation, load(work[body].alpha))


@recursion
def jacobian_bias(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    qd: Vector,
    body: Integer,
    frame: Constant,
    zero: Vector,
    bias: Vector,
):
    """Compute dJ/dt qd of a frame, its acceleration at qdd = 0, in O(n).

    This is the outward sweep of inverse dynamics without joint accelerations. Gravity is left out,
    since its rounding would exceed the accelerations of slow motions.

    `bias` (6,), written: linear and angular acceleration in base axes [m/s^2, rad/s^2].
    """
    joint_transforms(topology, constants, work, q)
    poses_base_to_tip(topology, work)
    start_at_base(work, (0.0, 0.0, 0.0))
    motion_base_to_tip(topology, constants, work, qd, zero)
    (bias[0], bias[1], bias[2]), (bias[3], bias[4], bias[5]) = frame_acceleration(
        work, body, frame
    )


@recursion
def jacobian_derivative(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    qd: Vector,
    body: Integer,
    frame: Constant,
    Jdot: Matrix,
):
    """Compute dJ/dt, the rate of change of `jacobian` along qd, in O(n).

    The rate of each column is that of `axis_rate_at`.

    `Jdot` (6, nv), written: rate of the Jacobian [m/s or 1/s].
    """
    joint_transforms(topology, constants, work, q)
    poses_base_to_tip(topology, work)
    velocities_base_to_tip(topology, constants, work, qd)
    for row in range(6):
        for column in range(Jdot.shape[1]):
            Jdot[row, column] = 0.0
    point, speed = frame_point(work, body, frame), frame_speed(work, body, frame)
    i = body
    while i > 0:
        column = topology[i, V]
        w, v = axis_rate_at(topology, constants, work, i, point, speed)
        Jdot[0, column], Jdot[1, column], Jdot[2, column] = v
        Jdot[3, column], Jdot[4, column], Jdot[5, column] = w
        i = topology[i, PARENT]
