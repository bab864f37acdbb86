# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""All steps: recording -> filter -> regressor -> least squares -> consistent bodies."""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.identification import signals
from robodyn_ros.identification.base_parameters import BaseParameters, base_parameters
from robodyn_ros.identification.consistency import Consistent, consistent
from robodyn_ros.identification.inertial_parameters import Parameters
from robodyn_ros.identification.least_squares import Doubt, Estimate, fit_doubtless

SLOW = 0.05  # share of its largest speed below which a joint may stick


@dataclass(frozen=True, eq=False)
class Identification:
    """Result of an identification.

    Parameters
    ----------
    parameters : Parameters
        Parameters of the robot.
    base : BaseParameters
        Base parameters that the recorded motion determines.
    doubts : tuple of Doubt
        Uncertain base parameters. They are left out, and keep their values of the description.
    estimate : Estimate
        Least-squares estimate of the base parameters.
    consistent : Consistent or None
        Nearest consistent bodies; None if not requested.
    time : (k,) ndarray
        Times of the filtered samples [s].
    measured : (k, nv) ndarray
        Recorded torques [N m or N].
    used : (k, nv) ndarray of bool
        Equations in use.
    predicted, nominal : (k, nv) ndarray
        Torques of the estimate, and of the robot as described [N m or N].
    """

    parameters: Parameters
    base: BaseParameters
    doubts: tuple[Doubt, ...]
    estimate: Estimate
    consistent: Consistent
    time: np.ndarray
    measured: np.ndarray
    used: np.ndarray
    predicted: np.ndarray
    nominal: np.ndarray

    @property
    def nominal_values(self):
        """Return the base parameters (b,) of the robot as described."""
        return self.base.combination @ self.parameters.nominal

    def robot(self):
        """Return the Robot with the consistent parameters nearest to the estimate."""
        return self.parameters.applied(self.consistent.theta)

    def rms(self):
        """Return {'estimate' or 'nominal': (nv,) root mean square error of the torque}."""
        return {
            name: np.sqrt(np.mean((values - self.measured) ** 2, axis=0, where=self.used))
            for name, values in (('estimate', self.predicted), ('nominal', self.nominal))
        }


def identify(
    robot, recording, cutoff=10.0, rotors=False, friction=True, weighted=True, trust=1.0, seed=0
):
    """Identify the parameters of a robot from a recording.

    Parameters
    ----------
    robot : Robot
        The robot as described.
    recording : Recording
        A recorded motion.
    cutoff : float
        Cutoff of the filter [Hz]: some five times the highest frequency of the motion.
    rotors, friction : bool
        Whether rotor inertias, and viscous and Coulomb friction, are identified.
    weighted : bool
        Whether each joint has a separate noise level; see `fit`.
    trust : float or None
        Weight of the description; see `consistent`. None skips this step.
    seed : int
        Seed of the search for base parameters.

    Returns
    -------
    Identification

    Raises
    ------
    ShapeError, ParameterError, SingularityError
        If the recording is not sufficient; the message says why.
    """
    parameters = Parameters(robot, rotors, friction)
    base = base_parameters(parameters, seed=seed)
    W, tau, used, time = equations(parameters, base, recording, cutoff)
    nominal = base.combination @ parameters.nominal
    sizes = np.maximum(
        np.linalg.norm(base.combination * parameters.sizes, axis=1), np.abs(nominal)
    )
    estimate, places, doubts = fit_doubtless(W, tau, base.names, sizes, nominal, used, weighted)
    base, values = base.chosen(places), nominal.copy()
    values[places] = estimate.values
    found = None if trust is None else consistent(parameters, base, estimate, trust)
    return Identification(
        parameters, base, doubts, estimate, found, time, tau, used, W @ values, W @ nominal
    )


def equations(parameters, base, recording, cutoff):
    """Return the equations W_b beta = tau of a recording, filtered.

    Both sides have the same filter and decimation. The torque of rotors that are not identified is
    subtracted. With Coulomb friction, equations of nearly resting joints are not used. Friction of
    a sticking joint is not a function of its speed.

    Parameters
    ----------
    parameters : Parameters
        Parameters of the robot.
    base : BaseParameters
        Its base parameters.
    recording : Recording
        A recorded motion.
    cutoff : float
        Cutoff of the filter [Hz].

    Returns
    -------
    tuple of four ndarray
        W_b (k, nv, b), tau (k, nv) [N m or N], whether an equation is used (k, nv), and the times
        (k,) [s].
    """
    rate = recording.rate
    states = signals.differentiated(recording.q, rate, cutoff)
    keep = signals.thinned(rate, cutoff, len(recording.q))
    W = signals.lowpass(parameters.regressor(*states)[:, :, base.kept], rate, cutoff)
    tau = signals.lowpass(recording.tau - parameters.known_torque(states[2]), rate, cutoff)
    slow = SLOW if 'friction' in parameters.of_joint else -1.0
    used = signals.steady(states[1], rate, cutoff, slow)
    return W[keep], tau[keep], used[keep], recording.time[keep]
