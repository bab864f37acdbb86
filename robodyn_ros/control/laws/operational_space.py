# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Operational-space control: a task target for the end effector, a posture in its null space."""

import numpy as np
from numpy import sqrt

from robodyn_ros.algorithms.core.crba import mass_matrix
from robodyn_ros.algorithms.core.friction import friction_torque
from robodyn_ros.algorithms.core.gravity import gravity_torque
from robodyn_ros.algorithms.core.jacobian import jacobian_bias
from robodyn_ros.algorithms.core.kinematics import pose
from robodyn_ros.algorithms.core.rnea import bias_torque
from robodyn_ros.algorithms.mass_matrix.mass_matrix_solve import mass_solve
from robodyn_ros.algorithms.task_space.operational_space_inertia import operational_space
from robodyn_ros.compile import kernel
from robodyn_ros.control.laws.computed_torque import multiply
from robodyn_ros.control.laws.end_effector import (
    lead_by_joints,
    observe_pose,
    observe_velocity,
    write_pose_error,
)
from robodyn_ros.control.laws.law import (
    ACCELERATION,
    CORIOLIS,
    FEEDBACK,
    FRICTION,
    GRAVITY,
    INERTIA,
    OTHER,
    POSITION_GAIN,
    VELOCITY,
    ControlLaw,
    LawOption,
    LawParameter,
    model_arrays,
)
from robodyn_ros.control.laws.law import POSITION as JOINT
from robodyn_ros.control.laws.law import VELOCITY_GAIN as RATE_GAIN
from robodyn_ros.control.laws.pd import feedback
from robodyn_ros.control.laws.singularity_handling import fading_inertia
from robodyn_ros.control.reference.task_motion import track_target
from robodyn_ros.control.reference.task_reference import ACCELERATION as TASK_ACCELERATION
from robodyn_ros.control.reference.task_reference import (
    ERROR,
    FORCE,
    FREE,
    MOMENT,
    PACE,
    POSITION,
    QUATERNION,
    SPIN,
    SPIN_RATE,
    TURN,
    TaskReference,
)
from robodyn_ros.control.reference.task_reference import VELOCITY as TASK_VELOCITY
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import (
    Constant,
    Integer,
    Matrix,
    Scalar,
    Table,
    Topology,
    Vector,
    Work,
)

#: Entries of `values`; pairs are linear and angular.
STIFFNESS, DAMPING, AXES, LENGTH, HEAVIEST = 0, 6, 12, 18, 19
SPEED, RATE, JERK, BANDWIDTH, FORCE_RATE, LONGEST_AGE = 20, 22, 24, 26, 27, 28

#: Rows of `task`: required motion, Jdot qd, remaining motion, F times that, weights of the axes,
#: return velocity.
WANTED, BIAS, REMAINDER, TASK_FORCE, WEIGHTS, RETURN = range(6)
#: Rows of `joints`: zeros, posture, memory, extrapolated positions.
ZEROS, POSTURE, MEMORY, EXTRAPOLATED = range(4)

#: Speed [m/s, rad/s] of an end effector that is held in motion; a slower one keeps its pose.
COASTING = (0.01, 0.05)
#: Share of a joint's velocity limit that the reference of the end effector may use.
JOINT_SHARE = 0.5
#: The share for the return of the end effector to its reference, and of joints to their posture.
RETURN_SHARE = 0.25


@primitive
def join_rows(rows, linear, angular, out):
    """Join a linear and an angular row to one task vector.

    `rows`: rows of a TaskReference.
    `linear`, `angular`: indices of both rows.
    `out` (6,): the vector, written.
    """
    for i in range(3):
        out[i], out[3 + i] = rows[linear, i], rows[angular, i]


@primitive
def return_factor(error, values, part, speed):
    """Return the factor on an error that limits the return velocity Kd^-1 Kp e.

    It is 1 near the reference; farther away the return speed is constant (Khatib 1987).

    `error` (3,): linear or angular error [m or rad].
    `values` (29,): parameters of the law.
    `part`: offset of the gains: 0 for linear, 3 for angular.
    `speed`: largest return speed [m/s or rad/s].
    """
    fastest = 0.0
    for i in range(3):
        if values[DAMPING + part + i] > 0.0:
            back = values[STIFFNESS + part + i] * error[i] / values[DAMPING + part + i]
            fastest += back * back
    return 1.0 if fastest <= speed * speed else speed / sqrt(fastest)


@primitive
def position_feedback(measured, values, task_feedback, back):
    """Compute Kp e and Kd^-1 Kp e, both limited far from the reference.

    `measured`: measured rows of a TaskReference, with the error e.
    `values` (29,): parameters of the law.
    `task_feedback` (6,): Kp e, written.
    `back` (6,): the return velocity Kd^-1 Kp e, written.
    """
    join_rows(measured, ERROR, TURN, task_feedback)
    near = return_factor(measured[ERROR], values, 0, values[SPEED])
    turned = return_factor(measured[TURN], values, 3, values[SPEED + 1])
    for i in range(6):
        task_feedback[i] *= values[STIFFNESS + i] * (near if i < 3 else turned)
        back[i] = task_feedback[i] / values[DAMPING + i] if values[DAMPING + i] > 0.0 else 0.0


@primitive
def add_velocity_feedback(state, measured, values, scale, task_feedback):
    """Scale the position feedback, and add the velocity feedback Kd (v_r - v).

    `state`, `measured`: reference and measured rows of a TaskReference.
    `values` (29,): parameters of the law.
    `scale`: scale of the position feedback.
    `task_feedback` (6,): the feedback, updated.
    """
    for i in range(3):
        task_feedback[i] = scale * task_feedback[i] + values[DAMPING + i] * (
            state[TASK_VELOCITY, i] - measured[TASK_VELOCITY, i]
        )
        task_feedback[3 + i] = scale * task_feedback[3 + i] + values[DAMPING + 3 + i] * (
            state[SPIN, i] - measured[SPIN, i]
        )


@primitive
def admissible_pace(rate, fastest):
    """Return the largest admissible factor on joint rates, at most FREE.

    `rate` (nv,): joint rates [rad/s or m/s].
    `fastest` (nv,): largest joint rates [rad/s or m/s].
    """
    share = 1.0 / FREE
    for k in range(rate.shape[0]):
        share = max(share, abs(rate[k]) / fastest[k])
    return 1.0 / share


@primitive
def return_gain_scale(rate, fastest):
    """Return the gain scale that respects the return speeds of the joints.

    `rate` (nv,): return velocities of the joints at full gain [rad/s or m/s].
    `fastest` (nv,): largest joint rates due to the reference [rad/s or m/s].
    """
    return min(1.0, RETURN_SHARE / JOINT_SHARE * admissible_pace(rate, fastest))


@primitive
def posture_feedback(q, qd, reference, gains, fastest, back, out):
    """Compute Kp e + Kd ed of the joints, with e limited far from the posture.

    `fastest` (nv,): largest joint rates due to the reference [rad/s or m/s].
    `back` (nv,): the return velocity Kd^-1 Kp e, written.
    `out` (nv,): the feedback, written.
    """
    for k in range(out.shape[0]):
        back[k] = gains[POSITION_GAIN, k] * (reference[JOINT, k] - q[k])
        back[k] = back[k] / gains[RATE_GAIN, k] if gains[RATE_GAIN, k] > 0.0 else 0.0
    held_back = 1.0 - return_gain_scale(back, fastest)
    feedback(q, qd, reference, gains, out)
    for k in range(out.shape[0]):
        out[k] -= held_back * gains[POSITION_GAIN, k] * (reference[JOINT, k] - q[k])


@primitive
def transpose_multiply(J, f, out):
    """Compute out = J^T f.

    `J` (6, nv): jacobian.
    `f` (6,): task vector.
    `out` (nv,): product, written.
    """
    for k in range(out.shape[0]):
        out[k] = 0.0
        for i in range(J.shape[0]):
            out[k] += J[i, k] * f[i]


@primitive
def compose(M, J, F, wanted, posture, remainder, force, out):
    """Compute out = M posture + J^T F (wanted - J posture), for task and null space.

    `M`, `J`, `F`: mass matrix, Jacobian and task inertia.
    `wanted` (6,): required motion of the task.
    `posture` (nv,): required motion of the joints.
    `remainder`, `force` (6,): wanted - J posture, and F times it; written.
    `out` (nv,): result, written.
    """
    for i in range(6):
        remainder[i] = wanted[i]
        for k in range(posture.shape[0]):
            remainder[i] -= J[i, k] * posture[k]
    multiply(F, remainder, force)
    transpose_multiply(J, force, out)
    for i in range(out.shape[0]):
        for k in range(out.shape[0]):
            out[i] += M[i, k] * posture[k]


@kernel
def operational_space_control(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    M: Matrix,
    J: Matrix,
    X: Matrix,
    A: Matrix,
    spare: Matrix,
    vectors: Matrix,
    F: Matrix,
    task: Matrix,
    joints: Matrix,
    fastest: Vector,
    body: Integer,
    frame: Constant,
    goal: Matrix,
    target: Matrix,
    state: Matrix,
    measured: Matrix,
    shares: Vector,
    values: Vector,
    elapsed: Scalar,
    age: Scalar,
    q: Vector,
    qd: Vector,
    reference: Matrix,
    gains: Matrix,
    terms: Matrix,
):
    """Advance `target` and `state` by `elapsed`, and compute all terms.

    `M`, `J`, `X`: memory, overwritten.
    `A`, `spare`, `vectors`, `F`: memory, overwritten.
    `task`, `joints`: memory for vectors, overwritten.
    `fastest`: largest joint rates due to the reference [rad/s or m/s].
    `body`, `frame`: body and placement of the end effector; see `ControlLaw.end_effector`.
    `goal`, `target`, `state`, `measured`, `shares`: arrays of its TaskReference; all but the first
      are written.
    `elapsed`: time since the last call [s].
    `age`: age of the joint state [s]; positions are extrapolated with qd.
    Returns 0, or the body whose pivot is singular.
    """
    age = min(age, values[LONGEST_AGE])
    for i in range(6):
        task[WEIGHTS, i] = values[AXES + i] * (1.0 if i < 3 else values[LENGTH])
    for k in range(q.shape[0]):
        joints[ZEROS, k] = 0.0
        joints[EXTRAPOLATED, k] = q[k] + age * qd[k]
    q = joints[EXTRAPOLATED]
    status = operational_space(topology, constants, work, q, joints[ZEROS], body, frame, J, A)
    pose(topology, constants, work, q, body, frame, X)
    observe_pose(X, measured)
    observe_velocity(J, qd, state, age, measured)
    if elapsed > 0.0:
        step = values[FORCE_RATE] * elapsed
        track_target(
            goal,
            target,
            state,
            values[BANDWIDTH],
            (values[SPEED], values[SPEED + 1]),
            (values[RATE], values[RATE + 1]),
            (values[JERK], values[JERK + 1]),
            step,
            step * values[LENGTH],
            elapsed,
        )
    write_pose_error(state, measured)
    fading_inertia(A, task[WEIGHTS], values[HEAVIEST], spare, vectors, F, shares)
    mass_matrix(topology, constants, work, q, M)
    wanted, remainder, force, posture = (
        task[WANTED],
        task[REMAINDER],
        task[TASK_FORCE],
        joints[POSTURE],
    )

    join_rows(state, TASK_VELOCITY, SPIN, wanted)
    compose(M, J, F, wanted, reference[VELOCITY], remainder, force, joints[MEMORY])
    mass_solve(topology, constants, work, q, joints[ZEROS], joints[MEMORY], posture)
    state[PACE, 0] = admissible_pace(posture, fastest)
    friction_torque(topology, constants, q, posture, terms[FRICTION])

    position_feedback(measured, values, wanted, task[RETURN])
    compose(M, J, F, task[RETURN], joints[ZEROS], remainder, force, joints[MEMORY])
    mass_solve(topology, constants, work, q, joints[ZEROS], joints[MEMORY], posture)
    add_velocity_feedback(state, measured, values, return_gain_scale(posture, fastest), wanted)
    posture_feedback(q, qd, reference, gains, fastest, joints[MEMORY], posture)
    compose(M, J, F, wanted, posture, remainder, force, terms[FEEDBACK])
    join_rows(state, TASK_ACCELERATION, SPIN_RATE, wanted)
    compose(M, J, F, wanted, reference[ACCELERATION], remainder, force, terms[INERTIA])
    join_rows(state, FORCE, MOMENT, wanted)
    transpose_multiply(J, wanted, terms[OTHER])

    jacobian_bias(topology, constants, work, q, qd, body, frame, joints[ZEROS], task[BIAS])
    multiply(F, task[BIAS], force)
    transpose_multiply(J, force, joints[MEMORY])
    gravity_torque(topology, constants, gravity, work, q, terms[GRAVITY])
    bias_torque(topology, constants, gravity, work, q, qd, terms[CORIOLIS])
    for k in range(q.shape[0]):
        terms[CORIOLIS, k] -= terms[GRAVITY, k] + joints[MEMORY, k]
    return status


class OperationalSpace(ControlLaw):
    """tau = M a + J^T F (x'' - Jdot qd - J a) + C qd + g + J^T f, plus friction.

    The required acceleration of the end effector is x'' = x''_r + Kd (v_r - v) + Kp e. That of the
    joints without a task is a = qdd_r + Kd ed + Kp e. With F = Lambda = (J M^-1 J^T)^-1 this is
    Khatib's law (1987; Jain 2011, eq. 10.9-10.10; Craig, eq. 6.91-6.99). Its null-space torque is
    (1 - J^T Jbar^T) M a, with the dynamically consistent inverse Jbar = M^-1 J^T Lambda. The form
    above needs no Jbar. The joint accelerations are those nearest to a, in the metric of M, that
    give the end effector x''.

    Near singular postures F fades out in lost directions (singularity_handling.py), where the
    posture takes over. With F = 0 the law is computed torque.

    `robot` (Robot): the robot under control.
    `frame`: name of the end effector; '' for the link of the last joint. The end effector holds
      its pose until the first TaskTarget.
    Raises UnknownNameError: if the frame does not exist.
    Raises RobodynError: if the frame does not move.
    """

    name = 'operational_space'
    equation = (
        "tau = M a + J^T F (x''_r + Kd (v_r - v) + Kp e - Jdot qd - J a) + C qd + g"
        ' + J^T f + friction, a = qdd_r + gains (q_r - q, qd_r - qd)'
    )
    gain_unit = ('1/s^2', '1/s')
    task_axes = slice(AXES, LENGTH)
    options = (
        LawOption(
            'frame', '', 'Link or joint frame of the end effector. Empty: that of the last joint.'
        ),
    )
    parameters = (
        LawParameter(
            'stiffness',
            (400.0,) * 6,
            '1/s^2',
            'Position gain of the end effector along and about x, y, z of the base.',
            upper=1e6,
        ),
        LawParameter('damping', (40.0,) * 6, '1/s', 'Velocity gain, as stiffness.', upper=1e4),
        LawParameter(
            'axes',
            (1.0,) * 6,
            '',
            '1 for each axis x, y, z, rx, ry, rz that the end effector controls; 0 leaves it to '
            'the posture.',
            upper=1.0,
        ),
        LawParameter(
            'length',
            0.3,
            'm',
            'Length that converts rotations to displacements, to compare the two.',
            lower=1e-3,
            upper=10.0,
        ),
        LawParameter(
            'heaviest',
            50.0,
            'kg',
            'Effective mass of the end effector beyond which control of a direction fades out.',
            lower=1e-3,
            upper=1e6,
        ),
        LawParameter(
            'velocity',
            (0.25, 1.0),
            'm/s, rad/s',
            'Largest velocity of the reference, and of the return to it, linear and angular.',
            lower=1e-3,
            upper=100.0,
        ),
        LawParameter(
            'acceleration',
            (1.0, 4.0),
            'm/s^2, rad/s^2',
            'Largest acceleration of the reference.',
            lower=1e-3,
            upper=1e3,
        ),
        LawParameter(
            'jerk',
            (50.0, 200.0),
            'm/s^3, rad/s^3',
            'Largest jerk of the reference.',
            lower=1e-2,
            upper=1e5,
        ),
        LawParameter(
            'bandwidth',
            100.0,
            '1/s',
            'Bandwidth of the reference that follows the target.',
            lower=0.1,
            upper=1e4,
        ),
        LawParameter(
            'force_rate',
            100.0,
            'N/s',
            'Largest rate of the reference force; that of moments is this times `length`.',
            lower=1e-3,
            upper=1e6,
        ),
        LawParameter(
            'longest_age',
            0.02,
            's',
            'Largest age of a joint state, by its stamp, that the law compensates. 0: none.',
            upper=0.1,
        ),
    )

    kernels = (operational_space_control, lead_by_joints)

    def __init__(self, robot, frame=''):
        super().__init__(robot)
        n = robot.nv
        end_effector, *self._place = self.end_effector(frame)
        self.fastest = JOINT_SHARE * robot.limits.velocity
        self.task = TaskReference(
            robot.model.body_names[0],
            end_effector,
            {
                name: (frame.rotation, frame.translation)
                for name, frame in robot.model.frames.items()
                if frame.body == 0
            },
        )
        self._arrays = (
            *model_arrays(robot),
            np.zeros((n, n)),
            np.zeros((6, n)),
            np.zeros((4, 4)),
            *np.zeros((4, 6, 6)),
            np.zeros((6, 6)),
            np.zeros((4, n)),
            self.fastest,
        )

    def replace_kernels(self, replacements):
        """Replace all kernels; see `ControlLaw.replace_kernels`.

        `replacements` (mapping of Kernel to Kernel): kernels for this robot by the generic ones.
        """
        super().replace_kernels(replacements)
        self._lead = self._replacements[lead_by_joints].vectorcall

    def reset(self, q, qd):
        """Hold the pose of the end effector."""
        task = self.task
        self._follow_joints(np.array((q, qd, np.zeros_like(qd))))
        speeds = np.linalg.norm(task.state[TASK_VELOCITY : SPIN + 1], axis=1)
        coasts = bool((speeds > COASTING).any())
        task.hold(task.state[POSITION, :3].copy(), task.state[QUATERNION].copy(), coasts)
        task.measured[: QUATERNION + 1] = task.state[: QUATERNION + 1]

    def _follow_joints(self, reference):
        """Put target and reference of the end effector where those of the joints have it."""
        topology, constants, _, work, _, J, X, *_, rows, joints, _ = self._arrays
        joints[ZEROS], task = 0.0, self.task
        self._lead(
            *(topology, constants, work, X, J, rows[BIAS], joints[ZEROS], *self._place),
            *(task.target, task.state, reference),
        )

    def refuse_target(self, target):
        """Refuse a target that the end effector cannot follow.

        Returns reason of the refusal, or ''.
        """
        return target.refusal(self.task, self.values[SPEED:JERK])

    def torques(self, q, qd, reference, gains, terms):
        """Advance the reference of the end effector, and write every term, in O(n depth).

        Returns 0, or the body whose pivot is singular.
        """
        task = self.task
        if task.led:
            self._follow_joints(reference)
        return self._torques(
            *self._arrays,
            *self._place,
            task.goal,
            task.target,
            task.state,
            task.measured,
            task.shares,
            self.values,
            0.0 if task.led else task.elapsed,
            task.age,
            q,
            qd,
            reference,
            gains,
            terms,
        )
