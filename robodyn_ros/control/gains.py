# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gains of control laws: those that are missing, those for a bandwidth, and friction at rest."""

import numpy as np

from robodyn_ros.control.laws.law import ControlLaw
from robodyn_ros.model.layout import FRICTION, STICTION

SAMPLES = 1000  # postures
TOLERABLE = 0.05  # [rad or m] errors by friction above it are a warning
KINDS = (('p', 'nothing holds them at their reference'), ('d', 'nothing damps their motion'))


def joints_without_gains(joint_names, gains, law: type[ControlLaw] | ControlLaw) -> list[str]:
    """Return a sentence for each kind of gain that the law has, and that is 0 for a joint.

    `joint_names` (sequence of str): names of the n joints.
    `gains` (2, n): position and velocity gains.
    `law`: the law, or its class.
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

    `inertia`: the largest M_ii of each joint [kg m^2 or kg].
    `bandwidth`: natural frequency w [rad/s].
    """
    return np.array([inertia * bandwidth**2, 2.0 * inertia * bandwidth])


def inertia_range(robot, seed=0):
    """Return the smallest and largest M_ii of each joint (2, n) at random postures in the ranges.

    `seed`: of the postures.
    Returns None for robots with quaternions, dependent joints, or links without inertia.
    """
    if robot.nq != robot.nv or robot.model.is_embedded or robot.model.dynamics_fault:
        return None
    q = np.random.default_rng(seed).uniform(*robot.model.ranges, (SAMPLES, robot.nq))
    inertia = np.diagonal(robot.mass_matrix(q), axis1=1, axis2=2)
    return np.array([inertia.min(axis=0), inertia.max(axis=0)])


def dry_friction(robot):
    """Return the dry friction of the joints with stiction (n,) [N m or N]."""
    return robot.model.joint_values(FRICTION) + robot.model.joint_values(STICTION)


def friction_error(friction: np.ndarray, stiffness: np.ndarray) -> np.ndarray:
    """Return the errors at which dry friction holds each joint: friction over stiffness.

    `friction`: dry friction of the joints, with stiction [N m or N].
    `stiffness`: stiffness [N m/rad or N/m]: p, or M_ii p under computed torque.
    Returns errors [rad or m]; infinite where friction meets no stiffness, 0 without friction.
    """
    errors = np.zeros(len(friction))
    with np.errstate(divide='ignore'):
        np.divide(friction, stiffness, out=errors, where=friction > 0.0)
    return errors


def stiffer(gain: float, error: float) -> float:
    """Return the multiple of a gain under which friction leaves TOLERABLE at most.

    `error`: what friction leaves under it [rad or m].
    """
    return float(np.ceil(error / TOLERABLE)) * gain


def held_by_friction(robot, inertia, gains, law: type[ControlLaw] | ControlLaw) -> list[str]:
    """Return a sentence about the joints that friction holds far from their references, or none.

    Laws that do not hold every joint by its own gain have no such error, and give none.

    `inertia` ((2, n) ndarray or None): its `inertia_range`.
    `gains` (2, n): position and velocity gains; joints without a position gain are told
      elsewhere.
    `law`: the law, or its class.
    """
    unit, p = law.gain_unit[0], gains[0]
    if inertia is None or not unit or law.task is not None or law.undriven is not None:
        return []
    errors = friction_error(dry_friction(robot), inertia[0] * p if unit == '1/s^2' else p)
    held = [
        f'{name} {error:.3g} (p = {stiffer(gain, error):g} leaves {TOLERABLE:g})'
        for name, error, gain in zip(robot.joint_names, errors, p)
        if gain and error > TOLERABLE
    ]
    return held and [
        f"Dry friction may hold joints from their references under the gains 'gains.<joint>.p' "
        f'[{unit}]: {", ".join(held)}.'
    ]
