# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The law of elastic joints: its terms, its rest, and an arm on which computed torque fails."""

from math import inf

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.control import TERMS, law_class
from robodyn_ros.control.laws.elastic_joint import BESIDE, ElasticJointLaw
from robodyn_ros.errors import ModelError, ParameterError, UnknownNameError
from robodyn_ros.model.extended.elastic_joints import ElasticJoint
from robodyn_ros.model.layout import ROTOR
from robodyn_ros.simulation import PlantSettings
from robodyn_ros.simulation.elastic.elastic_plant import ElasticPlant
from support.compare import agree
from support.supervised import FRANKA, TWO_LINK, lagging

#: Stiffness, damping and motor inertia as of an arm with harmonic drives, by joint.
SPRINGS = {
    name: ElasticJoint(k, 2e-3 * k, b)
    for name, k, b in zip(
        FRANKA.joint_names,
        (2e3, 2e3, 1.5e3, 1.5e3, 5e2, 5e2, 3e2),
        (0.6, 0.6, 0.5, 0.5, 0.2, 0.2, 0.1),
    )
}
ENTRIES = tuple(
    f'{name}={spring.stiffness} {spring.damping} {spring.motor_inertia}'
    for name, spring in SPRINGS.items()
)
HOME = np.array([0.0, 0.3, 0.0, -1.6, 0.0, 1.6, 0.8])
SWING, RATE = np.array([0.4, 0.3, -0.4, 0.3, 0.4, -0.3, 0.5]), 2.0  # [rad], [rad/s]


def total(law, *arguments):
    """Return the terms of a law by name."""
    terms = np.zeros((len(TERMS), law.robot.nv))
    assert not law.torques(*arguments, terms)
    return dict(zip(TERMS, terms))


def test_every_term_is_that_of_the_reference():
    """The rigid robot's dynamics at the reference, and PD of the motors; joint 2 is rigid."""
    law = ElasticJointLaw(TWO_LINK, ('joint1=300 1 0.7',))
    q, qd, reference, gains = lagging(TWO_LINK)
    terms = total(law, q, qd, reference, gains)
    at, rate, acceleration = reference
    torque = TWO_LINK.inverse_dynamics(*reference)
    by_q, by_qd, _ = TWO_LINK.derivatives.inverse_dynamics(*reference)
    slope, soft = by_q @ rate + by_qd @ acceleration, np.array([1.0 / 300.0, 0.0])
    expected = {
        'feedback': gains[0] * (at + soft * torque - q) + gains[1] * (rate + soft * slope - qd),
        'inertia': TWO_LINK.mass_matrix(at) @ acceleration + [0.7 * acceleration[0], 0.0],
        'coriolis': TWO_LINK.bias_torque(at, rate) - TWO_LINK.gravity_torque(at),
        'gravity': TWO_LINK.gravity_torque(at),
        'friction': total(law_class('computed_torque')(TWO_LINK), q, qd, reference, gains)[
            'friction'
        ],
        'other': np.zeros(2),
    }
    size = sum(np.abs(each).max() for each in expected.values())
    for name, each in expected.items():
        # a central difference misses BESIDE^2/6 of the third derivative, at rates of 1 rad/s
        agree(terms[name], each, size, BESIDE**2 / 6.0 if name == 'feedback' else 1e-12)


def tracked(name, encoders, gains, seconds=4.0, **options):
    """Return the errors [rad] of the links after the first second of a motion, or inf."""
    motors = [spring.motor_inertia for spring in SPRINGS.values()]
    law = law_class(name)(Robot(FRANKA.model.with_joint_values(ROTOR, motors)), **options)
    settings = PlantSettings(command_timeout=inf, friction_scale=0.0)
    plant = ElasticPlant(FRANKA, SPRINGS, settings, HOME, encoders=encoders)
    terms, errors, h = np.zeros((len(TERMS), 7)), [], 1e-3
    for step in range(round(seconds / h)):
        t = step * h
        # a motion that starts at rest: 1 - cos, faded in over a second
        fade = min(t, 1.0) ** 3 * (10.0 - 15.0 * min(t, 1.0) + 6.0 * min(t, 1.0) ** 2)
        rise = 30.0 * min(t, 1.0) ** 2 * (1.0 - min(t, 1.0)) ** 2
        bend = 60.0 * min(t, 1.0) * (1.0 - min(t, 1.0)) * (1.0 - 2.0 * min(t, 1.0))
        wave, slope, curve = (
            np.sin(RATE * t),
            RATE * np.cos(RATE * t),
            -(RATE**2) * np.sin(RATE * t),
        )
        reference = np.array(
            (
                HOME + SWING * fade * wave,
                SWING * (rise * wave + fade * slope),
                SWING * (bend * wave + 2.0 * rise * slope + fade * curve),
            )
        )
        if t > 1.0:
            errors.append(reference[0] - plant.q)
        terms[:] = 0.0
        law.torques(*plant.measured, reference, gains, terms)
        plant.step(terms.sum(axis=0), h)
        if plant.fault or np.abs(plant.q - HOME).max() > 10.0:
            return inf
    return np.abs(errors).max()


def test_the_arm_tracks_on_its_springs_where_computed_torque_does_not():
    """Computed torque of the arm and its motors, at 20 rad/s. By the encoders of the links it is
    unstable. By those of the motors the links deviate by their load over the stiffness.
    """
    rigid = np.outer((400.0, 40.0), np.ones(7))
    inertia = np.array([spring.motor_inertia for spring in SPRINGS.values()])
    motors = np.array((400.0 * inertia, 40.0 * inertia))
    ours = tracked('elastic_joint', 'motor', motors, elastic_joints=ENTRIES)
    by_motors = tracked('computed_torque', 'motor', rigid)
    by_links = tracked('computed_torque', 'link', rigid, 6.0)  # what is unstable takes its time
    assert ours < 6e-3
    assert by_motors > 3.0 * ours
    assert by_links > 10.0 * by_motors


def test_the_link_rests_at_its_reference():
    """theta_r - q_r = g(q_r)/k: the law of Tomei leaves no error at rest."""
    law = ElasticJointLaw(FRANKA, ENTRIES)
    plant = ElasticPlant(
        FRANKA, SPRINGS, PlantSettings(friction_scale=0.0), HOME, encoders='motor'
    )
    reference = np.array((HOME, np.zeros(7), np.zeros(7)))
    reference[0] += 0.05
    gains, terms = np.outer((300.0, 60.0), np.ones(7)), np.zeros((len(TERMS), 7))
    for _ in range(8000):
        terms[:] = 0.0
        law.torques(*plant.measured, reference, gains, terms)
        plant.step(terms.sum(axis=0))
    assert plant.q == pytest.approx(reference[0], abs=1e-7)
    assert np.abs(plant.motor_q - plant.q).max() > 1e-3


@pytest.mark.parametrize(
    ('entries', 'error', 'sentence'),
    [
        (('elbow=1 0 1',), UnknownNameError, "elastic joint 'elbow' does not exist"),
        (('joint1=soft',), ParameterError, 'expected .joint=stiffness damping motor_inertia'),
        (('joint1=-1 0 1',), ModelError, 'stiffness -1; expected a finite one above 0'),
    ],
)
def test_wrong_entries_are_refused(entries, error, sentence):
    with pytest.raises(error, match=sentence):
        ElasticJointLaw(TWO_LINK, entries)


def test_a_file_names_the_springs(tmp_path):
    """Entries replace those of the file."""
    path = tmp_path / 'springs.yaml'
    path.write_text('elastic_joints:\n  joint1: {stiffness: 300, motor_inertia: 0.7}\n')
    arguments = lagging(TWO_LINK)
    for options in (
        {'elastic_joints_path': str(path)},
        {'elastic_joints_path': str(path), 'elastic_joints': ('joint1=500 0 0.2',)},
    ):
        entry = options.get('elastic_joints', ('joint1=300 0 0.7',))
        found = total(ElasticJointLaw(TWO_LINK, **options), *arguments)
        expected = total(ElasticJointLaw(TWO_LINK, entry), *arguments)
        assert all((found[name] == expected[name]).all() for name in TERMS)
