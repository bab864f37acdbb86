# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the controller does about a node that begins to command its robot."""

import pytest

from robodyn_ros.control import Reason, State, Trajectory
from robodyn_ros.control.supervisor.rival_policy import (
    HOLD,
    REPORT,
    RIVAL_ACTIONS,
    STOP,
    RivalPolicy,
)
from support.supervised import Bench


@pytest.mark.parametrize(
    ('action', 'state', 'reason'),
    [
        (REPORT, State.ACTIVE, Reason.FOLLOWING),
        (HOLD, State.HOLD, Reason.HOLD_REQUESTED),
        (STOP, State.FAULT, Reason.STOPPED),
    ],
)
def test_row_63_a_late_rival_is_reported_held_against_or_stopped_for(action, state, reason):
    bench, told = Bench().activate(), []
    bench.supervisor.follow(Trajectory([1.0], [[0.8, 0.9]]), bench.now)
    bench.run(10)
    policy = RivalPolicy(bench.supervisor, '/efforts', told.append)
    policy.react([], action)
    assert bench.run(1) is State.ACTIVE and not told
    for _ in range(3):  # it is reported once, and acted on once
        policy.react(['/planner'], action)
        bench.run(1)
    assert (bench.state, bench.reason) == (state, reason)
    assert told == ["Another node publishes on '/efforts': /planner."]
    assert bool(policy.refusal) == (action == HOLD)
    policy.react([], action)
    assert not policy.refusal and len(told) == 2


def test_row_63_the_default_is_to_hold():
    from robodyn_ros.ros.controller.controller_parameters import CONTROLLER_PARAMETERS

    spec = next(spec for spec in CONTROLLER_PARAMETERS if spec.name == 'rival_action')
    assert spec.default == HOLD and spec.choices == RIVAL_ACTIONS
