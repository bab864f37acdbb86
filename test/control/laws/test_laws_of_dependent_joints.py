# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Laws on robots whose joints depend on others: closed loops, a mimic joint, exact rotors.

What the laws promise is seen in the motion, by forward dynamics without friction.
"""

import numpy as np
import pytest
from test_operational_space_law import task, torques
from test_passivity_and_adaptive import PARAMETERS, reference_motion, terms_of

from robodyn_ros import Robot
from robodyn_ros.control.laws.adaptive import AdaptiveComputedTorque
from robodyn_ros.control.laws.operational_space import (
    AXES,
    DAMPING,
    HEAVIEST,
    SPEED,
    STIFFNESS,
    OperationalSpace,
)
from robodyn_ros.control.laws.passivity import Passivity
from robodyn_ros.control.reference.task_reference import FORCE, QUATERNION, VELOCITY
from robodyn_ros.model.layout import MASS
from support.compare import agree
from support.referees.learning import gradient
from support.robots.families import GRAVITY
from support.robots.geared_arm import ARM, ROTORS
from support.robots.mechanisms import gripper, palletizer
from support.supervised import PERIOD

#: Each with its end effector, and the axes in which that can move at will.
ROBOTS = {
    'palletizer': (palletizer().robot(), 'plate', (1, 1, 1, 0, 0, 0)),
    'gripper': (gripper().robot(), 'left_finger', (1, 0, 0, 0, 0, 0)),
    'exact rotors': (
        Robot.from_description(ARM, gravity=GRAVITY, rotors=ROTORS),
        'link5',
        (1, 1, 1, 0, 0, 0),
    ),
}
NEAR = 1e-10


@pytest.fixture(params=ROBOTS)
def case(request):
    """A robot that moves and lags behind, and its end effector with axes."""
    robot, *effector = ROBOTS[request.param]
    rng, model = np.random.default_rng(9), robot.model
    reach = 0.2 if model.has_loops else 1.0
    q = (model.closed_posture if model.has_loops else 0.0) + rng.uniform(-reach, reach, robot.nv)
    qd = rng.uniform(-1.5, 1.5, robot.nv)
    reference = np.array([q, qd, 0.0 * q]) + rng.uniform(-0.5, 0.5, (3, robot.nv))
    return robot, effector, (q, qd, reference, rng.uniform(1.0, 20.0, (2, robot.nv)))


@pytest.mark.parametrize('law', [Passivity, AdaptiveComputedTorque], ids=lambda law: law.name)
def test_energy_of_the_error_falls_as_the_gain_takes_it(case, law):
    """d/dt (r' M r / 2) = -r' Kd r, with dM/dt by differences of fourth order."""
    robot, _, state = case
    q, qd, _, gains = state
    terms = terms_of(law(robot), *state)
    _, a, r = reference_motion(*state)
    qdd = robot.forward_dynamics(q, qd, sum(terms.values()) - terms['friction'])
    h = 1e-4
    near, far = (
        (robot.mass_matrix(q + x * qd) - robot.mass_matrix(q - x * qd)) / (2.0 * x)
        for x in (h, 2.0 * h)
    )
    M, rate = robot.mass_matrix(q), (4.0 * near - far) / 3.0
    power = r @ M @ (qdd - a) + 0.5 * r @ rate @ r
    size = np.abs(r) @ np.abs(M) @ np.abs(qdd - a)
    agree(power, -r @ (gains[1] * r), size, 1e-9)


def test_learning_is_the_gradient(case):
    """learnt = -T Gamma Y^T r after one period; Y by adding a unit to every constant.

    But no mass becomes negative, as that of a rotor without one.
    """
    robot, _, state = case
    q, qd, _, _ = state
    law = AdaptiveComputedTorque(robot)
    law.period, law.values = PERIOD, np.array([1e-6, 0.0, 1e6, 0.4])
    terms_of(law, *state)
    v, a, r = reference_motion(*state)
    expected = -PERIOD * 1e-6 * gradient(robot, law.learnt.shape, (q, qd), (v, a, r))
    expected[:, 0] = np.maximum(expected[:, 0], -robot.model.constants[1:, MASS])
    agree(law.learnt, expected, tolerance=1e-8)
    assert (np.abs(expected).max(axis=1) > 0.0).all()  # every body teaches something


def test_what_is_learnt_acts_as_a_part_of_the_model(case):
    """The terms with `learnt` add up to those of the robot whose constants are the sum."""
    robot, _, state = case
    law = AdaptiveComputedTorque(robot)
    law.learnt[:] = np.random.default_rng(5).uniform(0.0, 0.1, law.learnt.shape)
    constants = robot.model.constants.copy()
    constants[1:, PARAMETERS] += law.learnt
    truth = Passivity(Robot(robot.model.with_constants(constants)))
    got, expected = (sum(terms_of(each, *state).values()) for each in (law, truth))
    agree(got, expected, tolerance=NEAR)


def test_the_end_effector_accelerates_as_wanted(case):
    """In the axes in which it can, while joints of its loops or rotors go with it."""
    robot, (frame, axes), (q, qd, reference, gains) = case
    law, rng = OperationalSpace(robot, frame), np.random.default_rng(4)
    law.values[HEAVIEST] = 1e6
    law.fastest.fill(np.inf)
    law.values[STIFFNESS:DAMPING], law.values[DAMPING:AXES] = 80.0, 9.0
    law.values[AXES : AXES + 6], law.values[SPEED : SPEED + 2] = axes, 100.0
    law.reset(q, qd)
    law.task.state[:QUATERNION, :3] += rng.uniform(-0.1, 0.1, 3)
    law.task.state[VELOCITY:FORCE, :3] = rng.normal(size=(FORCE - VELOCITY, 3))
    terms = torques(law, q, qd, reference, gains)
    J, bias, wanted = task(law, q, qd)
    qdd = robot.forward_dynamics(q, qd, sum(terms.values()) - terms['friction'])
    kept = np.flatnonzero(axes)
    scale = np.abs(wanted).max() + np.abs(J @ qdd).max()
    agree((J @ qdd + bias)[kept], wanted[kept], scale, 1e-9)
