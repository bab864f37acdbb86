# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Preconditions of a start: each check returns '' or a sentence."""

import numpy as np


def refuse_age(measured, now, settings):
    """Refuse a missing or outdated joint state."""
    if measured is None:
        return 'there is no joint state yet'
    if measured.is_fresh(now, settings):
        return ''
    return (
        f'the last joint state is {now - measured.time:.6g} s old; '
        f'expected at most {settings.state_timeout:g} s'
    )


def refuse_effort_limits(settings, joint_names):
    """Refuse joints without an effort limit; 0 is a limit, and means no torque."""
    missing = [joint_names[i] for i in np.flatnonzero(np.isnan(settings.effort_limits))]
    return (
        f'effort_limits: got none for {", ".join(missing)}; expected one for every joint'
        if missing
        else ''
    )


def refuse_far(wanted, actual, reach, joint_names, what):
    """Return why a posture is too far from the actual one; all (nv,), reach may be a scalar."""
    error = np.abs(wanted - actual)
    wrong = np.flatnonzero(~(error <= reach))
    if not wrong.size:
        return ''
    i = wrong[0]
    return (
        f'{what} of joint {joint_names[i]}: got {wanted[i]:.6g}, which is {error[i]:.6g} from '
        f'{actual[i]:.6g}; expected at most {np.broadcast_to(reach, error.shape)[i]:.6g}'
    )


def refuse_law_values(values, law):
    """Return why values (k,) do not fit the law's own parameters; None for no values."""
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
