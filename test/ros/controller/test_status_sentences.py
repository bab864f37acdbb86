# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What ~/status says of a value that belongs to no joint."""

from types import SimpleNamespace

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from robodyn_msgs.msg import ControllerStatus
from robodyn_ros.control.supervisor.controller_states import Reason, State
from robodyn_ros.ros.controller.controller_status import explained

SESSION = SimpleNamespace(
    robot=SimpleNamespace(model=SimpleNamespace(body_names=('base', 'upper', 'lower'))),
    supervisor=SimpleNamespace(
        settings=SimpleNamespace(
            state_timeout=0.02, stuck_time=4.0, target_tolerance=(0.005, 0.02)
        ),
        task_progress=SimpleNamespace(distance=0.0012, angle=0.0034, stays_away=False),
    ),
)


@pytest.mark.parametrize(
    ('state', 'reason', 'value', 'sentence'),
    [
        (State.FAULT, Reason.KERNEL_STATUS, 2.0, 'Its pivot is lost at lower.'),
        (State.FAULT, Reason.KERNEL_STATUS, 3.0, 'Status 3.'),
        (State.FAULT, Reason.KERNEL_STATUS, -1.0, 'Status -1.'),
        (
            State.STALE,
            Reason.STATE_TIMEOUT,
            0.0307,
            'The last new one is 0.0307 s old; expected at most 0.02 s (state_timeout).',
        ),
        (
            State.STALE,
            Reason.STATE_STUCK,
            4.5,
            'The last new one is 4.5 s old; expected at most 4 s (stuck_time).',
        ),
        (
            State.HOLD,
            Reason.TARGET_REACHED,
            0.0012,
            'The end effector is 0.0012 m and 0.0034 rad from its target; it is reached within '
            '0.005 m and 0.02 rad (target_tolerance).',
        ),
        (State.WAIT_STATE, Reason.STATE_TIMEOUT, 0.0, ''),
        (State.FAULT, Reason.OVERSPEED, 12.0, ''),
    ],
)
def test_a_value_is_explained(state, reason, value, sentence):
    """A log line that speaks of a value shows it, with its limit."""
    status = ControllerStatus(state=int(state), reason=reason, value=value)
    assert explained(status, SESSION) == sentence


def test_a_joint_whose_reading_repeats_has_the_limit_of_an_old_state():
    """All joints at rest have another one."""
    stuck = {'state': int(State.STALE), 'reason': Reason.STATE_STUCK, 'value': 0.021}
    sentence = explained(ControllerStatus(joint='elbow', **stuck), SESSION)
    assert sentence == (
        'The last new one is 0.021 s old; expected at most 0.02 s (state_timeout).'
    )
