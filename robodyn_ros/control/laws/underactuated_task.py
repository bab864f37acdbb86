# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Operational-space control where some joints have no motor: the tool follows its path."""

import numpy as np

from robodyn_ros.algorithms.core.friction import friction_torque
from robodyn_ros.algorithms.core.jacobian import jacobian, jacobian_bias
from robodyn_ros.algorithms.core.kinematics import pose
from robodyn_ros.compile import kernel
from robodyn_ros.control.laws.computed_torque import multiply
from robodyn_ros.control.laws.end_effector import observe_pose, write_pose_error
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
    join_rows,
    transpose_multiply,
)
from robodyn_ros.control.laws.singularity_handling import fading_inertia
from robodyn_ros.control.laws.underactuated import (
    CORRECTION,
    DRIFT,
    LOCKED,
    WANTED,
    UnderactuatedComputedTorque,
    accelerate,
    clear_passive,
    write_terms,
)
from robodyn_ros.control.reference.task_reference import ERROR, TURN
from robodyn_ros.errors import RobodynError
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Constant, Integer, Matrix, Table, Topology, Vector, Work

UNIT = 3  # from this row of `known` on, each has a unit acceleration of one joint
STIFFNESS, DAMPING, AXES, LENGTH, REACH, HOLD = 1, 7, 13, 19, 20, 21  # entries of `values`
#: Largest acceleration of driven joints that holds a unit of a passive one, without moving the
#: tool [-]. A passive joint that needs more is let go smoothly.
EFFORTS_TO_HOLD = 100.0
#: Rows of `task`, vectors of the tool. They are weights of the axes, reference velocity and
#: acceleration, feedback, Jdot qd, remaining motion, and F times that.
WEIGHTS, RATE, ACCEL, TASK_FEEDBACK, BIAS, REMAINDER, TASK_FORCE = range(7)


@primitive
def add_bias(topology, constants, work, q, qd, body, frame, zero, bias, sign, out):
    """Compute out += sign Jdot qd of the tool.

    `q`, `qd` (nv,): state [rad or m, rad/s or m/s].
    `body`, `frame`: body and placement of the tool; see `ControlLaw.end_effector`.
    `sign`: 1 or -1.
    `out` (6,): acceleration of the tool, updated.
    """
    jacobian_bias(topology, constants, work, q, qd, body, frame, zero, bias)
    for i in range(6):
        out[i] += sign * bias[i]


@primitive
def observe_tool(topology, constants, work, reference, body, frame, zero, X, J, wanted, task):
    """Compute pose, velocity and acceleration of the tool along the joint reference.

    `reference` (3, nv): position, velocity and acceleration of the joints.
    `body`, `frame`: body and placement of the tool; see `ControlLaw.end_effector`.
    `wanted` (6, 4): pose of the tool, written; rows as in `task_reference`.
    `task` (7, 6): vectors of the tool; two rows are written.
    """
    q, qd = reference[POSITION], reference[VELOCITY]
    pose(topology, constants, work, q, body, frame, X)
    observe_pose(X, wanted)
    jacobian(topology, constants, work, q, body, frame, J)
    multiply(J, qd, task[RATE])
    multiply(J, reference[ACCELERATION], task[ACCEL])
    add_bias(topology, constants, work, q, qd, body, frame, zero, task[BIAS], 1.0, task[ACCEL])


@primitive
def task_feedback(wanted, measured, values, J, qd, task):
    """Compute Kp e + Kd (V_r - V) of the tool into its row of `task`.

    `wanted`, `measured` (6, 4): reference and measured pose; the error is written to the latter.
    `J` (6, nv): Jacobian of the tool.
    `task` (7, 6): vectors of the tool, updated.
    """
    write_pose_error(wanted, measured)
    join_rows(measured, ERROR, TURN, task[TASK_FEEDBACK])
    multiply(J, qd, task[REMAINDER])
    for i in range(6):
        task[TASK_FEEDBACK, i] = values[STIFFNESS + i] * task[TASK_FEEDBACK, i] + values[
            DAMPING + i
        ] * (task[RATE, i] - task[REMAINDER, i])


@primitive
def generalised_jacobian(passive, J, qdd, J_G):
    """Compute J_G = J_a + J_p J_D from the accelerations due to unit accelerations.

    `J` (6, nv): Jacobian of the tool.
    `qdd` (3 + nv, nv): accelerations of all joints, in the rows of `known`.
    `J_G` (6, nv): generalised Jacobian, written; columns of passive joints are zero.
    """
    for k in range(passive.shape[0]):
        for i in range(6):
            J_G[i, k] = 0.0
            for j in range(passive.shape[0]):
                J_G[i, k] += (1.0 - passive[k]) * J[i, j] * qdd[UNIT + k, j]


@primitive
def remaining_motion(J_G, F, J, asked, moves, task, x):
    """Compute x = J_G^T F (asked - J moves), the motion that the tool still needs.

    `J_G`, `F`, `J`: generalised Jacobian, task inertia and Jacobian of the tool.
    `asked` (6,): required velocity or acceleration of the tool.
    `moves` (nv,): velocity or acceleration of all joints so far.
    `task` (7, 6): vectors of the tool; two rows are overwritten.
    `x` (nv,): motion of the driven joints, written.
    """
    multiply(J, moves, task[REMAINDER])
    for i in range(6):
        task[REMAINDER, i] = asked[i] - task[REMAINDER, i]
    multiply(F, task[REMAINDER], task[TASK_FORCE])
    transpose_multiply(J_G, task[TASK_FORCE], x)


@primitive
def disturbance_compliance(passive, qdd, J_G, F, null, spare, vectors, G, weights, shares):
    """Compute J_D N and G = (J_D N J_D^T)^-1, with N = 1 - J_G^T F J_G; G fades where it is large.

    Accelerations N J_D^T G s of the driven joints give the passive ones s, and do not move the
    tool. They are the least ones that do (Jain 2011, eq. 16.25).

    `qdd` (3 + nv, nv): accelerations of all joints, in the rows of `known`; row UNIT + k is that
      of J_D for k.
    `J_G`, `F` (6, nv): generalised Jacobian and task inertia.
    `null`, `spare`, `vectors`, `G` (nv, nv): row p of `null` is J_D N of passive joint p; the
      others are zero. All are written.
    """
    n = passive.shape[0]
    for p in range(n):
        weights[p] = passive[p]
        for k in range(n):
            null[p, k] = passive[p] * (1.0 - passive[k]) * qdd[UNIT + k, p]
        for i in range(6):
            pull = 0.0
            for j in range(6):
                for k in range(n):
                    pull += F[i, j] * J_G[j, k] * passive[p] * qdd[UNIT + k, p]
            for k in range(n):
                null[p, k] -= pull * J_G[i, k]
    for p in range(n):
        for r in range(n):
            spare[p, r] = 0.0
            for k in range(n):
                spare[p, r] += null[p, k] * null[r, k]
    heaviest = EFFORTS_TO_HOLD * EFFORTS_TO_HOLD
    fading_inertia(spare, weights, heaviest, spare, vectors, G, shares)


@primitive
def hold_passive(share, qdd, asked, null, G, force, x):
    """Add the motion of driven joints that gives the passive ones the required acceleration.

    `share`: share of it, from 0 to 1.
    `qdd` (3 + nv, nv): accelerations of all joints, in the rows of `known`.
    `asked` (nv,): required acceleration less that without x, of passive joints; overwritten.
    `x` (nv,): accelerations of the driven joints, updated.
    """
    n = x.shape[0]
    for p in range(n):
        for k in range(n):
            asked[p] -= x[k] * qdd[UNIT + k, p]
    multiply(G, asked, force)  # G has zeros where a joint is driven
    for k in range(n):
        for p in range(n):
            x[k] += share * null[p, k] * force[p]


@primitive
def add_inertia(tau, x, torque):
    """Compute torque += S_aa x.

    `tau` (3 + nv, nv): torques for the rows of `known`.
    `x` (nv,): accelerations of the driven joints.
    `torque` (nv,): torque [N m or N], updated.
    """
    for k in range(x.shape[0]):
        for j in range(x.shape[0]):
            torque[j] += x[k] * tau[UNIT + k, j]


@kernel
def underactuated_operational_space(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    passive: Constant,
    f_ext: Matrix,
    free: Vector,
    known: Matrix,
    tau: Matrix,
    qdd: Matrix,
    J: Matrix,
    J_G: Matrix,
    motion: Vector,
    zero: Vector,
    X: Matrix,
    A: Matrix,
    spare: Matrix,
    vectors: Matrix,
    F: Matrix,
    task: Matrix,
    wanted: Matrix,
    measured: Matrix,
    shares: Vector,
    null: Matrix,
    null_work: Matrix,
    null_vectors: Matrix,
    G: Matrix,
    passive_weights: Vector,
    passive_shares: Vector,
    asked: Vector,
    force: Vector,
    body: Integer,
    frame: Constant,
    values: Vector,
    q: Vector,
    qd: Vector,
    reference: Matrix,
    gains: Matrix,
    terms: Matrix,
):
    """Compute all terms of the driven joints, and zeros of the passive ones.

    `passive`: 1 for a joint without motor, else 0.
    `f_ext`, `free`: memory, overwritten.
    `known`, `tau`, `qdd`: memory, overwritten; see `underactuated.accelerate`.
    `J`, `J_G`: memory, overwritten.
    `motion`, `zero`: memory, overwritten.
    `X`: memory, overwritten.
    `A`, `spare`, `vectors`, `F`: memory, overwritten.
    `task`: memory for vectors of the tool, overwritten.
    `wanted`, `measured`, `shares`: memory, overwritten.
    `null`, `null_work`, `null_vectors`, `G`: memory, overwritten; see `disturbance_compliance`.
    `passive_weights`, `passive_shares`, `asked`, `force`: memory, overwritten.
    `body`, `frame`: body and placement of the tool; see `ControlLaw.end_effector`.
    Returns 0, or the body whose pivot is singular.
    """
    n = q.shape[0]
    for i in range(6):
        task[WEIGHTS, i] = values[AXES + i] * (1.0 if i < 3 else values[LENGTH])
    for k in range(n):
        zero[k] = 0.0
    observe_tool(topology, constants, work, reference, body, frame, zero, X, J, wanted, task)
    pose(topology, constants, work, q, body, frame, X)
    observe_pose(X, measured)
    jacobian(topology, constants, work, q, body, frame, J)
    task_feedback(wanted, measured, values, J, qd, task)

    for k in range(n):
        for j in range(n):
            known[UNIT + k, j] = 0.0
        known[UNIT + k, k] = 1.0 - passive[k]
    status = accelerate(
        topology,
        constants,
        gravity,
        work,
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
    fading_inertia(A, task[WEIGHTS], keep, spare, vectors, F, shares)
    share = values[HOLD]
    if share > 0.0:
        disturbance_compliance(
            passive, qdd, J_G, F, null, null_work, null_vectors, G, passive_weights, passive_shares
        )

    write_terms(topology, constants, gravity, work, q, qd, tau, terms)
    for k in range(n):
        known[DRIFT, k] = reference[VELOCITY, k] if passive[k] == 0.0 else qd[k]
    # friction at joint rates that give the tool its velocity, for any motion of passive joints
    remaining_motion(J_G, F, J, task[RATE], known[DRIFT], task, motion)
    for k in range(n):
        known[DRIFT, k] += motion[k]
    friction_torque(topology, constants, q, known[DRIFT], terms[FRICTION])
    remaining_motion(J_G, F, J, task[ACCEL], qdd[WANTED], task, motion)
    if share > 0.0:
        for k in range(n):
            asked[k] = -qdd[WANTED, k]
        hold_passive(share, qdd, asked, null, G, force, motion)
    add_inertia(tau, motion, terms[INERTIA])
    remaining_motion(J_G, F, J, task[TASK_FEEDBACK], qdd[CORRECTION], task, motion)
    if share > 0.0:
        for k in range(n):
            asked[k] = gains[1, k] * (reference[VELOCITY, k] - qd[k]) - qdd[CORRECTION, k]
        hold_passive(share, qdd, asked, null, G, force, motion)
    add_inertia(tau, motion, terms[FEEDBACK])
    for i in range(6):
        task[TASK_FEEDBACK, i] = 0.0
    add_bias(
        topology, constants, work, q, qd, body, frame, zero, task[BIAS], -1.0, task[TASK_FEEDBACK]
    )
    remaining_motion(J_G, F, J, task[TASK_FEEDBACK], qdd[DRIFT], task, motion)
    if share > 0.0:
        for k in range(n):
            asked[k] = -qdd[DRIFT, k]
        hold_passive(share, qdd, asked, null, G, force, motion)
    add_inertia(tau, motion, terms[OTHER])
    clear_passive(passive, terms)
    return status


class UnderactuatedOperationalSpace(UnderactuatedComputedTorque):
    """tau_a = S_aa (a + J_G^+ (x'' - Jdot qd - J qdd(a))) + c_a + g_a - S_ap (c_p + g_p + f_p).

    The tool follows the path that it has along the joint reference. Its required acceleration is
    x'' = x''_r + Kd (v_r - v) + Kp e. The driven joints have a = qdd_r + Kd ed + Kp e in the
    directions that do not move the tool. qdd(a) are the accelerations of all joints for this a.

    J_G = J_a + J_p J_D is the generalised Jacobian, with the disturbance Jacobian J_D = - M_pp^-1
    M_pa (Jain 2011, eq. 16.19-16.24 and Algorithm 16.4). Its pseudo-inverse fades out in
    directions in which the driven joints hardly move the tool, as in `operational_space`. So the
    error of the tool obeys a linear oscillator, for any motion of the passive joints. Their motion
    is the zero dynamics; with all six axes it is often unstable.

    With `hold` the driven joints that are left over act on the passive ones. They give them the
    acceleration Kd (qd_r - qd)_p, with the rate gains of the passive joints (Jain 2011, eq. 16.25,
    where it is zero). The tool comes first. So without enough driven joints the passive ones are
    held in part.

    `passive_joints` (sequence of str): names of joints without motor.
    `frame`: name of the tool; '' for the link of the last joint.
    Raises UnknownNameError: for a joint or frame that does not exist.
    Raises RobodynError: for a tool that does not move. Without a name of the tool, if passive
      joints alone move the origin of the last link.
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
            'A direction fades out where one unit of the driven joints moves the tool less far.',
            lower=1e-6,
            upper=10.0,
        ),
        LawParameter(
            'hold',
            0.0,
            '',
            'Share of the acceleration of passive joints that driven joints take away, where the '
            'tool leaves a choice. 0 lets them swing.',
            upper=1.0,
        ),
    )
    kernels = (underactuated_operational_space,)

    def __init__(self, robot, passive_joints=(), frame=''):
        super().__init__(robot, passive_joints)
        n = robot.nv
        name, *self._place = self.end_effector(frame)
        if not frame:
            self._refuse_coupling_alone(name)
        topology, constants, gravity, work, passive, f_ext, free, *_ = self._arrays
        self._arrays = (
            *(topology, constants, gravity, work, passive, f_ext, free),
            *np.zeros((3, UNIT + n, n)),
            *np.zeros((2, 6, n)),
            *np.zeros((2, n)),
            np.zeros((4, 4)),
            *np.zeros((4, 6, 6)),
            np.zeros((7, 6)),
            *np.zeros((2, 6, 4)),
            np.zeros(6),
            *np.zeros((4, n, n)),
            *np.zeros((4, n)),
        )

    def _refuse_coupling_alone(self, name):
        """Refuse an unnamed tool that only the inertial coupling moves.

        J_G = J_p J_D changes sign along the path of most arms. A driven joint then speeds up
        without bound.
        """
        linear = self.robot.jacobian(np.linspace(0.3, 1.1, self.robot.nv), name)[:3]
        moved = np.abs(linear).max(axis=0) > 1e-9
        if moved.any() and not moved[~self.undriven].any():
            raise RobodynError(
                f'frame of law {self.name}: got none, and joints without motor alone move the '
                f'origin of {name!r}; expected the name of a tool that a driven joint moves'
            )

    def torques(self, q, qd, reference, gains, terms):
        """Write every term of the model, in O(n^2).

        Returns 0, or the body whose pivot is singular.
        """
        return self._torques(
            *self._arrays, *self._place, self.values, q, qd, reference, gains, terms
        )
