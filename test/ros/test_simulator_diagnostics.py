# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The speed of a simulation is judged over the time in which it runs."""

from types import SimpleNamespace

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')

from diagnostic_msgs.msg import DiagnosticStatus

from robodyn_ros.ros.simulator import simulator_diagnostics
from robodyn_ros.ros.simulator.simulator_diagnostics import SimulatorDiagnostics, Totals


@pytest.fixture
def speed_at(monkeypatch):
    """Return the function that gives the entry of the loop at a time, or None without one."""
    for part in ('_robot', '_commands'):
        monkeypatch.setattr(SimulatorDiagnostics, part, lambda *_: DiagnosticStatus(name='other'))
    times = SimpleNamespace(percentile=lambda _: 0.0)
    session = SimpleNamespace(
        running=False,
        timed=True,
        values={'speed_factor': 1.0},
        runner=SimpleNamespace(paused=False),
        loop=SimpleNamespace(
            counts=SimpleNamespace(cycles=0, missed=0), tick_time=times, wake_latency=times
        ),
        lost=0,
        pause=SimpleNamespace(collections=0),
    )
    diagnostics = SimulatorDiagnostics('arm')

    def told(time, simulated, running):
        session.running = running
        now = Totals(time, 0.0, simulated, 0, 0)
        monkeypatch.setattr(simulator_diagnostics, '_totals', lambda _: now)
        entries = diagnostics.build(session, '', '').status
        return next((entry for entry in entries if entry.name == 'arm: loop'), None)

    return told


def test_a_simulation_that_has_just_begun_is_not_slow(speed_at):
    """It was built, then kernels were loaded, and then it ran for a tenth of the first report."""
    assert speed_at(10.0, 0.0, running=False) is None
    assert speed_at(11.0, 0.1, running=True) is None
    assert speed_at(12.0, 1.1, running=True).level == b'\0'


def test_a_slow_simulation_is_told(speed_at):
    """By its share of real time since the last report."""
    speed_at(10.0, 0.0, running=True)
    entry = speed_at(12.0, 1.0, running=True)
    assert entry.level != b'\0' and '0.5 of real time' in entry.message
