# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The Jacobian of a frame, its rate and its velocity-dependent acceleration."""

from robodyn_ros.algorithms.core import scratch as at
from robodyn_ros.algorithms.core.joint_transform import joint_transforms, last_of_joint
from robodyn_ros.algorithms.core.kinematics import (
    frame_point,
    poses_base_to_tip,
    velocities_base_to_tip,
)
from robodyn_ros.algorithms.core.rnea import motion_base_to_tip, start_at_base
from robodyn_ros.model.layout import KIND, PARENT, PITCH, PRISMATIC, V
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.rotation import rotate
from robodyn_ros.spatial.types import Constant, Integer, Matrix, Table, Topology, Vector
from robodyn_ros.spatial.vec3 import add, cross, load, scale, sub


@primitive
def world_axis(scratch, i):
    """Return the joint axis of body i in base axes.

    Parameters
    ----------
    scratch : array
        Working memory, a row for each body; columns as in `core.scratch`.
    i : int
        Row of the body.

    Returns
    -------
    tuple
        Unit 3-vector.
    """
    return (
        scratch[i, at.WORLD_ROTATION + 2],
        scratch[i, at.WORLD_ROTATION + 5],
        scratch[i, at.WORLD_ROTATION + 8],
    )


@primitive
def jacobian_columns(topology, constants, scratch, body, frame, J):
    """Compute the columns [z x r + pitch z; z], or [z; 0] if prismatic, of the joints that carry a
    frame.

    Columns of other joints are zero. Needs the poses.

    Parameters
    ----------
    topology, constants : arrays
        Structure of the robot and numbers of its bodies, see `model.layout`.
    scratch : array
        Working memory, a row for each body; columns as in `core.scratch`.
    body : int
        Row of the body that carries the frame.
    frame : (12,) array
        Rotation, row-major, and origin of the frame in its body [-, m].
    J : (6, nv) array
        Written: Jacobian of the frame at its origin, in base axes, linear rows first.
    """
    for row in range(6):
        for column in range(J.shape[1]):
            J[row, column] = 0.0
    point = frame_point(scratch, body, frame)
    i = body
    while i > 0:
        column, z = topology[i, V], world_axis(scratch, i)
        if topology[i, KIND] == PRISMATIC:
            J[0, column], J[1, column], J[2, column] = z
        else:
            J[0, column], J[1, column], J[2, column] = add(
                cross(z, sub(point, load(scratch, i, at.WORLD_POSITION))),
                scale(constants[i, PITCH], z),
            )
            J[3, column], J[4, column], J[5, column] = z
        i = topology[i, PARENT]


@recursion
def jacobian(
    topology: Topology,
    constants: Table,
    scratch: Matrix,
    q: Vector,
    body: Integer,
    frame: Constant,
    J: Matrix,
):
    """Compute the Jacobian J of a frame, so that [v; omega] = J qd, in O(n).

    Velocities are those of its origin, in base axes. Whitney 1972; Jain 2011, eq. (3.50).

    Parameters
    ----------
    topology, constants : arrays
        Structure of the robot and numbers of its bodies, see `model.layout`.
    scratch : array
        Working memory, a row for each body; columns as in `core.scratch`.
    q : (nq,) array
        Joint positions [rad or m].
    body : int
        Row of the body that carries the frame.
    frame : (12,) array
        Rotation, row-major, and origin of the frame in its body [-, m].
    J : (6, nv) array
        Written: Jacobian [m or -, - or 1/m], linear rows first.
    """
    joint_transforms(topology, constants, scratch, q)
    poses_base_to_tip(topology, scratch)
    jacobian_columns(topology, constants, scratch, body, frame, J)


@primitive
def frame_acceleration(scratch, body, frame):
    """Return linear and angular acceleration of the origin of a frame, in base axes.

    Needs the poses and `motion_base_to_tip`.

    Parameters
    ----------
    scratch : array
        Working memory, a row for each body; columns as in `core.scratch`.
    body : int
        Row of the body that carries the frame.
    frame : (12,) array
        Rotation, row-major, and origin of the frame in its body [-, m].

    Returns
    -------
    tuple
        Linear and angular acceleration, each a 3-vector [m/s^2, rad/s^2].
    """
    lever = rotate(scratch, body, at.RATE, (frame[9], frame[10], frame[11]))
    linear = rotate(scratch, body, at.WORLD_ROTATION, add(load(scratch, body, at.ACCEL), lever))
    return linear, rotate(scratch, body, at.WORLD_ROTATION, load(scratch, body, at.ALPHA))


@recursion
def jacobian_bias(
    topology: Topology,
    constants: Table,
    scratch: Matrix,
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

    Parameters
    ----------
    topology, constants : arrays
        Structure of the robot and numbers of its bodies, see `model.layout`.
    scratch : array
        Working memory, a row for each body; columns as in `core.scratch`.
    q : (nq,) array
        Joint positions [rad or m].
    qd : (nv,) array
        Joint velocities [rad/s or m/s].
    body : int
        Row of the body that carries the frame.
    frame : (12,) array
        Rotation, row-major, and origin of the frame in its body [-, m].
    zero : (nv,) array
        Zeros.
    bias : (6,) array
        Written: linear and angular acceleration in base axes [m/s^2, rad/s^2].
    """
    joint_transforms(topology, constants, scratch, q)
    poses_base_to_tip(topology, scratch)
    start_at_base(scratch, (0.0, 0.0, 0.0))
    motion_base_to_tip(topology, constants, scratch, qd, zero)
    (bias[0], bias[1], bias[2]), (bias[3], bias[4], bias[5]) = frame_acceleration(
        scratch, body, frame
    )


@recursion
def jacobian_derivative(
    topology: Topology,
    constants: Table,
    scratch: Matrix,
    q: Vector,
    qd: Vector,
    body: Integer,
    frame: Constant,
    Jdot: Matrix,
):
    """Compute dJ/dt, the rate of change of `jacobian` along qd, in O(n).

    The column [z x r + pitch z; z] has the rate [dz/dt x r + z x dr/dt + pitch dz/dt; dz/dt].
    There dz/dt = omega x z, with omega of the child link.

    Parameters
    ----------
    topology, constants : arrays
        Structure of the robot and numbers of its bodies, see `model.layout`.
    scratch : array
        Working memory, a row for each body; columns as in `core.scratch`.
    q : (nq,) array
        Joint positions [rad or m].
    qd : (nv,) array
        Joint velocities [rad/s or m/s].
    body : int
        Row of the body that carries the frame.
    frame : (12,) array
        Rotation, row-major, and origin of the frame in its body [-, m].
    Jdot : (6, nv) array
        Written: rate of the Jacobian [m/s or 1/s].
    """
    joint_transforms(topology, constants, scratch, q)
    poses_base_to_tip(topology, scratch)
    velocities_base_to_tip(topology, constants, scratch, qd)
    for row in range(6):
        for column in range(Jdot.shape[1]):
            Jdot[row, column] = 0.0
    point = frame_point(scratch, body, frame)
    spin = load(scratch, body, at.OMEGA)
    speed = add(load(scratch, body, at.SPEED), cross(spin, (frame[9], frame[10], frame[11])))
    speed = rotate(scratch, body, at.WORLD_ROTATION, speed)
    i = body
    while i > 0:
        column, z, last = topology[i, V], world_axis(scratch, i), last_of_joint(topology, i)
        omega = rotate(scratch, last, at.WORLD_ROTATION, load(scratch, last, at.OMEGA))
        turning = cross(omega, z)
        if topology[i, KIND] == PRISMATIC:
            Jdot[0, column], Jdot[1, column], Jdot[2, column] = turning
        else:
            carrier = rotate(scratch, i, at.WORLD_ROTATION, load(scratch, i, at.SPEED))
            lever = sub(point, load(scratch, i, at.WORLD_POSITION))
            Jdot[0, column], Jdot[1, column], Jdot[2, column] = add(
                add(cross(turning, lever), cross(z, sub(speed, carrier))),
                scale(constants[i, PITCH], turning),
            )
            Jdot[3, column], Jdot[4, column], Jdot[5, column] = turning
        i = topology[i, PARENT]
