# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closures over all joints of a tree that a plant closes and opens, by the augmented route.

Referees are the same mechanism over independent coordinates, and the dense system of the tree.
"""

from dataclasses import replace

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.errors import ParameterError, SingularityError, UnknownNameError
from robodyn_ros.model.contacts import Contacts, Obstacle, sphere
from robodyn_ros.model.dependent.closures import Closure
from robodyn_ros.model.description import Limit
from robodyn_ros.simulation import GraspingPlant, Plant, PlantSettings
from support.compare import agree
from support.referees.loop_gaps import loop_gap_rates, loop_gaps
from support.robots.closed_loops import (
    GRAVITY,
    at,
    body,
    four_bar,
    joint,
    pinned_twice,
    several_four_bars,
    two_arms,
)

FREE = PlantSettings(no_command='free')
EULER = PlantSettings(no_command='free', integrator='semi_implicit_euler')
RK4 = PlantSettings(no_command='free', integrator='rk4')
WEIGHTLESS = (0.0, 0.0, 0.0)
DT_SHORT = 1e-3  # [s]
CLOSED = 1e-12  # [m or rad] of a loop after any step: rounding of its positions
HANDS = Closure('left', 'left5', 'bar', 'weld'), Closure('right', 'right5', 'bar', 'weld')


def tree_of(mechanism, gravity=GRAVITY):
    """Return the robot whose loops are open."""
    return Robot.from_description(mechanism.description, gravity=gravity)


def of_tree(robot, tree, values):
    """Return values of all joints in the order of the tree."""
    found = dict(zip(robot.all_joint_names, values))
    return np.array([found[name] for name in tree.joint_names])


def plant_of(mechanism, rates=0.0, gravity=GRAVITY, settings=FREE, **options):
    """Return a plant with the state of the mechanism over independent coordinates."""
    robot, tree = mechanism.robot(gravity=gravity), tree_of(mechanism, gravity)
    qd = np.full(robot.nv, rates)
    theta, velocity, _ = robot.expand(robot.model.closed_posture, qd)
    start = (of_tree(robot, tree, each) for each in (theta, velocity))
    return GraspingPlant(tree, mechanism.closures, settings, *start, **options)


def two_arms_and_a_bar():
    """Return two arms, and a bar that floats between their hands."""
    arms = two_arms()
    description = replace(
        arms.description,
        links=(*arms.description.links, body('bar', 1.5, 0.4)),
        joints=(*arms.description.joints, joint('bar', 'base', 'bar', at(), 'floating')),
    )
    joints = [each.name for each in description.joints]
    robot = Robot.from_description(description, joints=joints, gravity=GRAVITY)
    q = robot.configuration.neutral()
    for name, place in arms.near.items():
        q[robot.position_names.index(name)] = place
    hands = [robot.pose(q, f'{side}5')[:3, 3] for side in ('left', 'right')]
    for k, axis in enumerate('xyz'):
        q[robot.position_names.index(f'bar.{axis}')] = np.mean(hands, axis=0)[k]
    return robot, q


def weld_rows(robot, q, hand):
    """Return the rows of a weld of hand and bar, in base axes at the origin of the bar."""
    lever = robot.pose(q, 'bar')[:3, 3] - robot.pose(q, hand)[:3, 3]
    across = np.cross(np.eye(3), lever)  # rows e_k x r
    J = robot.jacobian(q, hand)
    J[:3] += across.T @ J[3:]
    return robot.jacobian(q, 'bar') - J


@pytest.mark.parametrize('mechanism', [four_bar(), two_arms()], ids=['four-bar', 'two arms'])
@pytest.mark.parametrize(
    ('settings', 'steps', 'order', 'bound'),
    [(EULER, (1e-3, 5e-4, 2.5e-4), 1, 0.02), (RK4, (1e-2, 5e-3, 2.5e-3), 4, 1e-5)],
    ids=['euler', 'rk4'],
)
def test_it_moves_as_over_independent_coordinates(mechanism, settings, steps, order, bound):
    """Half the step divides the distance to the exact motion by 2^order; no loop opens."""
    exact = Plant(
        mechanism.robot(),
        PlantSettings(no_command='free', integrator='dop853'),
        mechanism.robot().model.closed_posture,
        np.full(mechanism.freedoms, 0.4),
    )
    for _ in range(40):
        exact.step(None, 5e-3)
    errors = []
    for dt in steps:
        plant = plant_of(mechanism, 0.4, settings=settings)
        while plant.t < 0.2 - 1e-9:
            plant.step(None, dt)
            assert plant.gap < CLOSED
        robot = Robot(exact.model)
        expected = of_tree(robot, Robot(plant.model), robot.expand(exact.q)[0])
        errors.append(np.abs(plant.q - expected).max())
    for k in range(2):
        assert 0.9 * 2**order < errors[k] / errors[k + 1] < 1.1 * 2**order
    assert errors[0] < bound


@pytest.mark.parametrize(
    ('settings', 'drift'), [(EULER, 0.012), (RK4, 1e-7)], ids=['euler', 'rk4']
)
def test_loops_stay_closed_and_energy_drifts_less_than_by_projection(settings, drift):
    """Twenty seconds of a turning crank, and the energy of the first four.

    By Euler steps it is within 0.8 % there. A projection of free steps alone, without velocities
    that lead to closed loops, loses 2.5 %. Runge-Kutta steps have an error of order 4.
    """
    mechanism = several_four_bars(1, further=0)
    plant = plant_of(mechanism, 4.0, gravity=WEIGHTLESS, settings=settings)
    robot, names = Robot(plant.model), plant.model.joint_names
    begin, worst = robot.energy(plant.q, plant.qd)[0], 0.0
    for k in range(20_000):
        plant.step(None, 1e-3)
        assert plant.gap < CLOSED
        if k < 4000:
            worst = max(worst, abs(robot.energy(plant.q, plant.qd)[0] / begin - 1.0))
        if k % 1000 == 0:
            q, qd = (dict(zip(names, each)) for each in (plant.q, plant.qd))
            assert np.abs(loop_gaps(mechanism, q)).max() < CLOSED
            assert np.abs(loop_gap_rates(mechanism, q, qd)).max() < 1e-9  # of its difference
    assert worst < drift and plant.q[names.index('crank0')] > 20.0


def test_redundant_closures_change_nothing():
    """A second pin on the same axis; to rounding, since both have the same accelerations."""
    mechanism = pinned_twice()
    twice = plant_of(mechanism, 0.5)
    once = plant_of(replace(mechanism, closures=mechanism.closures[:2]), 0.5)
    assert len(twice.closures) == 3 and len(once.closures) == 2
    for _ in range(300):
        for plant in (once, twice):
            plant.step()
        assert twice.gap < CLOSED
    agree(twice.q, once.q, tolerance=1e-9)
    assert np.abs(once.qd).max() > 0.1


def test_two_arms_grasp_a_floating_bar_carry_it_and_release_it():
    """The grasp is the smallest impulse, by the dense system; a released bar is on its own."""
    robot, q = two_arms_and_a_bar()
    rng = np.random.default_rng(4)
    idle, before = np.zeros(robot.nv), rng.uniform(-0.5, 0.5, robot.nv)
    plant = GraspingPlant(robot, HANDS, FREE, q, before, active=())
    alone = Plant(robot, FREE, q, before)
    for _ in range(20):
        for each in (plant, alone):
            each.step(idle)
    np.testing.assert_array_equal(plant.q, alone.q)
    q, before = plant.q.copy(), plant.qd.copy()
    plant.grasp('left', 'right')
    assert plant.active == ('left', 'right')
    agree(plant.q, q)  # frames close where they are
    J = np.vstack([weld_rows(robot, q, hand) for hand in ('left5', 'right5')])
    M, none = robot.mass_matrix(q), np.zeros((len(J),) * 2)
    dense = np.linalg.solve(
        np.block([[M, J.T], [J, none]]), np.concatenate((M @ before, np.zeros(len(J))))
    )
    agree(plant.qd, dense[: robot.nv], tolerance=1e-10)
    assert robot.energy(q, plant.qd)[0] < robot.energy(q, before)[0]
    held = np.linalg.solve(robot.pose(q, 'left5'), robot.pose(q, 'bar'))
    for _ in range(300):
        plant.step(idle)
        assert plant.gap < CLOSED
    now = np.linalg.solve(robot.pose(plant.q, 'left5'), robot.pose(plant.q, 'bar'))
    agree(now, held, tolerance=1e-11)
    assert np.abs(plant.q - q).max() > 0.05
    plant.release('right')
    plant.step(idle)
    assert plant.active == ('left',) and plant.gap < CLOSED
    plant.release('left')
    alone.set_state(plant.q, plant.qd)
    for _ in range(20):
        for each in (plant, alone):
            each.step(idle)
    np.testing.assert_array_equal(plant.q, alone.q)
    plant.reset()
    assert plant.active == () and plant.gap == 0.0


def test_friction_of_all_joints_holds_a_loop_until_a_torque_beats_it():
    """By virtual work the least torque is the sum of f_k |dq_k/dq_crank|; less moves nothing."""
    levels = {'crank0': 1.0, 'coupler0': 2.0, 'rocker0': 3.0}
    mechanism = several_four_bars(1, further=0).with_joints(
        **{name: {'friction': x} for name, x in levels.items()}
    )
    robot, plant = mechanism.robot(), plant_of(mechanism, gravity=WEIGHTLESS)
    rates = dict(zip(robot.all_joint_names, robot.expand(robot.model.closed_posture, [1.0])[1]))
    least = sum(f * abs(rates[name] / rates['crank0']) for name, f in levels.items())
    torque = np.array([name == 'crank0' for name in plant.model.joint_names], float)
    begin = plant.q.copy()
    for sign in (1.0, -1.0):
        for _ in range(50):
            plant.step(sign * (1.0 - 1e-6) * least * torque)
        np.testing.assert_array_equal(plant.q, begin)
        assert np.abs(plant.qd).max() < 1e-30  # two of three hold, and the third rounds
    plant.step((1.0 + 1e-4) * least * torque)
    assert plant.qd[plant.model.joint_names.index('crank0')] > 0.0


def test_a_joint_of_a_loop_rests_at_its_stop():
    """The rocker meets its stop; the crank can go no further, and the loop stays closed."""
    plain = several_four_bars(1, further=0)
    place = plain.near['rocker0']
    limit = {'limit': Limit(place - 2.0, place + 0.1, 99.0, 99.0)}
    plant = plant_of(plain.with_joints(rocker0=limit), gravity=WEIGHTLESS)
    names = plant.model.joint_names
    rocker, torque = names.index('rocker0'), np.array([name == 'crank0' for name in names], float)
    for _ in range(600):
        plant.step(2.0 * torque)
        assert plant.gap < CLOSED
    assert abs(plant.q[rocker] - (place + 0.1)) < 1e-12 and np.abs(plant.qd).max() < 1e-9


def test_a_loop_rebounds_from_the_floor():
    """Impulses of the impact keep the loop closed, and add no energy."""
    mechanism = several_four_bars(1, further=0)
    floor = Obstacle.plane((0.0, 1.0, 0.0), (0.0, -0.2, 0.0), restitution=0.7)
    ball = sphere('coupler0', 0.02, (0.25, 0.0, 0.0))
    contacts = Contacts((ball,), (floor,))
    plant = plant_of(mechanism, gravity=(0.0, -9.81, 0.0), contacts=contacts)
    robot, before, bounced = Robot(plant.model), np.inf, False
    for _ in range(1000):
        plant.step()
        after = sum(robot.energy(plant.q, plant.qd))
        bounced = bounced or after < before - 0.05
        assert plant.gap < CLOSED and after < before + 0.02
        before = after
    assert bounced and not plant.fault


def test_code_for_one_robot_takes_the_same_steps():
    """A specialised robot steps the tree with its own recursions, to rounding."""
    mechanism = four_bar()
    plain = plant_of(mechanism, 0.5)
    fast = GraspingPlant(
        Robot(plain.model).specialised(), mechanism.closures, FREE, plain.q, plain.qd
    )
    for _ in range(50):
        for plant in (plain, fast):
            plant.step()
    agree(fast.q, plain.q, tolerance=1e-10)
    assert fast.gap < CLOSED


def test_a_state_is_projected_and_what_does_not_close_is_refused():
    """Nothing changes by what is refused; a reset restores the first closures."""
    mechanism = four_bar()
    plant = plant_of(mechanism)
    begin = plant.q.copy()
    plant.set_state(plant.q + 0.01, np.ones(plant.model.nv))
    q, qd = (dict(zip(plant.model.joint_names, each)) for each in (plant.q, plant.qd))
    assert np.abs(loop_gaps(mechanism, q)).max() < 1e-11
    assert np.abs(loop_gap_rates(mechanism, q, qd)).max() < 1e-9
    assert 1e-4 < np.abs(plant.q - begin).max() < 0.05
    kept = plant.q.copy()
    with pytest.raises(UnknownNameError, match="no closure 'bolt'; valid: pin"):
        plant.active = ['bolt']
    with pytest.raises(UnknownNameError, match="no closure 'bolt'; valid: pin"):
        plant.release('bolt')
    assert plant.active == ('pin',)
    np.testing.assert_array_equal(plant.q, kept)
    plant.release('pin')
    plant.reset()
    assert plant.active == ('pin',)
    agree(plant.q, begin)
    tree = tree_of(mechanism)
    far = replace(mechanism.closures[0], place_b=at(9.0))
    with pytest.raises(SingularityError, match='closures pin do not close near'):
        GraspingPlant(tree, [far], FREE)
    with pytest.raises(ParameterError, match='closures none; expected one or more'):
        GraspingPlant(tree, [], FREE)


def driven(robot, names):
    """Return settings whose drives move these joints kinematically; others take efforts."""
    modes = tuple('position' if name in names else 'effort' for name in robot.joint_names)
    return PlantSettings('semi_implicit_euler', no_command='free', kinematic=True,
                         command_modes=modes, command_timeout=1e9)  # fmt: skip


def test_a_kinematic_crank_leads_its_loop_and_has_the_effort_of_the_loop():
    """As the same crank over independent coordinates, to a thousandth at 1e-4 s."""
    mechanism = several_four_bars(1, further=0)
    robot, tree = mechanism.robot(), tree_of(mechanism)
    plant = plant_of(mechanism, settings=driven(tree, ['crank0']))
    settings = driven(robot, ['crank0'])
    referee = Plant(robot, settings, robot.model.closed_posture)
    crank, begin = tree.joint_names.index('crank0'), referee.q[0]
    efforts = []
    for step in range(300):
        goal = begin + 0.4 * (1.0 - np.cos(40.0 * step * 1e-4))
        command = np.full(tree.nv, np.nan)
        command[crank] = goal
        plant.step(command, 1e-4)
        referee.step([goal], 1e-4)
        expected = of_tree(robot, tree, robot.expand(referee.q)[0])
        agree(plant.q, expected, 1.0, 1e-9)
        if step > 1:
            agree(plant.effort[crank], referee.effort[0], 40.0, 2e-3)
            efforts.append(plant.effort[crank])
    assert not plant.fault and plant.gap < CLOSED and np.ptp(efforts) > 5.0
    assert not np.delete(plant.effort, crank).any()


def test_two_arms_that_stand_still_carry_a_bar():
    """Their closures are redundant; what both do to the bar is its weight, at its centre."""
    robot, q = two_arms_and_a_bar()
    arms = [name for name in robot.joint_names if not name.startswith('bar')]
    plant = GraspingPlant(robot, HANDS, driven(robot, arms), q, active=())
    plant.grasp('left', 'right')
    places, at_q = plant.q.copy(), robot.model.coordinates
    goals = [
        places[at_q[k]] if name in arms else np.nan for k, name in enumerate(robot.joint_names)
    ]
    for _ in range(20):
        plant.step(goals)
    agree(plant.q, places, 1.0, 1e-9)
    bar = body('bar', 1.5, 0.4).inertial
    weight = -bar.mass * np.array(GRAVITY)
    X = robot.pose(plant.q, 'bar')
    moment = np.cross(X[:3, :3] @ bar.com, weight)
    agree(plant.pushes(robot)['bar'], np.concatenate((weight, moment)), tolerance=1e-6)
    torque = plant.effort - robot.gravity_torque(plant.q)
    is_arm = np.array([name in arms for name in robot.joint_names])
    assert np.abs(torque[is_arm]).max() > 1.0 and not plant.effort[~is_arm].any()


def test_prescribed_motions_that_open_a_loop_stop_the_plant():
    """A crank and a rocker that turn against each other; the sentence names both."""
    mechanism = several_four_bars(1, further=0)
    tree = tree_of(mechanism)
    names = ['crank0', 'rocker0']
    plant = plant_of(mechanism, settings=driven(tree, names))
    command = np.where([name in names for name in tree.joint_names], plant.q, np.nan)
    plant.step(command, DT_SHORT)
    assert not plant.fault
    command[tree.joint_names.index('crank0')] += 0.01
    plant.step(command, DT_SHORT)
    assert 'the prescribed motion of joints' in plant.fault and 'opens the loops of' in plant.fault
    assert 'crank0' in plant.fault and 'rocker0' in plant.fault


def test_a_rollout_has_the_bits_of_the_plant():
    """With the closures that act, from states that are projected; drives and stops act, too."""
    mechanism = four_bar()
    plant = plant_of(mechanism, 0.5, settings=RK4)
    rng, n = np.random.default_rng(3), plant.model.nv
    starts = plant.q + rng.uniform(-0.02, 0.02, (3, n))
    rates, efforts = rng.uniform(-0.5, 0.5, (3, n)), rng.normal(0.0, 2.0, (3, 20, n))
    found = plant.rollout(starts, rates, efforts)
    assert (found.blown_up == -1).all()
    for k in range(3):
        plant.reset()
        plant.set_state(starts[k], rates[k])
        for step in range(20):
            np.testing.assert_array_equal(found.position[k, step], plant.q)
            np.testing.assert_array_equal(found.velocity[k, step], plant.qd)
            plant.step(efforts[k, step])
        assert plant.gap < CLOSED
    plant.active = []
    opened = plant.rollout(starts, rates, efforts)
    assert np.abs(opened.position[:, -1] - found.position[:, -1]).max() > 1e-4
