# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Operational-space control: its equation, what it leaves alone, what it does where J is lost."""

import numpy as np
import pytest
from test_passivity_and_adaptive import frictionless

from robodyn_ros import Robot
from robodyn_ros.control import TERMS
from robodyn_ros.control.laws.computed_torque import ComputedTorque, friction_torque
from robodyn_ros.control.laws.operational_space import (
    AXES,
    DAMPING,
    HEAVIEST,
    JOINT_SHARE,
    LENGTH,
    SPEED,
    STIFFNESS,
    OperationalSpace,
)
from robodyn_ros.control.laws.singularity_handling import fading_inertia, kept_share
from robodyn_ros.control.laws.specialised_law import specialised_kernels
from robodyn_ros.control.reference.task_reference import (
    ACCELERATION,
    ARRIVED,
    ERROR,
    FORCE,
    MOMENT,
    POSITION,
    QUATERNION,
    SPIN,
    SPIN_RATE,
    TURN,
    VELOCITY,
)
from robodyn_ros.errors import RobodynError, UnknownNameError
from robodyn_ros.simulation import Plant, PlantSettings
from support.robots.families import FAMILIES, states
from support.supervised import FRANKA, PERIOD, TWO_LINK, arm

UR = arm('ur_like')
CHAINS = [FAMILIES[name].robot for name in ('skew_chain', 'sliding_chain', 'aligned_chain')]
ROBOTS = [FRANKA, UR, *CHAINS]
BENT = {
    'franka_like': [0.1, -0.4, 0.2, -2.0, 0.1, 1.6, 0.8],
    'ur_like': [0.3, -1.0, 1.2, -1.2, -1.4, 0.2],
}

by_robot = pytest.mark.parametrize('robot', ROBOTS, ids=lambda robot: robot.name)


def tip(robot):
    """Return the name of the end effector: the flange of an arm, a welded tool of a chain."""
    return 'flange' if 'flange' in robot.frames else robot.model.body_names[-1]


def exact(robot):
    """Return the law that gives nothing up, so that it is the textbook's."""
    law = OperationalSpace(robot, tip(robot))
    law.values[HEAVIEST] = 1e6
    law.fastest.fill(np.inf)
    return law


def situation(robot, seed=0):
    """Return a law whose end effector is on the move, with q, qd, reference, gains."""
    rng = np.random.default_rng(seed)
    q, qd, _ = states(robot, 1, seed)[0]
    law = exact(robot)
    law.values[STIFFNESS:DAMPING] = rng.uniform(50.0, 500.0, 6)
    law.values[DAMPING:AXES] = rng.uniform(5.0, 50.0, 6)
    law.values[SPEED : SPEED + 2] = 100.0  # no error is held back
    law.reset(q, qd)
    state = law.task.state
    state[:QUATERNION, :3] += rng.uniform(-0.1, 0.1, 3)
    turned = state[QUATERNION] + rng.uniform(-0.2, 0.2, 4)
    state[QUATERNION] = turned / np.linalg.norm(turned)
    state[VELOCITY:ARRIVED, :3] = rng.normal(size=(6, 3))
    reference = np.array([q, qd, np.zeros(robot.nv)]) + rng.uniform(-0.5, 0.5, (3, robot.nv))
    return law, q, qd, reference, rng.uniform(1.0, 100.0, (2, robot.nv))


def task(law, q, qd):
    """Return J, Jdot qd, and the acceleration that the end effector is to have."""
    robot, frame, state, values = law.robot, law.task.end_effector, law.task.state, law.values
    J = robot.jacobian(q, frame)
    velocity = np.r_[state[VELOCITY, :3], state[SPIN, :3]]
    error = np.r_[law.task.measured[ERROR, :3], law.task.measured[TURN, :3]]
    wanted = (
        np.r_[state[ACCELERATION, :3], state[SPIN_RATE, :3]]
        + values[DAMPING:AXES] * (velocity - J @ qd)
        + values[STIFFNESS:DAMPING] * error
    )
    return J, robot.jacobian_bias(q, qd, frame), wanted


def torques(law, *arguments):
    """Return the terms by name."""
    terms = np.zeros((len(TERMS), law.robot.nv))
    assert not law.torques(*arguments, terms)
    return dict(zip(TERMS, terms))


def exactness(compliance):
    """Return the rounding that an inverse of this matrix magnifies, relative; 1e-12 at least."""
    return max(1e-12, 100.0 * np.finfo(float).eps * np.linalg.cond(compliance))


# ------------------------------------------------------------------------ the equation


@by_robot
def test_torque_is_that_of_the_books(robot):
    """J^T Lambda (x'' - Jdot qd) + N^T M a + C qd + g + J^T f, dense (Khatib 1987; Jain 10.9)."""
    law, q, qd, reference, gains = situation(robot)
    terms = torques(law, q, qd, reference, gains)
    J, bias, wanted = task(law, q, qd)
    M = robot.mass_matrix(q)
    compliance = J @ np.linalg.solve(M, J.T)
    inertia = np.linalg.inv(compliance)
    null = np.eye(robot.nv) - J.T @ inertia @ J @ np.linalg.inv(M)
    posture = reference[2] + gains[0] * (reference[0] - q) + gains[1] * (reference[1] - qd)
    force = np.r_[law.task.state[FORCE, :3], law.task.state[MOMENT, :3]]
    expected = (
        J.T @ (inertia @ (wanted - bias) + force) + null @ M @ posture + robot.bias_torque(q, qd)
    )
    got = sum(terms.values()) - terms['friction']
    scale = np.abs(J.T).max() * np.abs(inertia @ wanted).max() + np.abs(M @ posture).max()
    assert np.abs(got - expected).max() <= exactness(compliance) * scale
    assert np.allclose(terms['other'], J.T @ force, rtol=1e-12, atol=1e-12 * scale)
    assert np.allclose(terms['gravity'], robot.gravity_torque(q), rtol=1e-12, atol=1e-12)


@by_robot
@pytest.mark.parametrize('seed', range(4))
def test_the_end_effector_accelerates_as_wanted(robot, seed):
    """Forward dynamics, independent of the law, show it; without friction, free to move."""
    law, q, qd, reference, gains = situation(robot, seed)
    law.task.state[FORCE:ARRIVED] = 0.0
    terms = torques(law, q, qd, reference, gains)
    J, bias, wanted = task(law, q, qd)
    qdd = robot.forward_dynamics(q, qd, sum(terms.values()) - terms['friction'])
    compliance = J @ np.linalg.solve(robot.mass_matrix(q), J.T)
    assert law.task.shares.min() == 1.0
    error = np.abs(J @ qdd + bias - wanted).max()
    assert error <= exactness(compliance) * (np.abs(wanted).max() + np.abs(J @ qdd).max())


@by_robot
def test_null_space_torque_does_not_move_the_end_effector(robot):
    """J M^-1 (change of torque) = 0 for any change of posture: dynamic consistency."""
    law, q, qd, reference, gains = situation(robot)
    before = sum(torques(law, q, qd, reference, gains).values())
    moved = reference + np.random.default_rng(5).normal(size=reference.shape)
    gains_after = 3.0 * gains
    terms = torques(law, q, qd, moved, gains_after)
    base = torques(law, q, qd, reference, gains)
    change = sum(terms.values()) - terms['friction'] - before + base['friction']
    J = robot.jacobian(q, law.task.end_effector)
    M = robot.mass_matrix(q)
    acceleration = J @ np.linalg.solve(M, change)
    posture = np.linalg.norm(gains_after) * np.linalg.norm(moved)
    scale = np.abs(J).max() * posture
    assert np.abs(acceleration).max() <= 1e-10 * scale
    if robot.nv > 6:
        assert np.abs(change).max() > 1.0, 'the posture did nothing'


@pytest.mark.parametrize('axes', [(1, 1, 1, 0, 0, 0), (0, 0, 1, 1, 1, 0), (0, 1, 0, 0, 0, 0)])
@pytest.mark.parametrize('robot', [FRANKA, UR], ids=lambda robot: robot.name)
def test_axes_left_out_belong_to_the_posture(robot, axes):
    """Kept axes accelerate as commanded. M (qdd - a) does no work on free motions: qdd is nearest
    in the metric of M."""
    law, q, qd, reference, gains = situation(robot)
    law.task.state[FORCE:ARRIVED] = 0.0
    law.values[AXES : AXES + 6] = axes
    terms = torques(law, q, qd, reference, gains)
    J, bias, wanted = task(law, q, qd)
    kept = np.flatnonzero(axes)
    qdd = robot.forward_dynamics(q, qd, sum(terms.values()) - terms['friction'])
    scale = np.abs(wanted).max() + np.abs(J @ qdd).max()
    assert np.abs((J @ qdd + bias - wanted)[kept]).max() <= 1e-9 * scale
    posture = reference[2] + gains[0] * (reference[0] - q) + gains[1] * (reference[1] - qd)
    pull = robot.mass_matrix(q) @ (qdd - posture)
    part = J[kept].T @ np.linalg.lstsq(J[kept].T, pull, rcond=None)[0]
    assert np.abs(pull - part).max() <= 1e-9 * np.abs(pull).max()
    assert sorted(law.task.shares)[: 6 - len(kept)] == [0.0] * (6 - len(kept))


def test_without_axes_it_is_computed_torque():
    """Nothing is left of the end effector: the posture gets all of the arm."""
    law, q, qd, reference, gains = situation(FRANKA)
    law.task.state[FORCE:ARRIVED] = 0.0
    law.values[AXES : AXES + 6] = 0.0
    other = torques(ComputedTorque(FRANKA), q, qd, reference, gains)
    for name, torque in torques(law, q, qd, reference, gains).items():
        if name == 'coriolis' or name == 'gravity':
            assert np.allclose(torque, other[name], rtol=1e-10, atol=1e-10), name
    total = sum(torques(law, q, qd, reference, gains).values())
    assert np.allclose(total, sum(other.values()), rtol=1e-10, atol=1e-9)


def test_friction_is_that_of_the_joints_that_carry_the_end_effector():
    """Qd_r = qd_0 + Jbar (v_r - J qd_0), the dynamically consistent inverse."""
    law, q, qd, reference, gains = situation(FRANKA)
    friction = torques(law, q, qd, reference, gains)['friction']
    J = FRANKA.jacobian(q, 'flange')
    consistent = FRANKA.operational_space_inertia(q, 'flange').consistent_inverse
    velocity = np.r_[law.task.state[VELOCITY, :3], law.task.state[SPIN, :3]]
    rate = reference[1] + consistent @ (velocity - J @ reference[1])
    expected = np.zeros(7)
    friction_torque(FRANKA.model.topology, FRANKA.model.constants, q, rate, expected)
    assert np.allclose(friction, expected, rtol=1e-9, atol=1e-9)


def test_error_is_a_linear_oscillator():
    """Simulated, critically damped at 20 rad/s: e(t) = e(0) (1 + 20 t) exp(-20 t)."""
    robot = frictionless(FRANKA)
    q = np.array(BENT['franka_like'])
    law = OperationalSpace(robot, 'flange')
    plant = Plant(robot, PlantSettings(integrator='rk4', no_command='free'), q)
    law.reset(q, plant.qd)
    offset = np.array([0.004, -0.003, 0.005])
    law.task.target[0, :3] += offset
    law.task.state[0, :3] += offset
    reference = np.array([q, np.zeros(7), np.zeros(7)])
    gains, terms = np.array([[100.0] * 7, [20.0] * 7]), np.zeros((len(TERMS), 7))
    for k in range(300):
        law.torques(plant.q, plant.qd, reference, gains, terms)
        t = k * PERIOD
        expected = offset * (1.0 + 20.0 * t) * np.exp(-20.0 * t)
        # a torque is held for a period: the loop lags by half of one
        assert np.abs(law.task.measured[ERROR, :3] - expected).max() < 0.02 * np.abs(offset).max()
        assert np.abs(law.task.measured[TURN, :3]).max() < 1e-4
        plant.step(terms.sum(axis=0), PERIOD)
    assert np.abs(law.task.measured[ERROR, :3]).max() < 0.02 * np.abs(offset).max()


def test_the_end_effector_returns_within_its_velocity_limit():
    """Kp e is that of a distance at which Kd times the velocity limit balances it."""
    law, q, qd, reference, gains = situation(FRANKA)
    still = np.zeros(7)
    law.values[:AXES] = [400.0] * 6 + [40.0] * 6
    law.values[SPEED] = 0.25
    law.reset(q, still)
    gains[:] = 0.0
    reference[1:] = 0.0
    forces = []
    for distance in (0.02, 0.025, 0.1, 1.0):
        law.task.state[0, :3] = FRANKA.pose(q, 'flange')[:3, 3] + [0.0, 0.0, distance]
        terms = torques(law, q, still, reference, gains)
        forces.append(np.linalg.norm(terms['feedback']))
    assert forces[1] == pytest.approx(1.25 * forces[0])
    assert forces[2] == pytest.approx(forces[1]) and forces[3] == pytest.approx(forces[1])


# ------------------------------------------------------------------------ where J is lost


def yielded(A, weights=np.ones(6), heaviest=50.0):
    """Return F and the shares of a compliance."""
    work, vectors, F, shares = np.empty((6, 6)), np.empty((6, 6)), np.empty((6, 6)), np.empty(6)
    fading_inertia(A, weights, heaviest, work, vectors, F, shares)
    return F, shares


def test_yielding_inertia_is_a_function_of_the_matrix():
    """The same as by numpy's eigenvectors; Lambda where the end effector is light enough."""
    rng = np.random.default_rng(2)
    V = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    values = np.array([2.0, 0.5, 0.02, 0.012, 1e-3, 0.0])
    F, shares = yielded(V * values @ V.T)
    # in a flat part of w, eps of the largest eigenvalue is 1e-13 of the threshold
    expected = [1.0, 1.0, 1.0] + [kept_share(50.0 * value) for value in values[3:]]
    assert np.allclose(sorted(shares), sorted(expected), atol=1e-12)
    masses = [0.5, 2.0, 50.0, expected[3] / 0.012, expected[4] / 1e-3, 0.0]
    assert np.allclose(F, V * masses @ V.T, atol=1e-11)
    assert np.linalg.eigvalsh(F).max() <= 1.4 * 50.0
    S = np.array([1.0, 0.0, 1.0, 0.1, 0.1, 0.0])
    kept = np.flatnonzero(S)
    A = V * [2.0, 0.5, 0.4, 0.3, 1.0, 1.5] @ V.T
    F, _ = yielded(A, S, 1e6)
    assert np.allclose(F[np.ix_(kept, kept)] @ A[np.ix_(kept, kept)], np.eye(4), atol=1e-12)
    assert not F[1].any() and not F[:, 5].any()


def test_share_has_two_continuous_derivatives():
    """Of w and of w / x at 1, where the polynomial meets 1 and 1 / x; zero at zero."""
    h = 1e-4
    for f in (kept_share, lambda x: kept_share(x) / x):
        left, at, right = f(1.0 - h), f(1.0), f(1.0 + h)
        outer = 2.0 if f is not kept_share else 0.0
        assert at == 1.0
        slope = -1.0 if outer else 0.0
        # one-sided differences; h^2 and h times a third derivative of at most 30
        assert (right - at) / h == pytest.approx(slope, abs=3e-4)
        assert (at - left) / h == pytest.approx(slope, abs=3e-4)
        assert (left - 2.0 * at + right) / h**2 == pytest.approx(outer, abs=5e-3)
    assert kept_share(0.0) == 0.0 and kept_share(1e-9) < 1e-17
    assert np.isnan(kept_share(np.nan))


def through(count):
    """Return torques on a way of the joints through alignment of wrist and stretched elbow.

    The commanded accelerations of end effector and joints are constant.
    """
    law = OperationalSpace(UR, 'flange')
    wanted = np.array([1.0, -2.0, 1.5, 2.0, -3.0, 2.5])
    gains, found, least = np.zeros((2, 6)), [], []
    for s in np.linspace(-1.0, 1.0, count):
        q = np.array([0.3, -1.2, 0.4 * s, -0.9, 0.8 * s, 0.4])
        law.reset(q, np.zeros(6))
        law.task.state[ACCELERATION, :3], law.task.state[SPIN_RATE, :3] = wanted[:3], wanted[3:]
        terms = torques(law, q, np.zeros(6), np.array([q, 0.0 * q, 0.1 + 0.0 * q]), gains)
        found.append(sum(terms.values()))
        least.append(law.task.shares.min())
    return np.array(found), np.array(least)


def test_torque_is_continuous_through_singular_postures():
    """Half the step, half the change: a jump would not shrink. Bounded and finite throughout."""
    (coarse, shares), (fine, _) = through(1001), through(2001)
    steps = [np.abs(np.diff(torque, axis=0)).max() for torque in (coarse, fine)]
    assert steps[0] / steps[1] == pytest.approx(2.0, rel=0.05)
    assert np.isfinite(fine).all() and np.abs(fine).max() < 150.0
    assert shares.min() < 1e-15 and shares.max() == 1.0
    # without yielding the same way asks for thousands of newton metres
    J = UR.jacobian(np.array([0.3, -1.2, 0.4e-3, -0.9, 0.8e-3, 0.4]), 'flange')
    assert np.linalg.cond(J) > 1e3


def test_lost_direction_belongs_to_the_posture():
    """At a stretched elbow the end effector accelerates as commanded where it can; nothing is
    NaN."""
    law = OperationalSpace(UR, 'flange')
    law.values[HEAVIEST] = 1e4
    q, qd = np.array([0.3, -1.2, 0.0, -0.9, 0.7, 0.4]), np.zeros(6)
    law.reset(q, qd)
    law.task.state[ACCELERATION, :3] = 1.0, -2.0, 1.5
    reference = np.array([q, qd, np.full(6, 0.3)])
    terms = torques(law, q, qd, reference, np.zeros((2, 6)))
    qdd = UR.forward_dynamics(q, qd, sum(terms.values()) - terms['friction'])
    J, length = UR.jacobian(q, 'flange'), law.values[LENGTH]
    lost = np.linalg.svd(J)[0][:, 5]
    assert np.linalg.svd(J)[1][5] < 1e-12 and law.task.shares.min() < 1e-12
    missing = np.r_[law.task.state[ACCELERATION, :3], np.zeros(3)] - J @ qdd
    # what is missing lies along the lost direction, in the scaled axes of the law
    scaled = np.r_[missing[:3], length * missing[3:]]
    direction = np.r_[lost[:3], lost[3:] / length]
    direction /= np.linalg.norm(direction)
    assert np.linalg.norm(scaled - direction * (direction @ scaled)) < 1e-9
    assert np.abs(scaled).max() > 0.1


def test_reference_slows_down_before_a_joint_is_too_fast():
    """The joints that carry it may turn at half of their limits: the elbow nearly stretched."""
    law, still = OperationalSpace(UR, 'flange'), np.zeros(6)
    q = np.array([0.3, -1.2, 0.3, -0.9, 1.2, 0.4])
    law.values[HEAVIEST] = 1e4
    law.reset(q, still)
    inward = -UR.pose(q, 'flange')[:3, 3] * [1.0, 1.0, 0.0]
    law.task.target[POSITION, :3] += 0.3 * inward
    terms, fastest = np.zeros((len(TERMS), 6)), 0.0
    law.task.elapsed = PERIOD
    for _ in range(2000):
        # as if the end effector were not moving: the posture stays nearly stretched
        law.torques(q, still, np.array([q, still, still]), np.zeros((2, 6)), terms)
        state = law.task.state
        consistent = UR.operational_space_inertia(q, 'flange').consistent_inverse
        rate = consistent @ np.r_[state[VELOCITY, :3], state[SPIN, :3]]
        fastest = max(fastest, np.abs(rate / UR.limits.velocity).max())
    assert law.task.shares.min() == 1.0
    assert fastest == pytest.approx(JOINT_SHARE, rel=0.01)
    assert np.linalg.norm(law.task.state[VELOCITY, :3]) < 0.8 * law.values[SPEED]


def test_not_a_number_shows():
    """A NaN is not swallowed on the way: the supervisor has to see it."""
    assert not np.isfinite(yielded(np.full((6, 6), np.nan))[0]).any()


# ------------------------------------------------------------------------ what it is made of


def test_the_frame_of_the_end_effector_is_the_option_or_the_last_joint():
    """By name; by default the last link; the base and unknown names are refused."""
    assert OperationalSpace(FRANKA).task.end_effector == FRANKA.model.body_names[-1]
    law = OperationalSpace(FRANKA, 'tool0')
    q = np.array(BENT['franka_like'])
    law.reset(q, np.zeros(7))
    assert np.allclose(law.task.state[0, :3], FRANKA.pose(q, 'tool0')[:3, 3], atol=1e-15)
    with pytest.raises(UnknownNameError, match="no frame 'nose'; valid: base_link"):
        OperationalSpace(FRANKA, 'nose')
    with pytest.raises(RobodynError, match="got 'base_link', which does not move"):
        OperationalSpace(FRANKA, 'base_link')


def test_values_are_those_of_the_parameters():
    """One after the other, in their order; the constants of the kernel say where."""
    law, at = OperationalSpace(FRANKA), 0
    places = {
        'stiffness': STIFFNESS,
        'damping': DAMPING,
        'axes': AXES,
        'heaviest': HEAVIEST,
        'velocity': SPEED,
    }
    for parameter in law.parameters:
        size = len(parameter.defaults)
        assert places.get(parameter.name, at) == at
        assert law.values[at : at + size].tolist() == list(parameter.defaults)
        at += size
    assert at == law.values.size == 29


def test_a_massless_end_effector_is_a_status():
    """A singular pivot is the body's number, which the supervisor turns into a FAULT."""
    constants = FRANKA.model.constants.copy()
    constants[-1, 12:23] = 0.0
    law = OperationalSpace(Robot(FRANKA.model.with_constants(constants)))
    q = np.array(BENT['franka_like'])
    law.reset(q, np.zeros(7))
    terms = np.zeros((len(TERMS), 7))
    assert law.torques(q, np.zeros(7), np.zeros((3, 7)), np.zeros((2, 7)), terms) == 7


def test_law_over_the_code_of_one_robot():
    """The same numbers, with an end effector of two joints, four of whose six axes cannot be
    had."""
    found = specialised_kernels(TWO_LINK.model, OperationalSpace)
    laws = generic, special = OperationalSpace(TWO_LINK), OperationalSpace(TWO_LINK)
    special.replace_kernels(found)
    assert special._torques is not generic._torques
    q, qd, terms = np.array([0.4, -0.7]), np.array([0.2, -0.1]), np.zeros((2, len(TERMS), 2))
    for law in laws:
        law.reset(q, qd)
        law.task.target[POSITION, :3] += 0.1, 0.0, -0.1
        law.task.elapsed = PERIOD
    for _ in range(200):
        for law, each in zip(laws, terms):
            assert law.torques(q, qd, np.zeros((3, 2)), np.ones((2, 2)), each) == 0
        # rounding, which a reference two hundred cycles long hands on
        assert np.allclose(terms[0], terms[1], rtol=1e-9, atol=1e-9)
    assert np.abs(generic.task.state[VELOCITY]).max() > 0.01
    assert np.sum(generic.task.shares < 1e-9) >= 4
