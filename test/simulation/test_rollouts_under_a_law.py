# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rollouts of plant and control law in one compiled loop: the bits of stepping both by hand."""

import numpy as np
import pytest

from robodyn_ros.control import ControlLaw, law_class
from robodyn_ros.control.laws.pd import PD
from robodyn_ros.errors import ParameterError, ShapeError
from robodyn_ros.simulation import Faults, Plant, PlantSettings
from support.robots.textbook import Segment, serial

K, M, DT = 3, 40, 2e-3
LAWS = ('pd', 'pd_gravity', 'computed_torque', 'passivity')


@pytest.fixture(scope='module', params=['generic', 'specialised'])
def robot(request, elbow):
    """Return the small arm, and its specialised twin."""
    return elbow if request.param == 'generic' else elbow.specialised()


@pytest.fixture(scope='module')
def given():
    """Return positions, velocities, efforts, gains and references of K plants of two joints."""
    rng = np.random.default_rng(0)
    q, qd = rng.uniform(-1.0, 1.0, (2, K, 2))
    gains = rng.uniform(5.0, 50.0, (K, 2, 2))
    return q, qd, rng.normal(size=(K, M, 2)), gains, rng.uniform(-1.0, 1.0, (K, M, 3, 2))


def by_hand(plant, law, q, qd, efforts, gains, references):
    """Return the states of a plant whose law is called from Python before each step."""
    plant.set_state(q, qd)
    states, terms = [(plant.q.copy(), plant.qd.copy())], np.zeros((6, len(qd)))
    for effort, reference in zip(efforts, references):
        terms.fill(0.0)
        law.torques(plant.q, plant.qd, reference, gains, terms)
        plant.step(effort + terms.sum(axis=0), DT)
        states.append((plant.q.copy(), plant.qd.copy()))
    return [np.array(x) for x in zip(*states)]


def expect_bits(plant, law, given):
    """Assert that a rollout has the states of plants stepped by hand; return it."""
    q, qd, efforts, gains, references = given
    found = plant.rollout(q, qd, efforts, DT, gains, references, law)
    assert (found.blown_up == -1).all()
    for row in range(len(q)):
        states = by_hand(plant, law, *(x[row] for x in given))
        assert np.array_equal(found.position[row], states[0])
        assert np.array_equal(found.velocity[row], states[1])
    return found


@pytest.mark.parametrize('name', LAWS)
def test_bit_for_bit_what_law_and_plant_do_in_turn(robot, given, name):
    """Each plant with its own gains and references, and efforts on top."""
    law = law_class(name)(robot)
    found = expect_bits(Plant(robot), law, given)
    assert np.abs(np.diff(found.velocity, axis=1)).max() > 0.1


@pytest.mark.parametrize('integrator', ['semi_implicit_euler', 'rk4'])
def test_friction_stops_faults_and_a_wrench_act_under_a_law(arm, integrator):
    """Seven joints, one at its stop, one with a weak motor, one that is braked."""
    rng = np.random.default_rng(1)
    middle = 0.5 * (arm.limits.lower + arm.limits.upper)
    plant = Plant(arm, PlantSettings(integrator=integrator))
    plant.injected_faults = Faults(
        effort_loss={arm.joint_names[1]: 0.5}, stuck_joints=arm.joint_names[6:]
    )
    plant.apply_wrench(arm.frames[-1], (1.0, -2.0, 3.0, 0.1, 0.2, 0.3))
    references = np.zeros((1, M, 3, arm.nv))
    references[:, :, 0] = middle
    references[:, :, 0, 3] = arm.limits.upper[3] + 1.0
    q = middle.copy()
    q[3] = arm.limits.upper[3]
    gains = np.outer([400.0, 40.0], np.ones(arm.nv))
    law = law_class('computed_torque')(arm)
    given = q[None], 0.1 * rng.normal(size=(1, 7)), np.zeros((1, M, 7)), gains[None], references
    found = expect_bits(plant, law, given)
    assert (found.position[0, :, 3] == arm.limits.upper[3]).sum() > 5
    assert (found.position[0, :, 6] == q[6]).all()


def test_the_law_may_know_another_model_than_the_plant_has(elbow, given):
    """A load that the law does not know: the law computes with its own robot."""
    loaded = elbow.with_payload(elbow.frames[-1], 2.0, (0.0, 0.0, 0.1), 0.01 * np.eye(3))
    plant, law = Plant(loaded), law_class('computed_torque')(elbow)
    found = expect_bits(plant, law, given)
    knowing = plant.rollout(*given[:3], DT, *given[3:], law_class('computed_torque')(loaded))
    assert np.abs(found.position - knowing.position).max() > 1e-3


def test_one_row_of_gains_and_references_serves_every_plant(elbow, given):
    """As with one row for each of them, under a law and without."""
    q, qd, efforts, gains, references = given
    plant, law = Plant(elbow), law_class('pd_gravity')(elbow)
    for rows, of in ((references, law), (references[:, :, :2], None)):
        found = plant.rollout(q, qd, efforts[0], DT, gains[0], rows[0], of)
        same, each, way = (np.repeat(x[:1], K, axis=0) for x in (efforts, gains, rows))
        again = plant.rollout(q, qd, same, DT, each, way, of)
        assert np.array_equal(found.position, again.position)
        other = plant.rollout(q, qd, efforts[0], DT, gains, rows[0], of)
        assert np.array_equal(found.position[0], other.position[0])
        assert not np.array_equal(found.position[1], other.position[1])


def test_a_torque_that_no_plant_takes_stops_its_row_alone(elbow, given):
    """The row keeps the last valid state; the others go on."""
    q, qd, efforts, gains, references = given
    wild = gains.copy()
    wild[1] = 1e9
    found = Plant(elbow).rollout(q, qd, efforts, DT, wild, references, PD(elbow))
    assert found.blown_up.tolist() == [-1, 0, -1] and found.faults[::2] == ('', '')
    assert 'in rollout 1 the command of joint' in found.faults[1]
    assert (found.position[1] == q[1]).all() and (found.velocity[1, 2:] == 0.0).all()


def test_without_machine_code_the_loop_is_plain_python(elbow, given, monkeypatch, interpreted):
    """The same numbers to the rounding of a few steps."""
    q, qd, efforts, gains, references = (x[:1] for x in given)
    arguments = q, qd, efforts[:, :4], DT, gains, references[:, :4]
    plant, law = Plant(elbow), law_class('computed_torque')(elbow)
    compiled = plant.rollout(*arguments, law)
    monkeypatch.setattr('robodyn_ros.codegen.linker.MISSING', 'a part')
    plain = plant.rollout(*arguments, law)
    assert np.allclose(plain.position, compiled.position, rtol=0.0, atol=1e-12)
    assert np.abs(plain.velocity[0, -1] - qd[0]).max() > 1e-2


class Doubled(PD):
    """A law that is more than the kernel of its base class."""

    def torques(self, q, qd, reference, gains, terms):
        """Write twice the feedback."""
        super().torques(q, qd, reference, 2.0 * gains, terms)


def test_laws_that_are_no_single_kernel_are_refused(elbow, given):
    """Laws with a state, in Python, or without gains; and those for other joints."""
    q, qd, efforts, gains, references = given
    plant = Plant(elbow)
    laws = law_class('adaptive_computed_torque')(elbow), Doubled(elbow), ControlLaw(elbow)
    for law in laws:
        with pytest.raises(ParameterError, match='expected one that is a single kernel'):
            plant.rollout(q, qd, efforts, DT, gains, references, law)
    other = serial((Segment('revolute', (0, 0, 1), (0, 0, 0), 1.0, (0.5, 0, 0), 0.1),))
    with pytest.raises(ParameterError, match='a law for the joints'):
        plant.rollout(q, qd, efforts, DT, gains, references, PD(other))
    with pytest.raises(ParameterError, match='a law without them'):
        plant.rollout(q, qd, efforts, DT, law=PD(elbow))
    with pytest.raises(ShapeError, match='targets'):
        plant.rollout(q, qd, efforts, DT, gains, references[:, :, :2], PD(elbow))
    with pytest.raises(ShapeError, match='gains'):
        plant.rollout(q, qd, efforts, DT, gains[:2], references, PD(elbow))
