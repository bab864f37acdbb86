# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Control of elastic joints: feedback of the motors, feed-forward of the links."""

import numpy as np

from robodyn_ros.algorithms.core.friction import friction_torque
from robodyn_ros.algorithms.core.gravity import gravity_torque
from robodyn_ros.algorithms.core.rnea import bias_torque, inverse_dynamics
from robodyn_ros.compile import kernel
from robodyn_ros.control.laws.law import (
    ACCELERATION,
    CORIOLIS,
    FEEDBACK,
    FRICTION,
    GRAVITY,
    INERTIA,
    POSITION,
    POSITION_GAIN,
    VELOCITY,
    VELOCITY_GAIN,
    ControlLaw,
    LawOption,
    model_arrays,
)
from robodyn_ros.model.extended.elastic_joints import with_elastic_joints
from robodyn_ros.model.layout import ROTOR
from robodyn_ros.model.sources.elastic_joint_file import elastic_joint, elastic_joints_of
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector, Work

#: [s] Half the time between the two joint torques whose difference gives their rate. Rounding of
#: the torques enters the rate with the factor 1/(2 BESIDE), its curvature with BESIDE^2/6.
BESIDE = 1e-3


@kernel
def elastic_joint_law(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    compliance: Constant,
    rotor: Constant,
    motor: Constant,
    f_ext: Matrix,
    beside: Matrix,
    joint_torque: Matrix,
    q: Vector,
    qd: Vector,
    reference: Matrix,
    gains: Matrix,
    terms: Matrix,
):
    """Compute all terms but 'other'.

    `compliance`: compliance of the springs [rad/(N m) or m/N].
    `rotor`, `motor`: rotor inertia of elastic joints in the model, and that of their motors [kg
      m^2 or kg].
    `f_ext`, `beside`, `joint_torque`: memory, overwritten.
    `q`, `qd`: state of the motors [rad or m, rad/s or m/s].
    `reference`: reference of the links.
    """
    for i in range(f_ext.shape[0]):
        for j in range(6):
            f_ext[i, j] = 0.0
    for side in range(2):
        h = BESIDE if side == 1 else -BESIDE
        for k in range(q.shape[0]):
            beside[POSITION, k] = reference[POSITION, k] + h * reference[VELOCITY, k]
            beside[VELOCITY, k] = reference[VELOCITY, k] + h * reference[ACCELERATION, k]
            beside[ACCELERATION, k] = reference[ACCELERATION, k]
        inverse_dynamics(
            topology,
            constants,
            gravity,
            work,
            beside[POSITION],
            beside[VELOCITY],
            beside[ACCELERATION],
            f_ext,
            joint_torque[1 + side],
        )
    inverse_dynamics(
        topology,
        constants,
        gravity,
        work,
        reference[POSITION],
        reference[VELOCITY],
        reference[ACCELERATION],
        f_ext,
        joint_torque[0],
    )
    gravity_torque(topology, constants, gravity, work, reference[POSITION], terms[GRAVITY])
    bias_torque(
        topology,
        constants,
        gravity,
        work,
        reference[POSITION],
        reference[VELOCITY],
        terms[CORIOLIS],
    )
    friction_torque(topology, constants, q, reference[VELOCITY], terms[FRICTION])
    for k in range(q.shape[0]):
        acceleration = reference[ACCELERATION, k]
        rate = (joint_torque[2, k] - joint_torque[1, k]) / (2.0 * BESIDE)
        torque = joint_torque[0, k] - rotor[k] * acceleration
        error = reference[POSITION, k] + compliance[k] * torque - q[k]
        slip = reference[VELOCITY, k] + compliance[k] * rate - qd[k]
        terms[FEEDBACK, k] = gains[POSITION_GAIN, k] * error + gains[VELOCITY_GAIN, k] * slip
        terms[INERTIA, k] = torque - terms[CORIOLIS, k] + motor[k] * acceleration
        terms[CORIOLIS, k] -= terms[GRAVITY, k]


class ElasticJointLaw(ControlLaw):
    """tau = s_r + B qdd_r + Kp (theta_r - theta) + Kd (thetad_r - thetad), theta_r = q_r + s_r/k.

    s_r = M(q_r) qdd_r + C(q_r, qd_r) qd_r + g(q_r) is the torque of the springs along the
    reference of the links, without motors. At rest this is the law of Tomei 1991: PD control of
    the motors, plus g(q_r). It is stable for any Kd > 0, if Kp and k exceed the slope of gravity.
    thetad_r = qd_r + d(s_r)/dt / k neglects the jerk of the reference. The law also neglects the
    inertia of the motors in the acceleration of the deflection.

    The measured state must be that of the motors. For rigid joints k is infinite. Without elastic
    joints the law is PD control with feed-forward of the torques of the reference.

    `robot` (Robot): the robot with rigid joints.
    `elastic_joints` (sequence of str): entries `joint=stiffness damping motor_inertia`. They
      replace those of the file.
    `elastic_joints_path`: YAML file of them, see robodyn_ros.model.sources.elastic_joint_file.
    Raises ParameterError, UnknownNameError, ModelError: for joints that cannot be elastic.
    """

    name = 'elastic_joint'
    stateful = False
    equation = (
        'tau = s_r + B qdd_r + Kp (q_r + s_r/k - q) + Kd (qd_r + ds_r/dt /k - qd) + friction(qd_r)'
        ', s_r = M(q_r) qdd_r + C(q_r, qd_r) qd_r + g(q_r), q of the motors'
    )
    gain_unit = ('N m/rad', 'N m s/rad')
    options = (
        LawOption(
            'elastic_joints',
            (),
            'Elastic joints, each as `joint=stiffness damping motor_inertia`: N m/rad, N m s/rad '
            'and kg m^2, seen at the link. The last two may be left out.',
        ),
        LawOption(
            'elastic_joints_path',
            '',
            'YAML file of elastic joints, by its path or as `package://<name>/<path>` (see '
            'doc/robots/joints.md).',
        ),
    )
    kernels = (elastic_joint_law,)

    def __init__(self, robot, elastic_joints=(), elastic_joints_path=''):
        super().__init__(robot)
        joints = elastic_joints_of(elastic_joints_path or None)
        joints |= dict(map(elastic_joint, elastic_joints))
        names, n = robot.joint_names, robot.nv
        elastic = with_elastic_joints(robot.model, joints)
        motors = elastic.joint_values(ROTOR)[:n]
        compliance, rotor, motor = np.zeros((3, n))
        described = robot.model.joint_values(ROTOR)
        for name, joint in joints.items():
            k = names.index(name)
            compliance[k], rotor[k], motor[k] = 1.0 / joint.stiffness, described[k], motors[k]
        for array in (compliance, rotor, motor):
            array.flags.writeable = False
        self._arrays = (
            *model_arrays(robot),
            compliance,
            rotor,
            motor,
            np.zeros((len(robot.model.topology), 6)),
            np.zeros((3, n)),
            np.zeros((3, n)),
        )

    @classmethod
    def trial_options(cls, robot):
        """Return options that make every other joint elastic."""
        return {'elastic_joints': tuple(f'{name}=1e3 0 0.1' for name in robot.joint_names[::2])}

    def torques(self, q, qd, reference, gains, terms):
        """Write every term of the model, in O(n)."""
        self._torques(*self._arrays, q, qd, reference, gains, terms)
