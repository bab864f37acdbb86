# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Create plant, sensor and faults from the parameters of the simulator."""

from typing import Any, Mapping

from robodyn_ros.compile.kernel import Kernel
from robodyn_ros.errors import ParameterError, RobodynError
from robodyn_ros.model.contacts import Contacts
from robodyn_ros.model.extended.elastic_joints import ElasticJoint
from robodyn_ros.model.layout import ROTOR
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.model.sources import contact_file, elastic_joint_file, flexible_link_file
from robodyn_ros.robot.robot import Robot
from robodyn_ros.ros.common.robot_source import RobotSource, read_entries
from robodyn_ros.simulation.contact.plant_kernels import kernels_of
from robodyn_ros.simulation.elastic.elastic_plant import ElasticPlant
from robodyn_ros.simulation.faults import Faults
from robodyn_ros.simulation.flexible.flexible_plant import FlexiblePlant, flexible_kernels
from robodyn_ros.simulation.integrators.names import SEMI_IMPLICIT_EULER
from robodyn_ros.simulation.loops.passing_plant import PassingPlant
from robodyn_ros.simulation.perturbation import Perturbation, perturbed
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import METHODS, PlantSettings
from robodyn_ros.simulation.sensors.encoders import Sensor, SensorSettings

# Parameters with the same name as a field of PlantSettings.
SAME_NAME = (
    'integrator',
    'substeps',
    'no_command',
    'command_timeout',
    'void_command',
    'timeout_damping',
    'damping_scale',
    'friction_scale',
    'static_friction',
    'friction_speed',
    'command_modes',
)
KINDS = ('noise', 'bias', 'drift')  # encoder errors, named alike in parameters and settings
#: Parameters that enable sensors of rigid links.
SENSORS_OF_LINKS = ('imu.frames', 'force_torque.frames', 'joint_torque.enabled')
DRIVE = ('kinematic', 'stiffness', 'rate_gain', 'velocity_gain', 'carries_weight')


def simulated_robot(values: Mapping[str, Any], robot: Robot) -> Robot:
    """Return the simulated robot: the described one with rotors, model errors and payload.

    `robot`: the described robot.
    Raises UnknownNameError: if there is no frame for the payload.
    Raises ModelError: if the payload is impossible.
    """
    model = robot.model
    if values['rotor_inertia']:
        model = model.with_joint_values(ROTOR, values['rotor_inertia'])
    errors = Perturbation(
        *(values[f'perturbation.{name}'] for name in ('mass', 'com', 'friction', 'seed'))
    )
    robot = Robot(perturbed(model, errors))
    if not values['payload.frame']:
        return robot
    xx, xy, xz, yy, yz, zz = values['payload.inertia']
    inertia = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    return robot.with_payload(
        values['payload.frame'], values['payload.mass'], values['payload.com'], inertia
    )


def make_contacts(values: Mapping[str, Any], source: RobotSource) -> Contacts | None:
    """Return the shapes of the robot and the obstacles that they touch; None without a file.

    `source`: source of the robot description.
    Raises ModelError: if the file is invalid.
    """
    path = values['contacts_path']
    return contact_file.contacts_of(path, source.opened.origin) if path else None


def plant_kernels(
    values: Mapping[str, Any], contacts: Contacts | None, robot: Robot | None = None
) -> tuple[Kernel, ...]:
    """Return the kernels of a step of the plant, also with other independent joints of loops.

    `contacts`: shapes that touch obstacles.
    `robot`: the robot; needed if it has loops.
    """
    method = METHODS[values['integrator']]
    if values['flexible_links_path']:
        return flexible_kernels(method)
    if contacts is None and robot is not None and robot.model.has_loops:
        of_drives = kernels_of(SEMI_IMPLICIT_EULER, has_contacts=True)  # of a PassingPlant
        return *kernels_of(method), *kernels_of(method, has_contacts=True), *of_drives
    return kernels_of(method, contacts is not None)


def elastic_joints(values: Mapping[str, Any]) -> dict[str, ElasticJoint]:
    """Return the elastic joints by name; the parameter `elastic_joints` overrides the file."""
    return {
        **elastic_joint_file.elastic_joints_of(values['elastic_joints_path'] or None),
        **read_entries(values, 'elastic_joints', elastic_joint_file.elastic_joint),
    }


def make_plant(
    values: Mapping[str, Any], robot: Robot, contacts: Contacts | None = None
) -> Plant | ElasticPlant | FlexiblePlant:
    """Return the plant of a robot.

    `robot`: the simulated robot.
    `contacts`: shapes that touch obstacles.
    Raises ShapeError: if the initial state has the wrong size.
    Raises ParameterError: if the initial state is invalid, or features exclude each other.
    Raises ModelError: if a joint cannot be elastic, or a link cannot bend.
    Raises UnknownNameError: if there is no such joint or link.
    """
    settings = PlantSettings(
        latency=values['command_latency'],
        **{name: values[name] for name in SAME_NAME},
        **{name: values[f'drive.{name}'] for name in DRIVE},
    )
    start = values['initial_position'] or None, values['initial_velocity'] or None
    springs = elastic_joints(values)
    links = flexible_link_file.flexible_links_of(values['flexible_links_path'] or None)
    if links:
        _refuse_beside_flexible_links(values, robot, links, springs, contacts)
        return FlexiblePlant(robot, links, settings, *start)
    if not springs and passes_dead_centres(robot):
        return PassingPlant(robot, settings, *start, contacts)
    if not springs:
        return Plant(robot, settings, *start, contacts, led_joints=robot.model.has_loops)
    if contacts is not None:
        raise ParameterError(
            f'robot {robot.name!r}: contacts_path is {values["contacts_path"]!r} beside elastic '
            f'joints {", ".join(springs)}; expected contacts or elastic joints, one of them'
        )
    return ElasticPlant(robot, springs, settings, *start, values['encoders'])


def passes_dead_centres(robot: Robot) -> bool:
    """Return whether the plant may choose other independent joints at a dead centre.

    Coupled joints need the described choice, as do quaternions.

    `robot`: the simulated robot.
    """
    model = robot.model
    return model.has_loops and not (model.coupled or model.multi_dof_joints)


def _refuse_beside_flexible_links(values, robot, links, springs, contacts):
    """Refuse features that need rigid links."""
    beside = [name for name in SENSORS_OF_LINKS if values[name]]
    beside += ['lock_step.specialise'] * values['lock_step.specialise']
    beside += ['contacts_path'] * (contacts is not None)
    beside += [f'elastic joints {", ".join(springs)}'] * bool(springs)
    if beside:
        raise ParameterError(
            f'robot {robot.name!r}: {" and ".join(beside)} beside flexible links '
            f'{", ".join(links)}; expected one of them'
        )
    frame = values['payload.frame']
    carrier = robot.model.body_names[robot.model.frame(frame).body] if frame else ''
    if carrier in links:
        raise ParameterError(
            f'robot {robot.name!r}: payload.frame is {frame!r} on the flexible link {carrier!r}; '
            'expected the payload by ~/set_payload, or another frame'
        )


def make_sensor(values: Mapping[str, Any], robot: Robot) -> Sensor:
    """Return the encoders of a robot.

    `robot`: the simulated robot.
    """
    errors = {
        f'{part}_{field}': values[f'{name}.{part}']
        for part in ('position', 'velocity')
        for name, field in (*zip(KINDS, KINDS), ('resolution', 'step'))
    }
    settings = SensorSettings(
        **errors,
        seed=values['noise.seed'],
        latency=values['sensor_latency'],
        jitter=values['sensor_jitter'],
        velocity_source=values['velocity_source'],
    )
    model = robot.model
    return Sensor(robot.nv, settings, robot.nq, model.quaternions, model.coordinates)


def make_faults(values: Mapping[str, Any], model: RobotModel) -> Faults:
    """Return the faults to inject.

    `model`: the simulated robot.
    Raises ParameterError: if the faults do not fit this robot.
    """
    losses = dict(zip(model.joint_names, values['fault.effort_loss']))
    try:
        faults = Faults(
            values['fault.stuck_joints'],
            losses,
            values['fault.frozen_sensor'],
            values['fault.dropped_states'],
        )
        faults.check_names(model.name, model.joint_names)
    except RobodynError as error:
        raise ParameterError(str(error)) from None
    return faults
