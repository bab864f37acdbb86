# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Operational-space control where some joints have no motor: the tool follows, they swing."""

import numpy as np

from robodyn_ros.algorithms.core.friction import friction_torque
from robodyn_ros.algorithms.core.jacobian import jacobian, jacobian_bias
from robodyn_ros.algorithms.core.kinematics import pose
from robodyn_ros.compile import kernel
from robodyn_ros.control.laws.computed_torque import multiply
from robodyn_ros.control.laws.law import (
    ACCELERATION,
    FEEDBACK,
    FRICTION,
    INERTIA,
    OTHER,
    POSITION,
    VELOCITY,
    LawOption,
    LawParameter,
)
from robodyn_ros.control.laws.operational_space import (
    OperationalSpace,
    compare,
    gather,
    observe_pose,
    transpose_multiply,
)
from robodyn_ros.control.laws.singularity_handling import yielding_inertia
from robodyn_ros.control.laws.underactuated import (
    CORRECTION,
    DRIFT,
    LOCKED,
    WANTED,
    UnderactuatedComputedTorque,
    accelerate,
    spare_passive,
    write_terms,
)
from robodyn_ros.control.reference.task_reference import ERROR, TURN
from robodyn_ros.errors import RobodynError
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Constant, Integer, Matrix, Table, Topology, Vector

UNIT = 3  # first of the rows of `known` with a unit acceleration of one joint each
STIFFNESS, DAMPING, AXES, LENGTH, REACH = 1, 7, 13, 19, 20  # entries of `values`
#: Rows of `task`, vectors of the tool.
WEIGHTS, RATE, ASKED, PULL, BIAS, GAP, PUSH = range(7)


@primitive
def add_bias(topology, constants, scratch, q, qd, body, frame, zero, bias, sign, out):
    """out += sign Jdot qd of the tool; bias and out : (6,), written."""
    jacobian_bias(topology, constants, scratch, q, qd, body, frame, zero, bias)
    for i in range(6):
        out[i] += sign * bias[i]


@primitive
def observe_tool(topology, constants, scratch, reference, body, frame, zero, X, J, wanted, task):
    """Compute pose, velocity and acceleration of the tool of the joint reference."""
    q, qd = reference[POSITION], reference[VELOCITY]
    pose(topology, constants, scratch, q, body, frame, X)
    observe_pose(X, wanted)
    jacobian(topology, constants, scratch, q, body, frame, J)
    multiply(J, qd, task[RATE])
    multiply(J, reference[ACCELERATION], task[ASKED])
    add_bias(topology, constants, scratch, q, qd, body, frame, zero, task[BIAS], 1.0, task[ASKED])


@primitive
def pull(wanted, measured, values, J, qd, task):
    """Compute Kp e + Kd (V_r - V) of the tool; its row of `task` is written."""
    compare(wanted, measured)
    gather(measured, ERROR, TURN, task[PULL])
    multiply(J, qd, task[GAP])
    for i in range(6):
        task[PULL, i] = values[STIFFNESS + i] * task[PULL, i] + values[DAMPING + i] * (
            task[RATE, i] - task[GAP, i]
        )


@primitive
def generalised_jacobian(passive, J, qdd, J_G):
    """J_G = J_a + J_p J_D, from the accelerations due to a unit of each driven joint's.

    Parameters
    ----------
    J_G : (6, nv)
        Written; columns of passive joints are zero.
    """
    for k in range(passive.shape[0]):
        for i in range(6):
            J_G[i, k] = 0.0
            for j in range(passive.shape[0]):
                J_G[i, k] += (1.0 - passive[k]) * J[i, j] * qdd[UNIT + k, j]


@primitive
def make_up(J_G, F, J, asked, moves, task, x):
    """x = J_G^T F (asked - J moves): motion of the driven joints that the tool still needs.

    Parameters
    ----------
    asked : (6,)
        Velocity or acceleration of the tool.
    moves : (nv,)
        That of all joints so far.
    x : (nv,)
        Written.
    """
    multiply(J, moves, task[GAP])
    for i in range(6):
        task[GAP, i] = asked[i] - task[GAP, i]
    multiply(F, task[GAP], task[PUSH])
    transpose_multiply(J_G, task[PUSH], x)


@primitive
def add_inertia(tau, x, torque):
    """torque += S_aa x, from the torques for a unit acceleration of each driven joint."""
    for k in range(x.shape[0]):
        for j in range(x.shape[0]):
            torque[j] += x[k] * tau[UNIT + k, j]


@kernel
def underactuated_operational_space(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    scratch: Matrix,
    passive: Constant,
    f_ext: Matrix,
    free: Vector,
    known: Matrix,
    tau: Matrix,
    qdd: Matrix,
    J: Matrix,
    J_G: Matrix,
    way: Vector,
    zero: Vector,
    X: Matrix,
    A: Matrix,
    work: Matrix,
    vectors: Matrix,
    F: Matrix,
    task: Matrix,
    wanted: Matrix,
    measured: Matrix,
    shares: Vector,
    body: Integer,
    frame: Constant,
    values: Vector,
    q: Vector,
    qd: Vector,
    reference: Matrix,
    gains: Matrix,
    terms: Matrix,
):
    """Compute all terms of the driven joints, zeros of the passive ones; return the pivot status.

    Scratch are f_ext (nb, 6), free, way, zero (nv,), and known, tau, qdd (3 + nv, nv). So are
    J, J_G (6, nv), X (4, 4), A, work, vectors, F (6, 6), and task (7, 6). The last are wanted,
    measured (6, 4) and shares (6,).

    Parameters
    ----------
    passive : (nv,)
        1 of a joint without motor, else 0.
    body, frame
        Of the tool.
    values
        Of the law's parameters.
    q, qd, reference, gains, terms
        As of `computed_torque`.
    """
    n = q.shape[0]
    for i in range(6):
        task[WEIGHTS, i] = values[AXES + i] * (1.0 if i < 3 else values[LENGTH])
    for k in range(n):
        zero[k] = 0.0
    observe_tool(topology, constants, scratch, reference, body, frame, zero, X, J, wanted, task)
    pose(topology, constants, scratch, q, body, frame, X)
    observe_pose(X, measured)
    jacobian(topology, constants, scratch, q, body, frame, J)
    pull(wanted, measured, values, J, qd, task)

    for k in range(n):
        for j in range(n):
            known[UNIT + k, j] = 0.0
        known[UNIT + k, k] = 1.0 - passive[k]
    status = accelerate(
        topology,
        constants,
        gravity,
        scratch,
        passive,
        values[LOCKED] >= 0.5,
        f_ext,
        free,
        known,
        tau,
        qdd,
        q,
        qd,
        reference,
        gains,
    )
    generalised_jacobian(passive, J, qdd, J_G)
    for i in range(6):
        multiply(J_G, J_G[i], A[i])
    keep = 1.0 / (values[REACH] * values[REACH])
    yielding_inertia(A, task[WEIGHTS], keep, work, vectors, F, shares)

    write_terms(topology, constants, gravity, scratch, q, qd, tau, terms)
    for k in range(n):
        known[DRIFT, k] = reference[VELOCITY, k] if passive[k] == 0.0 else qd[k]
    # friction at the rates that give the tool its velocity, however the passive joints move
    make_up(J_G, F, J, task[RATE], known[DRIFT], task, way)
    for k in range(n):
        known[DRIFT, k] += way[k]
    friction_torque(topology, constants, q, known[DRIFT], terms[FRICTION])
    make_up(J_G, F, J, task[ASKED], qdd[WANTED], task, way)
    add_inertia(tau, way, terms[INERTIA])
    make_up(J_G, F, J, task[PULL], qdd[CORRECTION], task, way)
    add_inertia(tau, way, terms[FEEDBACK])
    for i in range(6):
        task[PULL, i] = 0.0
    add_bias(topology, constants, scratch, q, qd, body, frame, zero, task[BIAS], -1.0, task[PULL])
    make_up(J_G, F, J, task[PULL], qdd[DRIFT], task, way)
    add_inertia(tau, way, terms[OTHER])
    spare_passive(passive, terms)
    return status


class UnderactuatedOperationalSpace(UnderactuatedComputedTorque):
    """tau_a = S_aa (a + J_G^+ (x'' - Jdot qd - J qdd(a))) + c_a + g_a - S_ap (c_p + g_p + f_p).

    The tool follows the path that it has under the joint reference. Its required acceleration is
    x'' = x''_r + Kd (v_r - v) + Kp e. In the directions that the tool leaves free, the driven
    joints have a = qdd_r + Kd ed + Kp e. qdd(a) are the accelerations of all joints then.
    J_G = J_a + J_p J_D is the generalised Jacobian, J_D = - M_pp^-1 M_pa the disturbance Jacobian
    (Jain 2011, eq. 16.19-16.24 and Algorithm 16.4). Its pseudo-inverse fades out in directions in
    which the driven joints hardly move the tool, as in `operational_space`. So the tool moves as a
    linear oscillator about its path, for any motion of the passive joints. Their motion is the
    zero dynamics; with all six axes it is often unstable.

    Parameters
    ----------
    robot : Robot
        The robot.
    passive_joints : sequence of str
        Names of joints without motor.
    frame : str
        Name of the tool; '' for the link of the last joint.

    Raises
    ------
    UnknownNameError
        For a joint or frame that does not exist.
    RobodynError
        For a tool that does not move. For a tool without a name, where only joints without motor
        move the origin of the last joint's link.
    """

    name = 'underactuated_operational_space'
    stateful = False
    equation = (
        "tau = S_aa (a + J_G^+ (x''_r + Kd (v_r - v) + Kp e - Jdot qd - J qdd(a)))"
        ' + C qd + g - S_ap (C qd + g + friction(qd))_p + friction of driven joints,'
        ' 0 of passive ones'
    )
    options = (
        *UnderactuatedComputedTorque.options,
        LawOption('frame', '', 'Link or joint frame of the tool. Empty: that of the last joint.'),
    )
    parameters = (
        *UnderactuatedComputedTorque.parameters,
        *(
            parameter
            for parameter in OperationalSpace.parameters
            if parameter.name in ('stiffness', 'damping')
        ),
        LawParameter(
            'axes',
            (1.0, 1.0, 1.0, 0.0, 0.0, 0.0),
            '',
            '1 for each axis x, y, z, rx, ry, rz in which the tool follows; 0 leaves it to the '
            'joints.',
            upper=1.0,
        ),
        *(parameter for parameter in OperationalSpace.parameters if parameter.name == 'length'),
        LawParameter(
            'reach',
            0.01,
            'm',
            'Way of the tool per unit of the driven joints below which a direction fades out.',
            lower=1e-6,
            upper=10.0,
        ),
    )
    kernels = (underactuated_operational_space,)

    def __init__(self, robot, passive_joints=(), frame=''):
        super().__init__(robot, passive_joints)
        n = robot.nv
        name, *self._place = self.end_effector(frame)
        if not frame:
            self._refuse_coupling_alone(name)
        topology, constants, gravity, scratch, passive, f_ext, free, *_ = self._arrays
        self._arrays = (
            *(topology, constants, gravity, scratch, passive, f_ext, free),
            *np.zeros((3, UNIT + n, n)),
            *np.zeros((2, 6, n)),
            *np.zeros((2, n)),
            np.zeros((4, 4)),
            *np.zeros((4, 6, 6)),
            np.zeros((7, 6)),
            *np.zeros((2, 6, 4)),
            np.zeros(6),
        )

    def _refuse_coupling_alone(self, name):
        """Refuse a tool that nobody named, and that only inertial coupling reaches.

        J_G = J_p J_D changes sign on the way of most arms. A driven joint then turns ever faster.
        """
        linear = self.robot.jacobian(np.linspace(0.3, 1.1, self.robot.nv), name)[:3]
        moved = np.abs(linear).max(axis=0) > 1e-9
        if moved.any() and not moved[~self.undriven].any():
            raise RobodynError(
                f'frame of law {self.name}: got none, and joints without motor alone move the '
                f'origin of {name!r}; expected the name of a tool that a driven joint moves'
            )

    def torques(self, q, qd, reference, gains, terms):
        """Write every term of the model, in O(n^2)."""
        return self._torques(
            *self._arrays, *self._place, self.values, q, qd, reference, gains, terms
        )
