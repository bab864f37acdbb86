# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gains of a robot for a bandwidth, and what dry friction leaves of a motion under them."""

from robodyn_ros.control.gains import (
    TOLERABLE,
    dry_friction,
    friction_error,
    inertia_range,
    proposed_gains,
    stiffer,
)
from robodyn_ros.model.model_report import WARNING, Finding

BANDWIDTH = 10.0  # [rad/s] of the default gains of computed torque, 100 1/s^2 and 20 1/s
GAIN_COLUMNS = ('joint', 'p [N m/rad]', 'd [N m s/rad]', 'error', 'error of laws in 1/s^2')


def gain_rows(robot, bandwidth):
    """Yield the cells of the table of gains, one row for each joint.

    `robot` (Robot): a robot with an `inertia_range`.
    `bandwidth`: natural frequency of the joints [rad/s].
    """
    least, most = inertia_range(robot)
    friction, (p, d) = dry_friction(robot), proposed_gains(most, bandwidth)
    by_gains, by_law = (friction_error(friction, each) for each in (p, least * bandwidth**2))
    for name, *values in zip(robot.joint_names, p, d, by_gains, by_law):
        yield name, *(f'{value:.4g}' for value in values)


def held_by_friction(robot):
    """Return a Finding for every joint that friction holds far from its reference.

    `robot` (Robot): a robot without an `inertia_range` gives no findings.
    """
    inertia = inertia_range(robot)
    if inertia is None:
        return []
    gain, friction = BANDWIDTH**2, dry_friction(robot)
    stiffness = inertia[0] * gain
    errors = friction_error(friction, stiffness)
    return [
        Finding(
            WARNING,
            f'joint {name!r}',
            f'dry friction of {friction[i]:.3g} may hold it {errors[i]:.3g} from its reference: '
            f'under computed torque with p = {gain:g} 1/s^2 its stiffness is {stiffness[i]:.3g} '
            f'in some posture; p = {stiffer(gain, errors[i]):g} leaves {TOLERABLE:g}',
        )
        for i, name in enumerate(robot.joint_names)
        if errors[i] > TOLERABLE
    ]
