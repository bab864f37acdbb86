# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Targets with a time: reached then, whatever their order, delay and completeness."""

import numpy as np
import pytest
from test_task_targets import FRANKA, LIMITS, POSTURE, arm_bench, leading, resting

from robodyn_ros.control import Reason, State, TaskTarget
from robodyn_ros.control.laws.operational_space import OperationalSpace
from robodyn_ros.control.reference.task_reference import (
    ACCELERATION,
    FORCE,
    POSITION,
    QUATERNION,
    SPIN,
    VELOCITY,
    TaskReference,
    rotation,
)
from robodyn_ros.control.reference.task_schedule import MOST
from robodyn_ros.spatial.turning import quaternion_of, turn_between, turn_by
from support.supervised import PERIOD

START = np.array([0.5, 0.0, 0.4])
AXIS = np.array([0.6, 0.0, 0.8])


def way(t):
    """Position, velocity, acceleration, turn, spin and spin rate of a smooth way, from rest."""
    w = np.array([3.0, 2.0, 4.0])
    size = np.array([0.04, 0.03, -0.02])
    return (
        START + size * (1.0 - np.cos(w * t)),
        size * w * np.sin(w * t),
        size * w * w * np.cos(w * t),
        0.4 * AXIS * (1.0 - np.cos(2.0 * t)),
        0.8 * AXIS * np.sin(2.0 * t),
        1.6 * AXIS * np.cos(2.0 * t),
    )


def told(t, delay, *parts):
    """Return the TaskTarget of the way at t, with these parts alone."""
    x, v, a, turn, w, b = way(t)
    fields = {
        'position': x,
        'quaternion': turn_by(turn, (0.0, 0.0, 0.0, 1.0)),
        'twist': np.r_[v, w],
        'acceleration': np.r_[a, b],
    }
    return TaskTarget('base_link', delay=delay, **{name: fields[name] for name in parts})


class Led:
    """A TaskReference alone, led on by its ticks; targets come between them."""

    def __init__(self):
        self.task, self.clock = resting(START), 0.0
        self.worst = dict.fromkeys(('target', 'turn', 'velocity', 'state'), 0.0)

    def set_target(self, target, late=0.0):
        """Set a target between two ticks."""
        assert self.task.set_target(target, self.clock + late, late, 0.1) == ''

    def tick(self, measure=True):
        self.clock += PERIOD
        self.task.advance(self.clock, PERIOD, 0.0)
        leading(self.task.goal, self.task.target, self.task.state, LIMITS, PERIOD)
        if measure:
            x, v, _, turn, w, _ = way(self.clock)
            target, state = self.task.target, self.task.state
            for name, error in (
                ('target', target[POSITION, :3] - x),
                ('turn', turn_between(target[QUATERNION], turn_by(turn, (0.0, 0.0, 0.0, 1.0)))),
                ('velocity', np.r_[target[VELOCITY, :3] - v, target[SPIN, :3] - w]),
                ('state', state[POSITION, :3] - x),
            ):
                self.worst[name] = max(self.worst[name], np.linalg.norm(error))


PLACE = 'position', 'quaternion'


@pytest.mark.parametrize(
    ('ahead', 'parts', 'bounds'),
    [
        # A cubic over h = 10 ms errs by h^4 / 384 of the fourth derivative, 6 m/s^4. Its velocity
        # errs by h^3 / 72 sqrt(3) of it. The tick adds dt^3 / 12 of the third one, 3 m/s^3.
        (0.03, (*PLACE, 'twist'), (1e-8, 1e-8, 1e-5, 5e-6)),
        # Velocities are means over 2 h, and err by h^2 / 6 of the third derivative. A place errs
        # by h / 4 of that.
        (0.03, PLACE, (2e-7, 2e-7, 1e-4, 5e-6)),
        # A target of t = 20 to 25 ms ago is extrapolated to now and by another h. It errs by
        # t^3 / 6 of the third derivative, or, without an acceleration, t^2 / 2 of the second.
        (-0.02, (*PLACE, 'twist', 'acceleration'), (2e-5, 4e-5, 4e-3, 1e-4)),
        (-0.02, (*PLACE, 'twist'), (5e-4, 1.2e-3, 8e-2, 1e-3)),
    ],
)
def test_a_stream_is_followed_by_its_stamps(ahead, parts, bounds):
    """The reference follows the stamps of targets, whatever their delays."""
    led, rng = Led(), np.random.default_rng(3)
    worst = None
    for k in range(2000):
        if k % 10 == 0:
            late = rng.uniform(0.0, 0.9) * PERIOD  # between two ticks
            # on its way for up to 5 ms, as its sender cannot know
            due = led.clock + late + ahead - rng.uniform(0.0, 0.005)
            if ahead > 0.0:
                due = 0.01 * round(due / 0.01)
            if due >= 0.0:
                led.set_target(told(due, due - led.clock - late, *parts), late)
        led.tick(measure=k > 500)
        worst = led.worst if k == 1000 else worst
    for name, bound in zip(led.worst, bounds):
        assert led.worst[name] < bound, (name, led.worst)


def test_parts_of_one_instant_join_in_any_order():
    """Pose and twist by themselves, the one before or after the other, as over two topics."""
    together, apart = Led(), Led()
    rng = np.random.default_rng(4)
    for k in range(500):
        if k % 10 == 0:
            due = led_time = together.clock + 0.03
            together.set_target(told(led_time, 0.03, *PLACE, 'twist'))
            parts = [PLACE, ('twist',)]
            for part in parts if rng.uniform() < 0.5 else parts[::-1]:
                # each with a stamp of its own, a moment later
                stamp = due + rng.uniform(0.0, 2e-4)
                apart.set_target(told(due, stamp - apart.clock, *part))
        together.tick()
        apart.tick()
    assert together.worst['target'] < 1e-6
    # 0.2 ms at 0.3 m/s
    assert np.abs(together.task.target - apart.task.target)[:SPIN].max() < 1e-4
    assert apart.worst['target'] < 1e-4


def test_a_single_place_is_reached_by_its_time_and_held():
    """From rest to rest, on a straight line; not sooner."""
    led, goal, turn = Led(), START + [0.1, -0.05, 0.02], np.array([0.0, 0.3, 0.2])
    q = turn_by(turn, (0.0, 0.0, 0.0, 1.0))
    led.set_target(TaskTarget('base_link', goal, q, delay=1.5))
    found = []
    while led.clock < 1.4995:
        led.tick(measure=False)
        found.append(led.task.target[POSITION, :3].copy())
        assert led.task.advance(led.clock, 0.0, 0.0) == ''
    shares = (np.array(found) - START) @ (goal - START) / np.sum((goal - START) ** 2)
    s = PERIOD * np.arange(1, len(found) + 1) / 1.5
    assert np.abs(shares - s * s * (3.0 - 2.0 * s)).max() < 1e-6
    for _ in range(500):
        led.tick(measure=False)
    assert np.allclose(led.task.target[POSITION, :3], goal, atol=1e-12)
    assert np.allclose(turn_between(led.task.target[QUATERNION], q), 0.0, atol=1e-12)
    assert not led.task.target[VELOCITY:].any()
    assert led.task.advance(led.clock, 0.0, 0.0) == Reason.TARGET_REACHED
    assert np.allclose(led.task.state[POSITION, :3], goal, atol=1e-6)


def test_a_twist_is_had_by_its_time():
    """Without a place: the velocity changes evenly until then, and ends after its time."""
    led, twist = Led(), np.array([0.1, 0.0, -0.05, 0.0, 0.2, 0.0])
    led.set_target(TaskTarget('base_link', twist=twist, delay=0.2))
    for _ in range(100):
        led.tick(measure=False)
    assert np.allclose(led.task.target[VELOCITY, :3], 0.5 * twist[:3], atol=1e-12)
    assert np.allclose(led.task.target[SPIN, :3], 0.5 * twist[3:], atol=1e-12)
    for _ in range(195):
        led.tick(measure=False)
    assert np.allclose(led.task.target[VELOCITY, :3], twist[:3], atol=1e-12)
    assert not led.task.target[ACCELERATION].any()
    for _ in range(10):
        led.tick(measure=False)
    assert not led.task.target[VELOCITY].any(), 'a timeout of 0.1 s after its time'


def test_a_wrench_begins_at_its_time():
    """Beside places for other times, which it leaves alone."""
    led = Led()
    led.set_target(TaskTarget('base_link', START + 0.01, delay=0.1))
    led.set_target(TaskTarget('base_link', wrench=[5.0, 0, 0, 0, 0, 0], delay=0.05))
    for _ in range(49):
        led.tick(measure=False)
    assert not led.task.target[FORCE].any()
    led.tick(measure=False)
    led.tick(measure=False)
    assert led.task.target[FORCE, 0] == 5.0
    for _ in range(49):
        led.tick(measure=False)
    assert np.allclose(led.task.target[POSITION, :3], START + 0.01, atol=1e-6)


def test_a_target_for_now_replaces_later_ones():
    """A stop clears later targets; a target for the past does not."""
    led = Led()
    for k in range(1, 20):
        led.set_target(told(0.01 * k, 0.01 * k, *PLACE))
    for _ in range(100):
        led.tick()
    led.set_target(told(0.09, -0.01, *PLACE, 'twist'))
    for _ in range(40):
        led.tick()
    assert led.worst['target'] < 1e-4
    here = led.task.target[POSITION, :3].copy()
    led.set_target(TaskTarget('base_link', here))
    for _ in range(300):
        led.tick(measure=False)
    for _ in range(700):
        led.tick(measure=False)
    assert np.allclose(led.task.target[POSITION, :3], here, atol=1e-15)
    assert led.task.advance(led.clock, 0.0, 0.0) == '' and not led.task.moving


def test_too_many_targets_are_refused():
    """There is an end to what may lie ahead; what is there stays."""
    task = resting()
    for k in range(MOST):
        target = TaskTarget('base_link', START, delay=0.002 * (k + 1))
        assert task.set_target(target, 0.0, 0.0, 0.1) == ''
    assert (
        task.set_target(target, 0.0, 0.0, 0.1) == '1000 targets lie ahead already; expected fewer'
    )
    task.hold(START, (0.0, 0.0, 0.0, 1.0))
    assert task.set_target(target, 0.0, 0.0, 0.1) == ''


def test_targets_in_a_frame_fixed_to_the_base():
    """Pose, twist and wrench, from a table that stands turned beside the base."""
    turn = turn_by((0.2, -0.5, 0.9), (0.0, 0.0, 0.0, 1.0))
    R, origin = rotation(turn), np.array([0.3, -0.2, 0.7])
    task = TaskReference(
        'base_link', 'flange', {'base_link': (np.eye(3), np.zeros(3)), 'table': (R, origin)}
    )
    q, twist = turn_by((0.1, 0.2, 0.3), (0.0, 0.0, 0.0, 1.0)), np.arange(6.0) * 0.01
    target = TaskTarget('table', START, q, twist, wrench=twist)
    assert target.refusal(task, np.ones(4)) == ''
    task.set_target(target, 0.0, 0.0, 0.1)
    assert np.allclose(task.target[POSITION, :3], R @ START + origin, atol=1e-15)
    assert np.allclose(rotation(task.target[QUATERNION]), R @ rotation(q), atol=1e-14)
    assert np.allclose(task.target[SPIN, :3], R @ twist[3:], atol=1e-15)
    assert np.allclose(task.target[FORCE, :3], R @ twist[:3], atol=1e-15)
    wrong = TaskTarget('chair', START).refusal(task, np.ones(4))
    assert wrong == (
        "frame_id of position: got 'chair'; expected 'base_link', the base, 'table', fixed to it"
    )


def test_old_joint_states_are_made_up_for():
    """An end effector that moves with its reference has no error, however old the state is."""
    law = OperationalSpace(FRANKA, 'flange')
    qd, terms = np.linspace(-0.3, 0.4, 7), np.zeros((6, 7))
    law.reset(POSTURE, qd)
    rows = np.array([POSTURE, qd, 0.0 * qd])
    errors = []
    for age in (0.0, 0.004, 0.008):
        pose, v = FRANKA.pose(POSTURE, 'flange'), FRANKA.velocity(POSTURE, qd, 'flange')
        law.task.state[POSITION, :3] = pose[:3, 3]
        law.task.state[QUATERNION] = quaternion_of(*pose[:3, :3].T)
        law.task.state[VELOCITY, :3], law.task.state[SPIN, :3] = v[:3], v[3:]
        law.task.age = age
        law.torques(POSTURE - age * qd, qd, rows, np.zeros((2, 7)), terms)
        errors.append(np.abs(law.task.measured[4:6]).max())
    assert max(errors) < 1e-14
    law.task.age = 1.0
    law.torques(POSTURE - 0.02 * qd, qd, rows, np.zeros((2, 7)), terms)
    assert np.abs(law.task.measured[4:6]).max() < 1e-14, 'no more than longest_age'


def test_the_supervisor_passes_the_age_of_a_state_to_the_law():
    """Since its receipt, and by what it was old then."""
    bench = arm_bench().activate()
    bench.supervisor.measure(bench.q, bench.qd, bench.now, 0.003)
    bench.tick(0.001)
    assert bench.law.task.age == pytest.approx(0.004)
    refused = bench.supervisor.set_task_target(
        TaskTarget('base_link', START, delay=-1.0), bench.now
    )
    assert refused.startswith('stamp: got 1 s before now; expected at most 0.1 s')
    assert bench.state is State.HOLD
    assert (
        bench.supervisor.set_task_target(TaskTarget('base_link', START, delay=0.5), bench.now)
        == ''
    )
    assert bench.state is State.ACTIVE and bench.reason == Reason.FOLLOWING
