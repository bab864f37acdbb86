# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The filtered equations W_b beta = tau of a recording, and which of them are used."""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import short_repr
from robodyn_ros.identification import signals
from robodyn_ros.model.extended.joint_friction import friction_parts
from robodyn_ros.model.layout import STICTION, STRIBECK_VELOCITY

SLOW = 0.05  # share of its largest speed below which a joint may stick
RESOLVED = 5.0  # standard deviations of a velocity that has a sign
CREEPING = 0.15  # share of the Stribeck velocity below which a joint may stick


@dataclass(frozen=True, eq=False)
class Equations:
    """Equations of a recording: both sides have the same filter and decimation.

    `W`: regressor of the base parameters.
    `tau`: measured efforts, without known torques [N m or N].
    `used`: equations in use. Friction of a sticking joint is not a function of its speed.
    `slow`: equations in use for joints with a Stribeck curve: all with a speed that has a sign.
    `time`: times [s].
    `states`: positions, velocities and accelerations of all samples.
    `rate`, `cutoff`: rate of the samples, and cutoff of the filter [Hz].
    """

    W: np.ndarray
    tau: np.ndarray
    used: np.ndarray
    slow: np.ndarray
    time: np.ndarray
    states: tuple
    rate: float
    cutoff: float

    __repr__ = short_repr

    def filtered(self, columns):
        """Return columns (m, ...) of all samples with the filter and decimation: (k, ...)."""
        keep = signals.thinned(self.rate, self.cutoff, len(columns))
        return signals.lowpass(columns, self.rate, self.cutoff)[keep]

    def stiction(self, model, velocities):
        """Return the torque (k, nv) per unit of stiction for other Stribeck velocities.

        `velocities` ((nv,) array_like): the Stribeck velocities [rad/s or m/s].
        """
        model = model.with_joint_values(STRIBECK_VELOCITY, velocities)
        return self.filtered(friction_parts(model, *self.states[:2])[STICTION])


def equations(parameters, base, recording, cutoff):
    """Return the Equations of a recording.

    The torque of rotors that are not identified is subtracted. With Coulomb friction, equations of
    nearly resting joints are not used.

    `parameters` (Parameters): parameters of the robot.
    `base` (BaseParameters): its base parameters.
    `recording` (Recording): a recorded motion.
    """
    rate = recording.rate
    states = signals.differentiated(recording.q, rate, cutoff)
    keep = signals.thinned(rate, cutoff, len(recording.q))
    W = signals.lowpass(parameters.regressor(*states)[:, :, base.kept], rate, cutoff)[keep]
    tau = signals.lowpass(recording.tau - parameters.known_torque(states[2]), rate, cutoff)[keep]
    rubbing = 'friction' in parameters.of_joint
    used = signals.steady(states[1], rate, cutoff, slowest(states[1]) if rubbing else -1.0)
    slow = np.maximum(
        RESOLVED * signals.velocity_noise(recording.q, rate, cutoff),
        CREEPING * parameters.robot.model.joint_values(STRIBECK_VELOCITY),
    )
    slow = signals.steady(states[1], rate, cutoff, slow)
    return Equations(W, tau, used[keep], slow[keep], recording.time[keep], states, rate, cutoff)


def slowest(qd):
    """Return the speeds (nv,) below which joints without a Stribeck curve may stick."""
    return SLOW * np.abs(qd).max(axis=0)
