# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Draw doc/pictures/rotors.png: an arm whose controller has a model of its rotors, or none.

python -m tools.pages.rotor_picture

It needs matplotlib. Supervisor and simulated arm run in lock step, as both nodes do in the tests.
"""

from pathlib import Path

import numpy as np

from robodyn_ros import Robot
from robodyn_ros.control import Settings, Supervisor, Trajectory
from robodyn_ros.control.laws.computed_torque import ComputedTorque
from robodyn_ros.model.rotors import REFLECTED, Rotor
from robodyn_ros.simulation import Plant, PlantSettings

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / 'doc' / 'pictures' / 'rotors.png'
ARM = ROOT / 'config' / 'urdf' / 'ur_like.urdf'
JOINTS = Robot.from_urdf(ARM).joint_names
INERTIA = (1.0, 1.0, 0.8, 0.1, 0.1, 0.1)  # [kg m^2] at the joints
AMPLITUDE, RATE = 0.4, np.pi  # [rad], [rad/s]
STIFFNESS, DAMPING = 100.0, 20.0  # [1/s^2], [1/s]
PERIOD = 1e-3  # [s]
START, END = 2.0, 5.0  # [s] of the evaluated part of the motion


def wanted(t):
    """Return positions, velocities and accelerations of sines out of phase, (3, 6)."""
    angle = RATE * t + 0.7 * np.arange(6)
    return AMPLITUDE * np.array((np.sin(angle), RATE * np.cos(angle), -(RATE**2) * np.sin(angle)))


def points():
    """Return times (k,), and positions, velocities and accelerations (3, k, 6) of the motion.

    It begins and ends with a second of transition from and to rest, with four seconds of sines
    between.
    """
    rest = np.zeros((2, 6))
    times = 1.0 + 0.04 * np.arange(101)
    states = [[wanted(0.0)[0], *rest], *map(wanted, times), [wanted(5.5)[0], *rest]]
    return np.array([0.0, *times, 6.0]), np.swapaxes(states, 0, 1)


def errors(knows):
    """Return times (k,) and tracking errors (k, 6) [rad] of an arm with rotors.

    Parameters
    ----------
    knows : bool
        Whether the model of the controller has the rotors.
    """
    rotors = {joint: Rotor(inertia) for joint, inertia in zip(JOINTS, INERTIA)}
    arm = Robot.from_urdf(ARM, rotors=rotors, rotor_model=REFLECTED)
    robot, far = arm if knows else Robot.from_urdf(ARM), np.full(6, 1e4)
    settings = Settings(
        period=PERIOD,
        gains=[[STIFFNESS] * 6, [DAMPING] * 6],
        effort_limits=far,  # no limit acts, so that the error is that of the model alone
        effort_rate=1e6 * np.ones(6),
        velocity_limits=far,
        lower=-far,
        upper=far,
        following_action='warn',  # the error is what is shown
    )
    supervisor = Supervisor(robot, ComputedTorque(robot), settings)
    plant = Plant(arm, PlantSettings(integrator='semi_implicit_euler'), wanted(0.0)[0])
    times, found = PERIOD * np.arange(round(END / PERIOD)), []
    for step, t in enumerate(times):
        now = 10.0 + t
        supervisor.measure(plant.q, plant.qd, now)
        if step == 0:
            refused = supervisor.activate(now)
            assert not refused, refused
            supervisor.tick(now)
            at, states = points()
            refused = supervisor.follow(Trajectory(at, *states), now)
            assert not refused, refused
        supervisor.tick(now)
        found.append(supervisor.reference[0] - plant.q)
        plant.step(supervisor.command, PERIOD)
    return times, np.array(found)


def worst(knows):
    """Return the largest error of any joint after the transition [rad]."""
    times, found = errors(knows)
    return float(np.abs(found[times > START]).max())


def main():
    """Draw the picture."""
    import matplotlib

    matplotlib.use('Agg')
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 3.6))
    for knows, title in ((False, 'rotors unknown'), (True, 'rotors known')):
        times, found = errors(knows)
        axes.semilogy(times, np.abs(found).max(axis=1), label=title)
    axes.set(xlabel='time [s]', ylabel='largest error [rad]', ylim=(1e-5, 3.0))
    axes.legend()
    figure.tight_layout()
    figure.savefig(PICTURE, dpi=100)


if __name__ == '__main__':
    main()
