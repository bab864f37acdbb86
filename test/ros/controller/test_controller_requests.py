# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What each service of the controller answers in each state: the table of both, every cell."""

from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')


from robodyn_ros.control import State, Trajectory
from robodyn_ros.ros.common.lifecycle_node import ACTIVE, INACTIVE, UNCONFIGURED
from robodyn_ros.ros.controller import controller_requests
from support.supervised import Bench

WHY = 'The controller is not configured. Configure it with `configure`.'


class Node:
    """A controller node without middleware, whose session has the supervisor of a bench."""

    def __init__(self, bench):
        self.bench, self.complaint, self.last_refusal = bench, '', ''
        self.session, self.phase, self.services = None, UNCONFIGURED, {}
        if bench is not None:
            self.session = SimpleNamespace(
                supervisor=bench.supervisor, now=lambda: bench.now, weak_gains=list, left_moving=''
            )
            self.phase = ACTIVE if bench.supervisor.active else INACTIVE

    def create_service(self, kind, name, answer):
        self.services[name] = lambda **fields: answer(kind.Request(**fields), kind.Response())

    def trigger_activate(self):
        refusal = self.bench.supervisor.activate(self.bench.now)
        self.complaint = f'Cannot activate: {refusal}' if refusal else ''
        self.phase = INACTIVE if refusal else ACTIVE

    def trigger_deactivate(self):
        self.bench.supervisor.deactivate()
        self.phase, self.complaint = INACTIVE, ''

    def forget_refusals(self):
        self.complaint = self.last_refusal = ''

    def why_unconfigured(self):
        return WHY


def wait_state():
    bench = Bench()
    bench.run(3, fresh=False)
    return bench


def ready():
    bench = Bench()
    bench.run(3)
    return bench


def hold():
    return Bench().activate()


def active():
    bench = hold()
    target = Trajectory([1.0], [[0.8, 0.9]])
    assert bench.supervisor.follow(target, bench.now) == ''
    bench.run(100)
    return bench


def stale():
    bench = active()
    bench.run(30, fresh=False)
    return bench


def fault():
    bench = active()
    bench.supervisor.stop()
    bench.run(1)
    return bench


def fault_without_states():
    bench = fault()
    bench.run(100, fresh=False)
    return bench


def fault_inactive():
    bench = fault()
    bench.supervisor.deactivate()
    bench.run(300)
    return bench


def compensating():
    bench = Bench(tracks=False).activate()
    bench.run(3)
    return bench


ON, OFF, STOP, RESET, HOLD = 'enable', 'disable', 'stop', 'reset', 'hold'
NOT_THERE = dict.fromkeys((ON, OFF, RESET, HOLD), (False, 'WAIT_MODEL', WHY))
#: By state: whether each request succeeds, the state afterwards, and words of the answer.
TABLE = {
    'unconfigured': (
        None,
        NOT_THERE | {STOP: (False, 'WAIT_MODEL', 'not configured, and commands nothing')},
    ),
    'WAIT_STATE': (
        wait_state,
        {
            ON: (False, 'WAIT_STATE', 'Cannot activate: there is no joint state yet'),
            OFF: (True, 'WAIT_STATE', 'inactive already. It commands nothing'),
            STOP: (True, 'FAULT', 'stopped. Until ~/reset it cannot be activated'),
            RESET: (True, 'WAIT_STATE', 'no fault to reset'),
            HOLD: (False, 'WAIT_STATE', 'in WAIT_STATE and takes no reference; activate it first'),
        },
    ),
    'READY': (
        ready,
        {
            ON: (True, 'HOLD', 'activated and holds the measured posture'),
            OFF: (True, 'READY', 'inactive already. It commands nothing'),
            STOP: (True, 'FAULT', 'stopped. Until ~/reset it cannot be activated'),
            RESET: (True, 'READY', 'no fault to reset'),
            HOLD: (False, 'READY', 'in READY and takes no reference; activate it first'),
        },
    ),
    'HOLD': (
        hold,
        {
            ON: (True, 'HOLD', 'active already'),
            OFF: (True, 'READY', 'deactivated. It commands nothing'),
            STOP: (True, 'FAULT', 'stopped. Until ~/reset it commands the safe effort'),
            RESET: (True, 'HOLD', 'no fault to reset'),
            HOLD: (True, 'HOLD', 'held already'),
        },
    ),
    'ACTIVE': (
        active,
        {
            ON: (True, 'ACTIVE', 'active already. A reference is followed'),
            OFF: (True, 'READY', 'deactivated. It commands nothing'),
            STOP: (True, 'FAULT', 'stopped. Until ~/reset it commands the safe effort'),
            RESET: (True, 'ACTIVE', 'no fault to reset'),
            HOLD: (True, None, 'stopped by request'),
        },
    ),
    'ACTIVE, a law without references': (
        compensating,
        {
            ON: (True, 'ACTIVE', 'active already'),
            OFF: (True, 'READY', 'deactivated. It commands nothing'),
            STOP: (True, 'FAULT', 'stopped. Until ~/reset it commands the safe effort'),
            RESET: (True, 'ACTIVE', 'no fault to reset'),
            HOLD: (False, 'ACTIVE', 'law scripted follows no reference; choose another law'),
        },
    ),
    'STALE': (
        stale,
        {
            ON: (False, 'STALE', 'No fresh joint state comes. A posture is held when'),
            OFF: (True, 'READY', 'deactivated. It commands nothing'),
            STOP: (True, 'FAULT', 'stopped. Until ~/reset it commands the safe effort'),
            RESET: (True, 'STALE', 'no fault to reset'),
            HOLD: (False, 'STALE', 'in STALE (STATE_TIMEOUT) and takes no reference; wait until'),
        },
    ),
    'FAULT': (
        fault,
        {
            ON: (False, 'FAULT', 'stopped. Until ~/reset it commands the safe effort'),
            OFF: (True, 'FAULT', 'deactivated. Until ~/reset it cannot be activated'),
            STOP: (True, 'FAULT', 'stopped. Until ~/reset it commands the safe effort'),
            RESET: (True, 'HOLD', 'The fault has been reset'),
            HOLD: (False, 'FAULT', 'in FAULT (STOPPED) and takes no reference; reset it first'),
        },
    ),
    'FAULT without joint states': (
        fault_without_states,
        {
            ON: (False, 'FAULT', 'stopped. Until ~/reset it commands the safe effort'),
            OFF: (True, 'FAULT', 'deactivated. Until ~/reset it cannot be activated'),
            STOP: (True, 'FAULT', 'stopped. Until ~/reset it commands the safe effort'),
            RESET: (False, 'FAULT', 'The last joint state is 0.1 s old; expected at most 0.02 s. '
                    'Reset it when joint states come'),
            HOLD: (False, 'FAULT', 'in FAULT (STOPPED) and takes no reference; reset it first'),
        },
    ),
    'FAULT, inactive': (
        fault_inactive,
        {
            ON: (False, 'FAULT', 'Cannot activate: the controller is in FAULT (STOPPED); reset'),
            OFF: (True, 'FAULT', 'inactive already. Until ~/reset it cannot be activated'),
            STOP: (True, 'FAULT', 'stopped. Until ~/reset it cannot be activated'),
            RESET: (True, 'READY', 'The fault has been reset'),
            HOLD: (False, 'FAULT', 'in FAULT (STOPPED) and takes no reference; reset it first'),
        },
    ),
}  # fmt: skip


@pytest.fixture
def node_in(monkeypatch):
    """Return the function that gives a node in a state, with its services."""
    monkeypatch.setattr(controller_requests, 'BoundedService', lambda *_: None)

    def made(state):
        bring = TABLE[state][0]
        node = Node(bring and bring())
        requests = controller_requests.ControllerRequests(node)
        node.ask = {
            ON: lambda: node.services['~/enable'](data=True),
            OFF: lambda: node.services['~/enable'](data=False),
            RESET: node.services['~/reset'],
            HOLD: node.services['~/hold'],
            STOP: lambda: SimpleNamespace(**dict(zip(('success', 'message'), requests.stop()))),
        }
        return node

    return made


@pytest.mark.parametrize('request_', [ON, OFF, STOP, RESET, HOLD])
@pytest.mark.parametrize('state', TABLE)
def test_every_request_in_every_state_is_answered_by_what_happened(node_in, state, request_):
    """With success only if it did what was asked; the answer begins with the state that is."""
    node = node_in(state)
    answer = node.ask[request_]()
    success, after, words = TABLE[state][1][request_]
    assert answer.success is success
    real = State.WAIT_MODEL if node.bench is None else node.bench.state
    assert answer.message.startswith(f'{real.name}: ')
    assert after in (None, real.name) and words in answer.message, answer.message


@pytest.mark.parametrize('state', [state for state in TABLE if state.startswith('FAULT')])
def test_a_reset_forgets_what_was_refused_in_the_fault(node_in, state):
    """The complaint about an activation, and the refused reference; a refused reset does not."""
    node = node_in(state)
    node.complaint, node.last_refusal = 'Cannot activate: ...', 'the controller is in FAULT'
    answer = node.ask[RESET]()
    assert bool(node.complaint) is bool(node.last_refusal) is not answer.success


@pytest.mark.parametrize('state', [state for state in TABLE if TABLE[state][0]])
def test_a_reference_is_refused_with_state_and_remedy(node_in, state):
    """By the supervisor, for every way in which references come."""
    bench = node_in(state).bench
    refusals = [
        send(Trajectory([1.0], [bench.supervisor.q + 0.01]), bench.now)
        for send in (bench.supervisor.follow, bench.supervisor.stream_target)
    ]
    assert refusals[0] == refusals[1]
    if 'law' in state:
        assert refusals[0] == 'control law scripted follows no reference; choose another law'
    elif state in ('HOLD', 'ACTIVE'):
        assert refusals[0] == ''
    else:
        assert f'the controller is in {state.split()[0].strip(",")}' in refusals[0]
        assert refusals[0].rpartition('; ')[2] in (
            'reset it first',
            'activate it first',
            'wait until joint states come again',
        )
    assert np.isfinite(bench.command).all()
