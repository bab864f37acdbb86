# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The operational-space law dissipates energy while its target rests, also at singular postures.

Let Kp, Kd of the end effector and p, d of the joints be equal for all axes and joints. Then small
motions obey M qdd = -K dq - D qd with

    D = Kd J^T F J + d (M - J^T F J),     K = Kp J^T F J + p (M - J^T F J).

All parts are symmetric and not negative, since F A F <= F, so that kinetic energy plus that of
both springs never grows. Where F changes with the posture, terms of third order join.
"""

import numpy as np
import pytest
from test_passivity_and_adaptive import frictionless

from robodyn_ros.control import TERMS
from robodyn_ros.control.laws.operational_space import (
    AXES,
    DAMPING,
    HEAVIEST,
    STIFFNESS,
    OperationalSpace,
)
from robodyn_ros.control.reference.task_reference import ERROR, POSITION, TURN
from robodyn_ros.simulation import Plant, PlantSettings
from support.robots.singular_postures import singular_posture
from support.supervised import FRANKA, PERIOD, arm

pytestmark = pytest.mark.sensitive

UR = arm('ur_like')
KP, KD, P, D = 400.0, 40.0, 100.0, 20.0
#: Heaviest end effector [kg]: yielding as it is by default, and practically never.
YIELDS = pytest.mark.parametrize('heaviest', [None, 1e6], ids=['damped', 'undamped'])
by_robot = pytest.mark.parametrize('robot', [FRANKA, UR], ids=lambda robot: robot.name)


def law_of(robot, heaviest=None):
    """Return the law with gains that are the same for all axes, and limits that are far away."""
    law = OperationalSpace(robot, 'flange')
    law.values[STIFFNESS:DAMPING], law.values[DAMPING:AXES] = KP, KD
    if heaviest:
        law.values[HEAVIEST] = heaviest
    law.fastest.fill(1e9)
    return law


def postures(robot, count=6):
    """Yield postures at, near and far from a singular one."""
    rng = np.random.default_rng(7)
    for _ in range(count):
        singular = singular_posture(robot, rng)
        for distance in (0.0, 1e-6, 1e-3, 0.03, 0.1, 0.5):
            yield singular + distance * rng.normal(size=robot.nv), rng


def rounding_of_inertia(law, q):
    """Return the relative error that sums of six leave in F, the inverse of A with bounds.

    An error u |A| of A becomes u |A| |F| of F, and |F| is bounded by the heaviest end effector.
    """
    J = law.robot.jacobian(q, 'flange')
    A = np.linalg.eigvalsh(J @ np.linalg.solve(law.robot.mass_matrix(q), J.T))
    largest = min(1.0 / max(A[0], np.finfo(float).tiny), 3.0 * law.values[HEAVIEST])
    return max(6.0 * np.finfo(float).eps * A[-1] * largest, 1e-12)


def feedback(law, q, qd, posture, gains):
    """Return the feedback term at q, qd for a posture (nv,)."""
    terms = np.zeros((len(TERMS), law.robot.nv))
    assert not law.torques(q, qd, np.array([posture, 0.0 * q, 0.0 * q]), gains, terms)
    return terms[0]


@by_robot
@YIELDS
def test_damping_takes_power_from_every_motion(robot, heaviest):
    """qd . tau = -(Kd v F v + d qd (M - J^T F J) qd), neither part of it above zero."""
    law = law_of(robot, heaviest)
    gains, none = np.array([[0.0] * robot.nv, [D] * robot.nv]), np.zeros((2, robot.nv))
    for q, rng in postures(robot):
        law.reset(q, 0.0 * q)
        motions = [rng.normal(size=robot.nv), *np.linalg.svd(robot.jacobian(q, 'flange'))[2]]
        for qd in motions:  # at random, along what the end effector can and along what it cannot
            kinetic = qd @ robot.mass_matrix(q) @ qd
            power, of_task = (qd @ feedback(law, q, qd, q, each) for each in (gains, none))
            # M - J^T F J cancels to nothing along what the end effector takes
            rounding = rounding_of_inertia(law, q) * (KD + D) * kinetic
            assert of_task <= rounding and power - of_task <= rounding, (q, qd)
            assert power <= -0.999 * min(D, KD) * kinetic


@by_robot
@YIELDS
def test_springs_have_an_energy(robot, heaviest):
    """K is symmetric and not negative: no way around a loop gains anything from it."""
    law = law_of(robot, heaviest)
    gains, still = np.array([[P] * robot.nv, [0.0] * robot.nv]), np.zeros(robot.nv)
    h = 1e-6
    for q, _ in postures(robot):
        law.values[STIFFNESS:DAMPING] = 0.0
        law.reset(q, still)
        K = -np.array([feedback(law, q, still, q - step, gains) for step in h * np.eye(robot.nv)])
        law.values[STIFFNESS:DAMPING] = KP
        J = robot.jacobian(q, 'flange')
        for k in range(robot.nv):
            law.reset(q, still)
            law.task.state[POSITION, :3] -= h * J[:3, k]
            turn = -0.5 * h * J[3:, k]
            state = law.task.state[1]
            x, y, z, w = state
            state[:] += [
                turn[0] * w + turn[1] * z - turn[2] * y,
                turn[1] * w + turn[2] * x - turn[0] * z,
                turn[2] * w + turn[0] * y - turn[1] * x,
                -turn @ state[:3],
            ]
            K[k] -= feedback(law, q, still, q, 0.0 * gains)
        K /= h
        size = np.abs(K).max()
        # a turn of h is one to h^2, and a difference of h is one to eps / h
        assert np.abs(K - K.T).max() <= 1e-5 * size
        assert np.linalg.eigvalsh(0.5 * (K + K.T)).min() >= -1e-5 * size


def energies(robot, q, amplitude, posture, heaviest=None, steps=1500):
    """Return kinetic plus spring energy over time, let go a small distance from the target."""
    robot = frictionless(robot)
    law, plant = (
        law_of(robot, heaviest),
        Plant(robot, PlantSettings(integrator='rk4', no_command='free'), q),
    )
    law.reset(q, plant.qd)
    rng = np.random.default_rng(3)
    law.task.state[POSITION, :3] += amplitude * rng.normal(size=3)
    rest = q + (amplitude * rng.normal(size=robot.nv) if posture else 0.0)
    gains = np.array([[P if posture else 0.0] * robot.nv, [D] * robot.nv])
    terms, found = np.zeros((len(TERMS), robot.nv)), []
    for _ in range(steps):
        law.torques(plant.q, plant.qd, np.array([rest, 0.0 * q, 0.0 * q]), gains, terms)
        J, M = robot.jacobian(plant.q, 'flange'), robot.mass_matrix(plant.q)
        F = law._arrays[10]
        e = np.ravel(law.task.measured[ERROR : TURN + 1, :3])
        d = rest - plant.q
        found.append(
            0.5
            * (plant.qd @ M @ plant.qd + KP * e @ F @ e + gains[0, 0] * d @ (M - J.T @ F @ J) @ d)
        )
        plant.step(terms.sum(axis=0), PERIOD)
    return np.array(found), law


@by_robot
@pytest.mark.parametrize('posture', [False, True], ids=['task', 'task and posture'])
def test_energy_goes_out_of_an_arm_let_go_at_a_singular_posture(robot, posture):
    """Energy falls. A rise above any earlier energy is of third order, so it vanishes beside the
    energy of small motions.
    """
    rng = np.random.default_rng(5)
    for _ in range(2):
        q = singular_posture(robot, rng) + 0.02 * rng.normal(size=robot.nv)
        rises = []
        for amplitude in (2e-3, 2e-4, 2e-5):
            energy, law = energies(robot, q, amplitude, posture)
            assert law.task.shares.min() < 0.9
            rises.append((energy - np.minimum.accumulate(energy)).max() / energy[0])
            # what the end effector has lost it gets slowly, in seconds
            assert energy[-1] < 0.95 * energy[0]
        assert rises[0] < 0.05 and rises[2] < 1e-3, rises
