# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the simulator."""

from robodyn_ros.ros.common.parameter_table import (
    LIVE,
    ParamSpec,
    topic_name,
    topic_name_or_nothing,
)
from robodyn_ros.ros.common.realtime_parameters import REALTIME_PARAMETERS
from robodyn_ros.ros.common.robot_source import ROBOT_PARAMETERS
from robodyn_ros.ros.common.session_kernels import KERNEL_PARAMETERS
from robodyn_ros.ros.simulator.sensor_parameters import LARGEST_SEED, SENSOR_PARAMETERS
from robodyn_ros.ros.simulator.spring_parameters import SPRING_PARAMETERS
from robodyn_ros.ros.transport.lock_step_transport import LOCK_STEP, LOCK_STEP_PARAMETERS
from robodyn_ros.simulation.command_modes import COMMAND_MODES, QUANTITIES
from robodyn_ros.simulation.plant_settings import METHODS, NO_COMMAND, VOID_COMMAND, PlantSettings

TIMER, COMMAND = 'timer', 'command'
COMMAND_TOPICS = ('joint_commands_topic', *(f'{each}_command_topic' for each in QUANTITIES))

SIMULATOR_PARAMETERS = (
    *ROBOT_PARAMETERS,
    ParamSpec(
        'free_base',
        'bool',
        False,
        '',
        'Whether the base link moves freely. It is then on a floating joint `free_base` below a '
        'link `world`; its coordinates come first.',
    ),
    ParamSpec(
        'update_rate',
        'int',
        1000,
        'Hz',
        'Steps per second of simulated time.',
        lower=10,
        upper=5000,
    ),
    ParamSpec(
        'trigger',
        'string',
        TIMER,
        '',
        'Trigger of a step: the clock, every command, or the answers of all '
        '`lock_step.participants` (see doc/lock_step.md). Only the last repeats a run with the '
        'controller bit for bit. A command with the stamp of an older state takes no step.',
        choices=(TIMER, COMMAND, LOCK_STEP),
    ),
    ParamSpec(
        'speed_factor',
        'float',
        1.0,
        '',
        'Simulated time over real time; 0 for as fast as possible.',
        lower=0.0,
        upper=1000.0,
    ),
    ParamSpec(
        'publish_clock',
        'bool',
        False,
        '',
        'Publish simulated time on /clock, unless another node does. Stamps then have this time.',
    ),
    ParamSpec(
        'integrator',
        'string',
        PlantSettings.integrator,
        '',
        'Integration scheme; the `energy_` ones keep the energy balance in every step. `dop853` '
        'divides steps until its error is near rounding.',
        choices=tuple(METHODS),
    ),
    ParamSpec('substeps', 'int', 1, '', 'Equal substeps of a step.', lower=1, upper=1000),
    ParamSpec(
        'command_modes',
        'string[]',
        (),
        '',
        'Quantity that commands each joint: one for all joints, or one for each. Empty: `effort`. '
        'With `any` the drive accepts the quantity of each command. A commanded joint changes '
        'without a jump.',
        choices=COMMAND_MODES,
        change=LIVE,
        lengths=(0, 1, 'n'),
    ),
    ParamSpec(
        'drive.kinematic',
        'bool',
        False,
        '',
        'Whether joints in position or velocity mode move as commanded, whatever effort that '
        'takes, at most at their velocity limits.',
    ),
    ParamSpec(
        'drive.stiffness',
        'float[]',
        (),
        'N m/rad or N/m',
        'Kp of drives in position mode, one for all or for each. Empty: critically damped at '
        '50 rad/s.',
        lower=0.0,
        upper=1e9,
        lengths=(0, 1, 'n'),
    ),
    ParamSpec(
        'drive.rate_gain',
        'float[]',
        (),
        'N m s/rad or N s/m',
        'Kd of drives in position mode, likewise.',
        lower=0.0,
        upper=1e9,
        lengths=(0, 1, 'n'),
    ),
    ParamSpec(
        'drive.velocity_gain',
        'float[]',
        (),
        'N m s/rad or N s/m',
        'Kv of drives in velocity mode, likewise.',
        lower=0.0,
        upper=1e9,
        lengths=(0, 1, 'n'),
    ),
    ParamSpec(
        'drive.carries_weight',
        'bool',
        True,
        '',
        'Whether drives in position and velocity mode add the weight of the robot.',
    ),
    ParamSpec(
        'joint_commands_topic',
        'string',
        'robot_joint_commands',
        '',
        'Topic of commands by name (sensor_msgs/JointState). NaN: not commanded. Empty: off.',
        judge=topic_name_or_nothing,
    ),
    *(
        ParamSpec(
            f'{quantity}_command_topic',
            'string',
            f'forward_{quantity}_controller/commands',
            '',
            f'Topic of {plural} in the order of `joints`, of all or of those that take them '
            '(std_msgs/Float64MultiArray). NaN: not commanded. Empty: off, which is the default '
            'where `joint_commands_topic` is given.',
            judge=topic_name_or_nothing,
            off_with='joint_commands_topic',
        )
        for quantity, plural in (
            ('effort', 'efforts'),
            ('position', 'positions'),
            ('velocity', 'velocities'),
        )
    ),
    ParamSpec(
        'joint_states_topic',
        'string',
        'joint_states',
        '',
        'Topic of the joint states.',
        judge=topic_name,
    ),
    ParamSpec(
        'multi_dof_joint_states_topic',
        'string',
        'robot_multi_dof_joint_states',
        '',
        'Topic of poses, twists and wrenches of floating, spherical and planar joints.',
        judge=topic_name,
    ),
    ParamSpec(
        'frame_id', 'string', '', '', 'Frame in the header of the state. Empty: the base link.'
    ),
    ParamSpec(
        'publish_effort', 'bool', True, '', 'Whether joint states include the motor efforts.'
    ),
    ParamSpec(
        'initial_position',
        'float[]',
        (),
        'rad or m',
        'Initial posture in the order of `joints`; x, y, z and quaternion x, y, z, w of a '
        'floating joint. Empty: as near to zero as the limits allow; with closed loops, where '
        'the package closed them.',
        lengths=(0, 'nq'),
    ),
    ParamSpec(
        'initial_velocity',
        'float[]',
        (),
        'rad/s or m/s',
        'Initial velocity. Empty: at rest.',
        lengths=(0, 'n'),
    ),
    ParamSpec(
        'no_command',
        'string',
        NO_COMMAND[0],
        '',
        'Behaviour of a joint before its first command: brake, no effort, or its gravity torque.',
        choices=NO_COMMAND,
    ),
    ParamSpec(
        'command_timeout',
        'float',
        0.1,
        's',
        'Simulated time after which a command is void unless it is renewed: zero effort, and the '
        'action `void_command`.',
        lower=1e-3,
        upper=10.0,
    ),
    ParamSpec(
        'void_command',
        'string',
        VOID_COMMAND[0],
        '',
        'Reaction of a drive to a void command: brake like the watchdog of a servo drive, or only '
        'apply timeout_damping.',
        choices=VOID_COMMAND,
    ),
    ParamSpec(
        'timeout_damping',
        'float',
        1.0,
        'N m s/rad or N s/m',
        'Damping of a joint whose command is void, like shorted motor windings.',
        lower=0.0,
        upper=1e6,
    ),
    ParamSpec(
        'command_latency',
        'int',
        0,
        '',
        'Steps between a command and its effect.',
        lower=0,
        upper=1000,
    ),
    ParamSpec(
        'damping_scale',
        'float',
        1.0,
        '',
        'Factor on the viscous friction of the description.',
        lower=0.0,
        upper=1000.0,
    ),
    ParamSpec(
        'friction_scale',
        'float',
        1.0,
        '',
        'Factor on the Coulomb friction of the description.',
        lower=0.0,
        upper=1000.0,
    ),
    ParamSpec(
        'static_friction',
        'float',
        1.0,
        '',
        'Static friction over Coulomb friction.',
        lower=1.0,
        upper=100.0,
    ),
    ParamSpec(
        'friction_speed',
        'float',
        1e-3,
        'rad/s or m/s',
        'Speed at which static friction has fallen half-way to Coulomb friction.',
        lower=1e-9,
        upper=10.0,
    ),
    ParamSpec(
        'contacts_path',
        'string',
        '',
        '',
        'YAML file of the shapes that touch obstacles, and of the obstacles, by its path or as '
        '`package://<name>/<path>` (see doc/contact.md). Empty: nothing touches.',
    ),
    ParamSpec(
        'rotor_inertia',
        'float[]',
        (),
        'kg m^2 or kg',
        'Rotor inertia of each joint as seen at the joint. Empty: that of the description.',
        lower=0.0,
        upper=1e6,
        lengths=(0, 'n'),
    ),
    *SPRING_PARAMETERS,
    ParamSpec(
        'perturbation.mass',
        'float',
        0.0,
        '',
        'Largest relative error of each mass and inertia.',
        lower=0.0,
        upper=0.99,
    ),
    ParamSpec(
        'perturbation.com',
        'float',
        0.0,
        'm',
        'Largest error of each coordinate of each centre of mass.',
        lower=0.0,
        upper=10.0,
    ),
    ParamSpec(
        'perturbation.friction',
        'float',
        0.0,
        '',
        'Largest relative error of each friction coefficient.',
        lower=0.0,
        upper=1.0,
    ),
    ParamSpec(
        'perturbation.seed', 'int', 0, '', 'Seed of these errors.', lower=0, upper=LARGEST_SEED
    ),
    ParamSpec('payload.frame', 'string', '', '', 'Link that carries a payload. Empty: none.'),
    ParamSpec('payload.mass', 'float', 0.0, 'kg', 'Mass of the payload.', lower=0.0, upper=1e6),
    ParamSpec(
        'payload.com',
        'float[]',
        (0.0, 0.0, 0.0),
        'm',
        'Its centre of mass in the axes of that link.',
        lower=-100.0,
        upper=100.0,
        lengths=(3,),
    ),
    ParamSpec(
        'payload.inertia',
        'float[]',
        (0.0,) * 6,
        'kg m^2',
        'Its inertia about the centre of mass: xx, xy, xz, yy, yz, zz.',
        lower=-1e6,
        upper=1e6,
        lengths=(6,),
    ),
    *SENSOR_PARAMETERS,
    ParamSpec(
        'external_wrench_timeout',
        'float',
        0.5,
        's',
        'Simulated time for which a wrench acts; 0: until another one replaces it.',
        lower=0.0,
        upper=1e6,
        change=LIVE,
    ),
    ParamSpec('fault.stuck_joints', 'string[]', (), '', 'Joints that cannot move.', change=LIVE),
    ParamSpec(
        'fault.effort_loss',
        'float[]',
        (),
        '',
        'Share of its effort that each motor has lost. Empty: none.',
        lower=0.0,
        upper=1.0,
        change=LIVE,
        lengths=(0, 'n'),
    ),
    ParamSpec(
        'fault.frozen_sensor',
        'bool',
        False,
        '',
        'Repeat the last measured state with fresh stamps.',
        change=LIVE,
    ),
    ParamSpec(
        'fault.dropped_states',
        'float',
        0.0,
        '',
        'Share of the states that are lost.',
        lower=0.0,
        upper=1.0,
        change=LIVE,
    ),
    *LOCK_STEP_PARAMETERS,
    *KERNEL_PARAMETERS,
    *REALTIME_PARAMETERS,
)
