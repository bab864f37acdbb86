# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The barrier of lock step: a step when all have answered, and no answer counts twice."""

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.errors import ParameterError
from robodyn_ros.simulation.command_modes import Command
from robodyn_ros.simulation.lock_step import (
    ACCEPTED,
    COMPLETE,
    REPEATED,
    STALE,
    STRANGER,
    LockStep,
)
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.runner import Runner
from robodyn_ros.simulation.sensors.encoders import Sensor

URDF = 'config/urdf/two_link.urdf'
EPOCH = 7
NONE = np.full(2, np.nan)


@pytest.fixture
def make(pytestconfig):
    """Return a function that makes a run of the two-link arm."""
    robot = Robot.from_urdf(pytestconfig.rootpath / URDF)

    def lock_step(*participants, rate=1000):
        return LockStep(Runner(Plant(robot), Sensor(2), rate), rate, participants, EPOCH)

    return lock_step


def state(run):
    """Return the bits of a state."""
    return run.runner.plant.q.tobytes() + run.runner.plant.qd.tobytes()


def test_a_step_waits_for_everybody(make):
    run = make('a', 'b')
    run.goal = 2
    assert run.missing == ['a', 'b'] and not run.advance()
    assert run.answer('a', EPOCH, 0, NONE) == ACCEPTED
    assert run.missing == ['b'] and not run.advance()
    assert run.answer('b', EPOCH, 0, NONE) == COMPLETE
    assert run.advance()
    assert (run.step, run.time, run.missing) == (1, 1_000_000, ['a', 'b'])


def test_efforts_are_refused_once_a_joint_takes_another_quantity(make):
    """The modes may change between two steps."""
    run = make('a')
    run.goal = 1
    run.answer('a', EPOCH, 0, np.ones(2))
    assert run.advance()
    run.runner.plant.command_modes = ('effort', 'velocity')
    with pytest.raises(ParameterError, match='joint2 by effort; expected velocity'):
        run.answer('a', EPOCH, 1, np.ones(2))


def test_a_run_stands_at_its_goal(make):
    run = make('a')
    run.answer('a', EPOCH, 0, NONE)
    assert not run.advance()
    run.goal = 1
    assert run.advance() and run.step == 1
    run.answer('a', EPOCH, 1, NONE)
    assert not run.advance()


def test_answers_to_other_states_and_of_others_are_dropped(make):
    run = make('a', 'b')
    for participant, epoch, step, outcome in (
        ('a', EPOCH, 1, STALE),
        ('a', EPOCH - 1, 0, STALE),
        ('c', EPOCH, 0, STRANGER),
        ('a', EPOCH, 0, ACCEPTED),
        ('a', EPOCH, 0, REPEATED),
    ):
        assert run.answer(participant, epoch, step, NONE) == outcome
    assert run.dropped == {'stale': 2, 'stranger': 1, 'repeated': 1}
    assert run.missing == ['b']


def test_the_first_answer_counts(make):
    first, again = np.array([1.0, -2.0]), np.array([5.0, 5.0])
    states = []
    for answers in ([first], [first, again, again]):
        run = make('a')
        run.goal = 1
        for effort in answers:
            run.answer('a', EPOCH, 0, effort)
        assert run.advance()
        states.append(state(run))
    assert states[0] == states[1]


def test_the_order_of_answers_does_not_matter(make):
    efforts = {'a': np.array([1.0, np.nan]), 'b': np.array([np.nan, -2.0])}
    states = []
    for order in ('ab', 'ba'):
        run = make('a', 'b')
        run.goal = 1
        for name in order:
            run.answer(name, EPOCH, 0, efforts[name])
        run.advance()
        states.append(state(run))
    whole = make('a')
    whole.goal = 1
    whole.answer('a', EPOCH, 0, np.array([1.0, -2.0]))
    whole.advance()
    assert states == [state(whole)] * 2


def test_two_that_command_one_joint_are_refused(make):
    run = make('a', 'b')
    run.answer('a', EPOCH, 0, np.array([1.0, np.nan]))
    with pytest.raises(ParameterError, match="'b' and 'a' both command joint joint1"):
        run.answer('b', EPOCH, 0, np.array([1.0, 1.0]))
    assert run.missing == ['b']


def test_an_answer_of_another_size_is_refused(make):
    with pytest.raises(ParameterError, match='answered with 3 efforts; expected 2'):
        make('a').answer('a', EPOCH, 0, np.zeros(3))


def test_an_answer_names_the_quantity_of_each_joint(make):
    """Three arrays, each for all joints or empty; together they are one command."""
    states = []
    for command in (
        (NONE, np.array([0.1, np.nan]), np.array([np.nan, -0.3])),
        Command(np.array([0.1, -0.3]), np.array([1.0, 2.0])),
    ):
        run = make('a')
        run.runner.plant.command_modes = ('position', 'any')
        run.goal = 1
        assert run.answer('a', EPOCH, 0, command) == COMPLETE
        assert run.advance() and run.runner.plant.commanded.all()
        states.append(state(run))
    assert states[0] == states[1]
    quiet = make('a')
    quiet.goal = 1
    quiet.answer('a', EPOCH, 0, (np.empty(0),) * 3)
    assert quiet.advance() and not quiet.runner.plant.commanded.any()


@pytest.mark.parametrize(
    ('arrays', 'sentence'),
    [
        (([1.0, 1.0], [0.1, np.nan], []), 'joint1 by effort and position; expected one of them'),
        (([], [0.1, np.nan], [np.nan, 0.0]), 'joint1 by position; expected effort'),
        (([], [], [0.0, 0.0, 0.0]), 'answered with 3 velocities; expected 2, of joint1, joint2'),
    ],
)
def test_an_answer_of_wrong_quantities_is_refused(make, arrays, sentence):
    run = make('a')
    with pytest.raises(ParameterError, match=f"lock step: 'a' .*{sentence}"):
        run.answer('a', EPOCH, 0, tuple(np.array(each) for each in arrays))
    assert run.missing == ['a']


def test_a_restart_gives_the_same_run_again(make):
    run = make('a')
    states = []
    for _ in range(2):
        run.goal = 5
        for step in range(5):
            run.answer('a', run.epoch, step, np.array([0.3, -0.2]))
            assert run.advance()
        states.append(state(run))
        epoch = run.epoch
        run.runner.reset()
        run.restart()
        assert run.epoch > epoch and run.step == run.goal == run.time == 0
        assert run.answer('a', epoch, 0, NONE) == STALE
    assert states[0] == states[1]


@pytest.mark.parametrize(
    ('participants', 'rate', 'sentence'),
    [
        (('a',), 3000, 'whole number of nanoseconds'),
        ((), 1000, 'one name or more'),
        (('a', 'a'), 1000, 'each once'),
    ],
)
def test_what_cannot_be_kept_is_refused(make, participants, rate, sentence):
    with pytest.raises(ParameterError, match=sentence):
        make(*participants, rate=rate)


def test_an_answer_is_of_the_quantity_that_the_joint_takes(make):
    """Efforts, unless it says otherwise: an effort is never taken for a position."""
    run = make('a', 'b')
    run.runner.plant.command_modes = ('position', 'effort')
    with pytest.raises(ParameterError, match="'a' commands joint joint1 by effort; expected pos"):
        run.answer('a', EPOCH, 0, np.array([0.1, np.nan]))
    run.goal = 1
    run.answer('a', EPOCH, 0, np.array([np.nan, 2.0]))
    run.answer('b', EPOCH, 0, Command(np.array([0.1, np.nan]), np.array([1.0, -1.0])))
    assert run.advance()
    plant = run.runner.plant
    assert plant.commanded.all() and plant.effort[1] == 2.0 and plant.effort[0] > 0.0
