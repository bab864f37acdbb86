# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Entries of the controller on /diagnostics: its state, its loop, its topics."""

from typing import Sequence

from diagnostic_msgs.msg import DiagnosticArray

from robodyn_msgs.msg import ControllerStatus
from robodyn_ros.control.supervisor.controller_states import State
from robodyn_ros.realtime.rate_counter import Rates
from robodyn_ros.ros.common.diagnostic_entry import ERROR, OK, WARN, diagnostic_status

# Share of completed cycles below which to warn, as for the connection of libfranka.
SUCCESS_WARN, SUCCESS_ERROR = 0.95, 0.90

LOOP_FIELDS = (
    'cycles',
    'missed',
    'rate',
    'compute_p50',
    'compute_p99',
    'compute_max',
    'tick_p50',
    'tick_p99',
    'wake_p50',
    'wake_p99',
    'cpu_share',
    'gc_collections',
)

LEVELS = {State.WAIT_MODEL: WARN, State.WAIT_STATE: WARN, State.STALE: ERROR, State.FAULT: ERROR}


def diagnose(
    name: str,
    status: ControllerStatus,
    session,
    rates: Rates,
    publishers: int,
    incompatible: Sequence[str] = (),
) -> DiagnosticArray:
    """Build the message for /diagnostics.

    `name`: name of the node.
    `status`: status as published at this moment.
    `session` (ControlSession or None): session of the node.
    `rates`: rates since the last report.
    `publishers`: number of publishers of joint states.
    `incompatible`: sentences about publishers with an incompatible quality of service.
    """
    message = DiagnosticArray(status=[_state(name, status, session)])
    if session:
        message.status += [
            _loop(name, status, session.loop.warnings, rates),
            _joint_states(name, session.intake, session.supervisor, rates, publishers),
            _following(name, session.supervisor),
            _references(name, session, rates),
            _command(name, session),
            _topics(name, incompatible),
        ]
    message.header.stamp = status.header.stamp
    return message


def _state(name, status, session):
    counters = session.supervisor.counters if session else {}
    return diagnostic_status(
        f'{name}: state',
        LEVELS.get(State(status.state), OK),
        f'{status.state_name} {status.reason}'.strip(),
        {'message': status.message, 'law': status.law, 'kernels': status.kernels, **counters},
    )


def _loop(name, status, refused, rates):
    level, text = OK, 'The loop keeps its rate.'
    if rates.success < SUCCESS_WARN:
        level = ERROR if rates.success < SUCCESS_ERROR else WARN
        text = (
            f'Cycles are missed: {rates.success:.1%} of them ran, expected {SUCCESS_WARN:.0%}. '
            'A free processor, realtime.priority or a lower update_rate helps.'
        )
    if refused:
        level, text = max(level, WARN), ' '.join((text, *refused))
    fields = {field: getattr(status, field) for field in LOOP_FIELDS}
    return diagnostic_status(
        f'{name}: loop', level, text, {'success_rate': rates.success, **fields}
    )


def _joint_states(name, intake, supervisor, rates, publishers):
    level, text = OK, 'Joint states are accepted.'
    if rates.rejected:
        level, text = WARN, f'{rates.rejected} joint states were refused: {intake.detail}'
    elif supervisor.stuck:
        level, text = WARN, stuck_sentence(supervisor)
    elif publishers > 1 or (publishers == 0 and supervisor.state != State.WAIT_STATE):
        level, text = WARN, f"There are {publishers} publishers of '{intake.topic}'."
    rejected = {f'rejected.{reason}': count for reason, count in intake.rejected.items()}
    return diagnostic_status(
        f'{name}: joint states',
        level,
        text,
        {'accepted_per_second': rates.accepted, 'publishers': publishers, **rejected},
    )


def _following(name, supervisor):
    level, text = OK, 'The joints follow their references.'
    if told := behind_sentence(supervisor):
        level, text = WARN, told
    return diagnostic_status(f'{name}: following', level, text, {'joint': supervisor.behind})


def _command(name, session):
    level, text, rivals = OK, 'No other node commands the robot.', session.rivals()
    if rivals:
        level, text = ERROR, f"Others publish on '{session.watch.topic}': {', '.join(rivals)}."
    elif problem := session.receiver_problem():
        level, text = WARN, problem
    return diagnostic_status(f'{name}: command', level, text, {'others': len(rivals)})


def _topics(name, incompatible):
    return diagnostic_status(
        f'{name}: topics',
        WARN if incompatible else OK,
        ' '.join(incompatible) or 'All publishers are compatible.',
        {'incompatible': len(incompatible)},
    )


def stuck_sentence(supervisor) -> str:
    """Return a sentence about joint states that repeat themselves; '' if there are none."""
    if not supervisor.stuck:
        return ''
    joint = supervisor.stuck_joint
    whose = f'Those of {supervisor.joint_names[joint]}' if joint >= 0 else 'The joint states'
    return (
        f'{whose} repeat themselves bit for bit: a sensor may be stuck, or the robot lost behind '
        'a broadcaster.'
    )


def behind_sentence(supervisor) -> str:
    """Return a sentence about the joint that is too far from its reference; '' if none is."""
    joint = supervisor.behind
    if joint < 0:
        return ''
    error = abs(supervisor.reference[0, joint] - supervisor.q[joint])
    return (
        f'{supervisor.joint_names[joint]} is {error:.3g} from its reference; expected at most '
        f'{supervisor.settings.following_error[joint]:g} (following_error). A motor, perhaps that '
        'of another joint, may have lost effort, the arm may be blocked, or the gains are low for '
        'its load and friction.'
    )


def _references(name, session, rates):
    level, text = OK, 'References are accepted.'
    if rates.refused:
        level, text = WARN, f'{rates.refused} references were refused: {session.last_refusal}'
    return diagnostic_status(
        f'{name}: references',
        level,
        text,
        {
            'accepted': session.accepted_references,
            'refused': session.refused_references,
            'last_refusal': session.last_refusal,
        },
    )
