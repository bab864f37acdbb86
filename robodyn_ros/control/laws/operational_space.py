# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Operational-space control: task target for the end effector, posture in the null space."""

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
from robodyn_ros.compile import generic, kernel
from robodyn_ros.control.laws.computed_torque import multiply
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
from robodyn_ros.control.laws.singularity_handling import yielding_inertia
from robodyn_ros.control.reference.task_motion import quaternion, store_quaternion, track_target
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
from robodyn_ros.spatial.turning import quaternion_of, turn_between
from robodyn_ros.spatial.types import Constant, Integer, Matrix, Scalar, Table, Topology, Vector
from robodyn_ros.spatial.vec3 import load, store, sub

#: Entries of `values`; pairs are linear and angular.
STIFFNESS, DAMPING, AXES, LENGTH, HEAVIEST = 0, 6, 12, 18, 19
SPEED, RATE, JERK, BANDWIDTH, FORCE_RATE, LONGEST_AGE = 20, 22, 24, 26, 27, 28

#: Rows of `task`, vectors of the task; of `joints`, vectors of the joints.
WANTED, BIAS, GAP, PUSH, WEIGHTS, BACK = range(6)
NOTHING, POSTURE, WAY, NOW = range(4)

#: Share of a joint's velocity limit for the reference of the end effector. Share for the return of
#: the end effector to its reference, and of the joints to their posture.
JOINT_SHARE, RETURN_SHARE = 0.5, 0.25


@primitive
def observe_pose(X, measured):
    """Compute the pose of the end effector from its homogeneous transform in the base."""
    store(measured, POSITION, 0, (X[0, 3], X[1, 3], X[2, 3]))
    store_quaternion(
        measured,
        quaternion_of(
            (X[0, 0], X[1, 0], X[2, 0]), (X[0, 1], X[1, 1], X[2, 1]), (X[0, 2], X[1, 2], X[2, 2])
        ),
    )


@primitive
def observe_velocity(J, qd, state, age, measured):
    """Compute the velocity of the end effector: J qd, plus the acceleration times the age."""
    for i in range(3):
        measured[TASK_VELOCITY, i] = age * state[TASK_ACCELERATION, i]
        measured[SPIN, i] = age * state[SPIN_RATE, i]
        for k in range(qd.shape[0]):
            measured[TASK_VELOCITY, i] += J[i, k] * qd[k]
            measured[SPIN, i] += J[3 + i, k] * qd[k]


@primitive
def compare(state, measured):
    """Compute the pose error, reference - measured: a distance and a rotation vector."""
    store(measured, ERROR, 0, sub(load(state, POSITION, 0), load(measured, POSITION, 0)))
    store(measured, TURN, 0, turn_between(quaternion(state), quaternion(measured)))


@primitive
def gather(rows, linear, angular, out):
    """Copy two rows into one task vector.

    Parameters
    ----------
    out : (6,)
        Written.
    """
    for i in range(3):
        out[i], out[3 + i] = rows[linear, i], rows[angular, i]


@primitive
def return_share(error, values, part, speed):
    """Return the factor on an error that limits the return velocity Kd^-1 Kp e.

    It is 1 near the reference; farther away the return speed is constant (Khatib 1987).
    """
    fastest = 0.0
    for i in range(3):
        if values[DAMPING + part + i] > 0.0:
            back = values[STIFFNESS + part + i] * error[i] / values[DAMPING + part + i]
            fastest += back * back
    return 1.0 if fastest <= speed * speed else speed / sqrt(fastest)


@primitive
def pull_back(measured, values, pull, back):
    """Compute Kp e, limited far from the reference, and Kd^-1 Kp e.

    Parameters
    ----------
    pull, back : (6,)
        Written.
    """
    gather(measured, ERROR, TURN, pull)
    near = return_share(measured[ERROR], values, 0, values[SPEED])
    turned = return_share(measured[TURN], values, 3, values[SPEED + 1])
    for i in range(6):
        pull[i] *= values[STIFFNESS + i] * (near if i < 3 else turned)
        back[i] = pull[i] / values[DAMPING + i] if values[DAMPING + i] > 0.0 else 0.0


@primitive
def damp(state, measured, values, calm, pull):
    """Replace the pull by calm pull + Kd (v_r - v)."""
    for i in range(3):
        pull[i] = calm * pull[i] + values[DAMPING + i] * (
            state[TASK_VELOCITY, i] - measured[TASK_VELOCITY, i]
        )
        pull[3 + i] = calm * pull[3 + i] + values[DAMPING + 3 + i] * (
            state[SPIN, i] - measured[SPIN, i]
        )


@primitive
def room(rate, fastest):
    """Return the largest admissible factor on joint rates, at most FREE."""
    share = 1.0 / FREE
    for k in range(rate.shape[0]):
        share = max(share, abs(rate[k]) / fastest[k])
    return 1.0 / share


@primitive
def calm_share(rate, fastest):
    """Return the gain scale that respects the joint return speeds."""
    return min(1.0, RETURN_SHARE / JOINT_SHARE * room(rate, fastest))


@primitive
def posture_feedback(q, qd, reference, gains, fastest, back, out):
    """Compute Kp e + Kd ed of the joints, with e limited far from the posture.

    Parameters
    ----------
    back : (nv,)
        The return velocity Kd^-1 Kp e, written.
    out : (nv,)
        The sum, written.
    """
    for k in range(out.shape[0]):
        back[k] = gains[POSITION_GAIN, k] * (reference[JOINT, k] - q[k])
        back[k] = back[k] / gains[RATE_GAIN, k] if gains[RATE_GAIN, k] > 0.0 else 0.0
    held_back = 1.0 - calm_share(back, fastest)
    feedback(q, qd, reference, gains, out)
    for k in range(out.shape[0]):
        out[k] -= held_back * gains[POSITION_GAIN, k] * (reference[JOINT, k] - q[k])


@primitive
def transpose_multiply(J, f, out):
    """out = J^T f.

    Parameters
    ----------
    J : (6, nv)
    f : (6,)
    out : (nv,)
        Written.
    """
    for k in range(out.shape[0]):
        out[k] = 0.0
        for i in range(J.shape[0]):
            out[k] += J[i, k] * f[i]


@primitive
def compose(M, J, F, wanted, posture, gap, push, out):
    """Compute out = M posture + J^T F (wanted - J posture), of task and null space.

    gap, push and out are written.

    Parameters
    ----------
    wanted, gap, push : (6,)
    posture, out : (nv,)
    """
    for i in range(6):
        gap[i] = wanted[i]
        for k in range(posture.shape[0]):
            gap[i] -= J[i, k] * posture[k]
    multiply(F, gap, push)
    transpose_multiply(J, push, out)
    for i in range(out.shape[0]):
        for k in range(out.shape[0]):
            out[i] += M[i, k] * posture[k]


@kernel
def operational_space_control(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    scratch: Matrix,
    M: Matrix,
    J: Matrix,
    X: Matrix,
    A: Matrix,
    work: Matrix,
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

    M (nv, nv), J (6, nv), X (4, 4), A, work, vectors, F (6, 6), task (6, 6) and joints (4, nv) are
    scratch.

    Parameters
    ----------
    fastest : (nv,)
        Largest joint rates due to the reference.
    body, frame
        Of the end effector.
    goal, target, state, measured, shares
        Of its TaskReference; all but the first are written.
    values : (29,)
        Of the law's parameters.
    elapsed : float
        Time since the last call [s].
    age : float
        Age of the joint state [s], which is extrapolated with qd.
    q, qd, reference, gains, terms
        As of `computed_torque`.
    """
    age = min(age, values[LONGEST_AGE])
    for i in range(6):
        task[WEIGHTS, i] = values[AXES + i] * (1.0 if i < 3 else values[LENGTH])
    for k in range(q.shape[0]):
        joints[NOTHING, k] = 0.0
        joints[NOW, k] = q[k] + age * qd[k]
    q = joints[NOW]
    status = operational_space(topology, constants, scratch, q, joints[NOTHING], body, frame, J, A)
    pose(topology, constants, scratch, q, body, frame, X)
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
    compare(state, measured)
    yielding_inertia(A, task[WEIGHTS], values[HEAVIEST], work, vectors, F, shares)
    mass_matrix(topology, constants, scratch, q, M)
    wanted, gap, push, posture = task[WANTED], task[GAP], task[PUSH], joints[POSTURE]

    gather(state, TASK_VELOCITY, SPIN, wanted)
    compose(M, J, F, wanted, reference[VELOCITY], gap, push, joints[WAY])
    mass_solve(topology, constants, scratch, q, joints[NOTHING], joints[WAY], posture)
    state[PACE, 0] = room(posture, fastest)
    friction_torque(topology, constants, q, posture, terms[FRICTION])

    pull_back(measured, values, wanted, task[BACK])
    compose(M, J, F, task[BACK], joints[NOTHING], gap, push, joints[WAY])
    mass_solve(topology, constants, scratch, q, joints[NOTHING], joints[WAY], posture)
    damp(state, measured, values, calm_share(posture, fastest), wanted)
    posture_feedback(q, qd, reference, gains, fastest, joints[WAY], posture)
    compose(M, J, F, wanted, posture, gap, push, terms[FEEDBACK])
    gather(state, TASK_ACCELERATION, SPIN_RATE, wanted)
    compose(M, J, F, wanted, reference[ACCELERATION], gap, push, terms[INERTIA])
    gather(state, FORCE, MOMENT, wanted)
    transpose_multiply(J, wanted, terms[OTHER])

    jacobian_bias(topology, constants, scratch, q, qd, body, frame, joints[NOTHING], task[BIAS])
    multiply(F, task[BIAS], push)
    transpose_multiply(J, push, joints[WAY])
    gravity_torque(topology, constants, gravity, scratch, q, terms[GRAVITY])
    bias_torque(topology, constants, gravity, scratch, q, qd, terms[CORIOLIS])
    for k in range(q.shape[0]):
        terms[CORIOLIS, k] -= terms[GRAVITY, k] + joints[WAY, k]
    return status


class OperationalSpace(ControlLaw):
    """tau = M a + J^T F (x'' - Jdot qd - J a) + C qd + g + J^T f, plus friction.

    The required acceleration of the end effector is x'' = x''_r + Kd (v_r - v) + Kp e. That of the
    joints without a task is a = qdd_r + Kd ed + Kp e. With F = Lambda = (J M^-1 J^T)^-1 this is
    Khatib's law (1987; Jain 2011, eq. 10.9-10.10; Craig, eq. 6.91-6.99). Its null-space torque (1
    - J^T Jbar^T) M a uses the dynamically consistent inverse Jbar = M^-1 J^T Lambda, here without
    Jbar. The joint accelerations are those nearest to a, in the metric of M, that give the end
    effector x''. Near singular postures F fades out in lost directions (singularity_handling.py),
    where the posture takes over. With F = 0 the law is computed torque.

    Parameters
    ----------
    frame
        Name of the end effector; '' for the link of the last joint. The end effector holds its
        pose until the first TaskTarget.

    Raises
    ------
    UnknownNameError
        For the frame.
    RobodynError
        If it does not move.
    """

    name = 'operational_space'
    equation = (
        "tau = M a + J^T F (x''_r + Kd (v_r - v) + Kp e - Jdot qd - J a) + C qd + g"
        ' + J^T f + friction, a = qdd_r + gains (q_r - q, qd_r - qd)'
    )
    gain_unit = ('1/s^2', '1/s')
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

    kernels = (operational_space_control, generic.pose)

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

    def reset(self, q, qd):
        """Hold the pose of the end effector."""
        topology, constants, _, scratch = self._arrays[:4]
        X = np.empty((4, 4))
        pose = self._twins.get(generic.pose, generic.pose)
        pose.vectorcall(topology, constants, scratch, q, *self._place, X)
        measured = self.task.measured
        observe_pose(X, measured)
        self.task.hold(measured[POSITION, :3], measured[QUATERNION])

    def refuse_target(self, target):
        """Return '' if the end effector can follow a TaskTarget, or a sentence with the reason."""
        return target.refusal(self.task, self.values[SPEED:JERK])

    def torques(self, q, qd, reference, gains, terms):
        """Advance the reference of the end effector, and write every term, in O(n depth)."""
        task = self.task
        return self._torques(
            *self._arrays,
            *self._place,
            task.goal,
            task.target,
            task.state,
            task.measured,
            task.shares,
            self.values,
            task.elapsed,
            task.age,
            q,
            qd,
            reference,
            gains,
            terms,
        )
