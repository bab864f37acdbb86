# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A node that compiles says so in its log, its status and its diagnostics, with what is left."""

import threading

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from diagnostic_msgs.msg import DiagnosticArray

from robodyn_msgs.msg import ControllerStatus
from robodyn_ros.compile import warm_up
from robodyn_ros.nodes import controller, simulator
from robodyn_ros.realtime import start_report
from robodyn_ros.testing.hosting import Hosted, ros_arguments
from robodyn_ros.testing.participant import LATCHED, Participant
from support.nodes.node_harness import TWO_LINK
from support.patience import PATIENCE

pytestmark = pytest.mark.ros
pytest_plugins = ['robodyn_ros.testing.fixtures']

SENTENCE = 'Compiling kernel 3 of 11, once on this machine: model.aba.'


@pytest.fixture
def participant(ros_domain):
    """A participant that subscribes."""
    made = Participant()
    yield made
    made.close()


@pytest.mark.parametrize('module', [controller, simulator], ids=['controller', 'simulator'])
def test_a_kernel_that_takes_long_is_reported_everywhere(module, participant, monkeypatch):
    """The node waits in its compilation until its messages have arrived."""
    name = module.__name__.rpartition('.')[2]
    go_on = threading.Event()

    def slow(kernels, progress):
        progress('model.aba', 2, 11)
        assert go_on.wait(PATIENCE)
        warm_up(kernels, progress)

    monkeypatch.setattr(module, 'warm_up', slow)
    monkeypatch.setattr(start_report, 'INTERVAL', 0.01)
    monkeypatch.setattr(start_report, 'FIRST', 0.0)
    diagnostics = participant.collect(DiagnosticArray, '/diagnostics')
    statuses = participant.collect(ControllerStatus, '/robodyn_controller/status', LATCHED)
    values = {'urdf_path': TWO_LINK, 'specialise': False}
    if module is controller:
        values['robot_compensates_gravity'] = 'no'
    node = Hosted(name, *ros_arguments(values))
    try:
        node.wait_for_output(SENTENCE)
        diagnostics.wait(
            lambda message: any(
                SENTENCE in (entry.message, *(pair.value for pair in entry.values))
                for entry in message.status
            ),
            'diagnostics of the compilation',
        )
        if module is controller:
            status = statuses.wait(lambda status: status.message == SENTENCE, 'a status')
            assert (status.state_name, status.reason) == ('WAIT_MODEL', 'COMPILING')
    finally:
        go_on.set()
        node.close()
