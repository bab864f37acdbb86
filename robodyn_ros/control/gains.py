# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gains of control laws: those that are missing, those for a bandwidth, and friction at rest."""

import numpy as np

from robodyn_ros.control.laws.law import ControlLaw

KINDS = (('p', 'nothing holds them at their reference'), ('d', 'nothing damps their motion'))


def joints_without_gains(joint_names, gains, law: type[ControlLaw] | ControlLaw) -> list[str]:
    """Return a sentence for each kind of gain that the law has, and that is 0 for a joint.

    Parameters
    ----------
    joint_names : sequence of str
        Names of the n joints.
    gains : (2, n) ndarray
        Position and velocity gains.
    law : ControlLaw or type
        The law, or its class.
    """
    sentences = []
    for (kind, effect), row, unit in zip(KINDS, gains, law.gain_unit):
        joints = [name for name, gain in zip(joint_names, row) if unit and not gain]
        if joints:
            sentences.append(
                f"Law '{law.name}' has no gain 'gains.<joint>.{kind}' [{unit}] for "
                f'{", ".join(joints)}: {effect}.'
            )
    return sentences


def proposed_gains(inertia: np.ndarray, bandwidth: float) -> np.ndarray:
    """Return gains in N m/rad and N m s/rad for a bandwidth: p = M_ii w^2 and d = 2 M_ii w.

    At the largest M_ii a joint alone is critically damped, and elsewhere more than that.

    Parameters
    ----------
    inertia : (n,) ndarray
        The largest M_ii of each joint [kg m^2 or kg].
    bandwidth : float
        Natural frequency w [rad/s].

    Returns
    -------
    (2, n) ndarray
        Position and velocity gains.
    """
    return np.array([inertia * bandwidth**2, 2.0 * inertia * bandwidth])


def friction_error(friction: np.ndarray, stiffness: np.ndarray) -> np.ndarray:
    """Return the errors at which dry friction holds each joint: friction over stiffness.

    Parameters
    ----------
    friction : (n,) ndarray
        Dry friction of the joints, with stiction [N m or N].
    stiffness : (n,) ndarray
        Stiffness [N m/rad or N/m]: p, or M_ii p under computed torque.

    Returns
    -------
    (n,) ndarray
        Errors [rad or m]; infinite where friction meets no stiffness, 0 without friction.
    """
    errors = np.zeros(len(friction))
    with np.errstate(divide='ignore'):
        np.divide(friction, stiffness, out=errors, where=friction > 0.0)
    return errors
