# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whatever happens in whatever order: finite torque, within limit and rate, no exception."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from robodyn_ros.control import State, Trajectory
from robodyn_ros.control.laws.computed_torque import ComputedTorque
from robodyn_ros.control.laws.gravity_compensation import GravityCompensation
from robodyn_ros.control.laws.pd import PDGravity
from support.supervised import PERIOD, Bench

number = st.one_of(
    st.floats(-3.0, 3.0),
    st.floats(-3.0, 3.0),
    st.floats(allow_nan=True, allow_infinity=True),
    st.sampled_from([math.nan, math.inf, -math.inf, 0.0, -0.0, 5e-324, 1e308, -1e308, 1e5]),
)
pair = st.lists(number, min_size=2, max_size=2)
vector = st.one_of(pair, pair, pair, st.lists(number, max_size=4))
rows = st.one_of(st.none(), st.lists(pair, min_size=1, max_size=3))
step = st.sampled_from(
    [PERIOD] * 6 + [0.0, -PERIOD, 0.4 * PERIOD, 5 * PERIOD, 0.05, -3600.0, 3600.0]
)

actions = st.one_of(
    st.tuples(st.just('run'), st.integers(1, 40), st.booleans()),
    st.tuples(st.just('tick'), step),
    st.tuples(st.just('measure'), vector, vector, st.one_of(st.just(0.0), number)),
    st.tuples(st.just('move'), st.floats(-1.5, 1.5), st.floats(-4.0, 4.0)),
    st.tuples(
        st.just('follow'), st.lists(number, min_size=1, max_size=3), rows, rows, rows, number
    ),
    st.tuples(
        st.just('follow'),
        st.just([0.05, 0.4]),
        st.just([[0.35, 0.5], [0.5, 0.4]]),
        rows,
        st.none(),
        st.just(0.0),
    ),
    st.tuples(st.just('aim'), st.sampled_from([0.0, 0.02]), st.floats(-0.05, 0.05), rows),
    st.tuples(st.just('law'), pair, st.sampled_from([0, 0, 0, 3]), st.booleans()),
    st.tuples(
        st.just('settings'),
        st.lists(st.floats(0.0, 1e4), min_size=2, max_size=2),
        st.booleans(),
        st.booleans(),
    ),
    st.sampled_from(
        [
            ('activate',),
            ('activate',),
            ('deactivate',),
            ('reset',),
            ('reset',),
            ('stop',),
            ('hold',),
        ]
    ),
)


class Player:
    """Carries the actions out on a bench, which checks every torque that is published."""

    def __init__(self, law=None):
        self.bench = Bench(law=law)

    def run(self, ticks, fresh):
        self.bench.run(ticks, fresh=fresh)

    def tick(self, dt):
        self.bench.tick(dt)

    def measure(self, q, qd, late):
        self.bench.measure(q, qd, at=self.bench.now + late)

    def move(self, q, qd):
        self.bench.q = np.array([q, -q])
        self.bench.qd = np.array([qd, -qd])

    def follow(self, times, *fields):
        *fields, delay = fields
        fields = [None if field is None else (field * 3)[: len(times)] for field in fields]
        if fields[0] is not None:
            self.bench.supervisor.follow(Trajectory(times, *fields, delay=delay), self.bench.now)

    def aim(self, due, offset, rates):
        point = self.bench.q + offset
        self.bench.supervisor.stream_target(
            Trajectory([due], [point], rates and rates[:1]), self.bench.now
        )

    def law(self, torque, status, fails):
        law = self.bench.law
        law.torque, law.status = np.array(torque), status
        law.error = ArithmeticError('as the test wants') if fails else None

    def settings(self, gains, compensated, held):
        supervisor = self.bench.supervisor
        supervisor.settings = supervisor.settings.replace(
            gains=np.array([gains] * 2),
            robot_compensates_gravity=compensated,
            stale_action='gravity_hold' if held else 'zero',
        )

    def activate(self):
        self.bench.supervisor.activate(self.bench.now)

    def reset(self):
        self.bench.supervisor.reset(self.bench.now)

    def __getattr__(self, name):
        return getattr(self.bench.supervisor, name)


PROLOGUE = [('run', 3, True), ('activate',), ('run', 3, True)]


@given(st.lists(actions, max_size=25))
@settings(max_examples=300)
@example([('run', 30, False), ('activate',), ('run', 1, True), ('activate',), ('run', 1, True)])
@example(
    [
        ('deactivate',),
        ('run', 200, True),
        ('move', 1.0, 0.0),
        ('measure', [1.0, -1.0], [0.0, 0.0], 0.0),
        ('activate',),
        ('run', 3, True),
    ]
)
def test_invariant_holds_for_an_arbitrary_law(played):
    """Any torque, status and exception, any message, any time."""
    player = Player()
    for name, *arguments in PROLOGUE + played:
        getattr(player, name)(*arguments)


@pytest.mark.parametrize('law', [ComputedTorque, PDGravity, GravityCompensation])
@given(st.lists(actions.filter(lambda action: action[0] != 'law'), max_size=20))
@settings(max_examples=60)
def test_invariant_holds_for_the_built_in_laws(law, played):
    """And the built-in laws never FAULT on states that were accepted."""
    player = Player(law)
    for name, *arguments in PROLOGUE + played:
        getattr(player, name)(*arguments)
    if ('stop',) not in played:
        assert player.bench.state is not State.FAULT
