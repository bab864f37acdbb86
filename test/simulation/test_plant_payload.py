# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Payloads that a plant takes up and puts down: from then on it is the robot with that load."""

from types import SimpleNamespace

import numpy as np
import pytest

from robodyn_ros.errors import ModelError, RobodynError, UnknownNameError
from robodyn_ros.simulation import Plant, PlantSettings
from robodyn_ros.simulation.step import step_of

PAYLOAD = 'tool0', 1.7, (0.1, -0.05, 0.2), np.diag([0.02, 0.03, 0.04])
SETTINGS = PlantSettings(no_command='free', command_timeout=9.0)
STATE = (0.4, -0.7), (0.9, -1.3)


def plant(robot):
    """Return a plant in motion, stepped by the kernels for any robot."""
    return Plant(robot, SETTINGS, *STATE)


def plant_of_own_code(robot):
    """Return a plant in motion, stepped by other code: the same as Python."""
    made = plant(robot)
    made.replace_kernel(SimpleNamespace(vectorcall=step_of(SETTINGS.method).python))
    return made


def state(plant, steps=20):
    """Return the bits of the state after some steps under a command."""
    for _ in range(steps):
        plant.step([1.0, -0.5])
    return plant.q.tobytes() + plant.qd.tobytes()


def test_a_loaded_plant_is_that_of_the_loaded_robot(elbow):
    """Bit for bit, also after another one took its place; the code for the bare robot waits."""
    frame, mass, com, inertia = PAYLOAD
    loaded = elbow.with_payload(frame, mass, com, inertia)
    expected, bare = state(plant(loaded)), state(plant_of_own_code(elbow))
    one = plant_of_own_code(elbow)
    kernel = one._step
    one.attach('tool0', 9.0)
    one.attach(*PAYLOAD)
    assert one._step is not kernel  # of any robot, not of the bare one
    assert state(one) == expected != bare
    one.set_state(*STATE)
    one.attach('tool0', 0.0)
    assert one._step is kernel and state(one) == bare
    np.testing.assert_array_equal(one.model.constants, elbow.model.constants)


def test_two_links_carry_each_their_own(elbow):
    """Weights add; a reset puts everything down."""
    link = elbow.model.body_names[1]
    one = plant(elbow)
    one.attach(*PAYLOAD)
    one.attach(link, 0.6, (0.0, 0.1, 0.0))
    frame, mass, com, inertia = PAYLOAD
    both = elbow.with_payload(frame, mass, com, inertia).with_payload(
        link, 0.6, (0.0, 0.1, 0.0), np.zeros((3, 3))
    )
    assert state(one) == state(plant(both))
    one.reset()
    assert state(one) == state(plant(elbow))


def test_velocity_stays_when_a_payload_is_taken_up(elbow):
    """It moves with the link from the first moment."""
    one = plant(elbow)
    state(one)
    before = one.qd.copy()
    one.attach(*PAYLOAD)
    assert one.qd.tobytes() == before.tobytes()


@pytest.mark.parametrize(
    'payload, kind, words',
    [
        (('hand', 1.0), UnknownNameError, 'hand'),
        (('tool0', -1.0), ModelError, 'mass'),
        (('tool0', np.nan), RobodynError, 'mass'),
        (('tool0', 1.0, (0.0, np.inf, 0.0)), RobodynError, 'com'),
        (('tool0', 1.0, (0.0, 0.0, 0.0), np.diag([1.0, 0.1, 0.1])), ModelError, 'triangle'),
        (('tool0', 0.0, (0.1, 0.0, 0.0)), ModelError, 'expected a positive mass'),
    ],
)
def test_impossible_payloads_are_refused(elbow, payload, kind, words):
    """In a sentence, and the plant carries what it carried."""
    one = plant(elbow)
    one.attach(*PAYLOAD)
    with pytest.raises(kind, match=words):
        one.attach(*payload)
    frame, mass, com, inertia = PAYLOAD
    assert state(one) == state(plant(elbow.with_payload(frame, mass, com, inertia)))
