# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A supervisor on a bench: time, states and law in the test's hands, one invariant every tick."""

from pathlib import Path

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.control import ControlLaw, Settings, State, Supervisor
from robodyn_ros.control.supervisor.reference_clock import MAX_PERIODS

CONFIG = Path(__file__).parents[2] / 'config' / 'urdf'
PERIOD = 1e-3


def arm(name):
    """Return a robot of config/."""
    return Robot.from_urdf(CONFIG / f'{name}.urdf')


TWO_LINK, FRANKA = arm('two_link'), arm('franka_like')
by_robot = pytest.mark.parametrize(
    'robot', [TWO_LINK, FRANKA, arm('ur_like')], ids=lambda robot: robot.name
)


def lagging(robot, seed=3):
    """Return q, qd, reference and gains of a robot that moves and lags behind."""
    rng = np.random.default_rng(seed)
    q, qd = rng.uniform(-1.5, 1.5, (2, robot.nv))
    reference = np.array([q, qd, np.zeros(robot.nv)]) + rng.uniform(-0.5, 0.5, (3, robot.nv))
    return q, qd, reference, rng.uniform(1.0, 200.0, (2, robot.nv))


def settings_for(robot, **changes):
    """Return settings whose limits are too far away to interfere, unless a test asks for it."""
    n = robot.nv
    values = {
        'period': PERIOD,
        'gains': np.array([[100.0] * n, [20.0] * n]),
        'effort_limits': np.full(n, 80.0),
        'effort_rate': np.full(n, 1000.0),
        'velocity_limits': np.full(n, 3.0),
        'lower': np.full(n, -2.5),
        'upper': np.full(n, 2.5),
        # the arm of a bench does not move by itself
        'stuck_action': 'warn',
        'following_action': 'warn',
    }
    return Settings(**{**values, **changes})


class Scripted(ControlLaw):
    """A law whose torque, status and exceptions a test chooses; it remembers its calls."""

    name = 'scripted'
    equation = 'tau = whatever the test wants'

    def __init__(self, robot, tracks=True):
        super().__init__(robot)
        self.tracks = tracks
        self.torque, self.status, self.error, self.reset_error = np.zeros(robot.nv), 0, None, None
        self.resets, self.calls, self.seen = [], 0, None

    def reset(self, q, qd):
        if self.reset_error:
            raise self.reset_error
        self.resets.append(q.copy())

    def torques(self, q, qd, reference, gains, terms):
        self.calls += 1
        self.seen = q.copy(), qd.copy(), reference.copy(), gains.copy()
        if self.error:
            raise self.error
        terms[0] = self.torque
        return self.status


class Bench:
    """Drives a supervisor; every tick is checked against the invariant that no fault may break."""

    def __init__(self, robot=TWO_LINK, law=None, tracks=True, now=10.0, **changes):
        self.robot = robot
        self.law = law(robot) if law else Scripted(robot, tracks)
        self.supervisor = Supervisor(robot, self.law, settings_for(robot, **changes))
        self.now = now
        self.q, self.qd = np.linspace(0.3, 0.5, robot.nv), np.zeros(robot.nv)
        self.published = None  # last torque published
        self.torques = []

    @property
    def state(self):
        return self.supervisor.state

    @property
    def reason(self):
        return self.supervisor.reason

    @property
    def command(self):
        return self.supervisor.command

    @property
    def gravity(self):
        """Gravity torque at the measured posture."""
        return self.robot.gravity_torque(self.q)

    def measure(self, q=None, qd=None, at=None):
        return self.supervisor.measure(
            self.q if q is None else q,
            self.qd if qd is None else qd,
            self.now if at is None else at,
        )

    def tick(self, dt=PERIOD):
        """One tick, dt after the last one, with the invariant checked."""
        self.now += dt
        settings, before = self.supervisor.settings, self.published
        state = self.supervisor.tick(self.now)
        assert state is self.supervisor.state and isinstance(state, State)
        if self.supervisor.publishing:
            torque = self.command.copy()
            assert np.isfinite(torque).all()
            largest = settings.effort_limits
            if before is not None:
                step = min(max(dt, 0.0), MAX_PERIODS * settings.period)
                allowed = settings.effort_rate * step * (1.0 + 1e-6) + 1e-12
                assert (np.abs(torque - before) <= allowed).all(), (torque - before, allowed)
                # a limit that has been lowered is approached at the rate
                due = settings.effort_rate * step * (1.0 - 1e-6) - 1e-9
                largest = np.maximum(largest, np.abs(before) - due)
            assert (np.abs(torque) <= largest).all(), (torque, largest)
            self.published = torque
            self.torques.append(torque)
        else:
            self.published = None
        return state

    def run(self, ticks, dt=PERIOD, fresh=True):
        """Many ticks, each just after a joint state unless they are to go stale."""
        for _ in range(ticks):
            if fresh:
                self.measure(at=self.now + dt)
            self.tick(dt)
        return self.state

    def activate(self, **options):
        """Bring the supervisor into HOLD, or ACTIVE if its law follows no reference."""
        self.measure()
        sentence = self.supervisor.activate(self.now, **options)
        assert sentence == ''
        self.measure()
        self.tick()
        return self
