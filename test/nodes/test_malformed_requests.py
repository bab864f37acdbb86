# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Requests that no client of ROS would send, as bytes: the node lives and goes on."""

import re
import struct
import time
from pathlib import Path

import pytest
from lifecycle_msgs.srv import GetState
from rcl_interfaces.srv import DescribeParameters
from std_srvs.srv import SetBool, Trigger

from support.nodes.node_harness import COLD, SOON, TWO_LINK, wait_until
from tools.raw_requests import RawRequests

pytestmark = pytest.mark.ros
NODE = '/robodyn_simulator'
HEADER = b'\x00\x01\x00\x00'


@pytest.fixture(scope='module')
def simulator(graph, start_shared):
    """Return a simulator that answers."""
    node = start_shared('simulator', urdf_path=TWO_LINK)
    node.answers = lambda timeout=SOON: graph.call(GetState, f'{NODE}/get_state', timeout=timeout)
    node.answers(COLD)
    yield node
    node.end_well()


def memory(node):
    """Return the most resident memory that the node has had [MB]."""
    status = Path(f'/proc/{node._process.pid}/status').read_text()
    return int(re.search(r'^VmHWM:\s+(\d+)', status, re.MULTILINE)[1]) / 1024


@pytest.fixture
def requests(graph):
    """Return the function that makes publishers of requests, and close them in the end."""
    made = []

    def make(kind, name):
        made.append(RawRequests(graph.node, kind, f'{NODE}/{name}'))
        wait_until(lambda: made[-1].heard, f'{name} hears requests')
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_row_58_a_length_that_lies_takes_no_memory(simulator, requests):
    """80 million strings in 17 bytes: 4 GB, if the process had no bound; and a line a second."""
    before, begin = memory(simulator), time.monotonic()
    lying = requests(DescribeParameters, 'describe_parameters')
    request = HEADER + struct.pack('<I', 80_000_000) + b'\x05\x00\x00\x00abcd\x00'
    for _ in range(100):
        assert lying.publish(request)
        simulator.answers()
    lines = simulator.output.count('failed to create array')
    assert 1 <= lines <= 1.0 + time.monotonic() - begin
    assert memory(simulator) < before + 1000.0


def test_row_58_requests_cut_off_leave_no_words_of_the_middleware(simulator, requests):
    """Of one service and another in turn, so that each error meets that of the one before."""
    cut = [requests(SetBool, 'pause'), requests(Trigger, 'reset')]
    begin = len(simulator.output)
    for _ in range(20):
        for each in cut:
            assert each.publish(b'\x00\x01')
            simulator.answers()
    assert 'being overwritten' not in simulator.output[begin:]
