# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Preconditions of a start: each check returns '' or the reason of a refusal."""

import numpy as np

from robodyn_ros.control.reference.trajectory import whole_turns
from robodyn_ros.control.supervisor.controller_states import State


def refuse_age(measured, now, settings):
    """Refuse a missing or outdated joint state.

    `settings` (Settings): has the timeout.
    Returns reason of the refusal, or ''.
    """
    if measured is None:
        return 'there is no joint state yet'
    if measured.is_fresh(now, settings):
        return ''
    return (
        f'the last joint state is {now - measured.time:.6g} s old; '
        f'expected at most {settings.state_timeout:g} s'
    )


def refuse_reference(state, reason, law, active):
    """Refuse a reference in a state that takes none.

    `state` (State): state of the controller.
    `active`: whether the controller is active.
    Returns reason of the refusal, or ''.
    """
    if not law.tracks:
        return f'control law {law.name} follows no reference; choose another law'
    if state is State.FAULT:
        remedy = 'reset it first'
    elif state is State.STALE:
        remedy = 'wait until joint states come again'
    elif not active:
        remedy = 'activate it first'
    else:
        return ''
    return f'the controller is in {named(state, reason)} and takes no reference; {remedy}'


def named(state, reason):
    """Return a state with its reason, as in 'FAULT (STOPPED)'.

    `reason`: its reason, or ''.
    """
    return f'{state.name} ({reason})' if reason else state.name


def text_of(error):
    """Return an exception as text of bounded length.

    `error` (Exception): the exception.
    """
    return f'{type(error).__name__}: {error}'[:200]


def refuse_effort_limits(settings, joint_names):
    """Refuse joints without an effort limit; 0 is a limit, and means no torque.

    `settings` (Settings): has the effort limits.
    Returns reason of the refusal, or ''.
    """
    missing = [joint_names[i] for i in np.flatnonzero(np.isnan(settings.effort_limits))]
    return (
        f'effort_limits: got none for {", ".join(missing)}; expected one for every joint'
        if missing
        else ''
    )


def refuse_weight(ramp, plan, measured, settings, joint_names):
    """Refuse a payload that a joint cannot hold, although it can hold the present ones.

    `ramp` (PayloadRamp): the payloads of the robot.
    `plan` (tuple): its plan with the payload.
    `measured` (Measurement or None): the last joint state; without one nothing is refused.
    `settings` (Settings): has the effort limits.
    Returns reason of the refusal, or ''.
    """
    if measured is None or settings.robot_compensates_gravity:
        return ''
    limits = settings.effort_limits
    needed, present = (np.abs(ramp.weight(each, measured.q)) for each in (plan, ramp.now))
    wrong = np.flatnonzero((needed > limits) & ~(present > limits))
    if not wrong.size:
        return ''
    i = wrong[0]
    return (
        f'the payload: joint {joint_names[i]} needs {needed[i]:.6g} to hold it in the measured '
        f'posture; expected at most its effort limit, {limits[i]:g} (masses are in kg)'
    )


def refuse_far(wanted, actual, reach, joint_names, what):
    """Refuse a posture that is too far from the actual one.

    `wanted`, `actual` (nv,): both postures [rad or m].
    `reach` (float or (nv,) ndarray): largest distance of a joint [rad or m].
    `what`: name of the wanted posture, for the reason.
    Returns reason of the refusal, or ''.
    """
    error = np.abs(wanted - actual)
    wrong = np.flatnonzero(~(error <= reach))
    if not wrong.size:
        return ''
    i = wrong[0]
    return (
        f'{what} of joint {joint_names[i]}: got {wanted[i]:.6g}, which is {error[i]:.6g} from '
        f'{actual[i]:.6g}; expected at most {np.broadcast_to(reach, error.shape)[i]:.6g}'
    )


def refuse_posture(posture, measured, settings, joint_names):
    """Refuse an arm that is far from the posture that a caller assumes.

    `posture` ((nv,) array_like or None): the posture [rad or m]; None is accepted.
    `settings` (Settings): has the largest distance, and the turns of joints that turn without end.
    Returns reason of the refusal, or ''.
    """
    if posture is None:
        return ''
    posture = posture + whole_turns(measured.q - posture, settings.turns)
    return refuse_far(posture, measured.q, settings.max_start_error, joint_names, 'posture')


def refuse_law_values(values, law):
    """Refuse values that do not fit the law's own parameters.

    `values` ((k,) ndarray or None): the values; None is accepted.
    Returns reason of the refusal, or ''.
    """
    if values is None:
        return ''
    parameters = [parameter for parameter in law.parameters for _ in parameter.defaults]
    if len(values) != len(parameters):
        names = [parameter.name for parameter in law.parameters]
        return (
            f'law_values: got {len(values)} for law {law.name}; expected {len(parameters)}'
            f'{": " if names else ""}{", ".join(names)}'
        )
    for value, parameter in zip(values, parameters):
        if not (np.isfinite(value) and parameter.lower <= value <= parameter.upper):
            return (
                f'{law.name}.{parameter.name}: got {value:g}; expected '
                f'{parameter.lower:g} to {parameter.upper:g} {parameter.unit}'
            )
    return ''
