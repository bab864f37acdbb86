# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A control cycle reports every change of the supervisor once, and its total time."""

import time
from types import SimpleNamespace

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')

from robodyn_ros.control.supervisor.controller_states import Reason, State  # noqa: E402
from robodyn_ros.ros.controller.control_cycle import ControlCycle  # noqa: E402

SEQUENCE = [
    (State.READY, Reason.NONE, -1),
    (State.READY, Reason.NONE, -1),
    (State.HOLD, Reason.ACTIVATED, -1),
    (State.HOLD, Reason.ACTIVATED, -1),
    (State.HOLD, Reason.TRAJECTORY_END, -1),
    (State.FAULT, Reason.TORQUE_NOT_FINITE, 0),
    (State.FAULT, Reason.TORQUE_NOT_FINITE, 0),
    (State.FAULT, Reason.TORQUE_NOT_FINITE, 1),
]


def test_every_change_is_reported_once():
    faces = iter(SEQUENCE)

    def tick(_now):
        supervisor.state, supervisor.reason, supervisor.joint = next(faces)

    supervisor = SimpleNamespace(tick=tick, publishing=False, measurement=None, task_progress=None)
    told = []
    cycle = ControlCycle(
        supervisor,
        SimpleNamespace(receive_time=0.0),
        lambda: 0,
        changed=lambda: told.append((supervisor.state, supervisor.reason, supervisor.joint)),
    )
    for k in range(len(SEQUENCE)):
        cycle.run_cycle(1e-3 * k)
    assert told == [SEQUENCE[k] for k in (0, 2, 4, 5, 7)]
    assert cycle.count == len(SEQUENCE)


def test_the_time_it_took_to_take_a_state_in_counts_once():
    """In the cycle that uses it first: whole cycles are from the joint state in to the effort."""
    supervisor = SimpleNamespace(
        tick=lambda now: None,
        publishing=False,
        state=State.HOLD,
        reason=Reason.NONE,
        joint=-1,
        task_progress=None,
        measurement=None,
    )
    intake = SimpleNamespace(receive_time=0.0)
    cycle = ControlCycle(supervisor, intake, lambda: 0)
    for receive_time in (None, 5.0, None, 7.0):
        if receive_time:
            supervisor.measurement, intake.receive_time = object(), receive_time
        cycle.tick.clear()
        cycle.run_cycle(time.monotonic())
        assert (
            1e6 * (receive_time or 0.0) <= cycle.tick.maximum < 1e6 * (receive_time or 0.0) + 1e6
        )


def test_row_50_an_error_in_telemetry_drops_no_arm():
    """It is handed on, and every cycle still publishes its effort."""
    supervisor = SimpleNamespace(
        tick=lambda now: None,
        publishing=True,
        command=None,
        state=State.HOLD,
        reason=Reason.NONE,
        joint=-1,
        task_progress=None,
        measurement=SimpleNamespace(time=0.0),
    )
    published, errors = [], []
    output = (
        SimpleNamespace(fill=lambda *_: None),
        SimpleNamespace(publish=lambda: published.append(1)),
    )

    def broken(_):
        raise ValueError('no telemetry today')

    telemetry = [(SimpleNamespace(publish=broken), SimpleNamespace(fill=lambda stamp: None))]
    intake = SimpleNamespace(receive_time=0.0)
    cycle = ControlCycle(supervisor, intake, lambda: 0, telemetry, failed=errors.append)
    cycle.output = output
    for k in range(3):
        cycle.run_cycle(1e-3 * k)
    assert len(published) == 3 and [str(error) for error in errors] == ['no telemetry today'] * 3
