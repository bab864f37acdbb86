# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Recordings of arms whose parameters are known, with noise from a seed."""

import numpy as np

from robodyn_ros.identification import Parameters, Recording, base_parameters, excite
from robodyn_ros.model.extended.joint_friction import JointFriction
from robodyn_ros.model.layout import DAMPING, FRICTION
from robodyn_ros.robot.robot import Robot
from robodyn_ros.simulation import Perturbation, perturbed


def motion_of(robot, period=6.0):
    """Return an exciting motion, that was not searched for long."""
    parameters = Parameters(robot)
    return excite(
        robot, base_parameters(parameters), parameters, period=period, trials=30, seed=1
    ).motion


def another(robot, damping=0.4, coulomb=0.8):
    """Return a robot with other masses, and more friction than its description."""
    model = perturbed(robot.model, Perturbation(mass=0.3, com=0.03, friction=0.5, seed=3))
    for column, value in ((DAMPING, damping), (FRICTION, coulomb)):
        model = model.with_joint_values(column, model.joint_values(column) + value)
    return Robot(model)


def with_stribeck(robot, stiction, velocity, coulomb=None):
    """Return a robot with Stribeck curves of all joints."""
    coulomb = robot.model.joint_values(FRICTION) if coulomb is None else coulomb
    return robot.extended.with_joint_friction(
        {
            name: JointFriction(coulomb=c, static=c + s, stribeck_velocity=velocity)
            for name, c, s in zip(robot.joint_names, coulomb, stiction)
        }
    )


def recorded(true, motion, noise=0.005, rate=200.0, periods=2, seed=0):
    """Return positions with noise of 2e-5, and efforts with noise as a share of the largest."""
    rng = np.random.default_rng(seed)
    states = motion.at(np.arange(0.0, periods * motion.period, 1.0 / rate))
    truth = Parameters(true, rotors=True)
    tau = truth.regressor(*states) @ truth.nominal
    tau = tau + noise * np.abs(tau).max(axis=0) * rng.normal(size=tau.shape)
    return Recording(rate, states[0] + 2e-5 * rng.normal(size=states[0].shape), tau)
