# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the simulated sensors, and the sensors that they describe."""

from typing import Any, Collection, Mapping

import numpy as np

from robodyn_ros.errors import ParameterError
from robodyn_ros.robot.robot import Robot
from robodyn_ros.ros.common.parameter_table import ParamSpec
from robodyn_ros.simulation.sensors.encoders import MEASURED, VELOCITY_SOURCES
from robodyn_ros.simulation.sensors.instrument import Imperfections
from robodyn_ros.simulation.sensors.link_sensors import (
    ForceTorque,
    Imu,
    JointTorque,
    LinkSensor,
    MotorEncoders,
)

LARGEST_SEED = 2**31 - 1

_PARTS = (
    ('position', 'rad or m', 'positions', 10.0),
    ('velocity', 'rad/s or m/s', 'velocities', 100.0),
)


def _encoder(kind, text):
    return [
        ParamSpec(f'{kind}.{part}', 'float', 0.0, unit, text.format(plural), lower=0.0, upper=most)
        for part, unit, plural, most in _PARTS
    ]


def _errors(name, unit, what):
    return ParamSpec(
        name,
        'float[]',
        (),
        unit,
        f'Errors of {what}: noise, bias, drift and resolution, as of the encoders. Empty: none.',
        lower=0.0,
        upper=1e6,
        lengths=(0, 4),
    )


SENSOR_PARAMETERS = (
    *_encoder('noise', 'Standard deviation of the measured {}.'),
    ParamSpec(
        'noise.seed', 'int', 0, '', 'Seed of all errors of sensors.', lower=0, upper=LARGEST_SEED
    ),
    *_encoder('resolution', 'Quantisation of the measured {}; 0 for none.'),
    *_encoder('bias', 'Half-width of a constant error of the measured {}.'),
    *_encoder('drift', 'Standard deviation of a random walk of the measured {} after 1 s.'),
    ParamSpec(
        'sensor_latency',
        'int',
        0,
        '',
        'Steps by which every sensor is delayed; stamps are those of the arrival.',
        lower=0,
        upper=1000,
    ),
    ParamSpec(
        'sensor_jitter',
        'int',
        0,
        '',
        'Largest number of further steps; the number is drawn for each reading.',
        lower=0,
        upper=1000,
    ),
    ParamSpec(
        'velocity_source',
        'string',
        MEASURED,
        '',
        'Whether velocities are measured, or differences of measured positions of successive '
        'steps, as in many drives.',
        choices=VELOCITY_SOURCES,
    ),
    ParamSpec('imu.frames', 'string[]', (), '', 'Links with an IMU, published on `~/imu/<link>`.'),
    _errors('imu.gyroscope', 'rad/s', 'its angular velocity'),
    _errors('imu.accelerometer', 'm/s^2', 'its specific force'),
    ParamSpec(
        'force_torque.frames',
        'string[]',
        (),
        '',
        'Links with a force-torque sensor between them and the moving joint before, published on '
        '`~/force_torque/<link>`.',
    ),
    _errors('force_torque.force', 'N', 'its force'),
    _errors('force_torque.moment', 'N m', 'its moment'),
    ParamSpec(
        'joint_torque.enabled',
        'bool',
        False,
        '',
        'Publish the efforts that joints transmit, on `~/joint_torques`.',
    ),
    _errors('joint_torque.effort', 'N m or N', 'these efforts'),
    ParamSpec(
        'motor_encoders.enabled',
        'bool',
        False,
        '',
        'Publish positions and velocities of the motors, seen at the joints, on `~/motor_states`.',
    ),
    _errors('motor_encoders.position', 'rad or m', 'the positions'),
    _errors('motor_encoders.velocity', 'rad/s or m/s', 'the velocities'),
)


def make_instruments(
    values: Mapping[str, Any], robot: Robot, elastic: Collection[str] = ()
) -> list[LinkSensor]:
    """Return the sensors besides the encoders.

    `robot`: the simulated robot, with rigid joints.
    `elastic`: names of its elastic joints.
    Raises UnknownNameError: if there is no such link.
    Raises ParameterError: if force sensors would not measure the rotor behind a spring.
    """
    _refuse_rotors_beyond_springs(values, robot.model, elastic)
    late = {'latency': values['sensor_latency'], 'jitter': values['sensor_jitter']}
    seeds = iter(np.random.SeedSequence(values['noise.seed'], spawn_key=(9,)).spawn(1000))

    def errors(*names):
        return [Imperfections(*values[name]) for name in names]

    found: list[LinkSensor] = []
    for kind, prefix, parts in (
        (Imu, 'imu', ('gyroscope', 'accelerometer')),
        (ForceTorque, 'force_torque', ('force', 'moment')),
    ):
        for frame in values[f'{prefix}.frames']:
            robot.model.frame(frame)
            parts_of = errors(*(f'{prefix}.{part}' for part in parts))
            found.append(kind(frame, *parts_of, seed=next(seeds), **late))
    if values['joint_torque.enabled']:
        parts_of = errors('joint_torque.effort')
        found.append(JointTorque(robot.nv, *parts_of, seed=next(seeds), **late))
    if values['motor_encoders.enabled']:
        parts_of = errors('motor_encoders.position', 'motor_encoders.velocity')
        found.append(MotorEncoders(robot.nv, *parts_of, seed=next(seeds), **late))
    return found


def _refuse_rotors_beyond_springs(values, model, elastic):
    """Refuse force sensors if elastic joints have rotors that are bodies.

    The sensors would take the motion of these rotors for that of the links.
    """
    names = [
        name
        for name, row in zip(model.joint_names, model.joint_rows())
        if name in elastic and row in model.leading
    ]
    if names and (values['force_torque.frames'] or values['joint_torque.enabled']):
        raise ParameterError(
            f'robot {model.name!r}: force_torque.frames or joint_torque.enabled, and elastic '
            f'joints whose rotors are bodies of their own: {", ".join(names)}; expected no such '
            'sensors, or rotors as `motor_inertia` of the elastic joints'
        )
