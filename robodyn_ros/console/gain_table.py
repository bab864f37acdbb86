# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gains of a robot for a bandwidth, and what dry friction leaves of a motion under them."""

import numpy as np

from robodyn_ros.control.gains import friction_error, proposed_gains
from robodyn_ros.formulations.spong.properties import ranges
from robodyn_ros.model.layout import FRICTION, STICTION
from robodyn_ros.model.model_report import WARNING, Finding

BANDWIDTH = 10.0  # [rad/s] of the default gains of computed torque, 100 1/s^2 and 20 1/s
SAMPLES = 1000  # postures
TOLERABLE = 0.05  # [rad or m] errors above it are a warning
GAIN_COLUMNS = ('joint', 'p [N m/rad]', 'd [N m s/rad]', 'error', 'error of laws in 1/s^2')


def inertia_range(robot, seed=0):
    """Return the smallest and largest M_ii of each joint (2, n) at random postures in the ranges.

    Parameters
    ----------
    robot : Robot
        The robot.
    seed : int
        Of the postures.

    Returns
    -------
    ndarray or None
        None for robots with quaternions, dependent joints, or links without inertia.
    """
    if robot.nq != robot.nv or robot.model.is_embedded or robot.model.dynamics_fault:
        return None
    q = np.random.default_rng(seed).uniform(*ranges(robot), (SAMPLES, robot.nq))
    M = robot.mass_matrix(q)
    inertia = np.diagonal(M, axis1=1, axis2=2)
    return np.array([inertia.min(axis=0), inertia.max(axis=0)])


def dry_friction(robot):
    """Return the dry friction of the joints with stiction (n,) [N m or N].

    Parameters
    ----------
    robot : Robot
        The robot.
    """
    return robot.model.joint_values(FRICTION) + robot.model.joint_values(STICTION)


def gain_rows(robot, bandwidth):
    """Yield the cells of the table of gains, one row for each joint.

    Parameters
    ----------
    robot : Robot
        A robot with an `inertia_range`.
    bandwidth : float
        Natural frequency of the joints [rad/s].

    Yields
    ------
    tuple of str
        The cells of a row.
    """
    least, most = inertia_range(robot)
    friction, (p, d) = dry_friction(robot), proposed_gains(most, bandwidth)
    by_gains, by_law = (friction_error(friction, each) for each in (p, least * bandwidth**2))
    for name, *values in zip(robot.joint_names, p, d, by_gains, by_law):
        yield name, *(f'{value:.4g}' for value in values)


def held_by_friction(robot):
    """Return a Finding for every joint that friction holds far from its reference.

    Parameters
    ----------
    robot : Robot
        A robot without an `inertia_range` gives no findings.
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
            f'in some posture; p = {np.ceil(errors[i] / TOLERABLE) * gain:g} leaves '
            f'{TOLERABLE:g}',
        )
        for i, name in enumerate(robot.joint_names)
        if errors[i] > TOLERABLE
    ]
