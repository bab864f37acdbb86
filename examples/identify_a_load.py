# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Identify a load: mass and centre of mass of an object in the tool, from one recorded motion.

    python examples/identify_a_load.py

Torques are linear in the ten inertial parameters of a body. The load adds Y_load theta to the
torque of the empty arm, so least squares on the difference gives theta.
"""

from pathlib import Path

import numpy as np

from robodyn_ros import Robot
from robodyn_ros.identification import Fourier

URDF = Path(__file__).resolve().parents[1] / 'config' / 'urdf' / 'franka_like.urdf'
MASS, COM = 1.8, np.array([0.02, -0.01, 0.08])  # [kg], [m] in axes of the flange
INERTIA = np.diag([0.006, 0.006, 0.003])  # [kg m^2] about the centre of mass
NOISE = 0.05  # [N m] standard deviation of torque sensors
PERIOD, SAMPLES = 10.0, 1000  # [s]


def main():
    """Print estimated and true values; return mass [kg] and centre of mass (3,) [m]."""
    robot = Robot.from_urdf(URDF)
    loaded = robot.with_payload('flange', MASS, COM, INERTIA)
    q, qd, qdd = motion(robot).at(np.linspace(0.0, PERIOD, SAMPLES))
    noise = np.random.default_rng(0).normal(scale=NOISE, size=q.shape)
    recorded = loaded.inverse_dynamics(q, qd, qdd) + noise

    last_body = robot.links.regressor(q, qd, qdd)[:, :, -10:]
    difference = recorded - robot.inverse_dynamics(q, qd, qdd)
    theta, *_ = np.linalg.lstsq(last_body.reshape(-1, 10), difference.ravel(), rcond=None)
    mass, com = theta[0], in_flange(robot, theta[1:4] / theta[0])
    print(f'mass            {mass:.3f} kg, in truth {MASS} kg')
    print(f'centre of mass  {np.round(com, 4)} m, in truth {COM} m')
    return mass, com


def motion(robot, harmonics=3):
    """Return a smooth periodic motion within the limits: sums of sines with different phases."""
    limits, rng = robot.limits, np.random.default_rng(1)
    coefficients = rng.normal(size=(2, robot.nv, harmonics)) * 0.08 * limits.velocity[:, None]
    return Fourier(0.5 * (limits.lower + limits.upper), *coefficients, PERIOD)


def in_flange(robot, point):
    """Return a point, given in axes of the last body, in axes of the flange; both move
    together."""
    placement = robot.model.frame('flange')
    return placement.rotation.T @ (point - placement.translation)


if __name__ == '__main__':
    main()
