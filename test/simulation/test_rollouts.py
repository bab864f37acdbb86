# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rollouts of many plants: row by row what one plant does, and what they refuse."""

import threading
from types import SimpleNamespace

import numpy as np
import pytest

from robodyn_ros.codegen import parallel_rows
from robodyn_ros.errors import ParameterError, ShapeError
from robodyn_ros.model.contacts import Contacts, Obstacle, sphere
from robodyn_ros.simulation import Faults, Plant, PlantSettings
from robodyn_ros.simulation.step import step_of
from support.robots.closed_loops import several_four_bars

K, M, DT = 5, 60, 2e-3


@pytest.fixture(scope='module', params=['generic', 'specialised'])
def robot(request, elbow):
    """Return the small arm, and its specialised twin."""
    return elbow if request.param == 'generic' else elbow.specialised()


@pytest.fixture(scope='module')
def given():
    """Return positions, velocities and efforts of K plants; the last ones run into their stops."""
    rng = np.random.default_rng(0)
    q, qd = rng.uniform(-1.0, 1.0, (2, K, 2))
    qd[-1] = 60.0
    return q, qd, 10.0 * rng.normal(size=(K, M, 2))


def by_hand(plant, q, qd, efforts, dt=DT):
    """Return the states of one plant stepped from Python."""
    plant.set_state(q, qd)
    states = [(plant.q.copy(), plant.qd.copy())]
    for effort in efforts:
        plant.step(effort, dt)
        states.append((plant.q.copy(), plant.qd.copy()))
    return [np.array(x) for x in zip(*states)]


@pytest.mark.parametrize('integrator', ['semi_implicit_euler', 'rosenbrock', 'rk4', 'dop853'])
def test_bit_for_bit_what_one_plant_does(robot, given, integrator):
    """Substeps, stops, a weak motor, a brake and a wrench included."""
    plant = Plant(robot, PlantSettings(integrator=integrator, substeps=2))
    for change in (
        lambda: None,
        lambda: setattr(plant, 'injected_faults', Faults(effort_loss={robot.joint_names[0]: 0.5})),
        lambda: setattr(plant, 'injected_faults', Faults(stuck_joints=robot.joint_names[1:])),
        lambda: plant.apply_wrench(robot.frames[-1], (1.0, -2.0, 3.0, 0.1, 0.2, 0.3)),
    ):
        change()
        found = plant.rollout(*given, dt=DT)
        assert found.position.shape == (K, M + 1, 2) and (found.blown_up == -1).all()
        for row in range(K):
            q, qd = by_hand(plant, *(x[row] for x in given))
            assert np.array_equal(found.position[row], q)
            assert np.array_equal(found.velocity[row], qd)


@pytest.mark.parametrize('integrator', ['semi_implicit_euler', 'energy_rosenbrock'])
def test_contacts_and_dependent_joints_act_as_in_one_plant(integrator):
    """A four-bar whose dependent joints rub, above a floor; each plant has its own memory.

    Without friction or floor its states are others.
    """
    mechanism = several_four_bars(1, further=0)
    rubbing = mechanism.with_joints(coupler0={'friction': 0.4}, rocker0={'friction': 0.7})
    robot = rubbing.robot(gravity=(0.0, -9.81, 0.0))
    floor = Obstacle.plane((0.0, 1.0, 0.0), (0.0, 0.15, 0.0), restitution=0.3)
    contacts = Contacts([sphere('coupler0', 0.02, (0.25, 0.0, 0.0))], [floor])
    settings = PlantSettings(integrator=integrator)
    posture, speeds = robot.model.closed_posture, np.linspace(-6.0, 6.0, 20)[:, None]
    efforts = np.zeros((300, 1))
    plant = Plant(robot, settings, posture, contacts=contacts, led_joints=True)
    found = plant.rollout(posture, speeds, efforts)
    for row in range(20):
        q, qd = by_hand(plant, posture, speeds[row], efforts, 1e-3)
        assert np.array_equal(found.position[row], q)
        assert np.array_equal(found.velocity[row], qd)
    for other in (
        Plant(robot, settings, posture, contacts=contacts),
        Plant(robot, settings, posture, led_joints=True),
    ):
        assert (
            np.abs(other.rollout(posture, speeds, efforts).position - found.position).max() > 0.01
        )


@pytest.mark.parametrize('integrator', ['semi_implicit_euler', 'rk4'])
@pytest.mark.parametrize('modes', [('position', 'velocity'), ('effort', 'position')])
def test_rollouts_and_steps_follow_the_same_command_modes(robot, given, modes, integrator):
    """Bit for bit again, and close to the same steps run as Python."""
    q, qd, commands = given
    plant = Plant(robot, PlantSettings(integrator=integrator, command_modes=modes))
    plain = Plant(robot, plant.settings)
    plain.replace_kernel(SimpleNamespace(vectorcall=step_of(plant.settings.method).python))
    found = plant.rollout(q, qd, 0.1 * commands, dt=DT)
    for row in range(K - 1):
        states = by_hand(plant, q[row], qd[row], 0.1 * commands[row])
        assert np.array_equal(found.position[row], states[0])
        assert np.array_equal(found.velocity[row], states[1])
        # a state carries the rounding of sixty steps before it
        states = by_hand(plain, q[row], qd[row], 0.1 * commands[row])
        assert np.allclose(found.position[row], states[0], rtol=0.0, atol=1e-10)
        assert np.abs(np.diff(states[0], axis=0)).max() > 1e-4


def test_with_the_friction_and_stops_of_an_arm(arm, middle):
    """Seven joints that rub, one at its stop: bit for bit again."""
    rng = np.random.default_rng(1)
    q = middle + 0.1 * rng.normal(size=(3, arm.nv))
    q[0, 3] = arm.limits.upper[3]
    qd, efforts = rng.normal(size=(3, arm.nv)), 20.0 * rng.normal(size=(3, 100, arm.nv))
    plant = Plant(arm)
    found = plant.rollout(q, qd, efforts)
    assert (found.position[0, :, 3] == arm.limits.upper[3]).any()
    for row in range(3):
        states = by_hand(plant, q[row], qd[row], efforts[row], 1e-3)
        assert np.array_equal(found.position[row], states[0])
        assert np.array_equal(found.velocity[row], states[1])


def test_feedback_about_targets_is_added_to_the_efforts(elbow, given):
    """efforts + Kp (q_r - q) + Kd (qd_r - qd), to the rounding of fused multiply-adds."""
    q, qd, efforts = (x[0] for x in given)
    rng = np.random.default_rng(3)
    gains, targets = np.array([[40.0, 10.0], [4.0, 1.0]]), rng.uniform(-1.0, 1.0, (M, 2, 2))
    plant = Plant(elbow)
    found = plant.rollout(q, qd, efforts, DT, gains, targets)
    plant.set_state(q, qd)
    for step in range(M):
        error = targets[step] - np.array([plant.q, plant.qd])
        plant.step(efforts[step] + gains[0] * error[0] + gains[1] * error[1], DT)
        assert np.abs(found.position[0, step + 1] - plant.q).max() <= 1e-10
        assert np.abs(found.velocity[0, step + 1] - plant.qd).max() <= 1e-9
    assert np.abs(found.position[0, -1] - q).max() > 0.1


def test_one_state_or_sequence_serves_every_plant(elbow, given):
    """A single state or sequence serves every plant."""
    plant = Plant(elbow)
    q, qd, efforts = given
    found = plant.rollout(q, np.zeros(2), efforts[0], DT)
    again = plant.rollout(q, np.zeros_like(q), np.repeat(efforts[:1], K, axis=0), DT)
    assert np.array_equal(found.position, again.position)
    assert plant.rollout(q[0], qd[0], efforts[0], DT).position.shape == (1, M + 1, 2)
    assert plant.rollout(q, qd, np.zeros((K, 0, 2))).position.shape == (K, 1, 2)


def test_a_blow_up_stops_its_row_alone(elbow):
    """The plant stands still in its last valid state; the others go on."""
    settings = PlantSettings(largest_speed=30.0)
    plant, qd = Plant(elbow, settings), np.array([[0.0, 0.0], [29.9, 29.9]])
    efforts = np.full((2, 20, 2), 30.0)
    efforts[0] = 0.0
    found = plant.rollout(np.zeros((2, 2)), qd, efforts, DT)
    assert found.blown_up[0] == -1 and found.blown_up[1] >= 0
    for row in range(2):
        q, velocity = by_hand(plant, np.zeros(2), qd[row], efforts[row])
        assert np.array_equal(found.position[row], q)
        assert np.array_equal(found.velocity[row], velocity)
    assert (found.velocity[1, found.blown_up[1] + 2 :] == 0.0).all()
    assert found.faults[0] == ''
    for part in ('in rollout 1 the state of joint', f'after step {found.blown_up[1]}, at t = '):
        assert part in found.faults[1]


def test_parts_run_side_by_side(elbow, monkeypatch):
    """With two cores, two threads; the results are those of one."""
    plant, rng = Plant(elbow), np.random.default_rng(2)
    q, efforts = rng.uniform(-1.0, 1.0, (40, 2)), rng.normal(size=(40, 30, 2))
    results, threads = [], []
    right = parallel_rows.parallel_for

    def watched(count, work, smallest):
        def noted(first, last):
            threads.append((threading.current_thread().name, first, last))
            return work(first, last)

        return right(count, noted, smallest)

    monkeypatch.setattr('robodyn_ros.simulation.rollouts.parallel_for', watched)
    for cores in (1, 2):
        monkeypatch.setattr(parallel_rows, 'cores', lambda cores=cores: cores)
        results.append(plant.rollout(q, np.zeros(2), efforts))
    assert [part[1:] for part in threads] in (
        [(0, 40), (0, 24), (24, 40)],
        [(0, 40), (24, 40), (0, 24)],
    )
    assert np.array_equal(results[0].position, results[1].position)


def test_rollouts_refuse_what_no_plant_takes(elbow, given):
    """Whatever no plant would take is a sentence."""
    plant = Plant(elbow)
    q, qd, efforts = given
    for wrong, kind, match in (
        ((q[:, :1], qd, efforts), ShapeError, 'position'),
        ((q, qd[:3], efforts), ShapeError, r'\[3, 5\] plants'),
        ((q, qd, efforts[..., :1]), ShapeError, 'efforts'),
        ((q, qd, efforts[0, 0]), ShapeError, 'efforts'),
        ((q, qd, 'high'), ShapeError, 'efforts'),
        ((q, qd, np.where(efforts > 5.0, np.nan, efforts)), ParameterError, 'efforts'),
        ((q, qd, efforts, 0.0), ParameterError, 'step of 0'),
        ((q, qd, efforts, DT, np.ones((2, 2))), ParameterError, 'both'),
        ((q, qd, efforts, DT, np.ones(2), np.zeros((M, 2, 2))), ShapeError, 'gains'),
        ((q, qd, efforts, DT, np.ones((2, 2)), np.zeros((M, 2))), ShapeError, 'targets'),
        ((np.full((K, 2), 1e7), qd, efforts), ParameterError, 'position'),
    ):
        with pytest.raises(kind, match=match):
            plant.rollout(*wrong)
    with pytest.raises(ParameterError, match='latency'):
        Plant(elbow, PlantSettings(latency=1)).rollout(*given)


@pytest.mark.parametrize('every', [1, 4, 7, M])
def test_every_nth_state_is_recorded_with_the_efforts_before_it(arm, middle, every):
    """The rows of the full record, and the motor's efforts of one plant that makes the steps."""
    rng = np.random.default_rng(9)
    q = middle + rng.uniform(-0.1, 0.1, (3, arm.nv))
    qd, efforts = rng.normal(size=(3, arm.nv)), 20.0 * rng.normal(size=(3, M, arm.nv))
    plant = Plant(arm, position=middle)
    whole = plant.rollout(q, qd, efforts)
    found = plant.rollout(q, qd, efforts, every=every)
    np.testing.assert_array_equal(found.position, whole.position[:, ::every])
    np.testing.assert_array_equal(found.velocity, whole.velocity[:, ::every])
    assert found.effort.shape == (3, M // every, arm.nv)
    for row in range(3):
        plant.set_state(q[row], qd[row])
        for step in range(M):
            plant.step(efforts[row, step], 1e-3)
            if (step + 1) % every == 0:
                kept = found.effort[row, step // every]
                assert kept.tobytes() == plant.effort.tobytes()
                assert np.abs(kept).max() > 1.0


def test_a_blow_up_between_two_recorded_states_is_told_all_the_same(elbow):
    """With the sentence of the full record, at the same step; no effort is left after it."""
    plant = Plant(elbow, PlantSettings(largest_speed=30.0))
    qd, efforts = np.array([[0.0, 0.0], [29.9, 29.9]]), np.full((2, 20, 2), 30.0)
    efforts[0] = 0.0
    whole = plant.rollout(np.zeros((2, 2)), qd, efforts, DT)
    found = plant.rollout(np.zeros((2, 2)), qd, efforts, DT, every=6)
    assert whole.blown_up[1] >= 0 and found.faults == whole.faults
    np.testing.assert_array_equal(found.blown_up, whole.blown_up)
    np.testing.assert_array_equal(found.position, whole.position[:, ::6])
    assert not found.effort[1].any()


@pytest.mark.parametrize('every', [0, -1, 2.5, M + 1])
def test_impossible_intervals_are_refused(elbow, given, every):
    with pytest.raises(ParameterError, match=f'whole number from 1 to {M}'):
        Plant(elbow).rollout(*given, DT, every=every)
