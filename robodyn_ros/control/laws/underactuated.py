# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Computed torque where some joints have no motor: partial feedback linearisation."""

import numpy as np

from robodyn_ros.algorithms.core.friction import friction_torque
from robodyn_ros.algorithms.core.gravity import gravity_torque
from robodyn_ros.algorithms.core.rnea import bias_torque
from robodyn_ros.algorithms.variants.mixed_dynamics import mixed_dynamics
from robodyn_ros.compile import kernel
from robodyn_ros.control.laws.law import (
    ACCELERATION,
    CORIOLIS,
    FEEDBACK,
    FRICTION,
    GRAVITY,
    INERTIA,
    OTHER,
    VELOCITY,
    ControlLaw,
    LawOption,
    LawParameter,
    model_arrays,
)
from robodyn_ros.control.laws.pd import feedback
from robodyn_ros.errors import RobodynError, UnknownNameError
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector, Work

LOCKED = 0  # entry of `values`
#: Rows of `known`: zero acceleration of driven joints, their reference acceleration and feedback.
DRIFT, WANTED, CORRECTION = range(3)


@primitive
def write_known(topology, constants, passive, locked, q, qd, reference, gains, free, known):
    """Write the known quantities of each joint for `mixed_dynamics`.

    They are the wanted acceleration of a driven joint, and the friction of a free one. A locked
    joint does not accelerate.

    `locked`: whether brakes hold the passive joints.
    `free` (nv,): 1 for a joint that moves freely, else 0; written.
    `known` (3, nv): the known quantities, written; rows DRIFT, WANTED and CORRECTION.
    """
    friction_torque(topology, constants, q, qd, known[DRIFT])
    feedback(q, qd, reference, gains, known[CORRECTION])
    for k in range(passive.shape[0]):
        free[k] = 0.0 if locked else passive[k]
        known[DRIFT, k] *= -free[k]
        known[WANTED, k] = (1.0 - passive[k]) * reference[ACCELERATION, k]
        known[CORRECTION, k] *= 1.0 - passive[k]


@primitive
def accelerate(
    topology,
    constants,
    gravity,
    work,
    passive,
    locked,
    f_ext,
    free,
    known,
    tau,
    qdd,
    q,
    qd,
    reference,
    gains,
):
    """Compute torques and accelerations for each row of `known`.

    The caller may add rows beyond CORRECTION to `known`, `tau` and `qdd`.

    `locked`: whether brakes hold the passive joints.
    `free`, `known`: written; see `write_known`.
    `tau`, `qdd` (3, nv): torques and accelerations, written.
    """
    write_known(topology, constants, passive, locked, q, qd, reference, gains, free, known)
    for i in range(f_ext.shape[0]):
        for k in range(f_ext.shape[1]):
            f_ext[i, k] = 0.0
    return mixed_dynamics(topology, constants, gravity, work, q, qd, free, known, f_ext, tau, qdd)


@primitive
def write_terms(topology, constants, gravity, work, q, qd, tau, terms):
    """Write the terms of all joints but friction.

    `q`, `qd` (nv,): state [rad or m, rad/s or m/s].
    `tau` (3, nv): torques for the rows of `known`.
    `terms` (6, nv): torque terms [N m or N], written.
    """
    gravity_torque(topology, constants, gravity, work, q, terms[GRAVITY])
    bias_torque(topology, constants, gravity, work, q, qd, terms[CORIOLIS])
    for k in range(q.shape[0]):
        terms[OTHER, k] = tau[DRIFT, k] - terms[CORIOLIS, k]
        terms[CORIOLIS, k] -= terms[GRAVITY, k]
        terms[FEEDBACK, k] = tau[CORRECTION, k]
        terms[INERTIA, k] = tau[WANTED, k]


@primitive
def clear_passive(passive, terms):
    """Set all terms of passive joints to zero.

    `terms` (6, nv): torque terms, updated.
    """
    for term in range(terms.shape[0]):
        for k in range(passive.shape[0]):
            terms[term, k] *= 1.0 - passive[k]


@kernel
def underactuated_computed_torque(
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
    values: Vector,
    q: Vector,
    qd: Vector,
    reference: Matrix,
    gains: Matrix,
    terms: Matrix,
):
    """Compute all terms of the driven joints, and zeros of the passive ones.

    The rows of qdd add up to the expected accelerations.

    `passive`: 1 for a joint without motor, else 0.
    `f_ext`, `free`, `known`, `tau`, `qdd`: memory, overwritten; see `accelerate`.
    Returns 0, or the body whose pivot is singular.
    """
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
    write_terms(topology, constants, gravity, work, q, qd, tau, terms)
    friction_torque(topology, constants, q, reference[VELOCITY], terms[FRICTION])
    clear_passive(passive, terms)
    return status


class UnderactuatedComputedTorque(ControlLaw):
    """tau_a = S_aa (qdd_r + Kd ed + Kp e) + c_a + g_a - S_ap (c_p + g_p + friction_p), tau_p = 0.

    S_aa = M_aa - M_ap M_pp^-1 M_pa and S_ap = M_ap M_pp^-1 (Jain 2011, section 16.3, eq. 16.4), by
    hybrid dynamics in O(n). Then edd + Kd ed + Kp e = 0 at every joint a with a motor. The passive
    joints p may move in any way: no torque controls them. Their motion is the zero dynamics (Spong
    1994): friction brings it to rest, or the planned reference takes it into account. The term
    'other' is the last one above, due to the passive joints. While brakes lock the passive joints,
    the law is computed torque of the locked robot.

    `passive_joints` (sequence of str): names of joints without motor. Without any the law is
      computed torque.
    Raises UnknownNameError: for a joint that does not exist.
    Raises RobodynError: if no joint is left to drive.
    """

    name = 'underactuated_computed_torque'
    stateful = False
    equation = (
        'tau = S_aa (qdd_r + Kd (qd_r - qd) + Kp (q_r - q)) + C qd + g'
        ' - S_ap (C qd + g + friction(qd))_p + friction(qd_r) of driven joints, 0 of passive ones'
    )
    gain_unit = ('1/s^2', '1/s')
    options: tuple[LawOption, ...] = (
        LawOption('passive_joints', (), 'Joints without motor; their effort is zero.'),
    )
    parameters: tuple[LawParameter, ...] = (
        LawParameter(
            'locked',
            0.0,
            '',
            '1 while brakes hold the passive joints, 0 while they turn freely.',
            upper=1.0,
        ),
    )
    kernels = (underactuated_computed_torque,)

    def __init__(self, robot, passive_joints=()):
        super().__init__(robot)
        n, names = robot.nv, robot.joint_names
        for name in passive_joints:
            if name not in names:
                raise UnknownNameError(
                    f'passive_joints of law {self.name}: got {name!r:.80}; expected names out of '
                    f'{", ".join(names)}'
                )
        self.undriven = np.array([name in passive_joints for name in names])
        if self.undriven.all():
            raise RobodynError(
                f'passive_joints of law {self.name}: got every joint of robot {robot.name!r}; '
                'expected one left to drive'
            )
        passive = self.undriven.astype(float)
        passive.flags.writeable = False
        self._arrays = (
            *model_arrays(robot),
            passive,
            np.zeros((len(robot.model.topology), 6)),
            np.zeros(n),
            *np.zeros((3, 3, n)),
        )

    @classmethod
    def trial_options(cls, robot):
        """Return options that make every other joint passive."""
        return {'passive_joints': tuple(robot.joint_names[1::2])}

    def torques(self, q, qd, reference, gains, terms):
        """Write every term of the model, in O(n).

        Returns 0, or the body whose pivot is singular.
        """
        return self._torques(*self._arrays, self.values, q, qd, reference, gains, terms)
