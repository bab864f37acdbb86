# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The end effector of a law: its pose and velocity, its error, and a reference by the joints."""

from robodyn_ros.algorithms.core.jacobian import jacobian, jacobian_bias
from robodyn_ros.algorithms.core.kinematics import pose
from robodyn_ros.compile import kernel
from robodyn_ros.control.laws.law import ACCELERATION, VELOCITY
from robodyn_ros.control.laws.law import POSITION as JOINT
from robodyn_ros.control.reference.task_motion import quaternion, store_quaternion
from robodyn_ros.control.reference.task_reference import ACCELERATION as TASK_ACCELERATION
from robodyn_ros.control.reference.task_reference import (
    ERROR,
    POSITION,
    QUATERNION,
    SPIN,
    SPIN_RATE,
    TURN,
)
from robodyn_ros.control.reference.task_reference import VELOCITY as TASK_VELOCITY
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.turning import quaternion_of, turn_between
from robodyn_ros.spatial.types import Constant, Integer, Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import load, store, sub


@primitive
def observe_pose(X, measured):
    """Write the pose of the end effector.

    `X` (4, 4): its homogeneous transform in the base.
    `measured`: measured rows of its TaskReference; two are written.
    """
    store(measured[POSITION], (X[0, 3], X[1, 3], X[2, 3]))
    store_quaternion(
        measured,
        quaternion_of(
            (X[0, 0], X[1, 0], X[2, 0]), (X[0, 1], X[1, 1], X[2, 1]), (X[0, 2], X[1, 2], X[2, 2])
        ),
    )


@primitive
def observe_velocity(J, qd, state, age, measured):
    """Write the velocity of the end effector: J qd, plus its acceleration times the age.

    `J` (6, nv): Jacobian of the end effector.
    `qd` (nv,): velocities [rad/s or m/s].
    `state`: reference rows of its TaskReference, with the acceleration.
    `age`: age of the joint state [s].
    `measured`: measured rows of its TaskReference; two are written.
    """
    for i in range(3):
        measured[TASK_VELOCITY, i] = age * state[TASK_ACCELERATION, i]
        measured[SPIN, i] = age * state[SPIN_RATE, i]
        for k in range(qd.shape[0]):
            measured[TASK_VELOCITY, i] += J[i, k] * qd[k]
            measured[SPIN, i] += J[3 + i, k] * qd[k]


@primitive
def write_pose_error(state, measured):
    """Write the pose error, reference - measured: a distance and a rotation vector.

    `state`, `measured`: reference and measured rows of a TaskReference; two of the latter are
      written.
    """
    store(measured[ERROR], sub(load(state[POSITION]), load(measured[POSITION])))
    store(measured[TURN], turn_between(quaternion(state), quaternion(measured)))


@kernel
def lead_by_joints(
    topology: Topology,
    constants: Table,
    work: Work,
    X: Matrix,
    J: Matrix,
    bias: Vector,
    zeros: Vector,
    body: Integer,
    frame: Constant,
    target: Matrix,
    state: Matrix,
    reference: Matrix,
):
    """Put the reference of the end effector where that of the joints has it.

    x_r = x(q_r), v_r = J qd_r, a_r = J qdd_r + Jdot qd_r. The target rests there.

    `topology`, `constants`, `work`: arrays of the model; see `model_arrays`.
    `X`, `J`, `bias`: memory, overwritten.
    `body`, `frame`: body and placement of the end effector; see `ControlLaw.end_effector`.
    `target`, `state`: arrays of its TaskReference, written.
    `reference`: position, velocity and acceleration of the joints.
    """
    q, qd, qdd = reference[JOINT], reference[VELOCITY], reference[ACCELERATION]
    jacobian(topology, constants, work, q, body, frame, J)
    jacobian_bias(topology, constants, work, q, qd, body, frame, zeros, bias)
    pose(topology, constants, work, q, body, frame, X)
    observe_pose(X, state)
    observe_velocity(J, qd, state, 0.0, state)
    for i in range(3):
        state[TASK_ACCELERATION, i], state[SPIN_RATE, i] = bias[i], bias[3 + i]
        for k in range(q.shape[0]):
            state[TASK_ACCELERATION, i] += J[i, k] * qdd[k]
            state[SPIN_RATE, i] += J[3 + i, k] * qdd[k]
    for row in range(target.shape[0]):
        for i in range(4):
            target[row, i] = state[row, i] if row == POSITION or row == QUATERNION else 0.0
