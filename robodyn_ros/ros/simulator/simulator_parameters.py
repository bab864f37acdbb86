# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The parameters of the simulator."""

from robodyn_ros.ros.common.parameter_table import (
    LIVE,
    ParamSpec,
    topic_name,
    topic_name_or_nothing,
)
from robodyn_ros.ros.common.realtime_parameters import REALTIME_PARAMETERS
from robodyn_ros.ros.common.robot_source import ROBOT_PARAMETERS
from robodyn_ros.ros.common.session_kernels import KERNEL_PARAMETERS
from robodyn_ros.ros.transport.lock_step import LOCK_STEP, LOCK_STEP_PARAMETERS
from robodyn_ros.simulation.plant_settings import METHODS, NO_COMMAND, VOID_COMMAND

TIMER, COMMAND = 'timer', 'command'
LARGEST_SEED = 2**31 - 1

SIMULATOR_PARAMETERS = (
    *ROBOT_PARAMETERS,
    ParamSpec(
        'free_base',
        'bool',
        False,
        '',
        'Whether the base link moves freely: on a floating '
        'joint `free_base` below a link `world`, whose coordinates come first.',
    ),
    ParamSpec(
        'update_rate', 'int', 1000, 'Hz', 'Steps a second of simulated time.', lower=10, upper=5000
    ),
    ParamSpec(
        'trigger',
        'string',
        TIMER,
        '',
        'What starts a step: the clock, every command, or the answers of all '
        '`lock_step.participants` to the state before (see doc/lock_step.md). With commands, '
        'the same commands give the same states, bit for bit.',
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
        'Publish simulated time on /clock, unless '
        'another node does; stamps are then of that time.',
    ),
    ParamSpec(
        'integrator',
        'string',
        'semi_implicit_euler',
        '',
        'Scheme that advances the state; the two of energy keep its balance in every step.',
        choices=tuple(METHODS),
    ),
    ParamSpec(
        'substeps', 'int', 1, '', 'Equal parts into which a step is cut.', lower=1, upper=1000
    ),
    ParamSpec(
        'joint_commands_topic',
        'string',
        'robot_joint_commands',
        '',
        'Where efforts come '
        'from by name (sensor_msgs/JointState); NaN or left out: not commanded. Empty: '
        'off.',
        judge=topic_name_or_nothing,
    ),
    ParamSpec(
        'effort_command_topic',
        'string',
        'forward_effort_controller/commands',
        '',
        'Where '
        'efforts come from in the order of `joints` (std_msgs/Float64MultiArray). Empty: '
        'off.',
        judge=topic_name_or_nothing,
    ),
    ParamSpec(
        'joint_states_topic',
        'string',
        'joint_states',
        '',
        'Where the state goes.',
        judge=topic_name,
    ),
    ParamSpec(
        'multi_dof_joint_states_topic',
        'string',
        'robot_multi_dof_joint_states',
        '',
        'Where poses, twists and wrenches of floating, spherical and planar joints go.',
        judge=topic_name,
    ),
    ParamSpec(
        'frame_id', 'string', '', '', 'Frame in the header of the state. Empty: the base link.'
    ),
    ParamSpec(
        'publish_effort',
        'bool',
        True,
        '',
        'Whether the state holds the efforts that the motors gave.',
    ),
    ParamSpec(
        'initial_position',
        'float[]',
        (),
        'rad or m',
        'Posture at the start, in the order '
        'of `joints`; of a floating joint x, y, z and quaternion x, y, z, w. Empty: each as '
        'near to zero as its limits allow; with closed loops, where the package closed them.',
        lengths=(0, 'nq'),
    ),
    ParamSpec(
        'initial_velocity',
        'float[]',
        (),
        'rad/s or m/s',
        'Velocity at the start. Empty: at rest.',
        lengths=(0, 'n'),
    ),
    ParamSpec(
        'no_command',
        'string',
        NO_COMMAND[0],
        '',
        'What a joint does before its first '
        'command: brake, no effort, or the effort that carries the weight.',
        choices=NO_COMMAND,
    ),
    ParamSpec(
        'command_timeout',
        'float',
        0.1,
        's',
        'Simulated time after which a command that '
        'is not renewed is void: zero effort, and what void_command says.',
        lower=1e-3,
        upper=10.0,
    ),
    ParamSpec(
        'void_command',
        'string',
        VOID_COMMAND[0],
        '',
        'What the drive of a joint does when its command is void: brake like the watchdog of a '
        'servo drive, or apply timeout_damping only.',
        choices=VOID_COMMAND,
    ),
    ParamSpec(
        'timeout_damping',
        'float',
        1.0,
        'N m s/rad or N s/m',
        'Damping of a joint whose command is void, as of shorted motor windings.',
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
        'rotor_inertia',
        'float[]',
        (),
        'kg m^2 or kg',
        'Rotor inertia of each joint as seen at the joint. Empty: that of the description.',
        lower=0.0,
        upper=1e6,
        lengths=(0, 'n'),
    ),
    ParamSpec(
        'perturbation.mass',
        'float',
        0.0,
        '',
        'Half-width of the error of each mass and inertia, as a share.',
        lower=0.0,
        upper=0.99,
    ),
    ParamSpec(
        'perturbation.com',
        'float',
        0.0,
        'm',
        'Half-width of the error of each coordinate of each centre of mass.',
        lower=0.0,
        upper=10.0,
    ),
    ParamSpec(
        'perturbation.friction',
        'float',
        0.0,
        '',
        'Half-width of the error of each friction figure, as a share.',
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
    ParamSpec(
        'noise.position',
        'float',
        0.0,
        'rad or m',
        'Standard deviation of the measured positions.',
        lower=0.0,
        upper=10.0,
    ),
    ParamSpec(
        'noise.velocity',
        'float',
        0.0,
        'rad/s or m/s',
        'Standard deviation of the measured velocities.',
        lower=0.0,
        upper=100.0,
    ),
    ParamSpec('noise.seed', 'int', 0, '', 'Seed of the noise.', lower=0, upper=LARGEST_SEED),
    ParamSpec(
        'resolution.position',
        'float',
        0.0,
        'rad or m',
        'Step of the measured positions; 0 for none.',
        lower=0.0,
        upper=10.0,
    ),
    ParamSpec(
        'resolution.velocity',
        'float',
        0.0,
        'rad/s or m/s',
        'Step of the measured velocities; 0 for none.',
        lower=0.0,
        upper=100.0,
    ),
    ParamSpec(
        'external_wrench_timeout',
        'float',
        0.5,
        's',
        'Simulated time for which a wrench acts; 0 for until another one replaces it.',
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
