# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""All steps: recording -> filter -> regressor -> least squares -> consistent bodies."""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import ParameterError, ShapeError, SingularityError, short_repr
from robodyn_ros.identification.base_parameters import BaseParameters, base_parameters
from robodyn_ros.identification.coarse_defects import coarse_defects
from robodyn_ros.identification.consistency import Consistent, consistent
from robodyn_ros.identification.fine_defects import fine_defects
from robodyn_ros.identification.inertial_parameters import Parameters
from robodyn_ros.identification.least_squares import (
    Estimate,
    UnidentifiedParameter,
    fit_identifiable,
)
from robodyn_ros.identification.recorded_equations import equations
from robodyn_ros.identification.recording_defects import Defect, sample_defects
from robodyn_ros.identification.stribeck_velocity import StribeckVelocities, stribeck_velocities
from robodyn_ros.model.layout import STRIBECK_VELOCITY
from robodyn_ros.robot.robot import Robot


@dataclass(frozen=True, eq=False)
class Identification:
    """Result of an identification.

    Parameters
    ----------
    parameters : Parameters
        Parameters of the robot.
    base : BaseParameters
        Base parameters that the recorded motion determines.
    left_out : tuple of UnidentifiedParameter
        Base parameters that the motion does not determine. They keep their described values.
    stribeck : StribeckVelocities
        Stribeck velocities of the joints whose stiction is determined.
    estimate : Estimate
        Least-squares estimate of the base parameters.
    consistent : Consistent or None
        Nearest consistent bodies; None if not requested, or if a recording with defects has none.
    defects : tuple of Defect
        What the recording looks like, other than as it should; see `recording_defects`.
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
    left_out: tuple[UnidentifiedParameter, ...]
    stribeck: StribeckVelocities
    estimate: Estimate
    consistent: Consistent | None
    defects: tuple[Defect, ...]
    time: np.ndarray
    measured: np.ndarray
    used: np.ndarray
    predicted: np.ndarray
    nominal: np.ndarray

    __repr__ = short_repr

    @property
    def nominal_values(self):
        """Return the base parameters (b,) of the robot as described."""
        return self.base.combination @ self.parameters.nominal

    def robot(self):
        """Return the Robot with the consistent parameters nearest to the estimate.

        Raises
        ------
        SingularityError
            If no possible bodies are near the estimate, or none were asked for.
        """
        if self.consistent is None:
            wanted = 'a recording without them' if self.defects else 'identify(..., trust=1.0)'
            because = ', as the recording has defects' if self.defects else ''
            raise SingularityError(
                f'no possible bodies of robot {self.parameters.robot.name!r} are known{because}; '
                f'expected {wanted}'
            )
        velocities = self.parameters.robot.model.joint_values(STRIBECK_VELOCITY)
        velocities[self.stribeck.joints] = self.stribeck.velocities
        model = self.parameters.applied(self.consistent.theta).model
        return Robot(model.with_joint_values(STRIBECK_VELOCITY, velocities))

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
    if trust is not None and not 0.0 < trust < np.inf:
        raise ParameterError(f'trust is {trust}; expected a finite number above 0, or None')
    parameters = Parameters(robot, rotors, friction)
    base = base_parameters(parameters, seed=seed)
    found = equations(parameters, base, recording, cutoff)
    defects = _defects(parameters, base, recording, cutoff, found)
    try:
        return _identified(parameters, base, found, defects, weighted, trust)
    except (ShapeError, SingularityError) as error:
        if not defects:
            raise
        raise type(error)(' '.join((f'{error}.', *(each.sentence for each in defects)))) from None


def _identified(parameters, base, found, defects, weighted, trust):
    """Return the Identification from equations."""
    stribeck = stribeck_velocities(parameters, base, found)
    nominal = base.combination @ parameters.nominal
    sizes = np.maximum(
        np.linalg.norm(base.combination * parameters.sizes, axis=1), np.abs(nominal)
    )
    W, used, candidates = _with_curves(parameters, base, found, stribeck)
    others = np.setdiff1d(np.arange(len(base)), candidates)
    estimate, chosen, left_out = fit_identifiable(
        W[:, :, candidates],
        found.tau - W[:, :, others] @ nominal[others],
        [base.names[k] for k in candidates],
        sizes[candidates],
        nominal[candidates],
        used,
        weighted,
        stribeck.slopes[:, :, None] * np.eye(found.tau.shape[1])[:, stribeck.joints],
    )
    places, values = candidates[chosen], nominal.copy()
    values[places] = estimate.values
    chosen = base.chosen(places)
    return Identification(
        parameters,
        chosen,
        stribeck.left_out + left_out,
        stribeck,
        estimate,
        _nearest_bodies(parameters, chosen, estimate, trust, defects),
        defects,
        found.time,
        found.tau,
        used,
        W @ values,
        found.W @ nominal,
    )


def _nearest_bodies(parameters, base, estimate, trust, defects):
    """Return the Consistent bodies, or None; a recording with defects may have none."""
    if trust is None:
        return None
    try:
        return consistent(parameters, base, estimate, trust)
    except SingularityError:
        if not defects:
            raise
        return None


def _with_curves(parameters, base, found, stribeck):
    """Return W with the estimated Stribeck curves, the equations in use, and the candidates.

    Candidates are all base parameters but stictions that are not determined.
    """
    kept, stiction = base.kept.tolist(), parameters.joint_places('stiction')
    W, used = found.W.copy(), found.used.copy()
    candidates = set(range(len(kept)))
    for joint, k in stiction.items():
        if joint in stribeck.joints:
            W[:, joint, kept.index(k)] = stribeck.curves[:, joint]
            used[:, joint] = found.slow[:, joint]
        elif k in kept:
            candidates.remove(kept.index(k))
    return W, used, np.array(sorted(candidates))


def recording_defects(robot, recording, cutoff=10.0, rotors=False, friction=True, seed=0):
    """Return what a recording looks like, other than as it should.

    Parameters
    ----------
    robot, recording, cutoff, rotors, friction, seed
        As in `identify`.

    Returns
    -------
    tuple of Defect
        Empty for a good recording.
    """
    parameters = Parameters(robot, rotors, friction)
    base = base_parameters(parameters, seed=seed)
    found = equations(parameters, base, recording, cutoff)
    return _defects(parameters, base, recording, cutoff, found)


def _defects(parameters, base, recording, cutoff, found):
    """Return the defects of a recording with these equations."""
    robot = parameters.robot
    defects = list(sample_defects(robot.joint_names, recording, cutoff))
    enough = found.used.any(axis=0).all() and found.used.sum() > 2 * len(base)
    if defects or not enough:
        return tuple(defects)
    coarse, corrected = coarse_defects(robot, recording, cutoff)
    if coarse and corrected:
        found = equations(parameters, base, corrected, cutoff)
    if corrected:
        rotors = 'rotor' in parameters.of_joint
        coarse += fine_defects(robot.joint_names, corrected, found, rotors)
    return (*defects, *coarse)
