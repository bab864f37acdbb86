# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the node tests; `harness`, which needs ROS, holds what they are made of."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / 'simulator'))  # two of these files share helpers


@pytest.fixture(scope='module')
def graph():
    """Return our own participant in the ROS graph."""
    from support.nodes.node_harness import Graph

    participant = Graph()
    yield participant
    participant.close()


@pytest.fixture(autouse=True)
def subscriptions_end(request):
    """End the subscriptions of a test with it; they would take each message of later tests, too.

    Those of a module were there before.
    """
    if 'graph' not in request.fixturenames:
        yield
        return
    node = request.getfixturevalue('graph').node
    before = set(node.subscriptions)
    yield
    ended = set(node.subscriptions) - before

    def end():
        for subscription in ended:
            node.destroy_subscription(subscription)

    node.executor.create_task(end)  # between two waits for them


@pytest.fixture(scope='session')
def warm_nodes():
    """Return a process that has imported both nodes and loaded their kernels, and forks."""
    from support.warm_python import WarmPython

    nodes = ('robodyn_ros.nodes.controller', 'robodyn_ros.nodes.simulator')
    python = WarmPython(*nodes, 'support.nodes.loaded_kernels')
    yield python
    python.close()


@pytest.fixture
def start(warm_nodes, node_command, tmp_path_factory):
    """Return the function that starts a node; what is still running at the end is ended."""
    from support.nodes.node_harness import from_warm, processes

    yield from processes(from_warm(warm_nodes, node_command), tmp_path_factory)


@pytest.fixture(scope='module')
def start_shared(warm_nodes, node_command, tmp_path_factory):
    """Return the same function for nodes that the tests of a module share."""
    from support.nodes.node_harness import from_warm, processes

    yield from processes(from_warm(warm_nodes, node_command), tmp_path_factory)


@pytest.fixture
def host(request):
    """Return the function that starts a node in this process; the node ends before its arm."""
    from support.nodes import node_harness

    if 'arm' in request.fixturenames:  # whose clock the last commands need
        request.getfixturevalue('arm')
    yield from node_harness.host()


@pytest.fixture(scope='module')
def host_shared():
    """Return the same function for nodes that the tests of a module share."""
    from support.nodes import node_harness

    yield from node_harness.host()


@pytest.fixture
def probe(graph):
    """Return what asks the controller; its node is started by the test."""
    from support.nodes.node_harness import ControllerProbe

    return ControllerProbe(graph)


@pytest.fixture
def arm(graph):
    """Return an arm that stands still at POSTURE."""
    from support.nodes.node_harness import JOINTS, POSTURE, FakeArm

    fake = FakeArm(graph, JOINTS, POSTURE)
    yield fake
    fake.stop()
