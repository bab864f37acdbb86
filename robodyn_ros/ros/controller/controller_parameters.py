# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the controller, and the control settings that they give for one robot."""

from typing import Any, Mapping

import numpy as np

from robodyn_ros.control.laws.law import TERMS, ControlLaw
from robodyn_ros.control.supervisor import control_settings as options
from robodyn_ros.control.supervisor.control_settings import Settings
from robodyn_ros.control.supervisor.rival_policy import HOLD, RIVAL_ACTIONS
from robodyn_ros.errors import ParameterError
from robodyn_ros.robot.robot import Robot
from robodyn_ros.ros.common.joint_messages import EFFORT_WRITERS
from robodyn_ros.ros.common.parameter_table import LIVE, ParamSpec, topic_name
from robodyn_ros.ros.common.realtime_parameters import REALTIME_PARAMETERS
from robodyn_ros.ros.common.robot_source import ROBOT_PARAMETERS
from robodyn_ros.ros.common.session_kernels import KERNEL_PARAMETERS
from robodyn_ros.ros.controller.base_state_intake import BASE_STATE_PARAMETERS
from robodyn_ros.ros.controller.live_limits import LIVE_LIMIT_PARAMETERS
from robodyn_ros.ros.transport.lock_step_transport import COMMON_PARAMETERS, LOCK_STEP, on_silence

TIMER, JOINT_STATES = 'timer', 'joint_states'
SWITCHABLE = ('gravity', 'coriolis', 'inertia', 'friction')

CONTROLLER_PARAMETERS = (
    *ROBOT_PARAMETERS,
    ParamSpec(
        'law',
        'string',
        'computed_torque',
        '',
        'Control law, by its name in the entry-point group `robodyn_ros.control_laws`.',
    ),
    ParamSpec('update_rate', 'int', 1000, 'Hz', 'Rate of the control loop.', lower=10, upper=5000),
    ParamSpec(
        'wake_ahead',
        'float',
        8e-5,
        's',
        'Time before a cycle at which the loop wakes, warms the caches and polls for joint '
        'states. This costs the same share of a processor. At most half a cycle.',
        lower=0.0,
        upper=1e-3,
    ),
    ParamSpec(
        'trigger',
        'string',
        TIMER,
        '',
        'What starts a cycle: the clock, every joint state, or every state of a simulator in '
        'lock step (see doc/lock_step.md). With joint states the clock only watches for their '
        'loss. Only lock step repeats a run exactly.',
        choices=(TIMER, JOINT_STATES, LOCK_STEP),
    ),
    ParamSpec(
        'command_topic',
        'string',
        'forward_effort_controller/commands',
        '',
        'Topic of the efforts.',
        judge=topic_name,
    ),
    ParamSpec(
        'command_type',
        'string',
        'float64_multi_array',
        '',
        'Message of the efforts: '
        'std_msgs/Float64MultiArray in the order of the joints, or sensor_msgs/JointState '
        'with names.',
        choices=tuple(EFFORT_WRITERS),
    ),
    ParamSpec(
        'robot_compensates_gravity',
        'string',
        '',
        '',
        'Whether the robot adds the gravity torque by itself. There is no default, because a '
        'wrong value drops or launches the arm. Without it the node is not configured.',
        choices=('', 'yes', 'no'),
    ),
    *BASE_STATE_PARAMETERS,
    *(
        ParamSpec(
            f'compensate.{term}',
            'bool',
            True,
            '',
            f'Command the {term} term of the law.',
            change=LIVE,
        )
        for term in SWITCHABLE
    ),
    ParamSpec(
        'effort_limits',
        'float[]',
        (),
        'N m or N',
        'Largest effort of each joint. Empty: the limits of the robot description.',
        lower=0.0,
        change=LIVE,
        lengths=(0, 'n'),
    ),
    ParamSpec(
        'max_effort_rate',
        'float[]',
        (1000.0,),
        'N m/s or N/s',
        'Largest rate of change of the effort: one value for all joints, or one for each.',
        lower=1e-3,
        change=LIVE,
        lengths=(1, 'n'),
    ),
    ParamSpec(
        'velocity_limits',
        'float[]',
        (),
        'rad/s or m/s',
        'Speed of each joint beyond which '
        'no effort may drive it further. Empty: the limits of the robot description.',
        lower=1e-6,
        change=LIVE,
        lengths=(0, 'n'),
    ),
    ParamSpec(
        'overspeed',
        'float',
        2.0,
        '',
        'Largest speed of a joint over its velocity limit. Three faster joint states in a row '
        'lead to FAULT.',
        lower=1.0,
        upper=1e6,
        change=LIVE,
    ),
    ParamSpec(
        'position_margin',
        'float',
        0.002,
        'rad or m',
        'How far a joint may pass its limit before its effort may act only inwards.',
        lower=0.0,
        upper=1.0,
        change=LIVE,
    ),
    ParamSpec(
        'state_timeout',
        'float',
        0.02,
        's',
        'Age of the joint state, counted from its '
        'receipt, beyond which it is stale; at least two periods.',
        lower=0.0,
        upper=0.2,
        change=LIVE,
    ),
    ParamSpec(
        'reference_timeout',
        'float',
        0.1,
        's',
        'Time without a new target on ~/reference before the posture is held.',
        lower=0.0,
        upper=10.0,
        change=LIVE,
    ),
    ParamSpec(
        'stale_action',
        'string',
        options.STALE_ACTIONS[0],
        '',
        'Effort while joint states are missing: the gravity torque of the posture where the arm '
        'should have stopped, without end, or zero after `stale_hold`.',
        choices=options.STALE_ACTIONS,
        change=LIVE,
    ),
    ParamSpec(
        'stale_hold',
        'float',
        0.1,
        's',
        'Time without joint states after which the effort is zero, if `stale_action` is.',
        lower=0.0,
        upper=1.0,
        change=LIVE,
    ),
    ParamSpec(
        'following_error',
        'float[]',
        (0.2,),
        'rad or m',
        'Distance of a joint from its reference that is reported as a warning: one value for all '
        'joints, or one for each.',
        lower=1e-6,
        change=LIVE,
        lengths=(1, 'n'),
    ),
    ParamSpec(
        'following_action',
        'string',
        options.FOLLOWING_ACTIONS[0],
        '',
        'Reaction to twice `following_error` under way: the posture is held, or only the warning.',
        choices=options.FOLLOWING_ACTIONS,
        change=LIVE,
    ),
    ParamSpec(
        'stuck_action',
        'string',
        options.STUCK_ACTIONS[0],
        '',
        'Reaction to a joint that moves and repeats its reading for longer than `state_timeout`: '
        'as to missing joint states, or a warning.',
        choices=options.STUCK_ACTIONS,
        change=LIVE,
    ),
    ParamSpec(
        'stuck_at_rest',
        'bool',
        False,
        '',
        'Whether bitwise equal joint states count as stuck at rest, too. For noisy sensors, and '
        'behind a broadcaster, which repeats the last state of a lost robot.',
        change=LIVE,
    ),
    ParamSpec(
        'stuck_time',
        'float',
        4.0,
        's',
        'Time of equal joint states after which they are stuck, if `stuck_at_rest` is set.',
        lower=0.1,
        upper=1e6,
        change=LIVE,
    ),
    ParamSpec(
        'rival_action',
        'string',
        HOLD,
        '',
        'Reaction to another node that begins to command the robot: hold the posture, only '
        'report, or stop.',
        choices=RIVAL_ACTIONS,
        change=LIVE,
    ),
    ParamSpec(
        'stop_time_constant',
        'float',
        0.1,
        's',
        'Time constant with which the arm is braked in FAULT and STALE, within its effort '
        'limits; at least two periods.',
        lower=0.02,
        upper=10.0,
        change=LIVE,
    ),
    ParamSpec(
        'max_start_error',
        'float',
        0.1,
        'rad or m',
        'Largest distance between the arm and the start of a reference.',
        lower=0.0,
        upper=10.0,
        change=LIVE,
    ),
    ParamSpec(
        'target_tolerance',
        'float[]',
        (0.005, 0.02),
        'm, rad',
        'Distance and angle, along and about the controlled axes, within which the end effector '
        'has reached its target.',
        lower=1e-9,
        change=LIVE,
        lengths=(2,),
    ),
    ParamSpec(
        'goal_tolerance',
        'float',
        0.01,
        'rad or m',
        'Distance of a joint from the end of its trajectory that is reported: by a warning in the '
        'log, in ~/status and in the result of the action.',
        lower=0.0,
        upper=10.0,
        change=LIVE,
    ),
    ParamSpec(
        'allow_partial_joints_goal',
        'bool',
        False,
        '',
        'Whether a trajectory or a target may lack joints; they hold.',
        change=LIVE,
    ),
    ParamSpec(
        'allow_nonzero_velocity_at_trajectory_end',
        'bool',
        False,
        '',
        'Whether the last point of a trajectory may have a velocity, as MoveIt Servo sends it. '
        'Without a successor the joints come to rest beyond it within their limits.',
        change=LIVE,
    ),
    ParamSpec(
        'state_publish_rate',
        'float',
        100.0,
        'Hz',
        'Rate of ~/controller_state; 0 turns it off.',
        lower=0.0,
        upper=5000.0,
    ),
    ParamSpec(
        'tip_link',
        'string',
        '',
        '',
        'Link of ~/get_operational_space_inertia when the '
        'request names none. Empty: the link of the last joint.',
        change=LIVE,
    ),
    ParamSpec(
        'osi_damping',
        'float',
        0.0,
        '1/sqrt(kg)',
        'Damping of ~/get_operational_space_inertia when the request gives none.',
        lower=0.0,
        upper=100.0,
        change=LIVE,
    ),
    ParamSpec(
        'osi_publish_rate',
        'float',
        0.0,
        'Hz',
        'Rate of ~/operational_space_inertia, computed in a separate thread. update_rate: every '
        'cycle. 0: off.',
        lower=0.0,
        upper=5000.0,
        change=LIVE,
    ),
    ParamSpec(
        'osi_links',
        'string[]',
        (),
        '',
        'Links of ~/operational_space_inertia; several include their coupling. Empty: tip_link.',
        change=LIVE,
    ),
    ParamSpec(
        'osi_axes',
        'string',
        '',
        '',
        'Axes of ~/operational_space_inertia, of `x y z rx ry rz`. Empty: all.',
        change=LIVE,
    ),
    *LIVE_LIMIT_PARAMETERS,
    *COMMON_PARAMETERS,
    on_silence(
        'Reaction to five seconds of wall time without a state, after the first one: a warning, '
        'or the process ends.'
    ),
    *KERNEL_PARAMETERS,
    *REALTIME_PARAMETERS,
)

# Parameters that are a field of Settings under the same name.
SAME_NAME = (
    'overspeed',
    'position_margin',
    'state_timeout',
    'reference_timeout',
    'stale_action',
    'stale_hold',
    'stop_time_constant',
    'max_start_error',
    'target_tolerance',
    'goal_tolerance',
    'allow_nonzero_velocity_at_trajectory_end',
    'following_action',
    'stuck_time',
    'stuck_action',
    'stuck_at_rest',
)


def control_settings(values: Mapping[str, Any], robot: Robot, law: ControlLaw) -> Settings:
    """Return the Settings of the supervisor.

    `robot`: its limits replace those that the parameters leave empty.
    `law`: the law, whose terms and gains are set.
    Raises ParameterError: with a sentence, if parameters conflict.
    """
    joints, limits = robot.joint_names, robot.limits
    gains = np.array([[values[f'gains.{joint}.{kind}'] for joint in joints] for kind in 'pd'])
    if law.tracks and law.gain_unit[0] and not gains[0].any():
        raise ParameterError(
            f"Law '{law.name}' needs gains [{law.gain_unit[0]}]: every parameter "
            f"'gains.<joint>.p' is 0, for the joints {', '.join(joints)}. The command "
            '`robodyn_ros report arm.urdf --bandwidth 10` proposes gains.'
        )
    return Settings(
        period=1.0 / values['update_rate'],
        gains=gains,
        enabled=np.array(
            [term not in SWITCHABLE or values[f'compensate.{term}'] for term in TERMS]
        ),
        effort_limits=values['effort_limits'] or limits.effort,
        effort_rate=_for_all(values['max_effort_rate'], robot.nv),
        following_error=_for_all(values['following_error'], robot.nv),
        velocity_limits=values['velocity_limits'] or limits.velocity,
        lower=limits.lower,
        upper=limits.upper,
        turns=robot.model.turns,
        robot_compensates_gravity=values['robot_compensates_gravity'] == 'yes',
        law_values=np.hstack([(), *(values[f'{law.name}.{own.name}'] for own in law.parameters)]),
        **{name: values[name] for name in SAME_NAME},
    )


def _for_all(values: tuple[float, ...], n: int) -> np.ndarray:
    return np.broadcast_to(np.array(values), (n,))
