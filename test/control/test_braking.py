# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""An arm at full speed comes to rest after every kind of stop, whoever holds its weight."""

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.control import Reason, State, Trajectory
from robodyn_ros.control.laws.braking import Braking
from robodyn_ros.control.laws.law import FEEDBACK, GRAVITY, OTHER, TERMS
from robodyn_ros.control.supervisor import guards
from robodyn_ros.control.supervisor.control_settings import EFFORT
from robodyn_ros.model.layout import FRICTION
from robodyn_ros.simulation.plant import Plant
from support.robots.mechanisms import palletizer
from support.supervised import TWO_LINK, Bench, by_robot
from tools.pages import braking

HELD = {'stop', 'references'}  # stops with joint states


@pytest.mark.parametrize('case', braking.cases(), ids=lambda case: '-'.join(map(str, case)))
def test_an_arm_at_full_speed_is_braked_as_the_page_states(case):
    """A hundredth of the energy after three time constants: exp(-6) = 0.0025 with the ramps."""
    _, compensated, kind = case
    rest = braking.brake(*case)
    assert rest.energy > 5.0 and rest.time < 0.3 and rest.angle < 0.55
    assert kind not in HELD and not compensated or rest.left < 0.05
    assert f'| {" | ".join(braking.row(*case, rest))} |' in braking.PAGE.read_text().splitlines()
    ended = {'stop': 'FAULT STOPPED', 'states': 'STALE STATE_TIMEOUT'}
    ended |= {'frozen': 'STALE STATE_STUCK', 'references': 'HOLD REFERENCE_TIMEOUT'}
    assert f'{rest.supervisor.state.name} {rest.supervisor.reason}' == ended[kind]


def test_the_energy_falls_as_that_of_one_mass():
    """E = E0 exp(-2 t / T) for any posture and velocity, where no limit acts."""
    T, robot = 0.1, TWO_LINK
    bench = Bench(
        stop_time_constant=T, effort_limits=[1e4] * 2, effort_rate=[1e9] * 2,
        velocity_limits=[50.0] * 2, lower=[-9.0] * 2, upper=[9.0] * 2,
    )  # fmt: skip
    bench.activate()
    plant = Plant(robot, position=bench.q, velocity=[3.0, -2.0])
    bench.supervisor.stop()

    def energy():
        return 0.5 * plant.qd @ robot.mass_matrix(plant.q) @ plant.qd

    start = energy()
    for k in range(200):
        bench.q, bench.qd = plant.q.copy(), plant.qd.copy()
        bench.run(1)
        plant.step(bench.command, 1e-3)
        # a torque that is held for a period acts half a period late
        assert energy() == pytest.approx(start * np.exp(-2e-3 * (k + 1) / T), rel=0.03)


@pytest.mark.parametrize('scale', [0.4, 2.5])
def test_a_model_with_wrong_masses_brakes_too(scale):
    """M of the model is positive definite, so the power of the brake is negative."""
    heavy = Robot(TWO_LINK.model.with_scaled_masses(scale))
    bench = Bench(effort_limits=[200.0] * 2, lower=[-9.0] * 2, upper=[9.0] * 2).activate()
    plant = Plant(heavy, position=bench.q, velocity=[2.0, -2.0])
    bench.supervisor.stop()
    weight = heavy.gravity_torque
    for _ in range(1500):
        bench.q, bench.qd = plant.q.copy(), plant.qd.copy()
        bench.run(1)
        plant.step(bench.command - bench.gravity + weight(plant.q), 1e-3)
    assert np.abs(plant.qd).max() < 0.02


def test_an_arm_at_rest_stays_where_its_states_end():
    """For as long as a little friction, 1 % of the effort limit, takes up what rounding leaves."""
    robot = braking.ROOT / 'config' / 'urdf' / 'ur_like.urdf'
    arm = Robot.from_urdf(robot)
    supervisor = braking.supervise(arm)
    plant = Plant(arm, position=braking.POSTURES['ur_like'])
    for k in range(5000):
        now = 10.0 + 1e-3 * k
        if k < 200:
            supervisor.measure(plant.q, plant.qd, now)
        if k == 0:
            assert supervisor.activate(now) == ''
        supervisor.tick(now)
        plant.step(supervisor.command, 1e-3)
    assert supervisor.state is State.STALE
    assert np.abs(plant.q - braking.POSTURES['ur_like']).max() < 1e-3


@by_robot
def test_the_brake_is_the_momentum_over_its_time_constant(robot):
    """-M qd / T beside g, where the limits leave room."""
    rng = np.random.default_rng(4)
    q, qd = rng.uniform(-1.0, 1.0, (2, robot.nv))
    terms, limits = momenta(robot, q, qd, 1e6)
    guards.brake(terms, np.ones(6, bool), qd, limits, 8.0)
    wanted = -8.0 * robot.mass_matrix(q) @ qd
    assert np.allclose(terms[FEEDBACK], wanted, rtol=0.0, atol=1e-12 * np.abs(wanted).max())
    assert np.allclose(terms[GRAVITY], robot.gravity_torque(q), rtol=0.0, atol=1e-12 * 100.0)


@by_robot
def test_no_effort_limit_makes_the_brake_drive_the_arm(robot):
    """Its power is negative, and each joint has room for its weight, whatever the limits are."""
    rng, limited = np.random.default_rng(5), 0
    for _ in range(300):
        q, qd = rng.uniform(-2.0, 2.0, (2, robot.nv))
        terms, limits = momenta(robot, q, qd, 10.0 ** rng.uniform(-1.0, 2.5, robot.nv))
        weighs, limit = rng.random() < 0.5, limits[EFFORT]
        commanded = np.ones(6, bool)
        commanded[GRAVITY] = weighs
        wanted = 10.0 * terms[FEEDBACK]
        guards.brake(terms, commanded, qd, limits, 10.0)
        braked, weight = terms[FEEDBACK], terms[GRAVITY] * weighs
        assert braked @ qd <= 0.0
        assert (braked * wanted >= 0.0).all() and (np.abs(braked) <= np.abs(wanted) + 1e-12).all()
        free = np.abs(weight) <= limit
        assert (np.abs(weight + braked)[free] <= limit[free] * (1.0 + 1e-12)).all()
        limited += (np.abs(braked) < 0.99 * np.abs(wanted)).any()
    assert limited > 100


def momenta(robot, q, qd, limit):
    """Return the terms of Braking, and guards with effort limits."""
    terms, limits = np.zeros((len(TERMS), robot.nv)), np.full((5, robot.nv), np.inf)
    limits[EFFORT] = limit
    Braking(robot).torques(q, qd, None, None, terms)
    assert (terms[OTHER] == 0.0).all()
    return terms, limits


def test_a_momentum_that_is_not_finite_leaves_the_weight():
    terms, limits = momenta(TWO_LINK, np.array([0.3, 0.5]), np.ones(2), 100.0)
    terms[FEEDBACK, 0] = np.nan
    guards.brake(terms, np.ones(6, bool), np.ones(2), limits, 10.0)
    assert terms[FEEDBACK, 0] == 0.0 and np.isfinite(terms[FEEDBACK, 1])


def test_a_robot_with_closed_loops_brakes_in_its_independent_joints():
    """The momentum is that of the mass matrix over them."""
    robot = palletizer().robot()
    q = robot.model.closed_posture.copy()
    qd = np.linspace(-1.0, 1.0, robot.nv)
    terms, _ = momenta(robot, q, qd, 1e3)
    expected = -robot.mass_matrix(q) @ qd
    assert np.allclose(terms[FEEDBACK], expected, rtol=0.0, atol=1e-12 * np.abs(expected).max())


@by_robot
def test_the_predicted_motion_is_that_of_the_simulated_arm(robot):
    """Semi-implicit steps against the plant: after 0.1 s within a thousandth of the way."""
    rng = np.random.default_rng(6)
    start = 0.5 * rng.uniform(-1.0, 1.0, robot.nv)
    if robot.name == 'franka_like':
        start = np.array(braking.POSTURES['franka_like'])
    speed = rng.uniform(0.5, 1.0, robot.nv)
    plant, law = Plant(robot, position=start, velocity=speed), Braking(robot)
    state, steps = np.array([start, speed]), 1000
    torque = 0.9 * robot.gravity_torque(start)
    for _ in range(steps):
        plant.step(torque, 1e-4)
        law.predict(torque, np.zeros(robot.nv), 1e-4, state)
    moved = np.abs(plant.q - start).max()
    assert moved > 0.03 and np.abs(state[0] - plant.q).max() < 2e-3 * moved
    before = state.copy()
    law.predict(np.full(robot.nv, np.nan), np.zeros(robot.nv), 1e-3, state)
    assert np.array_equal(state, before)


class Arm:
    """A simulated arm under computed torque in lock step; the test may freeze its readings."""

    def __init__(self, name, friction=None, **settings):
        self.robot = Robot.from_urdf(braking.ROOT / 'config' / 'urdf' / f'{name}.urdf')
        self.supervisor = braking.supervise(self.robot, **settings)
        constants, limits = self.robot.model.constants.copy(), self.robot.limits.effort
        if friction is not None:  # unknown to the controller
            constants[self.robot.model.joint_rows(), FRICTION] = friction * limits
        rough = Robot(self.robot.model.with_constants(constants))
        self.plant = Plant(rough, position=braking.POSTURES[name])
        self.now, self.frozen, self.reading = 10.0, (), None
        self.strength = np.ones(self.robot.nv)
        self.sense()
        assert self.supervisor.activate(self.now) == ''

    def sense(self):
        """Read the joints, but for the frozen ones."""
        state = np.array([self.plant.q, self.plant.qd])
        for i in self.frozen:
            state[:, i] = self.reading[:, i]
        self.reading = state
        self.supervisor.measure(*state, self.now)

    def run(self, seconds, until=None):
        """Let time pass, or end at a state; return the time that passed."""
        begin = self.now
        while self.now - begin < seconds and self.supervisor.state is not until:
            self.now += 1e-3
            self.sense()
            self.supervisor.tick(self.now)
            self.plant.step(self.strength * self.supervisor.command, 1e-3)
        return self.now - begin

    def go(self, way, seconds):
        """Follow a quintic motion of all joints."""
        rest = np.zeros((2, 1, self.robot.nv))
        end = Trajectory([seconds], [self.plant.q + way], *rest)
        assert self.supervisor.follow(end, self.now) == ''


@pytest.mark.parametrize('joint', range(6))
def test_row_5_one_sensor_that_freezes_in_motion_is_found_at_once(joint):
    """After the timeout of 20 ms; today's limits would find it when the joint races."""
    arm = Arm('ur_like')
    arm.go(0.8, 1.0)
    arm.run(0.5)
    arm.frozen = (joint,)
    assert arm.run(0.5, until=State.STALE) < 0.025
    assert (arm.supervisor.reason, arm.supervisor.joint) == (Reason.STATE_STUCK, joint)
    arm.run(0.3)
    assert np.abs(arm.plant.qd).max() < 0.5 and np.abs(arm.plant.q - arm.reading[0]).max() < 0.4


@pytest.mark.parametrize('name', ['franka_like', 'ur_like', 'two_link'])
def test_row_5_sensors_that_freeze_at_rest_are_found_when_the_arm_should_move(name):
    """By the effort that grows while the reference moves, before the arm is far away."""
    arm = Arm(name)
    arm.run(0.1)
    arm.frozen = range(arm.robot.nv)
    arm.go(0.8, 1.0)
    assert arm.run(1.0, until=State.STALE) < 0.2
    assert arm.supervisor.reason == Reason.STATE_STUCK
    assert 1e-3 < np.abs(arm.plant.q - arm.reading[0]).max() < 0.2


def test_row_5_an_arm_that_dry_friction_holds_at_rest_is_not_stuck():
    """A motion ends, the arm rests beside its goal for 6 s with noiseless encoders: no warning."""
    arm = Arm('franka_like', friction=0.05)
    arm.go(0.3, 1.0)
    arm.run(7.0)
    assert arm.supervisor.state is State.HOLD and arm.supervisor.reason == Reason.TRAJECTORY_END
    assert (
        np.abs(arm.reading[1]).max() == 0.0
        and np.abs(arm.supervisor.q - arm.supervisor.reference[0]).max() > 0.02
    )
    assert arm.supervisor.counters['stuck_episodes'] == 0


@pytest.mark.parametrize('name', ['franka_like', 'ur_like', 'two_link'])
@pytest.mark.parametrize('changes', ['weight', 'effort'])
def test_row_5_a_joint_that_friction_holds_under_a_changing_effort_is_not_stuck(name, changes):
    """Noiseless encoders repeat themselves bit for bit, while effort builds up below friction.

    The last heavy joint moves and changes the weight on the others, or all references move. A
    fifth of the effort limit builds up behind a repeated reading; half of it would be reported.
    """
    arm = Arm(name, friction=0.4 if name == 'two_link' else 0.3, following_action='warn')
    moved = {'franka_like': 3, 'ur_like': 2, 'two_link': 1}[name]
    arm.go(np.where(np.arange(arm.robot.nv) == moved, 1.0, 0.3 * (changes == 'effort')), 2.0)
    limit, supervisor, reading = arm.robot.limits.effort, arm.supervisor, arm.reading
    begin, held = supervisor.command.copy(), np.zeros(arm.robot.nv)
    while supervisor.state is State.ACTIVE:
        arm.run(1e-3)
        same = (arm.reading == reading).all(axis=0)
        begin, reading = np.where(same, begin, supervisor.command), arm.reading
        held = np.maximum(held, np.abs(supervisor.command - begin) / limit)
    assert supervisor.reason == Reason.TRAJECTORY_END
    assert held.max() > 0.2 and supervisor.counters['stuck_episodes'] == 0


@pytest.mark.parametrize('joint', [1, 3])
@pytest.mark.parametrize('action', ['hold', 'warn'])
def test_a_joint_that_lost_half_of_its_effort_is_told_and_held(joint, action):
    """The joint that is farthest off is told beyond 0.2 rad, and beyond 0.4 rad it is held."""
    arm = Arm('franka_like', following_action=action)
    arm.strength[joint] = 0.5
    arm.go(0.0, 3.0)
    told = []
    while arm.supervisor.state is State.ACTIVE and arm.now < 14.0:
        arm.run(1e-3)
        error = arm.supervisor.reference[0] - arm.reading[0]
        told.append((arm.supervisor.behind, np.abs(error).max(), np.abs(error).argmax()))
    beyond = [k for k, (_, most, _) in enumerate(told[:-1]) if most > 0.2]
    assert [k for k, (behind, *_) in enumerate(told[:-1]) if behind >= 0] == beyond
    assert all(told[k][0] == told[k][2] for k in beyond)
    assert arm.supervisor.counters['behind_episodes'] == 1
    if action == 'hold':
        assert arm.supervisor.reason == Reason.FOLLOWING_ERROR
        assert abs(arm.supervisor.value) == pytest.approx(0.4, abs=0.01)
        assert arm.supervisor.joint == told[-2][0]
    else:
        assert arm.supervisor.reason == Reason.TRAJECTORY_END and told[-2][1] > 0.4


@pytest.mark.parametrize('name', ['franka_like', 'ur_like', 'two_link'])
def test_an_arm_that_follows_is_not_reported(name):
    """In a fast motion of all joints."""
    arm = Arm(name)
    arm.go(0.8, 1.0)
    arm.run(2.0)
    assert arm.supervisor.state is State.HOLD
    assert arm.supervisor.counters['behind_episodes'] == 0


def test_a_law_without_a_reference_of_joints_has_no_following_error():
    """Gravity compensation follows nothing, and a joint without motor follows no reference."""
    bench = Bench(tracks=False, following_error=0.01).activate()
    bench.q = bench.q + 0.05
    bench.run(10)
    assert bench.supervisor.behind == -1
    bench = Bench(following_error=[0.01, 0.02]).activate()
    bench.q = bench.q + [0.015, 0.015]
    bench.run(10)
    assert bench.supervisor.behind == 0
    bench.law.undriven = np.array([True, False])
    bench.supervisor.settings = bench.supervisor.settings
    bench.run(10)
    assert bench.supervisor.behind == -1
    bench.q = bench.q + [0.0, 0.015]
    bench.run(10)
    assert bench.supervisor.behind == 1
