"""All steps in turn: recording -> filter -> regressor -> least squares -> possible bodies."""
from dataclasses import dataclass

import numpy as np

from robodyn_ros.identification import signals
from robodyn_ros.identification.base_parameters import BaseParameters, base_parameters
from robodyn_ros.identification.consistency import Consistent, consistent
from robodyn_ros.identification.least_squares import Estimate, fit
from robodyn_ros.identification.parameters import Parameters

SLOW = 0.05  # share of its greatest speed below which a joint may stick


@dataclass(frozen=True, eq=False)
class Identification:
    """What a recording tells about a robot.

    parameters, base, estimate, consistent : see their classes; consistent is None where not asked
    for. time (k,) [s], measured, predicted, nominal : (k, nv) [N m or N] torques of the filtered
    samples: as recorded, of the estimate, of the robot as it was described. used : (k, nv)
    booleans, the equations that counted.
    """

    parameters: Parameters
    base: BaseParameters
    estimate: Estimate
    consistent: Consistent
    time: np.ndarray
    measured: np.ndarray
    used: np.ndarray
    predicted: np.ndarray
    nominal: np.ndarray

    @property
    def nominal_values(self):
        """(b,) the base parameters of the robot as it was described."""
        return self.base.combination @ self.parameters.nominal

    def robot(self):
        """The Robot with the possible parameters nearest to the estimate."""
        return self.parameters.applied(self.consistent.theta)

    def rms(self):
        """{'estimate' or 'nominal': (nv,) root of the mean square error of the torque}."""
        return {name: np.sqrt(np.mean((values - self.measured)**2, axis=0, where=self.used))
                for name, values in (('estimate', self.predicted), ('nominal', self.nominal))}


def identify(robot, recording, cutoff=10.0, rotors=False, friction=True, weighted=True,
             trust=1.0, seed=0):
    """The Identification of a robot from a Recording.

    cutoff [Hz] of the filter: some five times the highest frequency of the motion. rotors,
    friction : whether rotor inertias, and viscous and Coulomb friction, are sought. weighted : see
    least_squares.fit. trust : see consistency.consistent; None leaves that step out.

    Raises ShapeError, ParameterError or SingularityError with a sentence on what the recording
    lacks.
    """
    parameters = Parameters(robot, rotors, friction)
    base = base_parameters(parameters, seed=seed)
    W, tau, used, time = equations(parameters, base, recording, cutoff)
    estimate = fit(W, tau, base.names, used, weighted)
    found = None if trust is None else consistent(parameters, base, estimate, trust)
    return Identification(parameters, base, estimate, found, time, tau, used,
                          W @ estimate.values, W @ (base.combination @ parameters.nominal))


def equations(parameters, base, recording, cutoff):
    """(W_b (k, nv, b), tau (k, nv), used (k, nv), time (k,)) of a recording, filtered alike and
    thinned out.

    The torque of rotors that are no parameters is taken off. Where Coulomb friction is sought, the
    equation of a joint that hardly moves is not used: sticking is no function of its speed.
    """
    rate = recording.rate
    states = signals.differentiated(recording.q, rate, cutoff)
    keep = signals.thinned(rate, cutoff, len(recording.q))
    W = signals.lowpass(parameters.regressor(*states)[:, :, base.kept], rate, cutoff)
    tau = signals.lowpass(recording.tau - parameters.known_torque(states[2]), rate, cutoff)
    slow = SLOW if 'friction' in parameters.of_joint else -1.0
    used = signals.steady(states[1], rate, cutoff, slow)
    return W[keep], tau[keep], used[keep], recording.time[keep]
