# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The laws of Slotine and Li: their equations, their energy, what they make of a wrong load."""

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.control import TERMS, Reason, Settings, State, Supervisor, Trajectory, law_class
from robodyn_ros.control.laws.adaptive import AdaptiveComputedTorque
from robodyn_ros.control.laws.law import LawParameter
from robodyn_ros.control.laws.passivity import Passivity
from robodyn_ros.demonstration.motion import swaying_motion
from robodyn_ros.errors import ParameterError
from robodyn_ros.model.layout import DAMPING, FRICTION, INERTIA, MASS
from robodyn_ros.simulation import Plant, PlantSettings
from support.processes import run_script
from support.referees.learning import gradient
from support.supervised import (
    CONFIG,
    FRANKA,
    PERIOD,
    TWO_LINK,
    Bench,
    by_robot,
    lagging,
    settings_for,
)

BOTH = [Passivity, AdaptiveComputedTorque]
PARAMETERS = slice(MASS, INERTIA + 6)
FREQUENCY = 10.0  # [rad/s]

by_law = pytest.mark.parametrize('law', BOTH, ids=lambda law: law.name)


def reference_motion(q, qd, reference, gains):
    """v, a and r by their definition."""
    e, ed, rate = reference[0] - q, reference[1] - qd, gains[0] / gains[1]
    v = reference[1] + rate * e
    return v, reference[2] + rate * ed, qd - v


def terms_of(law, *arguments):
    """Return the terms of a law, by name."""
    terms = np.zeros((len(TERMS), law.robot.nv))
    law.torques(*arguments, terms)
    return dict(zip(TERMS, terms))


def loaded(robot, mass=2.5, frame='flange'):
    """Return the robot with a load at its end effector."""
    return robot.with_payload(frame, mass, [0.0, 0.02, 0.08], 2e-3 * mass * np.eye(3))


def frictionless(robot):
    """Return the robot without friction."""
    constants = robot.model.constants.copy()
    constants[:, [DAMPING, FRICTION]] = 0.0
    return Robot(robot.model.with_constants(constants))


def gains_for(robot, posture):
    """Return PD gains of one natural frequency, critically damped, not too soft for a wrist."""
    inertia = np.maximum(np.diag(robot.mass_matrix(posture)), 0.1)
    return np.array([FREQUENCY**2 * inertia, 2.0 * FREQUENCY * inertia])


# ------------------------------------------------------------------------ the equations


@by_robot
@by_law
def test_terms_are_the_equation(robot, law):
    """M a, C v, g and -Kd r from the Robot's matrices; nothing learnt, nothing else."""
    q, qd, reference, gains = lagging(robot)
    terms = terms_of(law(robot), q, qd, reference, gains)
    v, a, r = reference_motion(q, qd, reference, gains)
    expected = {
        'feedback': -gains[1] * r,
        'inertia': robot.mass_matrix(q) @ a,
        'coriolis': robot.coriolis_matrix(q, qd) @ v,
        'gravity': robot.gravity_torque(q),
        'other': np.zeros(robot.nv),
    }
    for name, torque in expected.items():
        assert np.allclose(terms[name], torque, rtol=1e-11, atol=1e-11), name
    computed = terms_of(law_class('computed_torque')(robot), q, qd, reference, gains)
    assert np.array_equal(terms['friction'], computed['friction'])


@by_robot
def test_what_is_learnt_acts_as_a_part_of_the_model(robot):
    """The terms with `learnt` add up to those of the robot whose constants are the sum."""
    arguments, rng = lagging(robot), np.random.default_rng(5)
    law = AdaptiveComputedTorque(robot)
    law.learnt[:] = rng.uniform(0.0, 0.1, law.learnt.shape)
    constants = robot.model.constants.copy()
    constants[1:, PARAMETERS] += law.learnt
    truth = Passivity(Robot(robot.model.with_constants(constants)))
    assert np.allclose(
        sum(terms_of(law, *arguments).values()),
        sum(terms_of(truth, *arguments).values()),
        rtol=1e-11,
        atol=1e-10,
    )


@by_robot
def test_learning_is_the_gradient(robot):
    """learnt = -T Gamma Y^T r after one period; Y by adding a unit to every constant."""
    q, qd, reference, gains = lagging(robot)
    law = AdaptiveComputedTorque(robot)
    law.period, law.values = PERIOD, np.array([1e-6, 0.0, 1e6, 0.4])
    terms_of(law, q, qd, reference, gains)
    v, a, r = reference_motion(q, qd, reference, gains)
    expected = -PERIOD * 1e-6 * gradient(robot, law.learnt.shape, (q, qd), (v, a, r))
    assert np.allclose(law.learnt, expected, rtol=1e-8, atol=1e-15)


def test_leakage_forgets_exponentially():
    """Without an error, d(learnt)/dt = -leakage learnt."""
    law = AdaptiveComputedTorque(TWO_LINK)
    law.period, law.values = PERIOD, np.array([1.0, 2.0, 5.0, 0.3])
    law.learnt[:] = before = 0.01 * np.ones(law.learnt.shape)
    q, reference = np.array([0.3, 0.5]), np.array([[0.3, 0.5], [0.0, 0.0], [0.0, 0.0]])
    for _ in range(500):
        terms_of(law, q, np.zeros(2), reference, np.ones((2, 2)))
    assert np.allclose(law.learnt, before * np.exp(-1.0), rtol=2e-3)


def test_what_is_learnt_stays_in_its_box_and_masses_positive():
    """Under an error that never ends: bounded by load and reach, mass of model + learnt >= 0."""
    law = AdaptiveComputedTorque(FRANKA)
    law.period, law.values = PERIOD, np.array([50.0, 0.0, 4.0, 0.3])
    masses, size = FRANKA.model.constants[1:, MASS], np.array([1.0] + [0.3] * 3 + [0.09] * 6)
    rng, reached = np.random.default_rng(0), np.zeros(3, bool)
    for _ in range(3000):
        q, qd, reference, gains = lagging(FRANKA, rng.integers(1 << 30))
        terms_of(law, q, qd, reference, gains)
        assert (np.abs(law.learnt) <= 4.0 * size * (1 + 1e-12)).all()
        assert (masses + law.learnt[:, 0] >= 0.0).all()
        reached |= [
            (law.learnt[:, 0] == 4.0).any(),
            (law.learnt[:, 0] == -masses).any(),
            (np.abs(law.learnt[:, 1:4]) == 4.0 * 0.3).any(),
        ]
    assert reached.all(), 'the bounds were never tried'


def test_an_overflow_is_unlearnt():
    """A state that no robot can have leaves no NaN behind."""
    law = AdaptiveComputedTorque(TWO_LINK)
    law.period, (q, qd, reference, gains) = PERIOD, lagging(TWO_LINK)
    terms_of(law, q, 1e200 * qd, reference, gains)
    assert np.isfinite(law.learnt).all()
    assert np.isfinite(list(terms_of(law, q, qd, reference, gains).values())).all()


@by_law
def test_without_velocity_gain_there_is_no_division(law):
    """Kd = 0 means Lambda = 0: feed-forward and Kp e are left."""
    q, qd, reference, gains = lagging(FRANKA)
    gains[1] = 0.0
    terms = terms_of(law(FRANKA), q, qd, reference, gains)
    assert np.allclose(terms['feedback'], gains[0] * (reference[0] - q), rtol=1e-12)
    assert np.allclose(terms['inertia'], FRANKA.mass_matrix(q) @ reference[2], rtol=1e-12)


ALLOCATIONS = """
import json, sys
import numpy as np
from numba.core.runtime import rtsys
from robodyn_ros import Robot
from robodyn_ros.control import law_class

robot, counts = Robot.from_urdf(sys.argv[1]), {}
for name in ('passivity', 'adaptive_computed_torque'):
    law, state = law_class(name)(robot), np.full(robot.nv, 0.1)
    n = robot.nv
    arguments = state, state, np.ones((3, n)), np.ones((2, n)), np.zeros((6, n))
    law.torques(*arguments)
    before = rtsys.get_allocation_stats()
    for _ in range(100):
        law.torques(*arguments)
    after = rtsys.get_allocation_stats()
    counts[name] = [after.alloc - before.alloc, after.free - before.free]
print(json.dumps(counts))
"""


def test_kernels_do_not_allocate(tmp_path):
    """Not even a handle of an array that is passed in."""
    result, _ = run_script(
        ALLOCATIONS, tmp_path, [str(CONFIG / 'franka_like.urdf')], NUMBA_NRT_STATS='1'
    )
    assert result == {'passivity': [0, 0], 'adaptive_computed_torque': [0, 0]}


# ------------------------------------------------------------------------ in closed loop


class Loop:
    """A law in a plain loop with a Plant: no guards, torque bounded by nothing."""

    def __init__(self, law, plant, motion, gains, values=None):
        self.law, self.motion, self.gains = law, motion, gains
        law.period = PERIOD
        if values is not None:
            law.values = np.array(values, float)
        q, qd, _ = motion.at(np.zeros(1))
        self.plant = Plant(plant, PlantSettings(no_command='free', integrator='rk4'), q[0], qd[0])
        self.truth = Robot(plant.model)
        self.errors, self.storage, self.dissipation = [], [], []

    def run(self, seconds):
        """Return the errors (k, nv) of so many more seconds."""
        begin = len(self.errors)
        times = PERIOD * np.arange(begin, begin + round(seconds / PERIOD))
        terms = np.zeros((len(TERMS), len(self.plant.q)))
        for reference in np.stack(self.motion.at(times), axis=1):
            self.law.torques(self.plant.q, self.plant.qd, reference, self.gains, terms)
            self._note(reference)
            self.errors.append(reference[0] - self.plant.q)
            self.plant.step(terms.sum(axis=0), PERIOD)
        assert not self.plant.fault
        return np.array(self.errors[begin:])

    def _note(self, reference):
        q, qd = self.plant.q, self.plant.qd
        _, _, r = reference_motion(q, qd, reference, self.gains)
        self.storage.append(0.5 * r @ self.truth.mass_matrix(q) @ r)
        self.dissipation.append(r @ (self.gains[1] * r))


def rms(errors):
    """Root mean square over time and joints."""
    return float(np.sqrt(np.mean(errors**2)))


@by_law
def test_with_the_right_model_the_tracking_error_vanishes(law):
    """An arm that starts 0.1 rad off its reference comes to it, and stays there moving."""
    robot = frictionless(TWO_LINK)
    motion = swaying_motion(robot.limits, 8.0)
    loop = Loop(law(robot), robot, motion, gains_for(robot, motion.centre))
    loop.plant.set_state(loop.plant.q + 0.1)
    errors = loop.run(6.0)
    assert np.abs(errors[0]).max() > 0.09
    assert rms(errors[3000:]) < 1e-3 and np.abs(errors[3000:]).max() < 2e-3


def test_error_energy_is_what_the_damping_takes():
    """With the right model d/dt (r.M r/2) = -r.Kd r: Mdot - 2 C is skew (Spong, Prop. 6.1)."""
    robot = frictionless(FRANKA)
    motion = swaying_motion(robot.limits, 8.0)
    loop = Loop(Passivity(robot), robot, motion, gains_for(robot, motion.centre))
    loop.plant.set_state(np.clip(loop.plant.q + 0.05, robot.limits.lower, robot.limits.upper))
    loop.run(0.5)
    storage, power = np.array(loop.storage), np.array(loop.dissipation)
    taken = np.concatenate(([0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * PERIOD)))
    assert storage[0] > 0.1
    assert np.abs(storage + taken - storage[0]).max() < 0.03 * storage[0]
    assert (np.diff(storage) < 1e-6 * storage[0]).all()


def test_adaptive_loop_is_passive_with_a_wrong_load():
    """r.M r/2 + dtheta.Gamma^-1 dtheta/2 never grows, and falls by what the damping takes."""
    robot = frictionless(FRANKA)
    truth, motion = loaded(robot), swaying_motion(robot.limits, 8.0)
    rate, reach = 2.0, 0.3
    loop = Loop(
        AdaptiveComputedTorque(robot),
        truth,
        motion,
        gains_for(robot, motion.centre),
        [rate, 0.0, 5.0, reach],
    )
    difference = (truth.model.constants - robot.model.constants)[1:, PARAMETERS]
    size = rate * np.array([1.0] + [reach**2] * 3 + [reach**4] * 6)
    learning = []
    for _ in range(60):
        learning.append(0.5 * np.sum((loop.law.learnt - difference) ** 2 / size))
        loop.run(0.05)
    total = np.array(loop.storage[::50]) + learning
    power = np.array(loop.dissipation).reshape(60, 50).sum(axis=1) * PERIOD
    assert total[0] > 1.0 and power.sum() > 0.02 * total[0]
    assert (np.diff(total) < 1e-3 * total[0]).all()
    assert abs(total[-1] + power[:-1].sum() - total[0]) < 0.1 * power.sum()


@pytest.mark.parametrize('mass', [2.0, 3.0])
def test_adaptive_beats_computed_torque_with_a_wrong_load(mass):
    """2 to 3 kg that the model lacks: better from the start, ten times better after 8 s."""
    motion = swaying_motion(FRANKA.limits, 16.0)
    gains = gains_for(FRANKA, motion.centre)
    adaptive = Loop(AdaptiveComputedTorque(FRANKA), loaded(FRANKA, mass), motion, gains)
    errors = [rms(adaptive.run(4.0)) for _ in range(3)]
    fixed = Loop(
        law_class('computed_torque')(FRANKA),
        loaded(FRANKA, mass),
        motion,
        gains / np.diag(FRANKA.mass_matrix(motion.centre)),
    )
    computed = [rms(fixed.run(4.0)) for _ in range(3)]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.1 * computed[2] and errors[0] < computed[0]
    assert 0.3 * mass < adaptive.law.learnt[-1, 0] < 1.5 * mass


def test_adaptive_learns_nothing_lasting_from_the_right_model():
    """Friction and discretisation alone do not make it invent a load."""
    motion = swaying_motion(FRANKA.limits, 8.0)
    loop = Loop(AdaptiveComputedTorque(FRANKA), FRANKA, motion, gains_for(FRANKA, motion.centre))
    assert rms(loop.run(7.0)) < 2e-3
    assert np.abs(loop.law.learnt[:, 0]).max() < 0.1


# ------------------------------------------------------------------------ under the supervisor


def supervised(law, plant, seconds, values=None, weak=1.0, **changes):
    """Run a law under the Supervisor on a plant; return it, the plant, torques and errors."""
    motion, limits = swaying_motion(FRANKA.limits, seconds), FRANKA.limits
    settings = Settings(
        period=PERIOD,
        gains=gains_for(FRANKA, motion.centre),
        effort_limits=weak * limits.effort,
        effort_rate=np.full(7, 1000.0),
        velocity_limits=limits.velocity,
        lower=limits.lower,
        upper=limits.upper,
        law_values=values,
        **changes,
    )
    supervisor = Supervisor(FRANKA, law(FRANKA), settings)
    plant = Plant(plant, PlantSettings(no_command='hold'), motion.centre)
    times = np.arange(0.1, seconds + 0.05, 0.1)
    points = Trajectory(times, *motion.at(times))
    points.velocities[-1] = 0.0
    now, torques, errors, last = 0.0, [], [], None
    supervisor.measure(plant.q, plant.qd, now)
    assert supervisor.activate(now) == ''
    for k in range(round(seconds / PERIOD)):
        now += PERIOD
        supervisor.measure(plant.q, plant.qd, now)
        supervisor.tick(now)
        if k == 10:
            assert supervisor.follow(points, now) == ''
        torque = supervisor.command.copy()
        assert (np.abs(torque) <= settings.effort_limits).all()
        if last is not None:
            assert (np.abs(torque - last) <= 1.0 + 1e-9).all()
        last = torque
        torques.append(torque)
        errors.append(supervisor.reference[0] - plant.q)
        plant.step(torque, PERIOD)
    return supervisor, plant, np.array(torques), np.array(errors)


@by_law
def test_law_stays_within_the_guards(law):
    """With a load, and motors half as strong as they are: bounded, finite, and no FAULT. The
    overspeed fault, as the load falls, is not tested here.
    """
    supervisor, plant, _, _ = supervised(law, loaded(FRANKA), 6.0, weak=0.5, overspeed=1e6)
    assert supervisor.counters['effort_limited'] > 0, 'the limits were never tried'
    assert supervisor.counters['faults'] == 0 and supervisor.state is not State.FAULT
    assert not plant.fault
    assert (plant.q > FRANKA.limits.lower - 0.01).all()
    assert (plant.q < FRANKA.limits.upper + 0.01).all()


def test_supervised_adaptive_arm_learns_its_load_and_keeps_it_while_held():
    """Learnt under way, kept in HOLD and when a hold is asked for, gone at activation."""
    supervisor, plant, _, errors = supervised(AdaptiveComputedTorque, loaded(FRANKA), 8.0)
    assert rms(errors[4000:7000]) < 0.5 * rms(errors[500:2000])
    law, now = supervisor.law, 8.0 + 2 * PERIOD
    learnt = law.learnt.copy()
    assert np.abs(learnt).max() > 0.5
    supervisor.measure(plant.q, plant.qd, now)
    supervisor.tick(now)
    supervisor.hold()
    assert np.abs(law.learnt).max() > 0.5
    supervisor.stop()
    assert supervisor.reset(now) == '' and supervisor.reason == Reason.RESET
    assert not law.learnt.any()


def test_forgetting_happens_at_activation_only():
    """Not when a posture is held because the stream of references ended."""
    bench = Bench(TWO_LINK, AdaptiveComputedTorque).activate()
    bench.law.learnt[:] = 0.25
    assert (
        bench.supervisor.stream_target(Trajectory([0.0], [bench.q], [np.zeros(2)]), bench.now)
        == ''
    )
    bench.run(150)
    assert bench.reason == Reason.REFERENCE_TIMEOUT
    assert np.abs(bench.law.learnt[:, 0] - 0.25).max() < 0.01
    bench.supervisor.deactivate()
    bench.run(5)
    bench.activate()
    assert not bench.law.learnt.any()


def test_law_parameters_are_taken_over_with_the_settings():
    """Checked as a whole; the period too; a law without any takes none."""
    law = AdaptiveComputedTorque(TWO_LINK)
    supervisor = Supervisor(TWO_LINK, law, settings_for(TWO_LINK))
    assert law.values.tolist() == [p.default for p in law.parameters] and law.period == PERIOD
    supervisor.settings = supervisor.settings.replace(law_values=[1.0, 0.1, 2.0, 0.5])
    assert law.values.tolist() == [1.0, 0.1, 2.0, 0.5]
    for values, sentence in (
        ([1.0], 'got 1 for law adaptive_computed_torque; expected 4: rate'),
        ([-1.0, 0.1, 2.0, 0.5], 'rate: got -1; expected 0 to 1000'),
        ([1.0, 0.1, np.nan, 0.5], 'load: got nan'),
    ):
        with pytest.raises(ParameterError, match=sentence):
            supervisor.settings = supervisor.settings.replace(law_values=values)
    assert law.values.tolist() == [1.0, 0.1, 2.0, 0.5]
    assert all(isinstance(p, LawParameter) and p.text.endswith('.') for p in law.parameters)
    with pytest.raises(ParameterError, match='got 1 for law passivity; expected 0$'):
        Supervisor(TWO_LINK, Passivity(TWO_LINK), settings_for(TWO_LINK, law_values=[1.0]))


@pytest.mark.parametrize('name', ['computed_torque', 'adaptive_computed_torque'])
def test_node_declares_the_parameters_of_the_law(name):
    """`<law>.<name>`, live, bounded, and put into the Settings in the law's order."""
    pytest.importorskip('rcl_interfaces', reason='parameters are described in its messages')
    from robodyn_ros.ros.controller import controller_parameters as table

    law = law_class(name)
    own = table.own_parameters(law)
    declared = (
        *table.CONTROLLER_PARAMETERS,
        *own,
        *table.gain_parameters(TWO_LINK.joint_names, law),
    )
    values = {spec.name: spec.default for spec in declared} | {
        f'gains.{joint}.p': 10.0 for joint in TWO_LINK.joint_names
    }
    for k, (spec, parameter) in enumerate(zip(own, law.parameters, strict=True)):
        assert spec.name == f'{name}.{parameter.name}' and spec.change == table.LIVE
        values[spec.name] = spec.convert(0.5 + k)
        with pytest.raises(ParameterError, match='must lie in'):
            spec.convert(-1.0)
    settings = table.control_settings(values, TWO_LINK, law)
    assert settings.law_values.tolist() == [0.5 + k for k in range(len(law.parameters))]
    assert Supervisor(TWO_LINK, law(TWO_LINK), settings).law.values.size == len(law.parameters)
