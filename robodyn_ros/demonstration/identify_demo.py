# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Move an arm that differs from its description along a motion, and record it."""

import numpy as np

from robodyn_ros.identification import Fourier, Parameters, resampled
from robodyn_ros.model.extended.joint_friction import friction_of
from robodyn_ros.robot.robot import Robot
from robodyn_ros.simulation import (
    Perturbation,
    Plant,
    PlantSettings,
    Sensor,
    SensorSettings,
    perturbed,
)

RATE = 1000  # [Hz] of the simulation and of the recording
FREQUENCY = 30.0  # [rad/s] of the computed-torque law, critically damped
REST = 0.5  # [s] at rest before the motion
POSITION_NOISE = 2e-5  # [rad or m] a few encoder counts
EFFORT_NOISE = 0.01  # share of the greatest effort of each joint
DIFFERENCE = Perturbation(mass=0.3, com=0.03, friction=0.5, seed=7)


def true_robot(robot):
    """Return the simulated robot, which differs from its description.

    Masses, centres of mass and friction differ.

    `robot` (Robot): the described robot.
    """
    return Robot(perturbed(robot.model, DIFFERENCE))


def record(true, nominal, motion, periods=2, seed=0):
    """Simulate a robot under a law with the nominal model, and return the noisy recording.

    The law is tau = M (qdd_r + 2 w ed + w^2 e) + C qd + g + friction of the nominal model.
    Positions have the noise of encoders, efforts that of torque sensors. The motors hold an effort
    for one period. A measured effort is the mean of one period around its position.

    `true` (Robot): the simulated robot.
    `nominal` (Robot): the described robot.
    `motion` (Fourier): the reference.
    `periods`: number of periods of the motion.
    `seed`: seed of the noise.
    Returns the recording.
    """
    centre = motion.at(np.zeros(1))[0][0]
    plant = Plant(true, PlantSettings(), position=centre)
    sensor = Sensor(true.nv, SensorSettings(position_noise=POSITION_NOISE, seed=seed))
    count = int((REST + periods * motion.period) * RATE)
    t = np.arange(count) / RATE
    wanted = motion.at(np.maximum(t - REST, 0.0))
    friction = friction_of(nominal.model, wanted[0], wanted[1])
    q, tau = np.empty((count, true.nv)), np.empty((count, true.nv))
    limit = np.where(np.isfinite(true.limits.effort), true.limits.effort, np.inf)
    for k in range(count):
        sensor.sample_and_deliver(plant.q, plant.qd)
        q[k] = sensor.position
        acceleration = (
            wanted[2][k]
            + 2.0 * FREQUENCY * (wanted[1][k] - plant.qd)
            + FREQUENCY**2 * (wanted[0][k] - plant.q)
        )
        effort = nominal.inverse_dynamics(plant.q, plant.qd, acceleration) + friction[k]
        plant.step(np.clip(effort, -limit, limit), 1.0 / RATE)
        tau[k] = plant.effort  # from k to k + 1
    tau[1:] = 0.5 * (tau[1:] + tau[:-1])
    noise = np.random.default_rng(seed + 1).normal(size=tau.shape)
    return resampled(t, q, tau + EFFORT_NOISE * np.abs(tau).max(axis=0) * noise)


def verdict(true, found, period):
    """Yield sentences that compare the identified parameters with the true ones.

    `true` (Robot): the simulated robot.
    `period`: period of another motion, for the comparison of torques [s].
    """
    numbers = parameter_errors(true, found, period)
    yield (
        'The simulated arm was not as described: base parameters off by '
        f'{100.0 * numbers["described"]:.2g} %, identified to '
        f'{100.0 * numbers["identified"]:.2g} % (norm of all of them).'
    )
    yield (
        'Torque error on another motion, share of the root mean square torque: as described '
        f'{100.0 * numbers["torque described"]:.2g} %, as identified '
        f'{100.0 * numbers["torque identified"]:.2g} %.'
    )
    yield (
        f'Farthest from the truth: {numbers["farthest"]:.2g} standard deviations; '
        f'{numbers["within"]} of {len(found.base)} base parameters within 3.'
    )


def parameter_errors(true, found, period):
    """Return the errors of an identification with known truth.

    `true` (Robot): the simulated robot.
    `period`: period of another motion, for the comparison of torques [s].
    Returns {name: number}. Errors are relative, 'farthest' is in standard deviations.
    """
    rotors = 'rotor' in found.parameters.of_joint
    friction = 'friction' in found.parameters.of_joint
    truth = Parameters(true, rotors, friction)
    values = found.base.combination @ truth.nominal
    away = np.abs(found.estimate.values - values) / found.estimate.deviations
    harmonics = np.random.default_rng(11).normal(size=(2, true.nv, 3))
    lower, upper = np.maximum(true.limits.lower, -np.pi), np.minimum(true.limits.upper, np.pi)
    other = Fourier(0.5 * (lower + upper), *(0.3 * harmonics), period)
    states = other.at(np.linspace(0.0, period, 200))
    tau = truth.regressor(*states) @ truth.nominal
    size = np.linalg.norm(values)
    return {
        'described': np.linalg.norm(found.nominal_values - values) / size,
        'identified': np.linalg.norm(found.consistent.values - values) / size,
        'torque described': _ratio(truth.regressor(*states) @ found.parameters.nominal, tau),
        'torque identified': _ratio(truth.regressor(*states) @ found.consistent.theta, tau),
        'farthest': away.max(),
        'within': int((away < 3.0).sum()),
    }


def _ratio(tau, expected):
    """Return the root mean square error of torques as a share of their root mean square."""
    return np.sqrt(np.mean((tau - expected) ** 2) / np.mean(expected**2))
