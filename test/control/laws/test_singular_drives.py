# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Circles of an end effector through singular postures, under the supervisor.

The arm cannot follow most of them. Of the random drives on the page of operational space these are
among the fastest of each kind.
"""

import re

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.control.laws.operational_space import LENGTH, OperationalSpace
from robodyn_ros.spatial.turning import turn_between, turn_by
from support import examples
from support.robots.singular_postures import singular_posture
from support.supervised import CONFIG

example = examples.load('move_an_end_effector')
REST = 5.0  # [s] at the end of a drive, for the end effector to return
#: Arm, the joints that are straight, letters of the kind's name, and seed.
CASES = {
    'wrist': ('ur_like', (4,), 5, 0),
    'elbow': ('ur_like', (2,), 5, 1),
    'shoulder': ('ur_like', (), 8, 2),
    'seven joints': ('franka_like', None, 3, 2),
}


def circle(name):
    """Return an arm without joint friction, and a circle through a singular pose and back."""
    arm, straight, letters, seed = CASES[name]
    text = (CONFIG / f'{arm}.urdf').read_text()
    robot = Robot.from_urdf(re.sub('<dynamics[^>]*/>', '', text))
    rng = np.random.default_rng((seed, 2, letters))
    singular = singular_posture(robot, rng, straight)
    across = rng.uniform(0.1, 0.4, robot.nv) * rng.choice((-1.0, 1.0), robot.nv) * 0.3
    moving = float(rng.choice((2.0, 4.0, 6.0)))
    start, middle = (robot.pose(q, 'flange') for q in (singular - across, singular))
    chord = middle[:3, 3] - start[:3, 3]
    side = np.cross(chord, rng.normal(size=3))
    side *= 0.5 * np.linalg.norm(chord) / np.linalg.norm(side)
    still = example.quaternion(start)
    turn = np.array(turn_between(example.quaternion(middle), still))

    def pose(t):
        phi = 2.0 * np.pi * example.rise(t / moving)[0]
        along = 0.5 - 0.5 * np.cos(phi)
        return (
            start[:3, 3] + along * chord + np.sin(phi) * side,
            np.array(turn_by(along * turn, still)),
        )

    def twist(t):
        s, ds, _ = example.rise(t / moving)
        phi, rate = 2.0 * np.pi * s, 2.0 * np.pi * ds / moving
        along, beside = 0.5 * rate * np.sin(phi), rate * np.cos(phi)
        return np.concatenate((along * chord + beside * side, along * turn))

    return robot, example.Drive(singular - across, moving + REST, pose, twist), singular


@pytest.mark.slow
@pytest.mark.parametrize('name', CASES)
def test_end_effector_comes_back_and_nothing_races(name):
    """Within a millimetre of its target in five seconds, without a joint or a guard at a limit."""
    robot, drive, _ = circle(name)
    found, limits = example.run(robot, drive), robot.limits
    error = found.error + OperationalSpace(robot, 'flange').values[LENGTH] * found.rotation
    assert found.shares.min() < 0.5, 'not near a singular posture'
    assert np.abs(found.qd / limits.velocity).max() < 1.0 and found.rate < example.EFFORT_RATE
    assert error[-1] < 1e-3
    assert np.all((found.q > limits.lower) & (found.q < limits.upper))
    assert found.limited == found.faults == 0


@pytest.mark.parametrize('name', CASES)
def test_drives_are_what_they_say(name):
    """Twists are the derivatives of poses, ends are at rest; the postures are singular."""
    robot, drive, singular = circle(name)
    assert np.linalg.svd(robot.jacobian(singular, 'flange'))[1][-1] < 1e-6
    check_drive(robot, drive, drive.duration - REST)


@pytest.mark.parametrize('name', ['figure eight', 'wrist alignment'])
def test_drives_of_the_example_are_what_they_say(name):
    arm, drive = example.DRIVES[name]
    robot = Robot.from_urdf(CONFIG / f'{arm}.urdf')
    drive = drive(robot)
    check_drive(robot, drive, drive.duration)


def check_drive(robot, drive, moving, h=1e-5):
    for t in np.linspace(0.05, 0.95, 7) * moving:
        slope = (drive.pose(t + h)[0] - drive.pose(t - h)[0]) / (2.0 * h)
        assert np.abs(drive.twist(t)[:3] - slope).max() < 1e-7
    for t in (0.0, moving):
        assert np.abs(drive.twist(t)).max() < 1e-12
    start = robot.pose(drive.start, 'flange')[:3, 3]
    assert np.abs(drive.pose(0.0)[0] - start).max() < 1e-12
